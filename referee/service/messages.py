"""What the referee says to bots, as serialised frames.

Frames are kept as bytes: two frames written one after the other are one frame with the messages of both, so whoever collects
them only has to join them.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from referee.engine.cards import SKIP
from referee.engine.events import CardDiscarded, CardDrawn, Event, FaultKind, SkipPlayed
from referee.engine.game import Result
from referee.engine.moves import Draw, Move, Play, Seat
from referee.wire.enums import FAULTS
from referee.wire.fields import Heading, IntField
from referee.wire.moves import encode_rejected
from referee.wire.replay import encode_result
from referee.wire.view import ViewWriter

_MESSAGE: Final = Heading(pb.ConnectResponse, "messages")
_QUESTION: Final = Heading(pb.RefereeMessage, "question", _MESSAGE)
_EVENTS: Final = Heading(pb.RefereeMessage, "events", _MESSAGE)

_EVENTS_GAME: Final = IntField(pb.Events, "game")
_EVENTS_FIRST: Final = IntField(pb.Events, "first")

_GAME: Final = IntField(pb.Question, "game")
_ID: Final = IntField(pb.Question, "id")
_VIEW: Final = Heading(pb.Question, "view")
_BANK: Final = IntField(pb.Question, "bank_ms")
_LIMIT: Final = IntField(pb.Question, "limit_ms")
_ROUND_TRIP: Final = IntField(pb.Question, "round_trip_ms")

MALFORMED: Final = game_pb2.REJECT_REASON_MALFORMED
STALE: Final = game_pb2.REJECT_REASON_STALE
LATE: Final = game_pb2.REJECT_REASON_LATE
UNKNOWN_GAME: Final = game_pb2.REJECT_REASON_UNKNOWN_GAME
TEXTS: Final[dict[int, str]] = {
    MALFORMED: "the answer could not be understood",
    STALE: "the answer is not to the open question",
    LATE: "the time for the answer was over",
    UNKNOWN_GAME: "the session has no such game",
}


def framed(*messages: pb.RefereeMessage) -> bytes:
    """A frame of these messages."""
    return pb.ConnectResponse(messages=messages).SerializeToString()


def rejected(game: int, question: int, reason: int, text: str = "", instead: Move | None = None) -> bytes:
    """`reason` is a value of the schema's RejectReason; `text` may be left out for those of TEXTS."""
    message = encode_rejected(game, question, reason, text or TEXTS[reason], instead)
    return framed(pb.RefereeMessage(rejected=message))


def faulted(game: int, kind: FaultKind, count: int, limit: int) -> bytes:
    return framed(pb.RefereeMessage(fault=pb.Fault(game=game, kind=FAULTS.encode(kind), count=count, limit=limit)))


def happened(game: int, first: int, events: Iterable[bytes]) -> bytes:
    """`events` as `pieces` writes them; `first` is the number of the first one within the game."""
    return _EVENTS.wrap(b"".join((_EVENTS_GAME[game], _EVENTS_FIRST[first], *events)))


def finished(game: int, result: Result, seed: bytes) -> bytes:
    message = pb.GameOver(game=game, kind=pb.GAME_OVER_KIND_FINISHED, result=encode_result(result), server_seed=seed)
    return framed(pb.RefereeMessage(game_over=message))


def voided(game: int, seed: bytes, text: str) -> bytes:
    message = pb.GameOver(game=game, kind=pb.GAME_OVER_KIND_VOID, server_seed=seed, text=text)
    return framed(pb.RefereeMessage(game_over=message))


def played_instead(events: Sequence[Event], seat: Seat) -> Move | None:
    """The default move that these events show of a seat, if there is one."""
    for event in events:
        match event:
            case CardDrawn() if event.seat == seat:
                return Draw(event.from_discard)
            case CardDiscarded() if event.seat == seat:
                return Play(discard=event.card)
            case SkipPlayed() if event.seat == seat:
                return Play(discard=SKIP, skip_target=event.target)
            case _:
                continue
    return None


def asked(question: bytes) -> bytes:
    """`question` as `QuestionWriter` writes it."""
    return _QUESTION.wrap(question)


class QuestionWriter(ViewWriter):
    """Writes the questions of one game."""

    __slots__ = ()

    def question(self, game: int, number: int, seen: bytes, left: tuple[float, float, float]) -> bytes:
        """A serialised Question.

        `seen` is a view as `view` writes it; `left` is the bank, the limit for this answer and the round trip last
        measured, in milliseconds.
        """
        bank, limit, round_trip = left
        return b"".join(
            (
                _GAME[game],
                _ID[number],
                _VIEW[len(seen)],
                seen,
                _BANK[int(bank)],
                _LIMIT[int(limit)],
                _ROUND_TRIP[int(round_trip)],
            )
        )
