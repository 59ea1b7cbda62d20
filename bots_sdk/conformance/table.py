"""One game of the script: a real one, in which the bot has a seat and the other seats play by themselves."""

import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID, uuid4

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from bots_sdk.bot import Bot
from bots_sdk.check import format_move
from bots_sdk.conformance.findings import Finding, Wrong
from bots_sdk.house_bots import GreedyBot
from bots_sdk.info import GameInfo
from referee.engine.cards import format_cards
from referee.engine.default_move import default_move
from referee.engine.errors import IllegalMove
from referee.engine.events import Event, FaultKind, PhaseLaid
from referee.engine.game import Game
from referee.engine.moves import Move, Seat
from referee.engine.observe import public_event
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Clock, Ruleset, Terms
from referee.engine.shuffle import NO_NONCE, SeededDecks, game_context, match_key, nonce_commit, server_commit
from referee.engine.view import Stage
from referee.wire import coarse
from referee.wire.enums import FAULTS, REASONS
from referee.wire.errors import MalformedMessage
from referee.wire.events import encode_public_event
from referee.wire.moves import encode_rejected, read_answer
from referee.wire.replay import SeatInfo, encode_result, encode_seat_info
from referee.wire.rules import encode_ruleset, encode_terms
from referee.wire.view import encode_view

ROUND_TRIP_MS: Final = 3
NONCE_BYTES: Final = 32
CLOCK: Final = Clock(bank_ms=60_000, increment_ms=500, cap_ms=10_000)
MANY_FAULTS: Final = 10_000  # so many that nobody forfeits: a bot shall be seen to the end


def terms(deals: int = 1, turns: int | None = 12) -> Terms:
    """The terms of a game of so many deals and turns a deal."""
    return Terms(clock=CLOCK, max_faults=MANY_FAULTS, max_deals=deals, max_turns_per_deal=turns)


def say(**kinds: Any) -> bytes:
    """A frame of these messages, such as `say(ping=pb.Ping(id=1))`. Frames in a row are one frame."""
    messages = [pb.RefereeMessage(**{kind: message}) for kind, message in kinds.items()]
    return pb.ConnectResponse(messages=messages).SerializeToString()


@dataclass(slots=True)
class Shuffle:
    """The shares of a game. `nonces` and `commitments` are by seat; the bot's are filled in when they come."""

    context: bytes
    seed: bytes
    nonces: list[bytes]
    commitments: list[bytes]


@dataclass(slots=True)
class Asked:
    """The question that waits for an answer."""

    message: pb.Question
    at: float = field(default_factory=time.monotonic)


