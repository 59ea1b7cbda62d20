"""The reference by itself: what the rule texts say about many small cases."""

from typing import Any

import pytest

from tests.reference.cards import whole_deck
from tests.reference.positions import DRAW, TAKE, at, begin, judge_lay, play
from tests.reference.table import Table


def one(numbers: str) -> str:
    """`7 7 W / 3` as cards: the first copies in the order red, blue, green, yellow, then again."""
    used: dict[str, int] = {}
    words = []
    for word in numbers.split():
        if word.isdigit():
            words.append("RBGY"[used.get(word, 0) % 4] + word)
            used[word] = used.get(word, 0) + 1
        else:
            words.append(word)
    return " ".join(words)


def test_the_deck():
    deck = whole_deck(8, 4)
    assert len(deck) == 108
    assert {card: deck.count(card) for card in deck} == {card: 2 for card in deck if card not in {"W", "S"}} | {
        "W": 8,
        "S": 4,
    }


# Deals and slots


@pytest.mark.parametrize(("seats", "stock"), [(2, 87), (3, 77), (4, 67), (5, 57), (6, 47)])
def test_the_deal(seats: int, stock: int):
    table = begin([""] * seats)
    assert [len(hand) for hand in table.hands] == [10] * seats
    assert (len(table.stock), len(table.discard), table.to_move) == (stock, 1, 0)


@pytest.mark.parametrize(("dealer", "first"), [(0, 1), (2, 0)])
def test_the_first_player_sits_left_of_the_dealer(dealer: int, first: int):
    assert begin(["", "", ""], "R1", dealer).to_move == first


def test_a_start_skip():
    table = begin(["", "", "", ""], "S", dealer=0)
    assert (table.to_move, table.turn) == (2, 1)
    assert table.submit(2, TAKE) == "SKIP_NOT_TAKEABLE"
    assert table.submit(2, DRAW) is None
    assert begin(["", ""], "S", dealer=0).to_move == 0
    assert begin(["", ""], "S", preset="bg-literal").submit(1, TAKE) is None
    covered = begin(["", ""], "S S R4", preset="da+twist")
    assert (covered.to_move, covered.discard) == (0, ["S", "S", "R4"])
    assert begin(["", ""], "S", initial_skip="ignore").to_move == 0
    assert begin(["", ""], "W S", initial_wild="cover").to_move == 1


def test_the_turn_has_an_order():
    table = begin(["R7 B7 G7 R9 B9 G9", ""], "R4 W")
    assert table.submit(1, DRAW) == "NOT_YOUR_TURN"
    assert table.submit(0, play(discard="R7")) == "MUST_DRAW_FIRST"
    assert table.submit(0, TAKE) is None
    assert table.submit(0, DRAW) == "ALREADY_DREW"
    assert table.submit(0, play(discard="Y12")) == "CARD_NOT_IN_HAND"
    assert table.submit(0, play()) == "DISCARD_REQUIRED"
    assert table.submit(0, play(discard="R4")) is None
    assert (table.to_move, table.discard, table.turn) == (1, ["R4"], 1)


def test_an_empty_discard_pile():
    table = begin(["S", ""], "R4")
    assert table.submit(0, TAKE) is None
    assert table.submit(0, play(discard="S", target=1)) is None
    assert (table.to_move, table.turn, table.discard) == (0, 2, ["S"])  # the Skip came to the pile when the slot passed
    table.discard = []
    assert table.submit(0, TAKE) == "DISCARD_EMPTY"


def test_an_empty_stock():
    def empty(**changes):
        table = begin(["", ""], "R4", **changes)
        table.stock, table.discard = [], ["B9", "W", "R1", "R11"]
        return table

    table = empty()
    assert table.submit(0, DRAW) is None
    assert (table.drawn, table.stock, table.discard) == ("R1", ["B9", "W"], ["R11"])
    table = empty(deck_exhausted="end_deal")
    assert table.submit(0, DRAW) is None
    assert table.history[0][:2] == ("stock_empty", None)
    assert table.deal == 1
    table = empty(deck_exhausted="end_deal")
    assert table.submit(0, TAKE) is None
    assert table.deal == 0
    table.discard, table.drawn = ["R11"], None
    table.options["deck_exhausted"] = "reshuffle_keep_top"
    assert table.submit(0, DRAW) == "STOCK_EMPTY"


