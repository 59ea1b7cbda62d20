"""How long games of house bots are, against the figures of simulators that share no code with us.

The table is that of three engines and bots of the same ideas (a C++ and a Python simulator, AP-Phase10's solver): deals a
game, turns a deal (all seats), and choices a game, where a choice is a pile, a lay, a hit, a discard, or whom to skip at
tables of three and more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

import pytest

from bots_sdk import CardDiscarded, CardHit, DealEnded, PhaseLaid, SkipPlayed, play_game
from bots_sdk.house_bots import HOUSE_BOTS
from referee.engine import CardDrawn, Event


@dataclass(frozen=True)
class Row:
    """Means of the table, lowest and highest; `spread` holds the 5 and 95 percent marks of the deals a game."""

    bots: str
    seats: int
    games: int
    deals: tuple[float, float]
    spread: tuple[int, int]
    turns: tuple[float, float]
    choices: tuple[float, float]


TABLE = [
    Row("greedy", 2, 150, (11.2, 11.4), (10, 13), (15.9, 17.4), (417, 450)),
    Row("blind", 2, 80, (11.4, 11.4), (10, 13), (20.9, 20.9), (531, 531)),
    Row("denier", 2, 60, (10.8, 10.8), (10, 12), (17.3, 17.3), (427, 427)),
    Row("denier", 3, 40, (12.2, 12.2), (11, 14), (19.1, 19.1), (556, 556)),
    Row("greedy", 4, 100, (14.4, 14.9), (12, 17), (18.8, 20.6), (680, 700)),
    Row("denier", 4, 40, (13.8, 13.8), (12, 16), (20.7, 20.7), (684, 684)),
    Row("denier", 6, 25, (17.2, 17.2), (15, 20), (23.4, 23.4), (970, 970)),
]
# The bots of the table are like ours, not the same: another tenth in each direction is no sign of an error in the rules.
ALIKE = 0.1


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.seats} {row.bots}")
def test_games_are_as_long_as_elsewhere(row: Row) -> None:
    deals, turns, choices = [], [], []
    for number in range(row.games):
        bots = [HOUSE_BOTS[row.bots]() for _ in range(row.seats)]
        played = play_game(bots, seed=f"length {row.bots} {row.seats} {number}")
        deals.append(float(played.result.deals))
        turns += turns_of_deals(played.game.log)
        choices.append(float(sum(choices_in(event, row.seats) for event in played.game.log)))
    assert row.spread[0] <= mean(deals) <= row.spread[1]
    for found, (low, high) in ((deals, row.deals), (turns, row.turns), (choices, row.choices)):
        margin = 3 * stdev(found) / len(found) ** 0.5
        assert low * (1 - ALIKE) - margin <= mean(found) <= high * (1 + ALIKE) + margin


def turns_of_deals(log: Sequence[Event]) -> list[float]:
    """The turns of each deal, those passed over not counted."""
    found, turns = [], 0
    for event in log:
        turns += isinstance(event, CardDrawn)
        if isinstance(event, DealEnded):
            found.append(float(turns))
            turns = 0
    return found


def choices_in(event: Event, seats: int) -> int:
    match event:
        case CardDrawn() | PhaseLaid() | CardHit() | CardDiscarded():
            return 1
        case SkipPlayed():
            return 1 if seats == 2 else 2
        case _:
            return 0
