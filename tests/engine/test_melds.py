"""What may be laid for each phase, and what may be added to a meld on the table."""

import pytest

from referee.engine import (
    CARDS,
    OFFICIAL,
    Card,
    CardHit,
    End,
    Hit,
    IllegalMove,
    Meld,
    Reason,
    Seat,
    TableMeld,
    open_kinds,
    parse_card,
)
from referee.engine.melds import ends, hit, lay, meet
from referee.engine.ruleset import Goal, GoalKind
from tests.builders import melds, on_table

OK = [
    (1, "R7 B7 G7 / R10 B10 G10"),
    (1, "R7 R7 B7 / Y7 G7 G7"),  # two sets of one number
    (1, "R7 B7 G7 Y7 / R4 B4 G4"),  # more than the goal asks for
    (1, "R7 W W / R9 W W"),
    (1, "R3 W W / R5 B5 W"),  # 3 W W is a set or a run: the phase decides
    (1, "R7 B7 G7 / W W W =2"),  # the natural cards of the phase are elsewhere
    (1, "R7 R7 R7 / B7 B7 B7"),  # one colour, and a colour is not asked for
    (2, "R9 B9 G9 / R2 B3 G4 Y5"),
    (2, "R2 B3 G4 Y5 / R9 B9 G9"),  # matched to the goals, not to a place
    (2, "R9 B9 G9 / R4 B5 W Y7"),
    (2, "R9 B9 G9 / W R10 B11 G12"),  # the Wild is a 9
    (2, "R9 B9 G9 / R1 B2 G3 W"),
    (2, "R9 B9 G9 / W R5 B6 G7"),
    (2, "R9 B9 G9 Y9 / R2 B3 G4 Y5 R6"),
    (2, "R5 B5 W / R4 G5 B6 Y7"),
    (2, "R9 B9 G9 / R3 R4 R5 R6"),
    (3, "R4 B4 G4 Y4 / R6 B7 G8 Y9"),
    (4, "R2 B3 G4 Y5 R6 B7 G8"),
    (4, "R2 B3 G4 Y5 R6 B7 G8 R9"),
    (4, "W W W R4 W W W"),
    (4, "R2 W G4 W R6 B7 G8"),
    (5, "R2 B3 G4 Y5 R6 B7 G8 R9"),
    (6, "R1 B2 G3 Y4 R5 B6 G7 Y8 R9 B10 G11"),
    (6, "R4 B5 G6 Y7 R8 B9 G10 Y11 R12"),
    (7, "R9 R9 B9 B9 / G9 G9 Y9 Y9"),
    (8, "R1 R2 R2 R5 R8 R10 R12"),
    (8, "R1 R2 R2 R5 R8 R10 W"),
    (8, "R1 R2 R3 R4 R5 R6 R7 R8 R9"),
    (8, "R1 R2 R2 R5 W W W"),
    (9, "R10 R10 B10 B10 G10 / G10 Y10"),
    (9, "R8 B8 G8 Y8 R8 / W W =3"),
    (9, "W W W W W =9 / R4 B4"),
    (9, "R4 B4 / R8 B8 G8 Y8 R8"),
    (10, "R3 R3 B3 B3 G3 / G3 Y3 Y3"),
]

