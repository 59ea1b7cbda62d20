"""The engine and the reference agree, move for move, under every published rule set and under random ones.

A failure names the game, so that `Match(label, number).play(Counter())` plays it again.
"""

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from enum import Enum
from multiprocessing import get_context

import pytest

from referee.engine import PRESETS, Reason, Ruleset, Terms, UnsupportedRules, check_ruleset
from referee.engine.ruleset import CardPoints
from tests.reference.cards import Draw
from tests.reference.compare import Pair, plain_options
from tests.reference.decks import Decks
from tests.reference.matches import RANDOM_RULES, SWITCHES, Differ, Match, compare, random_rules, rules_for
from tests.reference.refusals import is_refused

MOVES = 100_000  # for each rule set, unless --reference-moves says otherwise
NIGHTLY_MOVES = 1_000_000
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
def moves(request: pytest.FixtureRequest, nightly: bool) -> int:
    return request.config.getoption("--reference-moves") or (NIGHTLY_MOVES if nightly else MOVES)


@pytest.fixture(scope="module")
def seen_anywhere() -> Counter[str]:
    return Counter()


@pytest.mark.nightly
@pytest.mark.timeout(3600)  # a million moves under each rule set take minutes
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
    rng = random.Random(1)
    drawn = [rules_for(RANDOM_RULES, rng)[0] for _ in range(400)]
    values = Counter((name, getattr(rules, name)) for rules in drawn for name in SWITCHES)
    assert not [(name, value) for name, options in SWITCHES.items() for value in options if not values[name, value]]


def _any_values(rng: random.Random) -> tuple[Ruleset, Terms, int]:
    """Mostly good values, some beyond what makes sense."""

    def near(official: int, *others: int) -> int:
        return rng.choice(others) if rng.random() < 0.2 else official

    rules, terms, seats = random_rules(rng), Terms(), near(rng.randint(2, 6), 1, 7)
    points = CardPoints(near(5, -1, 11), near(10, 4, 5), near(15, -1, 0), near(25, -1, 0))
    rules = replace(rules, players_min=near(2, 1, 3, 6), players_max=near(6, 7, 4, 2), card_points=points)
    rules = replace(rules, wilds=near(8, -1, 0, 16, 17), skips=near(4, -1, 0, 8, 9), hand_size=near(10, 6, 7, 8, 9, 13, 14))
    if rng.random() < 0.2:
        rules = replace(rules, phases=rng.choice([(), (1, 1), (0,), (11,), (6,), (8,)]))
    terms = replace(terms, max_faults=near(3, 0, 1), max_deals=near(60, 0, 1), max_turns_per_deal=near(100, -1, 1))
    return replace(rules, tiebreak_max_deals=near(3, 0, 1, 10, 11)), terms, seats


def test_both_refuse_the_same_rules():
    rng = random.Random(2)
    answers: Counter[bool] = Counter()
    for _ in range(20_000):
        rules, terms, seats = _any_values(rng)
        try:
            check_ruleset(rules, terms, seats)
            problems: tuple[object, ...] = ()
        except UnsupportedRules as unsupported:
            problems = unsupported.problems
        refused = is_refused(plain_options(rules, terms), seats)
        assert refused == bool(problems), (rules, terms, seats, problems)
        answers[refused] += 1
    assert min(answers.values()) > 500
