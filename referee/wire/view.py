"""Views: what a seat, and what everybody may know.

One is written and read for every decision, so they are joined from the bytes of their fields (see `fields`) and read from
coarse messages (see `coarse`). A seat seldom changes what it looks like, so both sides keep seats and their bytes.
"""

from functools import lru_cache
from typing import Any, Final

from google.protobuf.message import DecodeError
from phaseten.v1 import game_pb2 as pb

from referee.engine.view import PublicView, SeatView, Stage, TableFields, View, ViewFields
from referee.wire import coarse
from referee.wire.cards import decode_cards, decode_optional_card, packed_cards
from referee.wire.enums import STAGES
from referee.wire.errors import MalformedMessage
from referee.wire.fields import Heading, IntField
from referee.wire.melds import decode_table_meld, write_table_meld

_PHASE: Final = IntField(pb.SeatState, "phase")
_COMPLETED: Final = IntField(pb.SeatState, "completed")
_LAID: Final = IntField(pb.SeatState, "laid")
_POINTS: Final = IntField(pb.SeatState, "points")
_HAND_SIZE: Final = IntField(pb.SeatState, "hand_size")
_SKIP_PENDING: Final = IntField(pb.SeatState, "skip_pending")
_MAY_BE_SKIPPED: Final = IntField(pb.SeatState, "may_be_skipped")
_FAULTS: Final = IntField(pb.SeatState, "faults")
_FORFEITED: Final = IntField(pb.SeatState, "forfeited")
_MELDS: Final = Heading(pb.SeatState, "melds")
_PHASES_DONE: Final = Heading(pb.SeatState, "phases_done")

_DEAL: Final = IntField(pb.Table, "deal")
_TURN: Final = IntField(pb.Table, "turn")
_DEALER: Final = IntField(pb.Table, "dealer")
_TO_MOVE: Final = IntField(pb.Table, "to_move")
_STAGE: Final = IntField(pb.Table, "stage")
_TIE_BREAK: Final = IntField(pb.Table, "tie_break")
_STOCK_SIZE: Final = IntField(pb.Table, "stock_size")
_DISCARD_SIZE: Final = IntField(pb.Table, "discard_size")
_DISCARD_TOP: Final = IntField(pb.Table, "discard_top", offset=1)
_SEATS: Final = Heading(pb.Table, "seats")

_RULESET: Final = Heading(pb.View, "ruleset")
_SEAT: Final = IntField(pb.View, "seat")
_HAND: Final = Heading(pb.View, "hand")
_DRAWN: Final = IntField(pb.View, "drawn", offset=1)
_TABLE: Final = Heading(pb.View, "table")

_new: Final = tuple.__new__

_STAGES: Final = {stage: _STAGE[STAGES.encode(stage)] for stage in Stage}
_DRAW: Final = Stage.DRAW
_PLAY: Final = Stage.PLAY
_IN_DRAW: Final = _STAGES[_DRAW]
_IN_PLAY: Final = _STAGES[_PLAY]
_MOST_KEPT: Final = 32  # seats of one game, as they looked at one time or another


def _write_seat(seat: SeatView) -> bytes:
    """A serialised SeatState."""
    return b"".join(
        [
            _PHASE[seat.phase],
            _COMPLETED[seat.completed],
            _LAID[seat.laid],
            _POINTS[seat.points],
            _HAND_SIZE[seat.hand_size],
            _SKIP_PENDING[seat.skip_pending],
            _MAY_BE_SKIPPED[seat.may_be_skipped],
            _FAULTS[seat.faults],
            _FORFEITED[seat.forfeited],
            *[_MELDS.wrap(write_table_meld(meld)) for meld in seat.melds],
            _PHASES_DONE.optional(bytes(seat.phases_done)),
        ]
    )


class ViewWriter:
    """Writes what the seats of one game see.

    Seats of the table are known by identity, which is safe because they are frozen and kept here, and quick because the
    engine hands out the same SeatView as long as nothing of that seat has changed.
    """

    __slots__ = ("_kept", "_ruleset")

    def __init__(self, ruleset: str) -> None:
        """`ruleset` is the name that all these views hold."""
        self._ruleset = _RULESET.optional(ruleset.encode())
        self._kept: dict[int, tuple[SeatView, bytes]] = {}

    def table(self, table: TableFields) -> bytes:
        """A serialised Table."""
        deal, turn, dealer, to_move, stage, tie_break, stock_size, discard_size, discard_top, seats = table
        parts = [
            _DEAL[deal],
            _TURN[turn],
            _DEALER[dealer],
            _TO_MOVE[to_move],
            _IN_PLAY if stage is _PLAY else _IN_DRAW if stage is _DRAW else _STAGES[stage],
            _TIE_BREAK[tie_break],
            _STOCK_SIZE[stock_size],
            _DISCARD_SIZE[discard_size],
            _DISCARD_TOP[discard_top],
        ]
        kept = self._kept
        for seat in seats:
            known = kept.get(id(seat)) or self._keep(seat)
            parts.append(known[1])
        return b"".join(parts)

    def _keep(self, seat: SeatView) -> tuple[SeatView, bytes]:
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        known = self._kept[id(seat)] = (seat, _SEATS.wrap(_write_seat(seat)))
        return known

    def view(self, view: ViewFields) -> bytes:
        """A serialised View."""
        _, seat, cards, drawn, seen = view
        table = self.table(seen)
        hand = packed_cards(cards)
        return b"".join(
            (
                self._ruleset,
                _SEAT[seat],
                _HAND[len(hand)] if hand else b"",
                hand,
                _DRAWN[drawn],
                _TABLE[len(table)],
                table,
            )
        )


def encode_table(table: PublicView) -> pb.Table:
    return pb.Table.FromString(ViewWriter("").table(table))


def encode_view(view: View) -> pb.View:
    return pb.View.FromString(ViewWriter(view.ruleset).view(view))


@lru_cache(maxsize=4096)
def _read_seat(data: bytes) -> SeatView:
    """Raises MalformedMessage."""
    try:
        message = pb.SeatState.FromString(data)
    except DecodeError:
        raise MalformedMessage("a seat of the table cannot be read") from None
    return SeatView(
        message.phase,
        message.completed,
        message.laid,
        message.points,
        message.hand_size,
        message.skip_pending,
        message.may_be_skipped,
        message.faults,
        message.forfeited,
        tuple([decode_table_meld(meld) for meld in message.melds]),
        tuple(message.phases_done),
    )


def _read_table(message: Any) -> PublicView:
    fields = (
        message.deal,
        message.turn,
        message.dealer,
        message.to_move if message.HasField("to_move") else None,
        STAGES.decode(message.stage),
        message.tie_break,
        message.stock_size,
        message.discard_size,
        decode_optional_card(message.discard_top),
        tuple(map(_read_seat, message.seats[:])),
    )
    return _new(PublicView, fields)


def read_view(message: Any) -> View:
    """The value of a coarse View. Raises MalformedMessage."""
    hand = decode_cards(message.hand)  # as bytes: a card takes one
    fields = (message.ruleset, message.seat, hand, decode_optional_card(message.drawn), _read_table(message.table))
    return _new(View, fields)


def decode_table(message: pb.Table) -> PublicView:
    """Raises MalformedMessage."""
    return _read_table(coarse.Table.FromString(message.SerializeToString()))


def decode_view(message: pb.View) -> View:
    """Raises MalformedMessage."""
    return read_view(coarse.View.FromString(message.SerializeToString()))
