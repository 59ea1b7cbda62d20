"""The meld search: how far a hand is from a phase, which cards help, and the good ways to lay it."""

from dataclasses import dataclass

from referee.engine.cards import Card
from referee.engine.moves import Meld
from referee.engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Plan:
    """A shortest way from a hand to a phase.

    `distance` is the number of cards still missing, Wilds already counted: 0 means that the phase can be laid now.
    `useful` holds every kind that, added to the hand, makes the distance smaller (empty at distance 0). `parts` holds, goal
    by goal, the cards of the hand that this plan keeps (number cards ascending, then Wilds); `leftover` is the rest of
    the hand, ascending: throwing any of it leaves the distance as it is.
    """

    phase: int
    hand: tuple[Card, ...]
    distance: int
    useful: frozenset[Card]

    @property
    def parts(self) -> tuple[tuple[Card, ...], ...]: ...

    @property
    def leftover(self) -> tuple[Card, ...]: ...


def plan(hand: tuple[Card, ...], phase: int) -> Plan:
    """The shortest way from `hand` (cards in ascending order, as in `View.hand`) to phase 1-10. Fast: tables and a cache."""


def lays(hand: tuple[Card, ...], phase: int, ruleset: Ruleset) -> tuple[tuple[Meld, ...], ...]:
    """The good ways to lay `phase` from `hand`, best first; empty if it cannot be laid.

    Every choice of numbers, run start or colour that the hand can pay for appears once, each with all number cards that fit
    its melds and no more Wilds than it needs. Best is: fewest penalty points left in hand.
    """
