"""The reference by itself: Skips, points, winners, tie-breaks, seats that stop answering."""

from typing import Any

import pytest

from tests.reference.positions import DRAW, at, begin, play
from tests.reference.table import Table

OUT = {0: "set 9: R9 B9 G9"}  # a meld that lets seat 0 go out by its last card


def skip(table: Table, target: int | None = None) -> str | None:
    """The seat to move draws and plays a Skip that is put into its hand."""
    seat = table.to_move
    assert table.submit(seat, DRAW) is None
    table.hands[seat].append("S")
    return table.submit(seat, play(discard="S", target=target))


def pass_on(table: Table) -> None:
    seat = table.to_move
    assert table.submit(seat, DRAW) is None
    assert table.submit(seat, play(discard=next(card for card in table.hands[seat] if card != "S"))) is None


# Skips


@pytest.mark.parametrize(("preset", "target", "order"), [("official", 2, [1, 3, 0]), ("bg", None, [2, 3, 0])])
def test_who_is_skipped(preset: str, target: int | None, order: list[int]):
    table = begin([""] * 4, "R4", preset=preset)
    assert skip(table, target) is None
    seats = []
    for _ in range(3):
        seats.append(table.to_move)
        pass_on(table)
    assert seats == order


def test_targets():
    for target, answer in (
        (0, "TARGET_SELF"),
        (3, "NO_SUCH_SEAT"),
        (-1, "NO_SUCH_SEAT"),
        (None, "TARGET_REQUIRED"),
        (2, None),
    ):
        assert skip(begin([""] * 3, "R4"), target) == answer
    assert skip(begin([""] * 3, "R4", preset="bg"), 1) == "TARGET_NOT_ALLOWED"
    table = at("R1 R5", "R2", "R3")
    assert table.submit(0, play(discard="R1", target=1)) == "TARGET_NOT_ALLOWED"


def test_two_players():
    table = begin(["", ""], "R4")
    for _ in range(3):
        assert skip(table, 1) is None
        assert table.to_move == 0
    table = begin(["", ""], "R4", skip_limit="until_real_turn")
    assert skip(table, 1) is None
    assert skip(table, 1) == "TARGET_NOT_ALLOWED"
    assert table.submit(0, play(discard="S")) is None
    assert table.to_move == 1


@pytest.mark.parametrize(
    ("limit", "answers"),
    [
        ("one_pending", ["TARGET_PROTECTED", None, None]),
        ("one_per_lap", ["TARGET_PROTECTED", "TARGET_PROTECTED", None]),
        ("one_per_deal", ["TARGET_PROTECTED", "TARGET_PROTECTED", "TARGET_PROTECTED"]),
        ("until_real_turn", ["TARGET_PROTECTED", "TARGET_PROTECTED", "TARGET_PROTECTED"]),
        ("unlimited", [None, None, None]),
    ],
)
def test_limits(limit: str, answers: list[str | None]):
    """Seat 2 was skipped by seat 0: while it waits, after its slot has passed, and in the next lap."""
    waiting = begin([""] * 4, "R4", skip_limit=limit)
    skip(waiting, 2)
    assert skip(waiting, 2) == answers[0]
    served = begin([""] * 4, "R4", skip_limit=limit)
    skip(served, 2)
    pass_on(served)
    assert served.to_move == 3
    assert skip(served, 2) == answers[1]
    later = begin([""] * 4, "R4", skip_limit=limit)
    skip(later, 2)
    pass_on(later)
    pass_on(later)
    assert later.to_move == 0
    assert skip(later, 2) == answers[2]


def test_a_real_turn_lifts_the_protection():
    table = begin([""] * 3, "R4", skip_limit="until_real_turn")
    skip(table, 1)
    for seat in (2, 0):
        assert not table.may_be_skipped(1)
        assert table.to_move == seat
        pass_on(table)
    assert table.to_move == 1
    pass_on(table)
    assert table.may_be_skipped(1)


