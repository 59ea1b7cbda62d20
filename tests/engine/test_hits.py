"""The best hits: examples, and small hands against every order of hits that the rules accept."""

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.engine import (
    OFFICIAL,
    SKIP,
    WILD,
    Card,
    CardPoints,
    End,
    Hit,
    IllegalMove,
    Ruleset,
    Seat,
    TableMeld,
    best_hits,
    full_deck,
    hand_points,
    parse_cards,
)
from referee.engine.melds import hit
from referee.engine.ruleset import GoalKind, GoingOut, HitOnLayTurn
from tests.builders import on_table

A, B = map(Seat, range(2))
KEEP = replace(OFFICIAL, going_out=GoingOut.DISCARD_ONLY)
OWN = replace(OFFICIAL, hit_on_lay_turn=HitOnLayTurn.OWN_ONLY)
LATE = replace(OFFICIAL, hit_on_lay_turn=HitOnLayTurn.NONE)
TAKE_BACK = replace(OFFICIAL, wild_replaceable=True)
Table = tuple[tuple[TableMeld, ...], ...]


def left_after(hand: tuple[Card, ...], hits: tuple[Hit, ...], table: Table, rules: Ruleset, *, laying: bool) -> list[Card]:
    """Play hits one by one, by the rules."""
    rest, melds = list(hand), list(table)
    for wish in hits:
        hit(A, wish, rest, melds, rules, laying=laying)
    return rest


def measure(hand: list[Card] | tuple[Card, ...], rules: Ruleset) -> tuple[int, int]:
    return len(hand), hand_points(hand, rules.card_points)


def least_left(hand: tuple[Card, ...], table: Table, rules: Ruleset, *, laying: bool) -> tuple[int, int]:
    """The fewest cards, and with them the fewest points, that any hits leave: all of them tried."""
    seen: set[tuple[tuple[Card, ...], Table]] = set()
    waiting = [(hand, table)]
    while waiting:
        position = waiting.pop()
        if position in seen:
            continue
        seen.add(position)
        held, melds = position
        wishes = (
            Hit(Seat(owner), index, card, end, for_wild)
            for owner, row in enumerate(melds)
            for index in range(len(row))
            for card, end, for_wild in product(dict.fromkeys(held), (None, *End), (False, True))
        )
        for wish in wishes:
            rest, after = list(held), list(melds)
            try:
                hit(A, wish, rest, after, rules, laying=laying)
            except IllegalMove:
                continue
            waiting.append((tuple(rest), tuple(after)))
    return min(measure(held, rules) for held, _ in seen)


def some_table(rng: random.Random) -> Table:
    """Melds of one to three seats, often runs, with a Wild here and there."""
    rows = []
    for _ in range(rng.choice([1, 2, 2, 3])):
        row = []
        for kind in rng.choice(
            [[GoalKind.RUN], [GoalKind.RUN], [GoalKind.SET, GoalKind.RUN], [GoalKind.SET] * 2, [GoalKind.COLOR]]
        ):
            size = rng.randint(4, 9) if kind is GoalKind.RUN else 3
            value = (
                rng.randint(1, 13 - size)
                if kind is GoalKind.RUN
                else rng.randrange(4)
                if kind is GoalKind.COLOR
                else rng.randint(1, 12)
            )
            cards = []
            for place in range(size):
                number = value + place if kind is GoalKind.RUN else value if kind is GoalKind.SET else rng.randint(1, 12)
                color = value if kind is GoalKind.COLOR else rng.randrange(4)
                cards.append(WILD if rng.random() < 0.15 else full_deck()[2 * (color * 12 + number - 1)])
            row.append(TableMeld(kind, tuple(cards), value))
        rows.append(tuple(row))
    return tuple(rows)


def some_hand(rng: random.Random, size: int) -> tuple[Card, ...]:
    low = rng.randint(1, 9)
    deck = [card for card in full_deck() if not card.is_number or low <= (card.number or 0) <= low + 5]
    wilds = [WILD] * rng.choice([0, 0, 1, 1, 2])
    return tuple(sorted([*rng.sample(deck, size - min(len(wilds), size)), *wilds][:size]))


plain_rules = st.builds(
    Ruleset,
    hit_on_lay_turn=st.sampled_from(HitOnLayTurn),
    going_out=st.sampled_from(GoingOut),
    card_points=st.sampled_from([CardPoints(), CardPoints(0, 0, 0, 0), CardPoints(1, 9, 2, 1)]),
)


@settings(max_examples=300)
@given(plain_rules, st.booleans(), st.integers(1, 5), st.integers(0, 2**32))
def test_no_hits_leave_less(rules, laying, size, seed):
    rng = random.Random(seed)
    hand, table = some_hand(rng, size), some_table(rng)
    hits = best_hits(A, hand, table, rules, laying=laying)
    rest = left_after(hand, hits, table, rules, laying=laying)
    assert measure(rest, rules) == least_left(hand, table, rules, laying=laying)


