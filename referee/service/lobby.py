"""Who is here, what is played, and who has room for more. All of the referee's state hangs together here."""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final
from uuid import UUID

from phaseten.v1 import bot_pb2

from referee.service.clock import RefereeTime
from referee.service.endings import Ending, Endings
from referee.service.errors import CallReason
from referee.service.feed import Feed
from referee.service.house import House
from referee.service.journal import LAST_WORDS, Leftover
from referee.service.log import EventLog, Sparing
from referee.service.match import RunningMatch
from referee.service.meter import Meter
from referee.service.order import Attempt, Order
from referee.service.records import Outcomes, Records, State, make_record
from referee.service.session import Allowance, Session
from referee.wire.replay import SeatInfo

log = EventLog(__name__)

LINE_SECONDS: Final = 60.0  # of a bot's sessions as many lines are written in a minute as it may say unasked in a second
LINES_KEPT_SECONDS: Final = 5 * LINE_SECONDS  # longer than an allowance takes to be whole again


class Refusal(Enum):
    """Why a match is not played. The names are those of the schema."""

    BOTS_ABSENT = "a bot is not here"
    NO_CAPACITY = "a bot has no room for another game"
    VERSION_CHANGED = "a bot is here with another version"
    REFEREE_BUSY = "the referee has no room"
    DRAINING = "the referee is going away"
    INVALID_ORDER = "the order makes no sense"
    CANCELLED = "this attempt was called off, or came to nothing"
    STALE_ATTEMPT = "a newer attempt is known"


class Started(Enum):
    """What became of an order that was not refused. The names are those of the schema."""

    STARTED = "started"
    ALREADY_RUNNING = "already_running"
    ALREADY_FINISHED = "already_finished"


@dataclass(frozen=True, slots=True)
class Refused:
    """An order that is not played, and the bots that are the reason."""

    why: Refusal
    bots: tuple[str, ...] = ()


class Attendance:
    """One bot's room: its session, and the games it plays or has been promised to."""

    __slots__ = ("capacity", "playing", "session", "waiting")

    def __init__(self) -> None:
        self.session: Session | None = None
        self.capacity = 1
        self.playing = 0
        self.waiting: dict[RunningMatch, None] = {}  # matches with games that have not begun

    @property
    def promised(self) -> int:
        """Games that are played and games that wait for their wave."""
        return self.playing + sum(len(match.waiting) for match in self.waiting)

    @property
    def idle(self) -> bool:
        return self.session is None and not self.playing and not self.waiting


def _few_lines() -> Sparing:
    """For the sessions of one bot: how often it comes back is its own affair, and others' lines are not lost by it."""
    allowance = Allowance(time.monotonic() / LINE_SECONDS)
    return Sparing(lambda now: allowance.take(now / LINE_SECONDS, 1))