REFUSED = [
    (1, "R7 B7 G7", Reason.WRONG_MELD_COUNT),
    (1, "R5 B5 G5 / R7 B7 G7 / R9 B9 G9", Reason.WRONG_MELD_COUNT),
    (5, "R9 R9 B9 B9 / G8 G8 Y8 Y8", Reason.WRONG_MELD_COUNT),  # phase 7 in the turn of phase 5
    (1, "R7 B7 R8 / R4 B4 G4", Reason.NOT_A_SET),
    (1, "R7 B7 / R4 B4 G4", Reason.TOO_FEW_CARDS),
    (1, "R7 B7 G7 / R4 B4", Reason.TOO_FEW_CARDS),
    (1, "R7 B7 S / R4 B4 G4", Reason.SKIP_IN_MELD),
    (2, "R9 B9 / R2 B3 G4 Y5", Reason.TOO_FEW_CARDS),
    (2, "R9 B9 G9 / R2 B3 G4", Reason.TOO_FEW_CARDS),
    (2, "R2 B3 G4 / R9 B9 G9 Y9", Reason.TOO_FEW_CARDS),  # judged in the order that fits better
    (2, "R9 B9 G9 / R3 B4 G6 Y7", Reason.NOT_A_RUN),
    (2, "R3 B4 G6 Y7 / R9 B9 G9", Reason.NOT_A_RUN),
    (2, "R9 B9 G9 / R11 B12 G1 Y2", Reason.NOT_A_RUN),
    (2, "R9 B9 G9 / R4 B5 G5 Y6", Reason.NOT_A_RUN),
    (2, "R9 B9 G9 / R10 B11 G12 W", Reason.NOT_A_RUN),  # the Wild would be a 13
    (2, "R9 B9 G9 / W R1 B2 G3", Reason.NOT_A_RUN),  # the Wild would be a 0
    (2, "R9 B9 G9 / R5 B2 G4 Y3", Reason.NOT_A_RUN),  # a run is listed lowest first
    (2, "R9 B9 G9 / R4 W G5 Y7", Reason.NOT_A_RUN),
    (3, "R4 B4 G4 / R6 B7 G8 Y9", Reason.TOO_FEW_CARDS),
    (3, "R4 B4 G4 Y4 / R6 B7 G8", Reason.TOO_FEW_CARDS),
    (4, "R2 B3 G4 Y5 R6 B7", Reason.TOO_FEW_CARDS),
    (4, "R2 B3 S G5 Y6 R7 B8", Reason.SKIP_IN_MELD),
    (4, "W W W W W W W =1", Reason.NATURAL_REQUIRED),
    (5, "R2 B3 G4 Y5 R6 B7 G8", Reason.TOO_FEW_CARDS),
    (6, "R2 B3 G4 Y5 R6 B7 G8 Y9", Reason.TOO_FEW_CARDS),
    (7, "R9 R9 B9 B9 / R8 B8 G8", Reason.TOO_FEW_CARDS),
    (8, "R1 R2 R2 R5 R8 R10 B1", Reason.NOT_A_COLOR),
    (8, "R1 R2 R2 R5 R8 R10", Reason.TOO_FEW_CARDS),
    (8, "R1 R2 R2 R5 R8 R10 S", Reason.SKIP_IN_MELD),
    (8, "W W W W W W W", Reason.NATURAL_REQUIRED),
    (9, "R10 R10 B10 B10 / G10 G10 Y10", Reason.TOO_FEW_CARDS),
    (9, "R8 B8 G8 Y8 / R7 B7", Reason.TOO_FEW_CARDS),
    (9, "R8 R8 B8 G8 Y8 / R7", Reason.TOO_FEW_CARDS),
    (10, "R3 R3 B3 B3 G3 / R4 B4", Reason.TOO_FEW_CARDS),
    (10, "R3 R3 B3 B3 / R4 B4 G4", Reason.TOO_FEW_CARDS),
    (1, "W W W =2 / W W W =11", Reason.NATURAL_REQUIRED),
    (1, "R7 B7 G7 / W W W", Reason.MEANING_REQUIRED),
    (1, "R7 B7 G7 / W W W =13", Reason.MEANING_WRONG),
    (1, "R7 B7 G7 / W W W =0", Reason.MEANING_WRONG),
    (1, "R7 B7 G7 =8 / R4 B4 G4", Reason.MEANING_WRONG),
    (2, "R9 B9 G9 / W W W W =10", Reason.MEANING_WRONG),  # would end on 13
    (2, "R9 B9 G9 / R2 B3 G4 Y5 =3", Reason.MEANING_WRONG),
    (8, "R1 R2 R2 R5 R8 R10 R12 =1", Reason.MEANING_WRONG),
]


def _all(wish: tuple[Meld, ...]) -> list[Card]:
    return [card for meld in wish for card in meld.cards]


@pytest.mark.parametrize(("phase", "text"), OK)
def test_a_phase_may_be_laid(phase, text):
    wish = melds(text)
    hand = [*_all(wish), CARDS[0]]
    laid = lay(wish, phase, hand, OFFICIAL)
    assert hand == [CARDS[0]]
    assert [meld.cards for meld in laid] == [meld.cards for meld in wish]


@pytest.mark.parametrize(("phase", "text", "reason"), REFUSED)
def test_a_phase_may_not_be_laid(phase, text, reason):
    wish = melds(text)
    with pytest.raises(IllegalMove) as refused:
        lay(wish, phase, _all(wish), OFFICIAL)
    assert refused.value.reason is reason