# Lays


LAYS = [
    (1, "7 7 7 / 10 10 10", None),
    (1, "7 7 7", "WRONG_MELD_COUNT"),
    (1, "5 5 5 / 7 7 7 / 9 9 9", "WRONG_MELD_COUNT"),
    (1, "7 7 7 / 7 7 7", None),
    (1, "7 7 7 7 / 4 4 4", None),
    (1, "7 7 8 / 4 4 4", "NOT_A_SET"),
    (1, "7 7 / 4 4 4", "TOO_FEW_CARDS"),
    (1, "7 7 S / 4 4 4", "SKIP_IN_MELD"),
    (1, "7 W W / 9 W W", None),
    (1, "W W W =2 / W W W =11", "NATURAL_REQUIRED"),
    (1, "7 7 7 =7 / 9 9 9 =8", "MEANING_WRONG"),
    (2, "9 9 9 / 2 3 4 5", None),
    (2, "2 3 4 5 / 9 9 9", None),
    (2, "9 9 9 / 3 4 6 7", "NOT_A_RUN"),
    (2, "9 9 9 / 11 12 1 2", "NOT_A_RUN"),
    (2, "9 9 9 / 4 5 5 6", "NOT_A_RUN"),
    (2, "9 9 9 / 4 5 W 7", None),
    (2, "9 9 9 / W 10 11 12", None),
    (2, "9 9 9 / 10 11 12 W", "NOT_A_RUN"),
    (2, "9 9 9 / W 1 2 3", "NOT_A_RUN"),
    (2, "9 9 9 / 1 2 3 W", None),
    (2, "9 9 9 / 5 2 4 3", "NOT_A_RUN"),
    (2, "9 9 9 / 2 3 4", "TOO_FEW_CARDS"),
    (2, "2 3 4 / 9 9 9 9", "TOO_FEW_CARDS"),
    (3, "4 4 4 / 6 7 8 9", "TOO_FEW_CARDS"),
    (3, "5 W W W / W W 7 W", None),
    (4, "2 3 4 5 6 7 8", None),
    (4, "2 3 4 5 6 7 8 9", None),
    (4, "W W W 4 W W W", None),
    (6, "4 5 6 7 8 9 10 11 12", None),
    (7, "9 9 9 9 / 9 9 9 9", None),
    (8, "R1 R2 R2 R5 R8 R10 R12", None),
    (8, "R1 R2 R2 R5 R8 R10 B12", "NOT_A_COLOR"),
    (8, "R1 R2 W R5 W R10 W", None),
    (8, "W W W W W W W", "NATURAL_REQUIRED"),
    (9, "10 10 10 10 10 / 10 10", None),
    (9, "10 10 10 10 / 10 10 10", "TOO_FEW_CARDS"),
    (9, "8 8 8 8 8 / W W =3", None),
    (9, "8 8 8 8 8 / W W", "MEANING_REQUIRED"),
    (9, "8 8 8 8 8 / W W =13", "MEANING_WRONG"),
    (9, "W W W W W =9 / 4 4", None),
    (10, "3 3 3 3 3 / 3 3 3", None),
]


@pytest.mark.parametrize(("phase", "melds", "answer"), LAYS)
def test_lays(phase: int, melds: str, answer: str | None):
    assert judge_lay(phase, one(melds)) == answer


