"""One running game: a state machine that is driven by answers and by its timer. It has no task and awaits nothing."""

import asyncio
import time
from typing import Any, Final, Protocol
from uuid import UUID

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine.errors import IllegalMove
from referee.engine.events import Event, FaultKind, ForfeitCause
from referee.engine.game import Game, Result
from referee.engine.moves import Move
from referee.engine.shuffle import SeededDecks, match_key
from referee.service import messages
from referee.service.batch import Batch
from referee.service.clock import Charge
from referee.service.containment import Stage, contained, go_through
from referee.service.gathering import Gathering
from referee.service.house import House
from referee.service.order import Attempt
from referee.service.pieces import answer_piece
from referee.service.seats import Link, TableSeat
from referee.wire.enums import REASONS
from referee.wire.errors import MalformedMessage
from referee.wire.moves import read_answer
from referee.wire.replay import ReplayRecord, encode_replay


class Owner(Protocol):
    """Who wants to know how a game ends."""

    def game_over(self, game: "RunningGame", replay: bytes) -> None: ...

    def game_failed(self, error: Exception) -> None:
        """The game cannot go on, by a mistake of ours."""


class RunningGame:
    """Plays one game of a match."""

    __slots__ = (
        "_answer",
        "_answers",
        "_asked",
        "_asked_at",
        "_deadline",
        "_events",
        "_game",
        "_gathering",
        "_house",
        "_move",
        "_now",
        "_owner",
        "_question",
        "_seen",
        "_started",
        "_telling",
        "_timer",
        "_timer_at",
        "index",
        "order",
        "over",
        "seats",
    )

    def __init__(self, gathering: Gathering, house: House, owner: Owner) -> None:
        """Shuffle with what was gathered, and deal."""
        self.order = order = gathering.order
        self.index = gathering.index
        self.seats = gathering.seats
        self.over = False
        self._gathering = gathering
        self._telling = gathering.telling
        nonces = tuple(share.nonce for share in gathering.shares)
        decks = SeededDecks(match_key(gathering.context, gathering.seed, nonces))
        self._game = Game(order.ruleset, order.terms, len(self.seats), decks)
        self._house = house
        self._owner = owner
        self._question = 0
        self._asked: TableSeat | None = None
        self._asked_at = self._deadline = self._timer_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._answer: Any = None  # one that is being taken, stage by stage (see `batch`)
        self._now = 0.0  # when it came
        self._move: Move  # that it holds
        self._events: tuple[Event, ...] = ()  # that this led to
        self._seen = b""  # what the seat that is asked next sees
        self._answers = bytearray()  # records of all answers, as a replay of nothing but them
        self._started = time.time()

    @property
    def attempt(self) -> Attempt:
        return self.order.attempt

    @property
    def game_id(self) -> UUID:
        return self.order.games[self.index]

    def shuffle(self) -> referee_pb2.VoidGame:
        """As of its gathering."""
        return self._gathering.shuffle()

    @property
    def revealed_seed(self) -> bytes:
        """As of its gathering."""
        return self._gathering.revealed_seed

    @property
    def result(self) -> Result | None:
        return self._game.result

    def waits_for(self, seat: TableSeat) -> bool:
        """Whether this seat is being asked."""
        return self._asked is seat

    # What is done to it. Each step is contained: a mistake of ours in it voids this attempt and nothing else.

    def begin(self) -> None:
        """Show the shares to everybody, and ask the first question."""
        contained(self._owner.game_failed, self._begin)

    def commit(self, seat: TableSeat, commitment: bytes) -> bool:
        """The shares were gathered: what is sent again is no use and no harm."""
        return self._gathering.shares[seat.index].commitment == commitment

    def reveal(self, seat: TableSeat, nonce: bytes) -> bool:
        """As `commit`."""
        return self._gathering.shares[seat.index].nonce == nonce

    def answer(self, seat: TableSeat, message: Any, batch: Batch) -> bool:
        """An answer came, as a coarse Answer. If it is timely it is taken with the others of `batch`.

        False if nobody had asked for it.
        """
        if self._answer is not None:
            batch.play()  # one answer before the next
        now = batch.now
        if now < self._asked_at:  # noqa: PLR1730  as in `clock`
            now = self._asked_at  # it was asked by what stands before in the frame, and guessed that it would be
        if seat is not self._asked or now >= self._deadline or message.id != self._question:
            return contained(self._owner.game_failed, self._answer_untimely, seat, message, now)
        self._answer, self._now = message, now
        batch.add(self, _STAGES)
        return True

    def failed(self, error: Exception) -> None:
        """A stage of the answer that is being taken raised this."""
        if not self.over:  # by a mistake in another game of the match, which left this one in the middle of a stage
            self._owner.game_failed(error)

    def resign(self, seat: TableSeat) -> None:
        """The seat gives up."""
        contained(self._owner.game_failed, self._resign, seat)

    def resume(self, seat: TableSeat, link: Link, told: pb.Resync) -> None:
        """A new session takes a seat; what it must know is added to `told`."""
        contained(self._owner.game_failed, self._resume, seat, link, told)

    def abandon(self, text: str) -> None:
        """End without a result. It relies on nothing that can be broken."""
        self._end()
        self._house.feed.dropped(self)
        for seat in self.seats:
            self._telling.abandon(seat, self._gathering.revealed_seed, text)

    def _begin(self) -> None:
        self._telling.nonces = [share.nonce for share in self._gathering.shares]
        for seat in self.seats:
            seat.table = self
            self._telling.begin(seat)
        self._telling.publish(self._game.log)
        for seat in self._gathering.absent:
            self._telling.publish(self._game.forfeit(seat.index, ForfeitCause.NO_SHOW))
        self._house.feed.began(self._gathering, self)
        self._go_on()

    def _resume(self, seat: TableSeat, link: Link, told: pb.Resync) -> None:
        seat.link, seat.handle = link, link.seat(seat)
        asked = seat is self._asked
        gone = self._house.time.now() - self._asked_at
        told.games.append(self._telling.resync(seat, self._question if asked else None, gone, self._game))

    def _answer_untimely(self, seat: TableSeat, message: Any, now: float) -> bool:
        """An answer that is late, early, or to nothing that was asked."""
        question = message.id
        if seat is self._asked and now >= self._deadline:
            self._miss()  # the timer was about to say so
            now = self._house.time.now()
        if self.over:
            return False
        if seat is self._asked and question >= self._question:
            self._answer, self._now = message, now
            if question == self._question:
                go_through(_STAGES, (self,))
            else:
                self._wrong(FaultKind.MALFORMED, (messages.MALFORMED, f"question {question} was not asked yet"))
            return True
        if question > seat.last_question:
            # This seat was never asked such a question: it makes no sense, but the other seat's question stays open.
            self._fault(seat, question, FaultKind.MALFORMED, (messages.MALFORMED, "this seat was not asked that"))
            if self._game.to_move is None:
                self._finish()
        elif question < seat.last_question or seat is self._asked:
            seat.say(messages.rejected(seat.handle, question, messages.STALE))
        return False  # the same answer again is answered once

    # The stages of an answer to the open question. Each answers False if it was the last one.

    def _read(self) -> bool:
        try:
            self._move = read_answer(self._answer)
        except MalformedMessage as wrong:
            return self._wrong(FaultKind.MALFORMED, (messages.MALFORMED, str(wrong)))
        return True

    def _judge(self) -> bool:
        seat = self._asked
        assert seat is not None
        try:
            self._events = self._game.submit(seat.index, self._move)
        except IllegalMove as wrong:
            return self._wrong(FaultKind.ILLEGAL, (REASONS.encode(wrong.reason), wrong.reason.value))
        return True

    def _publish(self) -> bool:
        self._telling.publish(self._events)
        return True

    def _charge(self) -> bool:
        """Charge the seat for its answer, and write it down."""
        seat, elapsed = self._asked, self._now - self._asked_at
        assert seat is not None
        charge = seat.clock.answered(elapsed, seat.round_trip)
        self._house.meter.decided(elapsed)
        self._note(len(self._game.log) - len(self._events), seat, charge, self._answer.note)
        return True

    def _next(self) -> bool:
        """See whose turn it is, or end the game."""
        self._answer = None
        if self.over:  # as in `failed`
            return False
        to_move = self._game.to_move
        if to_move is None:
            self._finish()
            return False
        self._asked = seat = self.seats[to_move]
        self._question = seat.last_question = self._question + 1
        return True

    def _look(self) -> bool:
        seat = self._asked
        assert seat is not None
        self._seen = self._telling.look(seat, self._game)
        return True

    def _ask(self) -> bool:
        """Ask the seat. Its time begins now: what the stages before needed for all games of a frame costs nobody any."""
        seat, telling, feed = self._asked, self._telling, self._house.feed
        assert seat is not None
        self._asked_at = now = self._house.time.now()
        self._deadline = deadline = now + seat.clock.allowance(seat.round_trip)
        if self._timer is None or self._timer_at > deadline:
            self._arm(now)
        telling.ask(seat, self._question, self._seen)
        if feed.watched:
            feed.touched(self)
        telling.tidy(feed.watched)
        return False

    # What happens beside them.

    def _wrong(self, kind: FaultKind, why: tuple[int, str]) -> bool:
        """The answer cannot be taken: it costs its time and a fault, and the game goes on without it."""
        assert self._asked is not None
        self._events = self._fault(self._asked, self._answer.id, kind, why)
        self._charge()
        self._go_on()
        return False

    def _resign(self, seat: TableSeat) -> None:
        self._telling.publish(self._game.forfeit(seat.index, ForfeitCause.RESIGNED))
        self._house.feed.touched(self)
        if seat is self._asked or self._game.to_move is None:
            self._go_on()

    def _ring(self) -> None:
        """The timer rang; it may have been set for an earlier question."""
        self._timer = None
        if self.over:
            return
        now = self._house.time.now()
        if now < self._deadline:
            self._arm(now)
        else:
            contained(self._owner.game_failed, self._miss)

    def _miss(self) -> None:
        """The seat that is asked has no time left."""
        seat = self._asked
        assert seat is not None
        start = len(self._game.log)
        why = (messages.LATE, "")
        last = seat.clock.last_chance
        charge = seat.clock.missed()
        if last:
            events = self._game.forfeit(seat.index, ForfeitCause.CLOCK)
            self._telling.publish(events)
            self._telling.refuse(seat, self._question, why, events)
        else:
            kind = FaultKind.LATE if seat.link is not None else FaultKind.GONE
            self._fault(seat, self._question, kind, why)
        self._note(start, seat, charge, "")
        self._go_on()

    def _fault(self, seat: TableSeat, question: int, kind: FaultKind, why: tuple[int, str]) -> tuple[Event, ...]:
        """Count a fault against a seat, which plays the default move if it was asked. Returns what happened."""
        events: tuple[Event, ...] = self._game.fault(seat.index, kind)
        self._telling.publish(events)
        self._telling.refuse(seat, question, why, events)
        if events:
            self._house.meter.faults[kind] += 1
            self._telling.count_fault(seat, kind, self._game.public_view().seats[seat.index].faults)
        return events

    def _note(self, start: int, seat: TableSeat, charge: Charge, note: str) -> None:
        bank = int(seat.clock.bank)
        note = seat.kept_note(note) if note else ""
        self._answers += answer_piece(start, seat.index, charge, max(0, bank), note)

    def _go_on(self) -> None:
        """Ask whoever is to move, or end the game, apart from any batch."""
        if self._next():
            self._look()
            self._ask()

    def _arm(self, now: float) -> None:
        """Let the timer ring at the deadline. One that rings earlier is harmless, and cheaper than a timer per question."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = self._deadline
        self._timer = self._house.loop.call_later(max(0.0, self._deadline - now) / 1000.0, self._ring)

    def _finish(self) -> None:
        result = self._game.result
        assert result is not None
        self._end()
        self._house.feed.closed(self)
        for seat in self.seats:
            self._telling.finish(seat, result, self._gathering.revealed_seed)
        self._owner.game_over(self, self._replay(result))

    def _replay(self, result: Result) -> bytes:
        record = encode_replay(
            ReplayRecord(
                match_id=self.attempt.match,
                attempt=self.attempt.number,
                game_id=self.game_id,
                game_index=self.index,
                seats=tuple(seat.info for seat in self.seats),
                server_seed=self._gathering.seed,
                commitment=self._gathering.commitment,
                nonces=self._gathering.shares,
                events=(),  # they follow, and so do the answers
                answers=(),
                result=result,
                started_ms=int(self._started * 1000),
                ended_ms=int(time.time() * 1000),
                referee=self._house.referee,
                mirrored=self.order.mirrored,
            )
        )
        return b"".join((record, self._telling.log_bytes(), self._answers))

    def _end(self) -> None:
        self.over = True
        self._asked = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # What watchers see.

    def opening(self) -> referee_pb2.GameOpened:
        return self._telling.opening()

    def update(self) -> bytes:
        """A serialised GameUpdate: what happened since the last call, and the table."""
        return self._telling.update(self._game)


#: Of an answer, in order. They are looked up here because compiled classes cannot hold their own functions as values.
_STAGES: Final[tuple[Stage, ...]] = tuple(
    [getattr(RunningGame, name) for name in ("_read", "_judge", "_publish", "_charge", "_next", "_look", "_ask")]
)
