import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament_site.ratings import elo

EVEN_16 = (16.0,) * 6


@pytest.mark.parametrize(
    ("ratings", "places", "changes"),
    [
        ((1600, 1500, 1400, 1500), (2, 1, 3, 3), (-0.3190, 12.0, -3.6810, -8.0)),
        ((1500,) * 6, (1, 2, 3, 4, 5, 6), (13.3333, 8.0, 2.6667, -2.6667, -8.0, -13.3333)),
        ((1500,) * 6, (1, 1, 3, 3, 3, 6), (10.6667, 10.6667, -2.6667, -2.6667, -2.6667, -13.3333)),
        ((1500, 1500), (1, 2), (8.0, -8.0)),
        ((1500, 1500), (1, 1), (0.0, 0.0)),
    ],
)
def test_worked_examples_with_a_k_of_16(ratings, places, changes):
    found = elo.change(ratings, EVEN_16[: len(ratings)], places)
    assert found == pytest.approx(changes, abs=5e-5)


@pytest.mark.parametrize(
    ("difference", "percent"), [(0, 50), (3, 50), (4, 51), (25, 53), (72, 60), (202, 76), (400, 91), (677, 98)]
)
def test_expectations_are_elo_s(difference, percent):
    assert round(elo.expected(1500 + difference, 1500) * 100) == pytest.approx(percent, abs=1)


@pytest.mark.parametrize(("games", "k"), [(0, 64.0), (10, 32.0), (30, 16.0), (70, 8.0), (1000, 8.0)])
def test_k_falls_with_games_to_a_floor(games, k):
    assert elo.k_factor(games) == k


tables = st.integers(2, 6).flatmap(
    lambda size: st.tuples(
        st.lists(st.floats(600, 2800), min_size=size, max_size=size),
        st.lists(st.integers(1, size), min_size=size, max_size=size),
    )
)


@given(tables, st.floats(8, 64))
def test_with_equal_ks_nothing_is_made_or_lost(table, k):
    ratings, places = table
    assert math.fsum(elo.change(ratings, [k] * len(ratings), places)) == pytest.approx(0, abs=1e-9)


@given(tables)
def test_a_tie_of_equals_changes_nothing(table):
    ratings, _ = table
    assert elo.change([1500.0] * len(ratings), [32.0] * len(ratings), [1] * len(ratings)) == (0.0,) * len(ratings)


@given(st.integers(2, 6).flatmap(lambda size: st.lists(st.integers(1, size), min_size=size, max_size=size)))
def test_a_better_place_never_gets_less_at_equal_rating_and_k(places):
    found = elo.change([1500.0] * len(places), [16.0] * len(places), places)
    for i, mine in enumerate(places):
        for j, other in enumerate(places):
            if mine < other:
                assert found[i] > found[j]
            if mine == other:
                assert found[i] == found[j]


@given(tables, st.randoms(use_true_random=False))
def test_permuting_seats_permutes_changes_and_nothing_else(table, dice):
    ratings, places = table
    order = list(range(len(ratings)))
    dice.shuffle(order)
    before = elo.change(ratings, EVEN_16[: len(ratings)], places)
    after = elo.change([ratings[i] for i in order], EVEN_16[: len(ratings)], [places[i] for i in order])
    assert after == pytest.approx([before[i] for i in order], abs=1e-9)


def test_all_games_of_a_match_start_from_the_ratings_before_it():
    after, ks = elo.after_match((1500.0, 1500.0), (0, 10), [(1, 2), (1, 2)])
    assert ks == (64.0, 32.0)
    assert after == (1500.0 + 2 * 32.0, 1500.0 - 2 * 16.0)
