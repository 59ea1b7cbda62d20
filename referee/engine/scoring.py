"""Penalty points, and the places they lead to."""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.engine.cards import NUMBERS, SKIP_KIND, Card
from referee.engine.ruleset import CardPoints

_FORFEITED: Final = (1, 0, 0, 0)


def card_points(card: Card, points: CardPoints) -> int:
    """What one card left in hand costs (official leaflet: 5 for 1-9, 10 for 10-12, 15 for a Skip, 25 for a Wild)."""
    if card < NUMBERS:
        return points.low if card % 12 < 9 else points.high
    return points.skip if card == SKIP_KIND else points.wild


def hand_points(hand: Iterable[Card], points: CardPoints) -> int:
    """What a whole hand costs; cards on the table never count."""
    return sum(card_points(card, points) for card in hand)


def places(
    completed: Sequence[int], totals: Sequence[int], forfeited: Sequence[bool], winner: int | None = None
) -> tuple[int, ...]:
    """Places by seat: more phases first, then fewer points; equal seats share a place and leave the next one out.

    `winner` is the seat that won a tie-break, ahead of all that are level with it. Seats that forfeited come last and tie.
    """
    keys = [
        _FORFEITED if gone else (0, -done, total, seat != winner)
        for seat, (done, total, gone) in enumerate(zip(completed, totals, forfeited, strict=True))
    ]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