@pytest.mark.parametrize(
    ("phase", "melds", "answer", "changes"),
    [
        (1, "7 7 7 7 / 4 4 4", "EXTRA_NOT_ALLOWED", {"lay_extra": False}),
        (1, "7 7 7 / 7 7 7", "SAME_NUMBER_SETS", {"same_number_sets": False}),
        (9, "8 8 8 8 8 / W W =3", "NATURAL_REQUIRED", {"natural_cards": "one_per_meld"}),
        (1, "W W W =2 / W W W =11", None, {"natural_cards": "none"}),
        (8, "W W W W W W W =0", None, {"natural_cards": "none"}),
        (8, "W W W W W W W =4", "MEANING_WRONG", {"natural_cards": "none"}),
        (4, "W W W W W W W =7", "MEANING_WRONG", {"natural_cards": "none"}),
        (4, "W W W W W W W =6", None, {"natural_cards": "none"}),
    ],
)
def test_lays_under_other_rules(phase: int, melds: str, answer: str | None, changes: dict[str, Any]):
    assert judge_lay(phase, one(melds), **changes) == answer


def test_a_lay_takes_cards_of_the_hand_and_counts_at_once():
    assert judge_lay(2, one("5 5 5 / 4 5 6 7"), one("5 5 5 4 6 7")) == "CARD_NOT_IN_HAND"
    table = at(one("7 7 7 9 9 9 1"), "R2")
    assert table.submit(0, play(one("7 7 7 / 9 9 9"), discard="R1", phase=2)) == "PHASE_NOT_AVAILABLE"
    assert table.submit(0, play(one("7 7 7 / 9 9 9"), discard="R1")) is None or table.history
    assert table.history[0][4] == [1, 0]


def test_one_lay_in_a_deal():
    table = at(one("7 7 7 9 9 9 1"), "R2", melds={0: "set 4: R4 B4 G4 / set 5: R5 B5 G5"})
    assert table.submit(0, play(one("7 7 7 / 9 9 9"), discard="R1")) == "ALREADY_LAID"


def test_free_choice():
    def free(phase: int | None, melds: str = "4 4 4 4 / 9 9 9 9") -> str | None:
        table = at(one("4 4 4 4 9 9 9 9 1"), "R2", phases=[3, 1], preset="bg+free")  # phases 1 and 2 are done
        return table.submit(0, play(one(melds), discard="R1", phase=phase))

    assert free(7) is None
    assert free(None) == "PHASE_REQUIRED"
    assert free(1) == "PHASE_ALREADY_DONE"
    assert free(11) == "PHASE_NOT_AVAILABLE"
    assert free(10) == "TOO_FEW_CARDS"
    assert free(7, "") == free(1, "") == "PHASE_NOT_AVAILABLE"


# Hits


RUN, FULL, SET = "run 3: R3 R4 R5 R6", "run 1: R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12", "set 7: R7 B7 G7"


@pytest.mark.parametrize(
    ("meld", "wish", "answer"),
    [
        (RUN, ["B2 on 1.0"], None),
        (RUN, ["B7 on 1.0", "B8 on 1.0"], None),
        (RUN, ["B8 on 1.0", "B7 on 1.0"], "DOES_NOT_FIT"),
        (RUN, ["B5 on 1.0"], "DOES_NOT_FIT"),
        (RUN, ["W on 1.0"], "END_REQUIRED"),
        (RUN, ["W on 1.0 low"], None),
        (RUN, ["W on 1.0 high", "B8 on 1.0"], None),
        (RUN, ["B2 on 1.0 high"], "DOES_NOT_FIT"),
        ("run 1: R1 R2 R3 R4", ["W on 1.0 low"], "DOES_NOT_FIT"),
        ("run 1: R1 R2 R3 R4", ["W on 1.0", "B6 on 1.0"], None),
        (FULL, ["W on 1.0"], "DOES_NOT_FIT"),
        ("run 3: R3 R4 W R6", ["B5 on 1.0"], "DOES_NOT_FIT"),
        (SET, ["Y7 on 1.0", "W on 1.0"], None),
        (SET, ["B8 on 1.0"], "DOES_NOT_FIT"),
        (SET, ["Y7 on 1.0 low"], "END_NOT_ALLOWED"),
        (SET, ["S on 1.0"], "SKIP_IN_MELD"),
        (SET, ["Y7 on 1.1"], "NO_SUCH_MELD"),
        (SET, ["Y7 on 2.0"], "NO_SUCH_SEAT"),
        (SET, ["Y9 on 1.0"], "CARD_NOT_IN_HAND"),
        (SET, ["Y7 for W on 1.0"], "WILD_NOT_REPLACEABLE"),
        ("color 0: R1 R2 R3 W", ["R8 on 1.0", "W on 1.0"], None),
        ("color 0: R1 R2 R3 W", ["B8 on 1.0"], "DOES_NOT_FIT"),
    ],
)
def test_hits(meld: str, wish: list[str], answer: str | None):
    hand = "B2 B5 B6 B7 B8 R8 Y7 W S G1"
    assert at(hand, "R2", melds={1: meld}).submit(0, play("", *wish, discard="G1")) == "NOT_LAID"
    table = at(hand, "R2", melds={0: "set 9: R9 R9 R9", 1: meld})
    assert table.submit(0, play("", *wish, discard="G1")) == answer


