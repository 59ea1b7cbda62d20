"""What may be known: by one seat (`View`), and by everybody (`PublicView`). Two types, so that they cannot be mixed up.

They are named tuples, since there is one for every decision: the SDK makes them by `tuple.__new__`, five times as fast as
any other class, and the referee writes down plain tuples of the same fields (`ViewFields`, `TableFields`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from referee.engine.cards import Card
from referee.engine.events import TableMeld
from referee.engine.moves import Seat
from referee.engine.values import quick


class Stage(Enum):
    """Which decision is asked for."""

    DRAW = "draw"
    PLAY = "play"
    OVER = "over"


@quick
@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat as everybody sees it.

    `phase` is the phase (1-10) it works on, or laid in this deal; 0 once all are done, and where it is free to choose one.
    `phases_done` lists those it has completed where it may choose, and is empty elsewhere. `skip_pending` says that its
    next slot will be passed over. `may_be_skipped` says whether a Skip may be played against it now.
    """

    phase: int
    completed: int
    laid: bool
    points: int
    hand_size: int
    skip_pending: bool
    may_be_skipped: bool
    faults: int
    forfeited: bool
    melds: tuple[TableMeld, ...]
    phases_done: tuple[int, ...] = ()


class PublicView(NamedTuple):
    """The table without any hidden card. `turn` counts the slots of this deal from 0; `to_move` is None when it is over."""

    deal: int
    turn: int
    dealer: Seat
    to_move: Seat | None
    stage: Stage
    tie_break: bool
    stock_size: int
    discard_size: int
    discard_top: Card | None
    seats: tuple[SeatView, ...]


class View(NamedTuple):
    """All that seat `seat` may know: the table, its own hand (ascending) and the card it drew this turn, if it did."""

    ruleset: str
    seat: Seat
    hand: tuple[Card, ...]
    drawn: Card | None
    table: PublicView


TableFields = tuple[int, int, Seat, Seat | None, Stage, bool, int, int, Card | None, tuple[SeatView, ...]]
ViewFields = tuple[str, Seat, Sequence[Card], Card | None, TableFields]