def test_where_a_skip_lies():
    front = begin([""] * 4, "R4")
    skip(front, 2)
    assert (front.discard, front.waiting) == (["R4"], [0, 0, 1, 0])
    pass_on(front)
    assert (front.discard[-1], front.waiting) == ("S", [0, 0, 0, 0])
    pile = begin([""] * 4, "R4", preset="da")
    skip(pile, 2)
    assert (pile.discard, pile.waiting) == (["R4", "S"], [0, 0, 1, 0])
    pass_on(pile)
    assert pile.discard[-1] != "S"


def test_every_skip_passes_a_slot():
    table = begin([""] * 3, "R4", skip_limit="unlimited")
    assert skip(table, 2) is None
    assert skip(table, 2) is None
    assert (table.to_move, table.waiting[2]) == (0, 1)
    pass_on(table)
    pass_on(table)
    assert (table.to_move, table.waiting[2]) == (0, 0)


# Points, phases, winners


@pytest.mark.parametrize(("hand", "points"), [("R3 R8 R12 W", 45), ("S", 15), ("R9", 5), ("R10", 10), ("W W S R1 R11", 80)])
def test_points(hand: str, points: int):
    table = at("R9", hand, melds=OUT)
    assert table.submit(0, play(discard="R9")) is None
    assert table.totals == [0, points]


def finish(*finished: int, totals: list[int] | None = None, **changes: Any) -> Table:
    """Four seats; seat 0 goes out in a deal in which the seats named have laid the last phase."""
    melds = dict.fromkeys({0, *finished}, "set 9: R9 B9 G9")
    last = changes.get("order", range(1, 11))[-1]
    table = at("R9", "R2", "R2", "R2", melds=melds, phases=[last if seat in finished else 1 for seat in range(4)], **changes)
    table.totals = totals or [0, 0, 0, 0]
    assert table.submit(0, play(discard="R9")) is None
    return table


def test_winners():
    assert finish(1).places[1] == 1
    assert finish(1, totals=[20, 400, 0, 0]).places == [2, 1, 3, 3]
    assert finish(1, 2, totals=[0, 240, 235, 0]).places[2] == 1
    assert finish(1, 2, totals=[0, 240, 235, 0]).end == "phases_done"
    assert finish(1, order=[1, 2, 3, 4, 5]).places[1] == 1
    assert not finish().end
    table = finish(1, preset="app163")
    assert (table.end, table.completed, table.done[1][-1]) == (None, [1, 9, 0, 0], 9)
    assert finish(0, 1, totals=[900, 0, 0, 0], preset="app163").places == [1, 2, 3, 3]


def test_the_lay_that_decides():
    wish = play("R7 B7 G7 / R8 B8 G8", "R1 on 0.0", discard="Y12")  # what follows the lay is not judged
    table = at("R7 B7 G7 R8 B8 G8 R1", "R2 R3", order=[1], win_check="on_lay")
    assert table.submit(0, wish) is None
    assert (table.end, table.places, table.history[0]) == (
        "phases_done",
        [1, 2],
        ("decided", None, [5, 10], [5, 10], [1, 0]),
    )
    table = at("R7 B7 G7 R8 B8 G8", "R2", order=[1], win_check="on_lay")
    assert table.submit(0, play("R7 B7 G7 / R8 B8 G8")) is None
    assert (table.end, table.history[0][:2]) == ("phases_done", ("went_out", 0))
    table = at("R7 B7 G7 R8 B8 G8 R1", "R2", order=[1, 2], win_check="on_lay")
    assert table.submit(0, wish) == "DOES_NOT_FIT"


