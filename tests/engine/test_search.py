"""The meld search against a plain and slow one, and against published chances."""

import random
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.engine import CARDS, OFFICIAL, PHASES, Card, GoalKind, full_deck, hand_points, lays, parse_cards, plan
from referee.engine.lays import best_lay
from referee.engine.melds import lay
from tests.builders import melds
from tests.strategies import hands, wild_hands

phases = st.sampled_from(sorted(PHASES))
any_hand = st.one_of(hands(), wild_hands())


def slow_distance(hand: tuple[Card, ...], phase: int) -> int:
    """How many cards are missing, by trying every way to hand out the number cards."""
    numbers = [sum(card.number == number for card in hand) for number in range(13)]
    colors = [sum(card.color == color for card in hand) for color in range(4)]
    wilds = hand.count(CARDS[48])
    goals = PHASES[phase]

    @cache
    def most(rest: int, held: tuple[int, ...]) -> int:
        if rest == len(goals):
            return 0
        goal = goals[rest]
        if goal.kind is GoalKind.COLOR:
            return min(max(colors), goal.size)
        found = 0
        if goal.kind is GoalKind.SET:
            for number in range(1, 13):
                for taken in range(min(held[number], goal.size) + 1):
                    left = (*held[:number], held[number] - taken, *held[number + 1 :])
                    found = max(found, taken + most(rest + 1, left))
        else:
            for low in range(1, 14 - goal.size):
                row = range(low, low + goal.size)
                left = tuple(count - (number in row and count > 0) for number, count in enumerate(held))
                found = max(found, sum(held[number] > 0 for number in row) + most(rest + 1, left))
        return found

    total = sum(goal.size for goal in goals)
    distance = max(0, total - wilds - most(0, tuple(numbers)))
    return distance if any(numbers) else max(1, distance)


@given(any_hand, phases)
def test_the_distance_is_the_shortest(hand, phase):
    assert plan(hand, phase).distance == slow_distance(hand, phase)


@given(any_hand, phases)
def test_useful_kinds_are_those_that_make_the_distance_smaller(hand, phase):
    found = plan(hand, phase)
    useful = {card for card in CARDS if slow_distance(tuple(sorted((*hand, card))), phase) < found.distance}
    assert found.useful == useful


@given(any_hand, phases)
def test_parts_and_leftover_are_the_hand(hand, phase):
    found = plan(hand, phase)
    assert sorted([card for part in found.parts for card in part] + list(found.leftover)) == list(hand)
    assert len(found.parts) == len(PHASES[phase])
    assert all(len(part) <= goal.size for part, goal in zip(found.parts, PHASES[phase], strict=True))
    assert list(found.leftover) == sorted(found.leftover)
    short = sum(goal.size for goal in PHASES[phase]) - sum(map(len, found.parts))
    assert found.distance == (short if any(card.is_number for card in hand) else max(1, short))


@given(any_hand, phases)
def test_throwing_what_is_left_over_costs_nothing(hand, phase):
    found = plan(hand, phase)
    for card in set(found.leftover):
        rest = list(hand)
        rest.remove(card)
        assert plan(tuple(rest), phase).distance == found.distance


@given(any_hand, phases)
def test_a_phase_can_be_laid_exactly_at_distance_zero(hand, phase):
    assert bool(lays(hand, phase, OFFICIAL)) is (plan(hand, phase).distance == 0)


@given(any_hand, phases)
def test_every_way_to_lay_is_allowed_and_appears_once_best_first(hand, phase):
    ways = lays(hand, phase, OFFICIAL)
    assert len(set(ways)) == len(ways)
    left = []
    for way in ways:
        rest = list(hand)
        lay(way, phase, rest, OFFICIAL)
        naturals = [card for card in rest if not card.is_wild]
        left.append((hand_points(naturals, OFFICIAL.card_points), -rest.count(CARDS[48])))
    if phase != 8:
        assert left == sorted(left)
    assert best_lay(hand, phase, OFFICIAL) == (ways[0] if ways else None)