def test_a_phase_takes_no_card_that_the_hand_does_not_hold():
    # Three fives serve the set or the run, not both.
    wish = melds("R5 B5 G5 / R4 R5 R6 R7")
    hand = [card for card in _all(wish) if card != parse_card("R5")] + [parse_card("R5")]
    with pytest.raises(IllegalMove) as refused:
        lay(wish, 2, hand, OFFICIAL)
    assert refused.value.reason is Reason.CARD_NOT_IN_HAND


@pytest.mark.parametrize(
    ("phase", "text", "expected"),
    [
        (1, "R7 W W / W W W =2", "set 7: R7 W W / set 2: W W W"),
        (2, "W B5 W R7 / W R9 W", "run 4: W B5 W R7 / set 9: W R9 W"),
        (8, "B1 W B3 B4 W B6 W", "color 1: B1 W B3 B4 W B6 W"),
        (9, "W W W W W =9 / R4 B4", "set 9: W W W W W / set 4: R4 B4"),
        (2, "R9 B9 G9 / W W W W =9", "set 9: R9 B9 G9 / run 9: W W W W"),
        # Both readings fit (a set of 7s and the run 4-7 as well): the listed order is tried first.
        (3, "R5 W W W / W W R7 W", "set 5: R5 W W W / run 5: W W R7 W"),
    ],
)
def test_what_a_meld_stands_for(phase, text, expected):
    wish = melds(text)
    assert lay(wish, phase, _all(wish), OFFICIAL) == on_table(expected)


HITS = [
    # meld, card, ends open to it
    ("run 3: R3 R4 R5 R6", "B2", (End.LOW,)),
    ("run 3: R3 R4 R5 R6", "B7", (End.HIGH,)),
    ("run 3: R3 R4 R5 R6", "B8", ()),
    ("run 3: R3 R4 R5 R6", "B5", ()),
    ("run 3: R3 R4 R5 R6", "B10", ()),
    ("run 3: R3 R4 R5 R6", "W", (End.LOW, End.HIGH)),
    ("run 1: R1 R2 R3 R4", "B12", ()),
    ("run 9: R9 R10 R11 R12", "B1", ()),
    ("run 3: R3 R4 W R6", "B5", ()),  # a Wild is never replaced
    ("run 3: R3 R4 R5 W", "B6", ()),
    ("run 3: R3 R4 R5 W", "B7", (End.HIGH,)),
    ("run 1: R1 R2 R3 R4 R5 R6 R7", "W", (End.HIGH,)),
    ("run 6: R6 R7 R8 R9 R10 R11 R12", "W", (End.LOW,)),
    ("run 2: R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12", "W", (End.LOW,)),
    ("run 1: R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12", "W", ()),
    ("run 1: R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12", "B7", ()),
    ("set 7: R7 R7 B7 B7 G7 G7 Y7 Y7", "W", (None,)),  # a set has no upper limit
    ("set 7: R7 B7 G7", "Y7", (None,)),
    ("set 7: R7 B7 G7", "R8", ()),
    ("set 9: R9 W W", "W", (None,)),
    ("color 0: R1 R2 R3 R4 R5 R6 R7", "R1", (None,)),
    ("color 0: R1 R2 R3 R4 R5 R6 R7", "B1", ()),
    ("color 0: R1 R2 R3 R4 R5 R6 R7", "W", (None,)),
    ("set 7: R7 B7 G7", "S", ()),
    ("run 3: R3 R4 R5 R6", "S", ()),
]


@pytest.mark.parametrize(("text", "card", "expected"), HITS)
def test_where_a_card_fits(text, card, expected):
    (meld,) = on_table(text)
    assert ends(meld, parse_card(card)) == expected
    assert (parse_card(card) in open_kinds(meld)) is bool(expected)


@pytest.mark.parametrize("meld", [*on_table("set 7: R7 W W / run 3: R3 W R5 R6"), *on_table("color 2: G1 G2 G3 G4 W W W")])
def test_open_kinds_are_the_cards_that_fit_somewhere(meld):
    assert open_kinds(meld) == {card for card in CARDS if ends(meld, card)}


