"""The distance search against a plain and slow one, under all rules that bear on it."""

import random
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.engine import CARDS, OFFICIAL, PHASES, WILD, Card, GoalKind, Ruleset, full_deck, lays, parse_cards, plan
from referee.engine.ruleset import NaturalCards
from tests.strategies import hands, wild_hands

phases = st.sampled_from(sorted(PHASES))
any_hand = st.one_of(hands(), wild_hands())
RULES = [replace(OFFICIAL, natural_cards=duty, same_number_sets=same) for duty in NaturalCards for same in (True, False)]
any_rules = st.sampled_from(RULES)


def slow_distance(hand: tuple[Card, ...], phase: int, rules: Ruleset = OFFICIAL) -> int:
    """How many cards are missing, by trying every way to hand out the number cards."""
    numbers = tuple(sum(card.number == number for card in hand) for number in range(13))
    colors = [sum(card.color == color for card in hand) for color in range(4)]
    goals = PHASES[phase]
    total = sum(goal.size for goal in goals)
    found = set()

    @cache
    def hand_out(rest: int, held: tuple[int, ...], taken: tuple[int, ...], last: int) -> None:
        """The cards that each goal may take: `last` is the number of the set before this one, if they must differ."""
        if rest == len(goals):
            found.add(taken)
            return
        goal = goals[rest]
        if goal.kind is GoalKind.COLOR:
            for color in colors:
                hand_out(rest + 1, held, (*taken, min(color, goal.size)), last)
        elif goal.kind is GoalKind.SET:
            for number in range(1, 13):
                for count in range(min(held[number], goal.size) + 1) if number != last else ():
                    left = (*held[:number], held[number] - count, *held[number + 1 :])
                    hand_out(rest + 1, left, (*taken, count), last if rules.same_number_sets else number)
        else:
            for low in range(1, 14 - goal.size):
                row = range(low, low + goal.size)
                left = tuple(count - (number in row and count > 0) for number, count in enumerate(held))
                hand_out(rest + 1, left, (*taken, sum(held[number] > 0 for number in row)), last)

    hand_out(0, numbers, (), 0)
    return min(max(total - sum(taken) - hand.count(WILD), lacking(taken, rules)) for taken in found)


def lacking(taken: tuple[int, ...], rules: Ruleset) -> int:
    """How many number cards the rules still ask for, where the goals have so many of them."""
    match rules.natural_cards:
        case NaturalCards.NONE:
            return 0
        case NaturalCards.ONE_PER_PHASE:
            return not any(taken)
        case NaturalCards.ONE_PER_MELD:
            return taken.count(0)


@given(any_hand, phases, any_rules)
def test_the_distance_is_the_shortest(hand, phase, rules):
    assert plan(hand, phase, rules).distance == slow_distance(hand, phase, rules)


@given(any_hand, phases)
def test_without_rules_the_official_ones_count(hand, phase):
    assert plan(hand, phase) == plan(hand, phase, OFFICIAL)


@given(any_hand, phases, any_rules)
def test_useful_kinds_are_those_that_make_the_distance_smaller(hand, phase, rules):
    found = plan(hand, phase, rules)
    useful = {card for card in CARDS if slow_distance(tuple(sorted((*hand, card))), phase, rules) < found.distance}
    assert found.useful == useful


@given(any_hand, phases, any_rules)
def test_parts_and_leftover_are_the_hand(hand, phase, rules):
    found = plan(hand, phase, rules)
    assert sorted([card for part in found.parts for card in part] + list(found.leftover)) == list(hand)
    assert len(found.parts) == len(PHASES[phase])
    assert all(len(part) <= goal.size for part, goal in zip(found.parts, PHASES[phase], strict=True))
    assert list(found.leftover) == sorted(found.leftover)
    assert found.distance == sum(goal.size for goal in PHASES[phase]) - sum(map(len, found.parts))
    if not found.distance and rules.natural_cards is NaturalCards.ONE_PER_MELD:
        assert all(any(card.is_number for card in part) for part in found.parts)


@given(any_hand, phases, any_rules)
def test_throwing_what_is_left_over_costs_nothing(hand, phase, rules):
    found = plan(hand, phase, rules)
    for card in set(found.leftover):
        rest = list(hand)
        rest.remove(card)
        assert plan(tuple(rest), phase, rules).distance == found.distance


@given(any_hand, phases, any_rules)
def test_a_phase_can_be_laid_exactly_at_distance_zero(hand, phase, rules):
    assert bool(lays(hand, phase, rules)) is (plan(hand, phase, rules).distance == 0)


@pytest.mark.parametrize(
    ("hand", "phase", "distance", "leftover", "useful"),
    [
        ("R1 R2 R3 B7 G7 Y11", 1, 3, "R2 R3 Y11", "1 2 3 7 11 W"),
        ("R3 B4 G5 R9 B9 S", 2, 2, "S", "2 6 9 W"),
        ("R1 R2 R3 R4 R5 R6 B12", 8, 1, "B12", "red W"),
        ("R4 B5 G6 Y7 R8 B9 G10", 4, 0, "", ""),
        ("W W W", 7, 5, "", "any W"),
        ("W W W W W W W W", 8, 1, "W W", "any"),
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


def test_a_phase_that_does_not_exist():
    with pytest.raises(KeyError):
        plan(parse_cards("R1"), 11)
    with pytest.raises(KeyError):
        lays(parse_cards("R1"), 0, OFFICIAL)


def test_longer_runs_are_never_nearer():
    rng = random.Random(4)
    for _ in range(500):
        hand = tuple(sorted(rng.sample(full_deck(), 11)))
        distances = [plan(hand, phase).distance for phase in (4, 5, 6)]
        assert all(shorter <= longer for shorter, longer in pairwise(distances))
