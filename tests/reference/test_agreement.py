"""The engine and the reference agree, move for move, under every published rule set and under random ones.

A failure names the game, so that `Match(label, number).play(Counter())` plays it again.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from enum import Enum
from multiprocessing import get_context

import pytest

from referee.engine import PRESETS, Reason, Ruleset, Terms
from tests.reference.cards import Draw
from tests.reference.compare import Pair
from tests.reference.decks import Decks
from tests.reference.matches import RANDOM_RULES, SWITCHES, Differ, Match, compare, rules_for

MOVES = 100_000  # for each rule set, unless --reference-moves says otherwise
WORKERS = 2
PARTS = 4  # of each rule set's moves, so that both workers end at about the same time

# What every rule set gets to see, given enough moves, and what depends on options.
ALWAYS = {
    "accepted",
    "lays",
    "hits",
    "deal: went_out",
    "deal: turn_cap",
    "game: phases_done",
    "game: forfeits",
    "game: deal_cap",
}
NEVER = {Reason.STOCK_EMPTY}  # there is always a card to draw in a game that was played from its start


@pytest.fixture(scope="module")
def workers() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def moves(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--reference-moves", default=MOVES) or MOVES)


@pytest.fixture(scope="module")
def seen_anywhere() -> Counter[str]:
    return Counter()


@pytest.mark.parametrize("label", [*PRESETS, RANDOM_RULES])
def test_both_agree(label: str, workers: ProcessPoolExecutor, moves: int, seen_anywhere: Counter[str]):
    share = -(-moves // PARTS)
    parts = [workers.submit(compare, label, first, PARTS, share) for first in range(PARTS)]
    seen: Counter[str] = sum((part.result() for part in parts), Counter())
    assert seen["moves"] == share * PARTS
    seen_anywhere += seen
    if moves >= MOVES:
        assert set(seen) >= ALWAYS
        assert seen["accepted"] > seen["moves"] / 2


def test_chance_went_everywhere(moves: int, seen_anywhere: Counter[str]):
    """Every reason to refuse a move came up, and what is rare in a game."""
    if seen_anywhere["moves"] < len(PRESETS) * MOVES:
        pytest.skip("needs the full number of moves under every rule set")
    assert not [reason.name for reason in Reason if reason not in NEVER and not seen_anywhere[reason.name]]
    rare = "tie-breaks", "reshuffles", "Wilds on ends", "Wilds replaced", "aimed Skips", "game: tie_break"
    assert not [event for event in (*rare, "deal: stock_empty", "deal: decided") if not seen_anywhere[event]]


OTHER_VALUES = [
    (name, value.value if isinstance(value, Enum) else value)
    for name, values in SWITCHES.items()
    for value in values
    if value is not getattr(Ruleset(), name)
]


@pytest.mark.parametrize(("option", "value"), OTHER_VALUES, ids=[f"{name}={value}" for name, value in OTHER_VALUES])
def test_no_option_goes_unnoticed(option: str, value: str | bool):
    """Where the two play by different values of any option, the comparison says so."""
    with pytest.raises(Differ, match=r"Match\('official', \d+\)\.play\(Counter\(\)\) differs at move \d+"):
        compare("official", 0, 1, 200_000, altered={option: value})


def test_no_difference_goes_unnoticed():
    rules, terms, seats = Ruleset(), Terms(max_turns_per_deal=None), 3
    match = Match("official", 1)
    pair = Pair(rules, terms, seats, Decks(match._rng, 0))
    assert pair.alike()
    table = pair.table
    for pile in (table.stock, table.discard, *table.hands):
        card = pile.pop()
        assert not pair.alike()
        pile.append(card)
    for by_seat in (table.laid, table.completed, table.totals, table.waiting, table.faults):
        by_seat[2] += 1
        assert not pair.alike()
        by_seat[2] -= 1
    assert pair.alike()
    table.hands[table.to_move][0], table.stock[0] = table.stock[0], table.hands[table.to_move][0]
    assert not pair.submit(table.to_move, Draw("stock"))
    assert pair.answers == (None, None)


def test_games_are_known_by_their_number():
    first, again = Counter[str](), Counter[str]()
    Match(RANDOM_RULES, 7).play(first, 500)
    Match(RANDOM_RULES, 7).play(again, 500)
    assert first == again
    assert first["moves"] > 50


def test_random_rules_are_all_kinds_of_rules():
    import random

    rng = random.Random(1)
    values = Counter(
        (name, getattr(rules, name))
        for rules, _, _ in (rules_for(RANDOM_RULES, rng) for _ in range(400))
        for name in SWITCHES
    )
    assert not [(name, value) for name, options in SWITCHES.items() for value in options if not values[name, value]]
