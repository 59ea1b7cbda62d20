"""Putting a Play together from a view alone."""

import pytest

from referee.engine import OFFICIAL, End, Hit, IllegalMove, Play, Reason, Seat, Turn, Way, parse_card, parse_cards
from tests.builders import game_at, melds, on_table

A, B, C = map(Seat, range(3))
PHASE_1 = "R7 B7 G7 / R10 B10 G10"
TABLE = {0: "set 1: G1 B1 Y1 / set 2: G2 B2 Y2"}


def turn(*hands: str, **position) -> Turn:
    game = game_at(*hands, drew=hands[0].split()[0], **position)
    return Turn(game.view(A), OFFICIAL)


def test_lay_hit_and_throw():
    made = turn("R7 B7 G7 R10 B10 G10 Y10 R4 R5", "B2", table={1: "set 4: B4 G4 Y4 / set 9: R9 B9 G9"})
    assert made.phase == 1
    best = made.best_lay()
    assert best == made.lays()[0] == Way(1, melds("R7 B7 G7 / R10 B10 G10 Y10"), parse_cards("R4 R5"))
    made.lay(melds(PHASE_1))
    assert made.laid
    assert made.hand == parse_cards("R4 R5 Y10")
    assert made.hits() == (Hit(A, 1, parse_card("Y10")), Hit(B, 0, parse_card("R4")))
    for hit in made.hits():
        made.hit(hit)
    assert made.table[A] == on_table("set 7: R7 B7 G7 / set 10: R10 B10 G10 Y10")
    assert made.discards() == parse_cards("R5")
    play = made.end(parse_card("R5"))
    assert play == Play(melds(PHASE_1), (Hit(A, 1, parse_card("Y10")), Hit(B, 0, parse_card("R4"))), parse_card("R5"))


def test_what_cannot_be_laid():
    made = turn("R7 B7 R10 B10", "B2")
    assert (made.lays(), made.best_lay(), made.hits()) == ((), None, ())
    with pytest.raises(IllegalMove) as refused:
        made.lay(melds(PHASE_1))
    assert refused.value.reason is Reason.CARD_NOT_IN_HAND
    with pytest.raises(IllegalMove) as refused:
        made.hit(Hit(A, 0, parse_card("R7")))
    assert refused.value.reason is Reason.NOT_LAID
    assert (made.hand, made.laid, made.table) == (parse_cards("R7 R10 B7 B10"), False, [(), ()])


def test_a_phase_is_laid_once():
    made = turn("R7 B7 G7 R10 B10 G10 R4", "B2", table=TABLE)
    assert (made.lays(), made.best_lay()) == ((), None)
    with pytest.raises(IllegalMove) as refused:
        made.lay(melds(PHASE_1))
    assert refused.value.reason is Reason.ALREADY_LAID


def test_a_seat_that_has_done_all_phases_lays_none():
    game = game_at("R7 B7 G7 R10 B10 G10 R4", "B2", drew="R7")
    game.state.completed[A] = 10
    made = Turn(game.view(A), OFFICIAL)
    assert (made.phase, made.lays(), made.best_lay()) == (0, (), None)
    with pytest.raises(IllegalMove) as refused:
        made.lay(melds(PHASE_1))
    assert refused.value.reason is Reason.PHASE_NOT_AVAILABLE


def test_a_hit_that_is_refused_changes_nothing():
    made = turn("R7 R5", "B2", table=TABLE)
    before = made.hand, list(made.table)
    with pytest.raises(IllegalMove) as refused:
        made.hit(Hit(A, 0, parse_card("R7")))
    assert refused.value.reason is Reason.DOES_NOT_FIT
    assert (made.hand, made.table) == before


def test_a_wild_first_goes_where_it_makes_room():
    # The Wild as a 9 lets the 8 follow; at the upper end it would only block.
    made = turn("W R8 R5", "B2", table={**TABLE, 1: "run 10: B10 G11 Y12 / set 3: R3 B3 G3"})
    first, *others = made.hits()
    assert first == Hit(B, 0, parse_card("W"), End.LOW)
    assert Hit(A, 0, parse_card("W")) in others
    made.hit(first)
    assert made.hits() == (Hit(B, 0, parse_card("R8")),)


def test_both_ends_are_offered_to_a_wild():
    made = turn("W R5 R5", "B2", table={**TABLE, 1: "run 9: B9 G10 Y11 / set 3: R3 B3 G3"})
    assert {hit.end for hit in made.hits() if hit.owner == B and hit.meld == 0} == {End.LOW, End.HIGH}


def test_a_skip_is_aimed_at_the_next_seat_unless_another_is_named():
    hands = ("S R5", "B2", "G2")
    assert turn(*hands).targets() == (B, C)
    assert turn(*hands).end(parse_card("S")) == Play(discard=parse_card("S"), skip_target=B)
    assert turn(*hands).end(parse_card("S"), C) == Play(discard=parse_card("S"), skip_target=C)
    assert turn(*hands, waiting=(1,)).end(parse_card("S")) == Play(discard=parse_card("S"), skip_target=C)
    assert turn(*hands).end(parse_card("R5")) == Play(discard=parse_card("R5"))


def test_a_last_skip_and_an_empty_hand_need_nothing():
    last = turn("S", "B2", table=TABLE)
    assert last.targets() == ()
    assert last.end(parse_card("S")) == Play(discard=parse_card("S"))
    out = turn("R1", "B2", table=TABLE)
    out.hit(out.hits()[0])
    assert out.discards() == ()
    assert out.end(parse_card("R1")) == Play(hits=(Hit(A, 0, parse_card("R1")),))
