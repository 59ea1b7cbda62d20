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
from referee.engine.view import PublicView, View
from referee.service.pieces import tag, wrapped
from referee.wire.cards import encode_cards, encode_optional_card
from referee.wire.enums import FAULTS
from referee.wire.moves import encode_rejected
from referee.wire.replay import encode_result
from referee.wire.view import TableKeeper

_MESSAGES: Final = tag(pb.ConnectResponse.MESSAGES_FIELD_NUMBER)
_EVENTS: Final = tag(pb.RefereeMessage.EVENTS_FIELD_NUMBER)
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
    head = pb.Events(game=game, first=first).SerializeToString()
    return wrapped(_MESSAGES, wrapped(_EVENTS, b"".join([head, *events])))


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


class QuestionFrame:
    """Asks the seats of one game. One message, kept and changed in place."""

    __slots__ = ("_frame", "_hand", "_question", "_table", "_view")

    def __init__(self, ruleset: str) -> None:
        self._frame = pb.ConnectResponse(messages=[pb.RefereeMessage(question=pb.Question())])
        self._question = self._frame.messages[0].question
        self._view = self._question.view
        self._view.ruleset = ruleset
        self._hand = self._view.hand
        self._table = TableKeeper()
        self._table.message = self._view.table  # the table is changed where it is sent from

    def ask(self, game: int, question: int, view: View, left: tuple[float, float, float]) -> pb.Question:
        """The question, to be copied or serialised before the next call.

        `left` is the bank, the limit for this answer and the round trip last measured, in milliseconds.
        """
        message, seen = self._question, self._view
        message.game = game
        message.id = question
        bank, limit, round_trip = left
        message.bank_ms, message.limit_ms, message.round_trip_ms = int(bank), int(limit), int(round_trip)
        seen.seat = view.seat
        self._hand[:] = encode_cards(view.hand)
        seen.drawn = encode_optional_card(view.drawn)
        self._table.update(view.table)
        return message

    def table(self, table: PublicView) -> game_pb2.Table:
        """The table as everybody sees it, to be copied or serialised before the next call."""
        return self._table.update(table)

    def frame(self) -> bytes:
        """A frame with the question last asked."""
        return self._frame.SerializeToString()