@given(plain_rules, st.booleans(), st.integers(1, 5), st.integers(0, 2**32))
def test_wilds_that_can_be_taken_back_never_cost_anything(rules, laying, size, seed):
    rng = random.Random(seed)
    hand, table = some_hand(rng, size), some_table(rng)
    without = best_hits(A, hand, table, rules, laying=laying)
    rules = replace(rules, wild_replaceable=True)
    rest = left_after(hand, best_hits(A, hand, table, rules, laying=laying), table, rules, laying=laying)
    assert measure(rest, rules) <= measure(left_after(hand, without, table, rules, laying=laying), rules)


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_a_large_hand_takes_no_time(seed):
    """Thirteen cards, six runs and sets: hits that are allowed, and more of them than one by one from the left."""
    rng = random.Random(seed)
    hand = some_hand(rng, 13)
    table = tuple(some_table(rng)[0] for _ in range(6))
    rest = left_after(hand, best_hits(A, hand, table, OFFICIAL, laying=False), table, OFFICIAL, laying=False)
    held, melds = hand, table
    for card in hand:
        for owner, index in ((owner, index) for owner, row in enumerate(melds) for index in range(len(row))):
            after, grown = list(held), list(melds)
            try:
                hit(A, Hit(Seat(owner), index, card), after, grown, OFFICIAL, laying=False)
            except IllegalMove:
                continue
            held, melds = tuple(after), tuple(grown)
            break
    assert len(rest) <= len(held)


@pytest.mark.parametrize(
    ("hand", "table", "rules", "hits"),
    [
        # A Wild makes room for the 8, where the upper end of the run would only take the Wild.
        ("R8 W", "run 10: R10 B11 G12", OFFICIAL, "W<1.0 R8>1.0"),
        # Number cards that fit a set go to a run if that lets others follow.
        ("R7 R8", "set 7: B7 G7 Y7 / run 3: R3 R4 R5 R6", OFFICIAL, "R7>1.1 R8>1.1"),
        # Where a Wild fits nothing but the run, it goes before the card that costs less to keep.
        ("R12 W", "run 1: R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11", OFFICIAL, "W>1.0"),
        ("R7 W", "set 7: B7 G7 Y7 / run 3: R3 R4 R5 R6", OFFICIAL, "R7>1.0 W>1.0"),
        # Of two runs that want the only 5, the one that lets more follow.
        ("R5 R4 R3", "run 6: R6 R7 R8 R9 / run 1: B1 B2 W W", OFFICIAL, "R5>1.0 R4>1.0 R3>1.0"),
        # A Skip stays, and so does what fits nowhere.
        ("R1 S", "set 7: B7 G7 Y7", OFFICIAL, ""),
        # One card must be discarded: the cheapest that can be kept.
        ("R7 B7 R11", "set 7: B7 G7 Y7 / set 11: B11 G11 Y11", KEEP, "R11>1.1 B7>1.0"),
        ("R7", "set 7: B7 G7 Y7", KEEP, ""),
        ("W", "set 7: B7 G7 Y7", KEEP, ""),
        # A 5 fetches the Wild, which goes anywhere.
        ("R5", "run 3: R3 R4 W R6 / set 1: R1 B1 G1", TAKE_BACK, "R5x1.0 W>1.1"),
        ("R6 R5", "run 1: R1 R2 R3 R4 W", TAKE_BACK, "R6>1.0 R5x1.0 W<1.0"),
    ],
)
def test_examples(hand, table, rules, hits):
    cards = tuple(sorted(parse_cards(hand)))
    found = best_hits(A, cards, ((), on_table(table)), rules, laying=False)
    if rules is TAKE_BACK:
        assert [wish.for_wild for wish in found].count(True) == hits.count("x")
        assert not left_after(cards, found, ((), on_table(table)), rules, laying=False)
    else:
        assert [written(wish) for wish in found] == hits.split()


def written(wish: Hit) -> str:
    mark = "x" if wish.for_wild else "<" if wish.end is End.LOW else ">"
    return f"{wish.card}{mark}{wish.owner}.{wish.meld}"


@pytest.mark.parametrize(("rules", "owners"), [(OFFICIAL, {A, B}), (OWN, {A}), (LATE, set())])
def test_in_the_turn_of_the_lay_only_melds_that_may_be_hit_are(rules, owners):
    table = (on_table("set 7: B7 G7 Y7 / set 1: R1 B1 G1"), on_table("set 4: R4 B4 G4 / set 9: R9 B9 G9"))
    hand = parse_cards("R7 B4 Y9")
    assert {wish.owner for wish in best_hits(A, hand, table, rules, laying=True)} == owners
    assert {wish.owner for wish in best_hits(A, hand, table, rules, laying=False)} == {A, B}


def test_a_skip_is_never_hit():
    assert best_hits(A, (SKIP, SKIP), (on_table("set 7: B7 G7 Y7"),), OFFICIAL, laying=False) == ()
