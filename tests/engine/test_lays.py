"""The ways to lay a phase: examples, and every lay that the rules accept held against those that are found."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.engine import (
    OFFICIAL,
    PHASES,
    WILD,
    Card,
    GoalKind,
    Ruleset,
    Way,
    format_cards,
    full_deck,
    hand_points,
    lays,
    parse_cards,
)
from referee.engine.lays import best_lay
from referee.engine.melds import lay
from referee.engine.ruleset import GoingOut, HitOnLayTurn, NaturalCards
from tests.builders import melds
from tests.engine.brute import Laid, all_lays, as_good
from tests.strategies import hands, wild_hands

phases = st.sampled_from(sorted(PHASES))
any_hand = st.one_of(hands(), wild_hands())
any_rules = st.builds(
    Ruleset,
    natural_cards=st.sampled_from(NaturalCards),
    lay_extra=st.booleans(),
    same_number_sets=st.booleans(),
    wild_replaceable=st.booleans(),
    hit_on_lay_turn=st.sampled_from(HitOnLayTurn),
    going_out=st.sampled_from(GoingOut),
)
EXACT = replace(OFFICIAL, lay_extra=False)
ALL_WILD = replace(OFFICIAL, natural_cards=NaturalCards.NONE)
EACH = replace(OFFICIAL, natural_cards=NaturalCards.ONE_PER_MELD)
DIFFER = replace(OFFICIAL, same_number_sets=False)
KEEP = replace(OFFICIAL, going_out=GoingOut.DISCARD_ONLY)
LATE = replace(OFFICIAL, hit_on_lay_turn=HitOnLayTurn.NONE)
TAKE_BACK = replace(OFFICIAL, wild_replaceable=True)


@given(any_hand, phases, any_rules)
def test_every_way_is_allowed_and_appears_once_best_first(hand, phase, rules):
    ways = lays(hand, phase, rules)
    assert len(set(ways)) == len(ways)
    left = []
    for way in ways:
        rest = list(hand)
        lay(way.melds, phase, rest, rules)
        assert way == Way(phase, way.melds, tuple(rest))
        late = rules.hit_on_lay_turn is HitOnLayTurn.NONE
        counted = [card for card in rest if late or card != WILD]
        left.append((hand_points(counted, rules.card_points), -rest.count(WILD)))
    assert left == sorted(left)
    assert best_lay(hand, phase, rules) == (ways[0] if ways else None)


def near(rng: random.Random, phase: int) -> tuple[Card, ...]:
    """A hand that is close to a phase, so that there is something to lay: few numbers or colours, and some Wilds."""
    goals = PHASES[phase]
    size = sum(goal.size for goal in goals) + rng.choice([0, 1, 1, 2])
    low, spread = rng.randint(1, 8), rng.sample(range(1, 13), 3)
    kinds = {goal.kind for goal in goals}
    deck = [card for card in full_deck() if card.is_number]
    if kinds == {GoalKind.RUN}:
        deck = [card for card in deck if low - 2 <= (card.number or 0) <= low + goals[0].size + 2]
    elif GoalKind.RUN in kinds:
        deck = [card for card in deck if low <= (card.number or 0) < low + 5]
    elif kinds == {GoalKind.COLOR}:
        deck = [card for card in deck if card.color in {0, low % 4}]
    else:
        deck = [card for card in deck if card.number in spread]
    wilds = min(size, rng.choice([0, 0, 1, 1, 2, 2, 3, 4, 7]))
    return tuple(sorted([*rng.sample(deck, size - wilds), *[WILD] * wilds]))


@settings(max_examples=200)
@given(any_rules, phases, st.integers(0, 2**32))
def test_no_lay_is_better_than_the_ways_found_and_none_of_them_than_another(rules, phase, seed):
    """The promise of `referee.engine.lays`, against every lay that the rules accept."""
    hand = near(random.Random(seed), phase)
    found = [on_table(way, hand, rules) for way in lays(hand, phase, rules)]
    for laid in all_lays(hand, phase, rules):
        assert any(as_good(way, laid, rules) for way in found), laid
    for way in found:
        assert not any(other is not way and as_good(other, way, rules) for other in found)


def on_table(way: Way, hand: tuple[Card, ...], rules: Ruleset) -> Laid:
    return lay(way.melds, way.phase, list(hand), rules), way.leftover


NUMBERS = range(1, 13)


@pytest.mark.parametrize(
    ("hand", "phase", "rules", "ways"),
    [
        # All that fits is laid; which set holds which cards of a number is not told apart.
        ("R7 B7 G7 Y7 R4 B4 G4", 1, OFFICIAL, ["R4 B4 G4 / R7 B7 G7 Y7"]),
        ("R7 R7 B7 B7 G7 G7", 1, OFFICIAL, ["R7 R7 B7 / B7 G7 G7"]),
        ("R7 R7 B7 B7 G7 G7", 1, DIFFER, []),
        ("R9 B9 G9 R2 B3 G4 Y5", 2, OFFICIAL, ["R9 B9 G9 / R2 B3 G4 Y5"]),
        ("R5 B5 G5 Y5 R4 B6 G7", 2, OFFICIAL, ["R5 B5 G5 / R4 Y5 B6 G7"]),
        # Another number is better than the same one in both sets, if it costs no more Wilds.
        ("R7 R7 B7 B7 G7 G7 R9 B9 G9", 1, OFFICIAL, ["R7 R7 B7 B7 G7 G7 / R9 B9 G9"]),
        ("R7 R7 B7 B7 G7 G7 R9 B9", 1, OFFICIAL, ["R7 R7 B7 / B7 G7 G7 > R9 B9"]),
        # A meld of Wilds alone may stand for anything; for the number of the other set it would take less.
        ("R7 W W W W W", 1, OFFICIAL, [f"W W W ={n} / R7 W W" for n in NUMBERS if n < 7] + ["R7 W W / W W W =8"]
         + [f"R7 W W / W W W ={n}" for n in NUMBERS if n > 8]),
        ("R7 W W W W W", 1, EACH, []),
        ("R7 B7 W W W W", 1, EACH, ["R7 W W / B7 W W"]),
        ("W W W W W W W", 8, OFFICIAL, []),
        ("W W W W W W W", 8, ALL_WILD, [f"W W W W W W W ={color}" for color in range(4)]),
        # Runs grow over what follows. A Wild bridges a gap, or stays in hand.
        ("R2 B3 G4 Y5 R6 B7 G8 R9 S", 4, OFFICIAL, ["R2 B3 G4 Y5 R6 B7 G8 R9 > S"]),
        ("R2 B3 G4 W R6 B7 G8", 4, OFFICIAL, ["R2 B3 G4 W R6 B7 G8"]),
        ("R1 B2 G3 Y4 R5 B6 G7 R9 W", 4, OFFICIAL, ["R1 B2 G3 Y4 R5 B6 G7 W R9", "R1 B2 G3 Y4 R5 B6 G7 > R9 W"]),
        ("R3 B4 G5 Y6 R7 B8 W", 4, OFFICIAL, ["W R3 B4 G5 Y6 R7 B8", "R3 B4 G5 Y6 R7 B8 W"]),
        # Where one of two cards of a number is laid, either colour may stay.
        ("R2 B3 G4 Y5 R6 B7 G8 R8", 4, OFFICIAL, ["R2 B3 G4 Y5 R6 B7 R8 > G8", "R2 B3 G4 Y5 R6 B7 G8 > R8"]),
        ("R7 B7 G7 Y7 R4 B4 G4", 1, EXACT, [f"R4 B4 G4 / {laid} > {kept}" for laid, kept in
         (("R7 B7 G7", "Y7"), ("R7 B7 Y7", "G7"), ("R7 G7 Y7", "B7"), ("B7 G7 Y7", "R7"))]),
        ("R2 B3 G4 Y5 R6 B7 G8 R9", 4, EXACT, ["R2 B3 G4 Y5 R6 B7 G8 > R9", "B3 G4 Y5 R6 B7 G8 R9 > R2"]),
        # Of a colour everything is laid, or the dearest cards.
        ("R1 R2 R2 R5 R8 R10 R12 R3 B1", 8, OFFICIAL, ["R1 R2 R2 R3 R5 R8 R10 R12 > B1"]),
        ("R1 R2 R3 R5 R8 R10 R12 R12", 8, EXACT, [f"{laid} > {kept}" for laid, kept in
         (("R2 R3 R5 R8 R10 R12 R12", "R1"), ("R1 R3 R5 R8 R10 R12 R12", "R2"), ("R1 R2 R5 R8 R10 R12 R12", "R3"),
          ("R1 R2 R3 R8 R10 R12 R12", "R5"), ("R1 R2 R3 R5 R10 R12 R12", "R8"), ("R1 R2 R3 R5 R8 R12 R12", "R10"),
          ("R1 R2 R3 R5 R8 R10 R12", "R12"))]),
        # A card is kept to discard.
        ("R1 B2 G3 Y4 R5 B6 G7 R8", 4, KEEP, ["R1 B2 G3 Y4 R5 B6 G7 > R8", "B2 G3 Y4 R5 B6 G7 R8 > R1"]),
        ("R7 B7 G7 Y7 R4 B4 G4", 1, KEEP, [f"R4 B4 G4 / {laid} > {kept}" for laid, kept in
         (("R7 B7 G7", "Y7"), ("R7 B7 Y7", "G7"), ("R7 G7 Y7", "B7"), ("B7 G7 Y7", "R7"))]),
        ("R7 B7 G7 R4 B4 G4", 1, KEEP, []),
        # A Wild that cannot be hit in this turn may go into a meld at once.
        ("R7 B7 G7 R4 B4 G4 W", 1, LATE, ["R4 B4 G4 W / R7 B7 G7", "R4 B4 G4 / R7 B7 G7 > W"]),
        # Which set holds the Wild matters if it can be taken back.
        ("R7 B7 G7 Y7 R4 B4 G4 Y4 W", 9, OFFICIAL, ["R4 B4 G4 Y4 W / R7 B7 G7 Y7"]),
        ("R7 B7 G7 Y7 R4 B4 G4 Y4 W", 9, TAKE_BACK, ["R4 B4 G4 Y4 W / R7 B7 G7 Y7", "R7 B7 G7 Y7 W / R4 B4 G4 Y4"]),
    ],
)  # fmt: skip
def test_examples(hand, phase, rules, ways):
    found = [written(way.melds, way.leftover) for way in lays(tuple(sorted(parse_cards(hand))), phase, rules)]
    expected = []
    for text in ways:
        laid, _, kept = text.partition(" > ")
        expected.append(written(melds(laid), parse_cards(kept)))
    assert found == expected


def written(melds_, kept) -> str:
    """Sets in ascending order; meanings only where they are needed."""
    parts = []
    for meld in melds_:
        numbers = [card.number for card in meld.cards if card.is_number]
        one_color = len({card.color for card in meld.cards if card.is_number}) == 1
        cards = sorted(meld.cards) if len(set(numbers)) < 2 or one_color else meld.cards
        parts.append(format_cards(cards) + (f" ={meld.meaning}" if not numbers else ""))
    return " / ".join(parts) + " > " + format_cards(sorted(kept))


def test_a_phase_that_does_not_exist():
    with pytest.raises(KeyError):
        lays(parse_cards("R1"), 0, OFFICIAL)