class Table:
    """A game at which the bot has `seat`. Of the others the odd ones are greedy, the even ones play default moves.

    `handle` is the number by which the session calls it; `asked` the open question, None while nobody waits for the bot.
    """

    def __init__(
        self, ruleset: Ruleset = OFFICIAL, terms_of_it: Terms | None = None, *, seats: int = 2, seat: int = 0
    ) -> None:
        self.ruleset = ruleset
        self.terms = terms_of_it or terms()
        self.seats = seats
        self.seat = Seat(seat)
        self.handle = 0
        self.game_id: UUID = uuid4()
        self.match_id: UUID = uuid4()
        context = game_context(self.game_id.bytes, 1, seats)
        nonces = [secrets.token_bytes(NONCE_BYTES) for _ in range(seats)]
        nonces[seat] = NO_NONCE
        commitments = [nonce_commit(context, other, nonces[other]) for other in range(seats)]
        commitments[seat] = b""
        self.shuffle = Shuffle(context, secrets.token_bytes(64), nonces, commitments)
        self.asked: Asked | None = None
        self.last_id = 0  # of all seats' questions
        self.over = False
        self.laid: set[int] = set()
        self.answers: dict[int, bytes] = {}  # what was answered, by question
        self.slowest = 0.0
        self._game: Game | None = None
        self._public: list[game_pb2.PublicEvent] = []
        self._read = 0  # events of the log that are in `_public`, if everybody sees them
        self._told = 0
        self._rivals: dict[Seat, Bot] = {}

    @property
    def game(self) -> Game:
        """The running game."""
        assert self._game is not None, "the game has not begun"
        return self._game

    @property
    def begun(self) -> bool:
        """Whether cards were dealt."""
        return self._game is not None

    @property
    def events(self) -> int:
        """The number of events that everybody has seen."""
        self._look()
        return len(self._public)

    # The handshake.

    def invite(self) -> pb.Invite:
        names = [SeatInfo(f"script-{seat}", f"Script {seat}", "1", seat + 1) for seat in range(self.seats)]
        names[self.seat] = SeatInfo("you", "You", "1", 100)
        return pb.Invite(
            game=self.handle,
            game_id=self.game_id.bytes,
            match_id=self.match_id.bytes,
            attempt=1,
            ruleset=encode_ruleset(self.ruleset),
            terms=encode_terms(self.terms),
            seat=self.seat,
            table=[encode_seat_info(name) for name in names],
            commitment=server_commit(self.shuffle.context, self.shuffle.seed),
        )

    def commitments(self) -> pb.NonceCommits:
        return pb.NonceCommits(game=self.handle, commitments=self.shuffle.commitments)

    def keeps_word(self, nonce: bytes) -> bool:
        """Whether this nonce is what the bot has committed to."""
        return nonce_commit(self.shuffle.context, self.seat, nonce) == self.shuffle.commitments[self.seat]

    def start(self) -> pb.Start:
        """Shuffle and deal, if that was not done yet."""
        nonces = tuple(self.shuffle.nonces)
        if self._game is None:
            decks = SeededDecks(match_key(self.shuffle.context, self.shuffle.seed, nonces))
            self._game = Game(self.ruleset, self.terms, self.seats, decks)
            table = tuple(SeatInfo(f"script-{seat}", "", "1", 0) for seat in range(self.seats))
            for seat in range(1, self.seats, 2):
                rival = GreedyBot()
                rival.game = GameInfo(self.game_id, self.match_id, 1, self.ruleset, self.terms, Seat(seat), table)
                self._rivals[Seat(seat)] = rival
        return pb.Start(game=self.handle, nonces=nonces)

    def start_unshared(self) -> pb.Start:
        """Shuffle by the referee's seed alone, as in a mirrored match."""
        self.shuffle.nonces = [NO_NONCE] * self.seats
        return self.start()

    # Asking.

    def question(self) -> bytes:
        """Let the others play; then events and a new question for the bot, or its end, as a frame."""
        while (mover := self.game.to_move) is not None and mover != self.seat:
            self.last_id += 1
            self.game.submit(mover, self._rivals_move(mover))
        if mover is None:
            return self.ending()
        self.last_id += 1
        self.asked = Asked(self._question())
        return self.news() + say(question=self.asked.message)

    def _rivals_move(self, mover: Seat) -> Move:
        rival = self._rivals.get(mover)
        if rival is None:
            return default_move(self.game.state)
        view = self.game.view(mover)
        return rival.draw(view) if view.table.stage is Stage.DRAW else rival.play(view)

    def _question(self) -> pb.Question:
        clock = self.terms.clock
        return pb.Question(
            game=self.handle,
            id=self.last_id,
            view=encode_view(self.game.view(self.seat)),
            bank_ms=clock.bank_ms,
            limit_ms=clock.cap_ms,
            round_trip_ms=ROUND_TRIP_MS,
        )

    def news(self) -> bytes:
        """What the bot has not been told yet, as a frame; empty if there is nothing."""
        first = self._told
        self._told = self.events
        fresh = self._public[first:]
        return say(events=pb.Events(game=self.handle, first=first, events=fresh)) if fresh else b""

    def happened(self, event: game_pb2.PublicEvent) -> None:
        """Something that this protocol has no word for."""
        self._look()
        self._public.append(event)

    def history(self, first: int, count: int) -> pb.Events:
        """Some events that were told before."""
        return pb.Events(game=self.handle, first=first, events=self._public[first : first + count])

    def _look(self) -> None:
        log = self.game.log
        for event in log[self._read :]:
            seen = public_event(event, self.ruleset)
            if seen is not None:
                self._public.append(encode_public_event(seen))
        self._read = len(log)

    def resync(self) -> pb.ResyncGame:
        """The game as a new session is told it; what happened before is not told any more."""
        told = pb.ResyncGame(invite=self.invite())
        if self._game is None:
            return told
        self._told = self.events
        told.start.CopyFrom(self.start())
        told.events = self._told
        if self.asked is not None:
            self.asked = Asked(self._question())
            told.question.CopyFrom(self.asked.message)
        return told

    # Judging.

    def take(self, answer: pb.Answer, at: float) -> tuple[bytes, Finding | None]:
        """Judge an answer that came `at` this time: what the bot is told, as a frame, and what was wrong with it."""
        known = self.answers.get(answer.id)
        if known is not None:
            return b"", _again(answer, known)
        if self.asked is None:
            return b"", Finding(Wrong.UNASKED, f"an answer to question {answer.id}, which is not open")
        question, asked = self.asked.message, self.asked
        self.slowest = max(self.slowest, at - asked.at)
        self.asked = None
        self.answers[question.id] = _decision(answer)
        if answer.id != question.id:
            text = f"question {question.id} was open, and the answer names {answer.id}"
            return self._refuse(question.id, game_pb2.REJECT_REASON_MALFORMED, text), Finding(Wrong.WRONG_ID, text)
        return self._judge(answer)

    def _judge(self, answer: pb.Answer) -> tuple[bytes, Finding | None]:
        view = self.game.view(self.seat)
        try:
            move = read_answer(coarse.Answer.FromString(answer.SerializeToString()))
            self._note(self.game.submit(self.seat, move))
        except MalformedMessage as error:
            text = str(error)
            return self._refuse(answer.id, game_pb2.REJECT_REASON_MALFORMED, text), Finding(Wrong.MALFORMED, text)
        except IllegalMove as error:
            text = (
                f"{error} ({error.reason.name}): {format_move(move)}, with {format_cards(view.hand)} in hand, "
                f"phase {view.table.seats[self.seat].phase or 'free'}, rule set {self.ruleset.name}"
            )
            refusal = self._refuse(answer.id, REASONS.encode(error.reason), str(error))
            return refusal, Finding(Wrong.ILLEGAL, text, error.reason.name)
        return b"", None

    def _refuse(self, question: int, reason: int, text: str) -> bytes:
        """Count a fault and play the default move; what the bot is told of it."""
        instead = default_move(self.game.state)
        self.game.fault(self.seat, FaultKind.ILLEGAL)
        count = self.game.state.faults[self.seat]
        fault = pb.Fault(game=self.handle, kind=FAULTS.encode(FaultKind.ILLEGAL), count=count, limit=MANY_FAULTS)
        return self.news() + say(rejected=encode_rejected(self.handle, question, reason, text, instead), fault=fault)

    def _note(self, events: tuple[Event, ...]) -> None:
        self.laid.update(event.phase for event in events if isinstance(event, PhaseLaid) and event.seat == self.seat)

    # The end.

    def ending(self) -> bytes:
        """The last events and the result, as a frame."""
        result = self.game.result
        assert result is not None
        self.over, self.asked = True, None
        over = pb.GameOver(
            game=self.handle,
            kind=pb.GAME_OVER_KIND_FINISHED,
            result=encode_result(result),
            server_seed=self.shuffle.seed,
        )
        return self.news() + say(game_over=over)

    def ended(self, *, finished: bool = False) -> pb.GameOver:
        """The game ends behind the bot's back, by default moves or called off: as a Resync tells it."""
        over = pb.GameOver(game_id=self.game_id.bytes, server_seed=self.shuffle.seed)
        if finished:
            while self.game.to_move is not None:
                self.game.submit(self.game.to_move, default_move(self.game.state))
            assert self.game.result is not None
            over.kind = pb.GAME_OVER_KIND_FINISHED
            over.result.CopyFrom(encode_result(self.game.result))
        else:
            over.kind, over.text = pb.GAME_OVER_KIND_VOID, "called off in the meantime"
        self.over, self.asked = True, None
        return over

    def voided(self, text: str = "the script goes on with something else") -> bytes:
        """The game is called off, as a frame."""
        self.over, self.asked = True, None
        over = pb.GameOver(game=self.handle, kind=pb.GAME_OVER_KIND_VOID, server_seed=self.shuffle.seed, text=text)
        return say(game_over=over)


def _decision(answer: pb.Answer) -> bytes:
    """What an answer decides, as bytes to be compared; notes do not count."""
    kind = answer.WhichOneof("decision")
    return b"" if kind is None else kind.encode() + getattr(answer, kind).SerializeToString(deterministic=True)


def _again(answer: pb.Answer, known: bytes) -> Finding:
    if _decision(answer) == known:
        return Finding(Wrong.REPEATED, f"question {answer.id} was answered twice, in the same way")
    return Finding(Wrong.CHANGED, f"question {answer.id} was answered twice, with different moves")