@pytest.mark.parametrize(
    ("meld", "card", "answer"),
    [
        ("run 3: R3 R4 W R6", "B5", None),
        ("run 3: R3 R4 W R6", "B8", "DOES_NOT_FIT"),
        ("run 3: R3 R4 W R6", "B6", "DOES_NOT_FIT"),
        ("set 7: W R7 W", "B7", None),
        ("set 7: R7 B7 G7", "B7", "DOES_NOT_FIT"),
        ("set 7: R7 W W", "W", "DOES_NOT_FIT"),
        ("set 7: R7 W W", "S", "SKIP_IN_MELD"),
        ("color 1: B1 W", "B8", None),
        ("color 0: R1 W", "B8", "DOES_NOT_FIT"),
    ],
)
def test_wilds_are_replaced_where_the_rules_say_so(meld: str, card: str, answer: str | None):
    table = at("B5 B6 B7 B8 W S G1", "R2", melds={0: meld}, wild_replaceable=True)
    assert table.submit(0, play("", f"{card} for W on 0.0", discard="G1")) == answer
    if answer is None:
        assert table.hands[0].count("W") == 2
        assert card in table.melds[0][0].cards


@pytest.mark.parametrize(("when", "own", "other"), [("any", None, None), ("own_only", None, "HIT"), ("none", "HIT", "HIT")])
def test_hits_in_the_turn_of_the_lay(when: str, own: str | None, other: str | None):
    for meld, answer in ("0.0", own), ("1.0", other):
        table = at(one("7 7 7 9 9 9 7 1 2"), "R2", melds={1: SET}, hit_on_lay_turn=when)
        wish = play(one("7 7 7 / 9 9 9"), f"Y7 on {meld}", discard="R1")
        assert table.submit(0, wish) == (answer and "HIT_NOT_THIS_TURN")


# Going out


@pytest.mark.parametrize(("going_out", "answer"), [("hit_or_discard", None), ("discard_only", "MUST_KEEP_DISCARD")])
def test_going_out(going_out: str, answer: str | None):
    def table(hand: str) -> Table:
        return at(hand, "R2 W", melds={0: "set 9: R9 B9 G9 / set 4: R4 B4 G4"}, going_out=going_out)

    assert table("Y9 Y4").submit(0, play("", "Y9 on 0.0", "Y4 on 0.1")) == answer
    discarded = table("Y9 Y4")
    assert discarded.submit(0, play("", "Y9 on 0.0", discard="Y4")) is None
    assert discarded.history == [("went_out", 0, [0, 30], [0, 30], [1, 0])]
    assert table("S").submit(0, play(discard="S", target=1)) == "TARGET_NOT_ALLOWED"
    assert table("S").submit(0, play(discard="S")) is None
    if not answer:
        assert table("Y9").submit(0, play("", "Y9 on 0.0", discard="Y9")) == "DISCARD_NOT_ALLOWED"
        assert table("Y9").submit(0, play("", "Y9 on 0.0", target=1)) == "TARGET_NOT_ALLOWED"
    run = "1 2 3 4 5 6 7 8 9 10 11"
    assert at(one(run), "R2", phases=[6, 6], going_out=going_out).submit(0, play(one(run))) == answer