def test_ties():
    shared = finish(1, 2, score_tie="shared")
    assert (shared.end, shared.places) == ("phases_done", [3, 1, 1, 4])
    table = finish(1, 3)
    assert (table.tie_break, table.players, table.dealer, table.to_move) == (True, [1, 3], 1, 3)
    assert finish(1, 3, dealer_rotation="fixed").dealer == 3
    assert [len(hand) for hand in table.hands] == [0, 10, 0, 10]
    assert table.phase_of(3) == 10
    assert skip(finish(1, 3), 0) == "NO_SUCH_SEAT"
    table.options["max_turns_per_deal"] = 1
    for _ in range(6):
        pass_on(table)
    assert (table.end, table.tie_breaks, table.places) == ("tie_break", 3, [3, 1, 4, 1])


def test_the_first_to_lay_wins_a_tie_break():
    table = finish(1, 3, preset="sv")
    assert table.submit(3, DRAW) is None
    table.hands[3] = ["R7", "B7", "G7", "Y7", "W", "R8", "B8", "G8", "R1", "R2", "R3"]
    assert table.submit(3, play("R7 B7 G7 Y7 W / R8 B8 G8", discard="Y12")) is None
    assert table.history[1] == ("decided", None, [0] * 4, table.totals, table.completed)
    assert (table.end, table.places) == ("tie_break", [3, 2, 4, 1])


def test_everybody_moves_on():
    table = at("R9", "R2", "W", melds={0: "set 9: R9 B9 G9"}, preset="bg+all-advance", order=[1, 2])
    table.completed = [0, 0, 0]
    table.submit(0, play(discard="R9"))
    assert (table.completed, [table.phase_of(seat) for seat in range(3)]) == ([1, 1, 1], [2, 2, 2])
    table.options["max_turns_per_deal"] = 1
    table.totals = [500, 0, 400]
    for _ in range(3):
        pass_on(table)
    assert (table.end, table.completed) == ("phases_done", [2, 2, 2])
    assert sorted(table.places) == [1, 2, 3]
    assert table.places[1] == 1


def test_caps():
    table = begin(["", "", ""], "S", max_turns_per_deal=2, max_deals=2)  # the start card's slot counts
    for turns in (5, 6):
        assert not table.end
        for _ in range(turns):
            pass_on(table)
    assert [deal[0] for deal in table.history] == ["turn_cap", "turn_cap"]
    assert table.end == "deal_cap"


def test_dealers():
    assert finish(dealer_rotation="left").dealer == 0
    assert finish(dealer_rotation="fixed").dealer == 3


# Seats that stop answering


def test_default_moves():
    table = begin(["R12 B12 R9 W S", "", ""], "R4")
    table.fault(0)
    assert (table.faults, table.drawn is not None, table.to_move) == ([1, 0, 0], True, 0)
    table.fault(1)
    assert table.to_move == 0
    table.fault(0)
    assert (table.discard, table.to_move) == (["R4", "R12"], 1)
    table = at("W S", "R2")
    table.fault(0)
    assert table.discard[-1] == "W"
    table = at("S S S", "R2", "R2")
    table.fault(0)
    assert (table.discard[-1], table.to_move) == ("S", 2)  # seat 1 has passed
    table = at("S S S", "R2", "R2", preset="bg")
    table.fault(0)
    assert table.to_move == 2


def test_forfeits():
    table = begin(["", "", "", ""], "R4")
    for _ in range(3):
        table.fault(0)
    assert (table.forfeits, table.to_move, table.turn) == (["faults", None, None, None], 1, 1)
    table.fault(0)
    assert table.faults == [3, 0, 0, 0]
    table.forfeit(2, "resigned")
    pass_on(table)
    assert (table.to_move, table.turn) == (3, 3)
    table.forfeit(3, "clock")
    assert (table.end, table.places, table.to_move) == ("forfeits", [2, 1, 2, 2], -1)
    assert table.submit(1, DRAW) == "GAME_OVER"


def test_a_tie_break_with_one_seat_left():
    table = finish(1, 3)
    table.forfeit(3, "resigned")
    assert (table.end, table.places, table.history[-1][0]) == ("tie_break", [2, 1, 3, 4], "decided")
