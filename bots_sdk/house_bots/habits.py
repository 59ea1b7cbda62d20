"""What the better house bots have in common."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from bots_sdk import CARDS, SKIP, WILD, Card, CardPoints, Plan, Seat, SeatView, Turn, View

# The phases, the easiest one first: by how often 15 000 attempts of greedy bots, four at a table, succeeded.
EASIEST_FIRST: Final = (1, 2, 8, 4, 5, 9, 6, 3, 10, 7)


def aim(ways: Iterable[Plan]) -> Plan | None:
    """The way to follow: the shortest; where phases may be chosen and several are as near, the harder ones come later."""
    return min(ways, key=lambda way: (way.distance, EASIEST_FIRST.index(way.phase)), default=None)


def lay_and_hit(turn: Turn) -> None:
    """Lay a phase if one is complete, the way that leaves the fewest points, and hit whatever fits.

    Where several phases are complete, two thousand games showed no gain in laying the hardest or the easiest of them.
    """
    if way := turn.best_lay():
        turn.lay(way)
    for hit in turn.best_hits():
        turn.hit(hit)


def points_of(card: Card, points: CardPoints) -> int:
    """The penalty for a card that stays in hand."""
    number = card.number
    if number is None:
        return points.wild if card.is_wild else points.skip
    return points.low if number < 10 else points.high


def spare_cards(turn: Turn) -> tuple[Card, ...]:
    """The cards that may go without lengthening the way to the phase; a Wild only if there is nothing else."""
    way = aim(turn.plans())
    spare = turn.hand if way is None else way.leftover or turn.hand
    return tuple(card for card in spare if not card.is_wild) or spare if WILD in spare else spare


def dearest(cards: Iterable[Card], points: CardPoints) -> Card:
    """The card that costs most if it is kept; of equal ones the highest number."""
    return max(cards, key=_dearness(points).__getitem__)


@lru_cache(maxsize=8)
def _dearness(points: CardPoints) -> tuple[tuple[int, int], ...]:
    """By kind, what `dearest` compares."""
    return tuple((points_of(card, points), card.number or 0) for card in CARDS)


def throw(turn: Turn, points: CardPoints) -> Card:
    """A Skip if there is one, because it wins a turn; else the dearest spare card."""
    return SKIP if SKIP in turn.hand else dearest(spare_cards(turn), points)


def leader(view: View, targets: Iterable[Seat]) -> Seat | None:
    """The seat that is nearest to going out: it has laid, holds few cards, is far in the phases, has few points."""
    return max(targets, key=lambda seat: _threat(view.table.seats[seat]), default=None)


def _threat(seat: SeatView) -> tuple[bool, int, int, int]:
    return (seat.laid, -seat.hand_size, seat.completed, -seat.points)