@pytest.mark.parametrize(
    ("hand", "phase", "distance", "leftover", "useful"),
    [
        ("R1 R2 R3 B7 G7 Y11", 1, 3, "R2 R3 Y11", "1 2 3 7 11 W"),
        ("R3 B4 G5 R9 B9 S", 2, 2, "S", "2 6 9 W"),
        ("R1 R2 R3 R4 R5 R6 B12", 8, 1, "B12", "red W"),
        ("R4 B5 G6 Y7 R8 B9 G10", 4, 0, "", ""),
        ("W W W", 7, 5, "", "any W"),
        ("W W W W W W W W", 8, 1, "W", "any"),
        ("S S", 9, 7, "S S", "any W"),
    ],
)
def test_examples(hand, phase, distance, leftover, useful):
    found = plan(tuple(sorted(parse_cards(hand))), phase)
    assert found.distance == distance
    assert found.leftover == parse_cards(leftover)
    words = useful.split()
    kinds = {card for card in CARDS if card.is_number and ("any" in words or str(card.number) in words)}
    kinds |= {card for card in CARDS if card.color == 0 and "red" in words}
    assert found.useful == kinds | ({CARDS[48]} if "W" in words else set())


@pytest.mark.parametrize(
    ("hand", "phase", "ways"),
    [
        ("R7 B7 G7 Y7 R4 B4 G4", 1, ["R4 B4 G4 / R7 B7 G7 Y7"]),
        ("R7 R7 B7 B7 G7 G7", 1, ["R7 R7 B7 / B7 G7 G7"]),
        ("R7 W W W W W", 1, ["R7 W W / W W W =7"]),
        ("R2 B3 G4 Y5 R6 B7 G8 R9 S", 4, ["R2 B3 G4 Y5 R6 B7 G8 R9"]),
        ("R2 B3 G4 W R6 B7 G8", 4, ["R2 B3 G4 W R6 B7 G8"]),
        ("R9 B9 G9 R2 B3 G4 Y5", 2, ["R9 B9 G9 / R2 B3 G4 Y5"]),
        ("R5 B5 G5 Y5 R4 B6 G7", 2, ["R5 B5 G5 / R4 Y5 B6 G7"]),
        ("R1 R2 R2 R5 R8 R10 R12 R3 B1", 8, ["R1 R2 R2 R3 R5 R8 R10 R12"]),
        ("R1 R2 R3", 8, []),
        ("W W W W W W W W S S", 1, []),
    ],
)
def test_ways_to_lay(hand, phase, ways):
    found = lays(tuple(sorted(parse_cards(hand))), phase, OFFICIAL)
    flat = [[sorted(meld.cards) for meld in way] for way in found]
    assert flat == [[sorted(meld.cards) for meld in melds(text)] for text in ways]


def test_a_phase_that_does_not_exist():
    with pytest.raises(KeyError):
        plan(parse_cards("R1"), 11)
    with pytest.raises(KeyError):
        lays(parse_cards("R1"), 0, OFFICIAL)


# Share of ten random cards that hold the phase, a number card in each meld (public Monte Carlo by jrizxos, 0.5e12 samples).
PUBLISHED = (0.1828, 0.2981, 0.0534, 0.1557, 0.0649, 0.0199, 0.00332, 0.0277, 0.0311, 0.00352)
SAMPLES = 20_000


def test_the_search_agrees_with_published_chances():
    rng = random.Random(20)
    deck = full_deck()
    found = [0] * 10
    for _ in range(SAMPLES):
        hand = tuple(sorted(rng.sample(deck, 10)))
        for phase in PHASES:
            ways = lays(hand, phase, OFFICIAL) if plan(hand, phase).distance == 0 else ()
            found[phase - 1] += any(all(any(card.is_number for card in meld.cards) for meld in way) for way in ways)
    for share, hits in zip(PUBLISHED, found, strict=True):
        deviation = (SAMPLES * share * (1 - share)) ** 0.5
        assert abs(hits - SAMPLES * share) < 4 * deviation


def test_longer_runs_are_never_nearer():
    rng = random.Random(4)
    for _ in range(500):
        hand = tuple(sorted(rng.sample(full_deck(), 11)))
        distances = [plan(hand, phase).distance for phase in (4, 5, 6)]
        assert all(shorter <= longer for shorter, longer in pairwise(distances))