class Lobby:
    """Sessions by bot, matches by attempt, records and outcomes."""

    def __init__(self, house: House, records: Records, outcomes: Outcomes, max_games: int) -> None:
        self.draining: bot_pb2.Drain | None = None
        self.records = records
        self.outcomes = outcomes
        self._house = house
        self._max_games = max_games
        self._here: dict[str, Attendance] = {}
        self._matches: dict[UUID, RunningMatch] = {}
        self._closed = False
        self._endings = Endings()
        self._lines: dict[str, Sparing] = {}

    # Looking around.

    @property
    def feed(self) -> Feed:
        return self._house.feed

    @property
    def time(self) -> RefereeTime:
        return self._house.time

    @property
    def meter(self) -> Meter:
        return self._house.meter

    @property
    def sessions(self) -> tuple[tuple[Session, int], ...]:
        """Every session, with the number of games its bot plays or is promised to."""
        return tuple((one.session, one.promised) for one in self._here.values() if one.session is not None)

    @property
    def session_count(self) -> int:
        return sum(one.session is not None for one in tuple(self._here.values()))

    @property
    def match_count(self) -> int:
        return len(self._matches)

    @property
    def game_count(self) -> int:
        """Games that are running."""
        return sum(len(match.games) for match in tuple(self._matches.values()))

    @property
    def free_games(self) -> int:
        """Games that the referee itself has room for, and for whose records there is room too."""
        used = sum(len(match.games) + len(match.waiting) for match in tuple(self._matches.values()))
        return max(0, min(self._max_games, self.records.room) - used)

    def running(self) -> Iterable[Attempt]:
        """The attempts that are running."""
        return [match.attempt for match in self._matches.values()]

    def state(self, attempt: Attempt) -> State:
        """What is known of an attempt."""
        if attempt in self.records:
            return State.FINISHED
        return self.outcomes.state(attempt)

    def tidy(self) -> None:
        """Forget what nobody needs any more, and tell which bots came and went untold; to be called now and then."""
        self._endings.forget()
        forgotten = time.monotonic() - LINES_KEPT_SECONDS
        for bot, lines in tuple(self._lines.items()):
            if lines.untold:
                here = self._here.get(bot)
                now = None if here is None or here.session is None else here.session.session_id
                lines.catch_up(log.info, "sessions untold", bot=bot, session=now)
            elif lines.used_at < forgotten:
                del self._lines[bot]

    def _tell(self, bot: str, event: str, **fields: Any) -> None:
        """Log something about a bot's sessions. A bot that comes back without end does not flood the log."""
        self._lines.setdefault(bot, _few_lines()).tell(log.info, event, bot=bot, **fields)

    # Sessions.

    def join(self, session: Session, welcome: bot_pb2.Welcome) -> None:
        """A bot is here: it takes over from its earlier session, and takes its seats in running games."""
        bot = session.ticket.bot
        here = self._here.setdefault(bot, Attendance())
        if here.session is not None:
            here.session.leave_games()
            text = CallReason.SUPERSEDED.text
            here.session.send(bot_pb2.RefereeMessage(superseded=bot_pb2.Superseded(text=text)))
            here.session.end(CallReason.SUPERSEDED)
            self._tell(bot, "session superseded", session=here.session.session_id)
        self._house.meter.sessions += 1
        here.session = session
        here.capacity = session.capacity
        session.send(bot_pb2.RefereeMessage(welcome=welcome))
        resync = self._take_seats(session)
        resync.ended.extend(self._endings.of(bot, session.ticket.version_id))
        if resync.games or resync.ended:
            session.send(bot_pb2.RefereeMessage(resync=resync))
        if self.draining is not None:
            session.send(bot_pb2.RefereeMessage(drain=self.draining))
        self._begin_waiting([bot])
        self._tell(bot, "session opened", session=session.session_id, version=session.ticket.version)

    def _take_seats(self, session: Session) -> bot_pb2.Resync:
        resync = bot_pb2.Resync()
        for match in tuple(self._matches.values()):
            for game in tuple(match.games.values()):
                for seat in game.seats:
                    info = seat.info
                    if info.bot == session.ticket.bot and info.version_id == session.ticket.version_id:
                        game.resume(seat, session, resync)
        return resync

    def leave(self, session: Session) -> None:
        """A session's stream has ended."""
        bot = session.ticket.bot
        here = self._here.get(bot)
        if here is not None and here.session is session:
            session.leave_games()
            here.session = None
            self._forget_idle(bot)
        self._tell(bot, "session closed", session=session.session_id)

    def close_sessions(self, bots: Collection[str], credentials: Collection[str], text: str) -> int:
        """End sessions, those of some bots and those opened with some credentials; returns how many.

        Their games go on, and nobody answers for them until the bot is back.
        """
        closing = [
            session for session, _ in self.sessions if session.ticket.bot in bots or session.ticket.credential in credentials
        ]
        for session in closing:
            session.end(CallReason.SESSION_CLOSED, text)
        return len(closing)

    def drain(self, grace_ms: int) -> None:
        """Take no new matches, and say so."""
        self.draining = bot_pb2.Drain(grace_ms=grace_ms)
        for session, _ in self.sessions:
            session.send(bot_pb2.RefereeMessage(drain=self.draining))

    # Matches.

    def start(self, order: Order) -> Started | Refused:
        """Play a match, unless there is a reason not to. The same order twice is played once."""
        attempt = order.attempt
        known = self.judge_known(attempt)
        if known is not None:
            return known
        older = self._matches.get(attempt.match)
        if older is not None:
            self.cancel(older.attempt, "a newer attempt was ordered")
        refused = self._refuse(order)
        if refused is not None:
            return refused
        match = RunningMatch(order, self._house, self)
        self._matches[attempt.match] = match
        self.outcomes.note(attempt, State.RUNNING)
        bots = [bot.bot for bot in order.bots]
        for bot in bots:
            self._here[bot].waiting[match] = None
        log.info("match started", match=attempt.match, attempt=attempt.number, bots=bots)
        self._begin_waiting_games(match)
        return Started.STARTED

    def judge_known(self, attempt: Attempt) -> Started | Refused | None:
        """The answer to an order that was given before; None for a new one."""
        if self.outcomes.newest(attempt.match) > attempt.number:
            return Refused(Refusal.STALE_ATTEMPT)
        match self.state(attempt):
            case State.RUNNING:
                return Started.ALREADY_RUNNING
            case State.FINISHED:
                return Started.ALREADY_FINISHED
            case State.VOID | State.CALLED_OFF:
                return Refused(Refusal.CANCELLED)
            case State.UNKNOWN:
                return None

    def _refuse(self, order: Order) -> Refused | None:
        if self.draining is not None:
            return Refused(Refusal.DRAINING)
        if self.free_games < len(order.games):
            return Refused(Refusal.REFEREE_BUSY)
        absent, changed, full = [], [], []
        for bot in order.bots:
            here = self._here.get(bot.bot)
            if here is None or here.session is None:
                absent.append(bot.bot)
            elif here.session.ticket.version_id != bot.version_id:
                changed.append(bot.bot)
            elif here.promised >= here.capacity:
                full.append(bot.bot)
        for why, bots in (
            (Refusal.BOTS_ABSENT, absent),
            (Refusal.VERSION_CHANGED, changed),
            (Refusal.NO_CAPACITY, full),
        ):
            if bots:
                return Refused(why, tuple(bots))
        return None

    def cancel(self, attempt: Attempt, text: str) -> State:
        """Call an attempt off; it is never dealt again. Returns its state before. A finished one keeps its record."""
        before = self.state(attempt)
        if before is State.RUNNING:
            self._void(self._matches[attempt.match], text, planned=True)
        elif before is State.UNKNOWN:
            self.outcomes.note(attempt, State.CALLED_OFF)
        return before

    def void_all(self, text: str) -> None:
        """Call everything off. Records that nobody has taken home go with this process, which is no mistake either."""
        self._closed = True  # nothing begins any more in the room that the first ones leave
        for match in tuple(self._matches.values()):
            self._void(match, text, planned=True)
        for attempt in self.records:
            self._house.journal.void(attempt, LAST_WORDS, planned=True)

    def acknowledge(self, attempt: Attempt) -> bool:
        """The site has the record, or knows that the attempt is void. False if nothing waited for that (any more)."""
        known = self.records.acknowledge(attempt) or self.feed.void_known(attempt)
        if known:
            self._house.journal.forget(attempt)
        return known

    def recall(self, leftovers: Sequence[Leftover]) -> None:
        """Earlier processes were ended in the middle of these attempts: tell that they are void, and deal none again."""
        for left in leftovers:
            self.outcomes.note(left.attempt, State.void(planned=left.planned))
        self.feed.recall(leftovers)

    def _void(self, match: RunningMatch, text: str, *, planned: bool = False) -> None:
        attempt = match.attempt
        if self._matches.pop(attempt.match, None) is None:
            return  # it failed twice
        playing, shuffles = match.playing, match.shuffles()
        match.abandon(text)
        self.outcomes.note(attempt, State.void(planned=planned))
        self._house.journal.void(attempt, text, planned=planned)
        self._house.meter.matches["void"] += 1
        self.feed.void(attempt, text, shuffles, planned=planned)
        log.warning("match void", match=attempt.match, attempt=attempt.number, reason=text)
        self._release(match, playing)

    def _release(self, match: RunningMatch, games: int) -> None:
        """The bots of a match have `games` games less to play."""
        bots = [bot.bot for bot in match.order.bots]
        for bot in bots:
            here = self._here[bot]
            here.playing -= games
            if not match.waiting:
                here.waiting.pop(match, None)
        self._begin_waiting(bots)
        for bot in bots:
            self._forget_idle(bot)

    def _forget_idle(self, bot: str) -> None:
        here = self._here.get(bot)
        if here is not None and here.idle:
            del self._here[bot]

    # Waves: a game begins when each of its bots has room for it.

    def _begin_waiting(self, bots: Sequence[str]) -> None:
        """Begin what waited for these bots, oldest match first."""
        for bot in bots:
            here = self._here.get(bot)
            for match in tuple(here.waiting) if here is not None else ():
                self._begin_waiting_games(match)

    def _begin_waiting_games(self, match: RunningMatch) -> None:
        here = [self._here[bot.bot] for bot in match.order.bots]
        while match.waiting and not self._closed and all(one.playing < one.capacity for one in here):
            for one in here:
                one.playing += 1
            match.begin_next([self._link(one, bot.version_id) for one, bot in zip(here, match.order.bots, strict=True)])
        if not match.waiting:
            for one in here:
                one.waiting.pop(match, None)

    @staticmethod
    def _link(here: Attendance, version_id: int) -> Session | None:
        session = here.session
        return session if session is not None and session.ticket.version_id == version_id else None

    # What matches say (`match.MatchOwner`).

    def game_over(self, match: RunningMatch) -> None:
        attempt = match.attempt
        if match.done:
            del self._matches[attempt.match]
            self.records.keep(make_record(attempt, match.replays))
            self.outcomes.note(attempt, State.FINISHED)
            self._house.meter.matches["finished"] += 1
            self.feed.recorded(attempt)
            log.info("match finished", match=attempt.match, attempt=attempt.number)
        self._release(match, 1)

    def game_ended(self, seats: tuple[SeatInfo, ...], ending: Ending) -> None:
        self._endings.note(seats, ending)

    def match_void(self, match: RunningMatch, text: str) -> None:
        self._void(match, text)

    def match_failed(self, match: RunningMatch, error: Exception) -> None:
        attempt = match.attempt
        log.bug("match failed", error, match=attempt.match, attempt=attempt.number)
        self._void(match, "the referee made a mistake")