GROWN = [
    # meld, card, end wished for, meld afterwards; the end in the event is where it grew
    ("run 3: R3 R4 R5 R6", "B2", None, "run 2: B2 R3 R4 R5 R6"),
    ("run 3: R3 R4 R5 R6", "B2", End.LOW, "run 2: B2 R3 R4 R5 R6"),
    ("run 3: R3 R4 R5 R6", "B7", None, "run 3: R3 R4 R5 R6 B7"),
    ("run 3: R3 R4 R5 R6", "W", End.LOW, "run 2: W R3 R4 R5 R6"),
    ("run 3: R3 R4 R5 R6", "W", End.HIGH, "run 3: R3 R4 R5 R6 W"),
    ("run 2: R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12", "W", None, "run 1: W R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12"),
    ("set 7: R7 B7 W", "W", None, "set 7: R7 B7 W W"),
    ("color 0: R1 R2 R3 R4 R5 R6 R7", "R1", None, "color 0: R1 R2 R3 R4 R5 R6 R7 R1"),
]


@pytest.mark.parametrize(("text", "card", "end", "expected"), GROWN)
def test_a_hit_makes_the_meld_grow(text, card, end, expected):
    table = [on_table(text), ()]
    hand = [parse_card(card)]
    event = hit(Seat(1), Hit(Seat(0), 0, parse_card(card), end), hand, table, OFFICIAL, laying=False)
    assert (table, hand) == ([on_table(expected), ()], [])
    (grown,) = table[0]
    side = End.HIGH if grown.cards[-1] == event.card else End.LOW
    assert isinstance(event, CardHit)
    assert event.end is (side if grown.kind is GoalKind.RUN else None)
    assert (event.seat, event.owner, event.meld) == (1, 0, 0)


def test_a_wild_keeps_its_meaning_whatever_is_added():
    table: list[tuple[TableMeld, ...]] = [on_table("run 4: R4 R5 W R7")]
    hand = [parse_card("B8"), parse_card("B3")]
    hit(Seat(0), Hit(Seat(0), 0, hand[0]), hand, table, OFFICIAL, laying=False)
    hit(Seat(0), Hit(Seat(0), 0, hand[0]), hand, table, OFFICIAL, laying=False)
    assert table == [on_table("run 3: B3 R4 R5 W R7 B8")]


BAD_HITS = [
    ("run 3: R3 R4 R5 R6", "W", None, Reason.END_REQUIRED),
    ("run 3: R3 R4 R5 R6", "B7", End.LOW, Reason.DOES_NOT_FIT),
    ("run 1: R1 R2 R3 R4", "W", End.LOW, Reason.DOES_NOT_FIT),
    ("run 1: R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12", "W", None, Reason.DOES_NOT_FIT),
    ("set 7: R7 B7 G7", "Y8", None, Reason.DOES_NOT_FIT),
    ("set 7: R7 B7 G7", "Y7", End.HIGH, Reason.END_NOT_ALLOWED),
    ("color 0: R1 R2 R3 R4 R5 R6 R7", "W", End.LOW, Reason.END_NOT_ALLOWED),
    ("set 7: R7 B7 G7", "S", None, Reason.SKIP_IN_MELD),
]


@pytest.mark.parametrize(("text", "card", "end", "reason"), BAD_HITS)
def test_a_hit_is_refused(text, card, end, reason):
    wish = Hit(Seat(0), 0, parse_card(card), end)
    with pytest.raises(IllegalMove) as refused:
        hit(Seat(1), wish, [parse_card(card)], [on_table(text), ()], OFFICIAL, laying=False)
    assert refused.value.reason is reason


@pytest.mark.parametrize(
    ("goal", "text", "reason"),
    [
        (Goal(GoalKind.RUN, 4), "W " * 13 + "=1", Reason.NOT_A_RUN),  # longer than the numbers there are
        (Goal(GoalKind.RUN, 4), "W " * 12 + "=2", Reason.MEANING_WRONG),
        (Goal(GoalKind.SET, 3), "R7 B7 S", Reason.SKIP_IN_MELD),
        (Goal(GoalKind.SET, 3), "", Reason.TOO_FEW_CARDS),
        (Goal(GoalKind.COLOR, 3), "W W W =4", Reason.MEANING_WRONG),
        (Goal(GoalKind.COLOR, 3), "W W W", Reason.MEANING_REQUIRED),
    ],
)
def test_a_meld_alone_does_not_meet_its_goal(goal, text, reason):
    with pytest.raises(IllegalMove) as refused:
        meet(goal, melds(text)[0], OFFICIAL)
    assert refused.value.reason is reason


def test_wilds_alone_meet_a_goal_with_a_meaning():
    assert meet(Goal(GoalKind.RUN, 4), melds("W " * 12 + "=1")[0], OFFICIAL).value == 1
    assert meet(Goal(GoalKind.COLOR, 3), melds("W W W =3")[0], OFFICIAL).value == 3
