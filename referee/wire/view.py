"""Views: what a seat, and what everybody may know."""

from functools import lru_cache

from phaseten.v1 import game_pb2 as pb

from referee.engine.moves import Seat
from referee.engine.view import PublicView, SeatView, View
from referee.wire.cards import decode_cards, decode_optional_card, encode_cards, encode_optional_card
from referee.wire.enums import STAGES
from referee.wire.melds import decode_table_meld, encode_table_meld


def encode_seat(seat: SeatView) -> pb.SeatState:
    return pb.SeatState(
        phase=seat.phase,
        completed=seat.completed,
        laid=seat.laid,
        points=seat.points,
        hand_size=seat.hand_size,
        skip_pending=seat.skip_pending,
        may_be_skipped=seat.may_be_skipped,
        faults=seat.faults,
        forfeited=seat.forfeited,
        melds=[encode_table_meld(meld) for meld in seat.melds],
        phases_done=seat.phases_done,
    )


def decode_seat(message: pb.SeatState) -> SeatView:
    """Raises MalformedMessage."""
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


@lru_cache(maxsize=4096)
def _seat_of(data: bytes) -> SeatView:
    return decode_seat(pb.SeatState.FromString(data))


def encode_table(table: PublicView) -> pb.Table:
    return pb.Table(
        deal=table.deal,
        turn=table.turn,
        dealer=table.dealer,
        to_move=table.to_move,
        stage=STAGES.encode(table.stage),
        tie_break=table.tie_break,
        stock_size=table.stock_size,
        discard_size=table.discard_size,
        discard_top=encode_optional_card(table.discard_top),
        seats=[encode_seat(seat) for seat in table.seats],
    )


def decode_table(message: pb.Table) -> PublicView:
    """Raises MalformedMessage."""
    return PublicView(
        message.deal,
        message.turn,
        Seat(message.dealer),
        Seat(message.to_move) if message.HasField("to_move") else None,
        STAGES.decode(message.stage),
        message.tie_break,
        message.stock_size,
        message.discard_size,
        decode_optional_card(message.discard_top),
        # Most seats look as they did a moment ago: a look-up by bytes costs half of reading them again.
        tuple([_seat_of(seat.SerializeToString()) for seat in message.seats]),
    )


def encode_view(view: View) -> pb.View:
    return pb.View(
        ruleset=view.ruleset,
        seat=view.seat,
        hand=encode_cards(view.hand),
        drawn=encode_optional_card(view.drawn),
        table=encode_table(view.table),
    )


def decode_view(message: pb.View) -> View:
    """Raises MalformedMessage."""
    return View(
        message.ruleset,
        Seat(message.seat),
        decode_cards(message.hand),
        decode_optional_card(message.drawn),
        decode_table(message.table),
    )


class TableKeeper:
    """The Table message of one game, kept and changed in place: building it anew costs ten times as much.

    It compares values by identity, which is safe because they are frozen, and quick because the engine hands out the same
    SeatView as long as nothing of that seat has changed.
    """

    __slots__ = ("_last", "message")

    def __init__(self) -> None:
        self.message = pb.Table()
        self._last: PublicView | None = None

    def update(self, table: PublicView) -> pb.Table:
        """The message, equal to `encode_table(table)`. It changes at the next call: copy it or serialise it before."""
        last, message = self._last, self.message
        if table is last:
            return message
        if last is None or len(last.seats) != len(table.seats):
            message.CopyFrom(encode_table(table))
            self._last = table
            return message
        if (table.deal, table.dealer, table.tie_break) != (last.deal, last.dealer, last.tie_break):
            message.deal = table.deal
            message.dealer = table.dealer
            message.tie_break = table.tie_break
        message.turn = table.turn
        if table.to_move is None:
            message.ClearField("to_move")
        else:
            message.to_move = table.to_move
        message.stage = STAGES.encode(table.stage)
        message.stock_size = table.stock_size
        message.discard_size = table.discard_size
        message.discard_top = encode_optional_card(table.discard_top)
        for index, seat in enumerate(table.seats):
            before = last.seats[index]
            if seat is not before:
                _update_seat(message.seats[index], seat, before)
        self._last = table
        return message


def _update_seat(message: pb.SeatState, seat: SeatView, before: SeatView) -> None:
    if seat.melds is not before.melds or seat.phases_done is not before.phases_done:
        message.CopyFrom(encode_seat(seat))
        return
    message.phase = seat.phase
    message.completed = seat.completed
    message.laid = seat.laid
    message.points = seat.points
    message.hand_size = seat.hand_size
    message.skip_pending = seat.skip_pending
    message.may_be_skipped = seat.may_be_skipped
    message.faults = seat.faults
    message.forfeited = seat.forfeited
