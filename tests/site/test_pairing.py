from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament_site.leagues import pairing

Rounds = Sequence[pairing.Round]
SEED = bytes(32)
GOLDEN = (((1, 3), (2, 0)), ((0, 1), (3, 2)), ((1, 2), (0, 3)))


def meetings(rounds: Rounds) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for round_ in rounds for table in round_ for pair in combinations(table, 2))


def games(rounds: Rounds) -> Counter[int]:
    return Counter(bot for round_ in rounds for table in round_ for bot in table)


def spread(counter: Counter[Any], keys: Iterable[Any]) -> int:
    counts = [counter[key] for key in keys]
    return max(counts) - min(counts)


def pairs(bots: int) -> list[frozenset[int]]:
    return [frozenset(pair) for pair in combinations(range(bots), 2)]


sizes = st.integers(2, 6).flatmap(lambda k: st.tuples(st.integers(k, 14), st.just(k)))


@given(sizes, st.integers(1, 3), st.binary(min_size=32, max_size=32))
def test_rounds_are_disjoint_and_tables_full(size, cycles, seed):
    bots, k = size
    rounds = pairing.schedule(bots, k, cycles, seed)
    assert sum(len(round_) for round_ in rounds) == pairing.matches(bots, k, cycles)
    for round_ in rounds:
        seated = [bot for table in round_ for bot in table]
        assert len(seated) == len(set(seated))
        assert set(seated) <= set(range(bots))
        assert all(len(table) == k for table in round_)


@given(sizes, st.integers(1, 3), st.binary(min_size=32, max_size=32))
def test_a_schedule_is_a_function_of_roster_and_seed(size, cycles, seed):
    bots, k = size
    assert pairing.schedule(bots, k, cycles, seed) == pairing.schedule(bots, k, cycles, seed)


def test_another_seed_names_others():
    assert pairing.schedule(8, 2, 1, SEED) != pairing.schedule(8, 2, 1, b"\1" * 32)


def test_the_schedule_of_a_seed_is_for_ever():
    assert pairing.schedule(4, 2, 1, SEED) == GOLDEN


@pytest.mark.parametrize("bots", range(2, 21))
@pytest.mark.parametrize("cycles", [1, 2])
def test_two_at_a_table_everybody_meets_everybody_once_a_cycle(bots, cycles):
    rounds = pairing.schedule(bots, 2, cycles, SEED)
    assert meetings(rounds) == dict.fromkeys(pairs(bots), cycles)
    assert len(rounds) == cycles * (bots - 1 if bots % 2 == 0 else bots)


@pytest.mark.parametrize("bots", range(2, 21))
def test_two_at_a_table_any_prefix_of_rounds_is_fair(bots):
    rounds = pairing.schedule(bots, 2, 2, SEED)
    for end in range(1, len(rounds) + 1):
        assert spread(games(rounds[:end]), range(bots)) <= 1


def test_the_second_meeting_of_two_bots_is_named_the_other_way_round():
    tables = [table for round_ in pairing.schedule(6, 2, 2, SEED) for table in round_]
    assert Counter(tables) == {(a, b): 1 for a in range(6) for b in range(6) if a != b}


@pytest.mark.parametrize(
    ("bots", "k"),
    [
        (7, 3),
        (13, 3),
        (19, 3),
        (31, 3),
        (5, 4),
        (13, 4),
        (17, 4),
        (29, 4),
        (11, 5),
        (31, 5),
        (7, 6),
        (13, 6),
        (19, 6),
        (31, 6),
    ],
)
def test_exact_designs_let_every_pair_meet_k_minus_1_times_with_one_bye_each(bots, k):
    rounds = pairing.schedule(bots, k, 1, SEED)
    assert len(rounds) == bots
    assert meetings(rounds) == dict.fromkeys(pairs(bots), k - 1)
    byes = Counter(bot for round_ in rounds for bot in set(range(bots)) - {b for table in round_ for b in table})
    assert byes == dict.fromkeys(range(bots), 1)
    seats = Counter((bot, seat) for round_ in pairing.design(bots, k) for table in round_ for seat, bot in enumerate(table))
    assert set(seats.values()) == {(bots - 1) // k}


def test_seven_bots_at_tables_of_three_is_the_published_design():
    assert {frozenset(table) for table in pairing.design(7, 3)[0]} == {frozenset({1, 2, 4}), frozenset({3, 5, 6})}


@pytest.mark.parametrize("k", [3, 4, 5, 6])
@pytest.mark.parametrize("bots", [6, 8, 9, 10, 12, 14, 15, 16, 24])
def test_greedy_schedules_are_nearly_even(bots, k):
    if pairing.fits_design(bots, k) or bots < k:
        pytest.skip("has an exact design")
    rounds = pairing.schedule(bots, k, 6, SEED)
    assert sum(len(round_) for round_ in rounds) == 6 * bots
    assert all(len(round_) == bots // k for round_ in rounds[:-1])
    for end in range(1, len(rounds) + 1):
        assert spread(games(rounds[:end]), range(bots)) <= 1
    assert spread(games(rounds), range(bots)) == 0
    assert spread(meetings(rounds), pairs(bots)) <= (5 if (bots, k) == (10, 5) else 4)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_fewer_bots_than_seats_is_refused(k):
    with pytest.raises(pairing.TooFewBots, match=f"{k - 1} bots"):
        pairing.schedule(k - 1, k, 1, SEED)
    with pytest.raises(pairing.TooFewBots, match=f"{k - 1} bots"):
        pairing.matches(k - 1, k, 1)


def test_the_most_matches_are_not_always_those_of_the_most_bots():
    assert [pairing.matches(bots, 3, 2) for bots in (12, 13, 14)] == [24, 104, 28]
    assert pairing.most_matches(14, 3, 2) == 104
    assert pairing.most_matches(200, 2, 20) == 398_000


def test_as_many_bots_as_seats_meet_at_one_table():
    assert [len(round_) for round_ in pairing.schedule(4, 4, 1, SEED)] == [1, 1, 1, 1]
