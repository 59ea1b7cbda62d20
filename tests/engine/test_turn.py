"""A turn: draw, then one Play that is taken whole or refused whole."""

from copy import deepcopy

import pytest

from referee.engine import (
    CardDiscarded,
    CardDrawn,
    CardHit,
    DealEnd,
    DealEnded,
    Draw,
    End,
    Game,
    Hit,
    IllegalMove,
    Move,
    PhaseLaid,
    Play,
    Reason,
    Seat,
    Stage,
    StockRebuilt,
    full_deck,
    parse_card,
    parse_cards,
)
from tests.builders import all_cards, game_at, melds, on_table

A, B, C, D = map(Seat, range(4))
PHASE_1 = "R7 B7 G7 / R10 B10 G10"
LAID_1 = "set 7: R7 B7 G7 / set 10: R10 B10 G10"


def hit(owner: Seat, meld: int, card: str, end: End | None = None) -> Hit:
    return Hit(owner, meld, parse_card(card), end)


def throw(card: str, *hits: Hit, lay: str = "", target: Seat | None = None, phase: int | None = None) -> Play:
    discard = parse_card(card) if card else None
    return Play(melds(lay) if lay else (), hits, discard, target, phase)


def refuse(game: Game, seat: Seat, move: Move, reason: Reason) -> None:
    """The move is refused for this reason, and everything is as it was."""
    before, log = deepcopy(game.state), list(game.log)
    with pytest.raises(IllegalMove) as refused:
        game.submit(seat, move)
    assert refused.value.reason is reason
    assert (game.state, list(game.log)) == (before, log)


def ended(game: Game) -> DealEnded:
    """The last end of a deal in the log."""
    return next(event for event in reversed(game.log) if isinstance(event, DealEnded))


# --- drawing -----------------------------------------------------------------------------------------------------------


def test_only_the_seat_to_move_may_act():
    game = game_at("R2 R3", "B2 B3")
    refuse(game, B, Draw(), Reason.NOT_YOUR_TURN)
    game.submit(A, Draw())
    refuse(game, B, throw("B2"), Reason.NOT_YOUR_TURN)


@pytest.mark.parametrize("seat", [-1, 2, 7])
def test_a_seat_that_does_not_exist_is_never_on_turn(seat):
    refuse(game_at("R2 R3", "B2 B3"), Seat(seat), Draw(), Reason.NOT_YOUR_TURN)


@pytest.mark.parametrize(
    "move",
    [throw("R2"), throw("R11", lay=PHASE_1), throw("R2", hit(B, 0, "R7"))],
    ids=["discard", "lay", "hit"],
)
def test_a_turn_begins_with_drawing(move):
    refuse(game_at("R7 B7 G7 R10 B10 G10 R11 R2", "B2"), A, move, Reason.MUST_DRAW_FIRST)


def test_one_card_a_turn():
    game = game_at("R2 R3", "B2 B3")
    game.submit(A, Draw())
    refuse(game, A, Draw(), Reason.ALREADY_DREW)
    refuse(game, A, Draw(from_discard=True), Reason.ALREADY_DREW)


def test_only_the_top_of_the_discard_pile_can_be_taken():
    game = game_at("R2 R3", "B2 B3", discard="G5 G9")
    assert game.submit(A, Draw(from_discard=True)) == (CardDrawn(A, parse_card("G9"), from_discard=True),)
    game.submit(A, throw("R2"))
    assert game.submit(B, Draw(from_discard=True)) == (CardDrawn(B, parse_card("R2"), from_discard=True),)


def test_the_card_just_taken_may_be_thrown_again():
    game = game_at("R2 R3", "B2 B3", discard="G8")
    game.submit(A, Draw(from_discard=True))
    assert game.submit(A, throw("G8")) == (CardDiscarded(A, parse_card("G8")),)


def test_a_discarded_wild_may_be_taken():
    game = game_at("R2 W R5", "B2 B3", drew="R5")
    assert game.submit(A, throw("W")) == (CardDiscarded(A, parse_card("W")),)
    assert game.submit(B, Draw(from_discard=True)) == (CardDrawn(B, parse_card("W"), from_discard=True),)


def test_a_skip_on_the_discard_pile_cannot_be_taken():
    game = game_at("R2 R3", "B2 B3", discard="G9 S")
    refuse(game, A, Draw(from_discard=True), Reason.SKIP_NOT_TAKEABLE)
    game.submit(A, Draw())


def test_an_empty_discard_pile_gives_nothing_and_hides_nothing():
    game = game_at("R2 R3", "B2 B3", discard="")
    view = game.view(A).table
    assert (view.discard_size, view.discard_top) == (0, None)
    refuse(game, A, Draw(from_discard=True), Reason.DISCARD_EMPTY)
    game.submit(A, Draw())


def test_the_last_card_of_the_draw_pile_shuffles_nothing_yet():
    game = game_at("R2 R3", "B2 B3", discard="G9", stock="Y1")
    assert game.submit(A, Draw()) == (CardDrawn(A, parse_card("Y1"), from_discard=False),)
    game.submit(A, throw("R3"))
    assert game.view(B).table.stock_size == 0
    assert game.submit(B, Draw(from_discard=True)) == (CardDrawn(B, parse_card("R3"), from_discard=True),)


def test_an_empty_draw_pile_is_made_of_all_discards_but_the_top_one():
    game = game_at("R2 R3", "B2 B3", discard="W G9 S R12 R11", stock="")
    rebuilt, drawn = game.submit(A, Draw())
    assert rebuilt == StockRebuilt(parse_cards("R12 G9 W S"))  # these decks come in ascending order
    assert drawn == CardDrawn(A, parse_card("R12"), from_discard=False)
    view = game.view(A).table
    assert (view.stock_size, view.discard_size, view.discard_top) == (3, 1, parse_card("R11"))


def test_a_skip_comes_back_with_the_reshuffled_pile_and_works_again():
    game = game_at("R2 R3", "B2 B3", discard="S R11", stock="")
    game.submit(A, Draw())
    game.submit(A, throw("S", target=B))
    assert game.to_move == A


# --- playing -----------------------------------------------------------------------------------------------------------


def test_what_cannot_be_thrown():
    game = game_at("R2 R3", "B2 B3", drew="R3")
    refuse(game, A, throw("Y12"), Reason.CARD_NOT_IN_HAND)
    refuse(game, A, Play(), Reason.DISCARD_REQUIRED)
    refuse(game, A, throw("R2", target=B), Reason.TARGET_NOT_ALLOWED)


def test_a_phase_counts_as_soon_as_it_lies_there():
    game = game_at("R7 B7 G7 R10 B10 G10 R1 R2", "B2", drew="R1")
    laid, thrown = game.submit(A, throw("R1", lay=PHASE_1))
    assert laid == PhaseLaid(A, 1, on_table(LAID_1))
    assert thrown == CardDiscarded(A, parse_card("R1"))
    me = game.view(A).table.seats[A]
    assert (me.phase, me.completed, me.laid, me.melds, me.hand_size) == (1, 1, True, on_table(LAID_1), 1)


def test_one_phase_a_deal():
    game = game_at("R8 B8 G8 Y8 R9 B9 G9 Y9 R1", "B2", table={0: LAID_1}, drew="R1")
    refuse(game, A, throw("R1", lay="R8 B8 G8 / R9 B9 G9"), Reason.ALREADY_LAID)
    refuse(game, A, throw("R1", phase=2), Reason.ALREADY_LAID)


def test_the_phase_in_turn_may_be_named_and_no_other():
    hand = "R7 B7 G7 R10 B10 G10 R1 R2"
    refuse(game_at(hand, "B2", drew="R1"), A, throw("R1", lay=PHASE_1, phase=2), Reason.PHASE_NOT_AVAILABLE)
    refuse(game_at(hand, "B2", drew="R1"), A, throw("R1", phase=1), Reason.PHASE_NOT_AVAILABLE)
    assert game_at(hand, "B2", drew="R1").submit(A, throw("R1", lay=PHASE_1, phase=1))


def test_hits_need_the_own_phase_on_the_table():
    game = game_at("R7 R2", "B2 B3", table={1: LAID_1}, drew="R2")
    refuse(game, A, throw("R2", hit(B, 0, "R7")), Reason.NOT_LAID)


def test_lay_and_hit_own_and_other_melds_in_one_turn():
    game = game_at(
        "R7 B7 G7 Y7 R10 B10 G10 R4 R1 R2",
        "B2 B3",
        table={1: "set 4: B4 G4 Y4 / set 5: R5 B5 G5"},
        drew="R1",
    )
    events = game.submit(A, throw("R1", hit(B, 0, "R4"), hit(A, 0, "Y7"), lay=PHASE_1))
    assert events[1:] == (
        CardHit(A, B, 0, parse_card("R4"), None),
        CardHit(A, A, 0, parse_card("Y7"), None),
        CardDiscarded(A, parse_card("R1")),
    )
    seats = game.view(A).table.seats
    assert seats[A].melds == on_table("set 7: R7 B7 G7 Y7 / set 10: R10 B10 G10")
    assert seats[B].melds == on_table("set 4: B4 G4 Y4 R4 / set 5: R5 B5 G5")
    assert (seats[B].phase, seats[B].completed) == (1, 1)


def test_hits_on_the_melds_of_three_seats_and_a_seat_that_waits_for_a_skip():
    game = game_at(
        "R7 G5 R9 R1 R2",
        "B2",
        "B3",
        "B6",
        table={
            0: "set 1: G1 G1 B1 / set 2: G2 G2 B2",
            1: "set 7: B7 G7 Y7 / set 8: R8 B8 G8",
            2: "set 5: R5 B5 Y5 / set 6: R6 G6 Y6",
            3: "set 9: B9 G9 Y9 / set 10: R10 B10 G10",
        },
        waiting=(2,),
        drew="R1",
    )
    game.submit(A, throw("R2", hit(B, 0, "R7"), hit(C, 0, "G5"), hit(D, 0, "R9")))
    assert [len(seat.melds[0].cards) for seat in game.view(A).table.seats] == [3, 4, 4, 4]


def test_hits_are_judged_by_the_meld_not_by_the_own_phase():
    game = game_at(
        "R9 R1 R2",
        "B2",
        table={0: "run 2: B2 B3 B4 B5 B6 B7 B8", 1: "set 9: B9 G9 Y9 / set 3: R3 B3 G3"},
        phases=(4, 1),
        drew="R1",
    )
    game.submit(A, throw("R1", hit(B, 0, "R9")))
    assert game.view(A).table.seats[B].melds[0] == on_table("set 9: B9 G9 Y9 R9")[0]


def test_the_hit_names_the_meld():
    table = {0: LAID_1, 1: "set 5: R5 B5 G5 / run 1: R1 R2 R3 R4"}
    game = game_at("Y5 G5 R8 R9", "B2", table=table, phases=(1, 2), drew="R8")
    game.submit(A, throw("R8", hit(B, 1, "Y5"), hit(B, 0, "G5")))
    assert game.view(A).table.seats[B].melds == on_table("set 5: R5 B5 G5 G5 / run 1: R1 R2 R3 R4 Y5")


def test_hits_are_taken_in_their_order():
    table = {0: LAID_1, 1: "set 5: R5 B5 G5 / run 3: R3 R4 R5 R6"}
    game = game_at("B8 B7 R8 R9", "B2", table=table, phases=(1, 2), drew="R8")
    refuse(game, A, throw("R8", hit(B, 1, "B8"), hit(B, 1, "B7")), Reason.DOES_NOT_FIT)
    game.submit(A, throw("R8", hit(B, 1, "B7"), hit(B, 1, "B8")))
    assert game.view(A).table.seats[B].melds[1] == on_table("run 3: R3 R4 R5 R6 B7 B8")[0]


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        (hit(Seat(2), 0, "R7"), Reason.NO_SUCH_SEAT),
        (hit(Seat(-1), 0, "R7"), Reason.NO_SUCH_SEAT),
        (hit(B, 2, "R7"), Reason.NO_SUCH_MELD),
        (hit(B, -1, "R7"), Reason.NO_SUCH_MELD),
        (hit(B, 0, "Y12"), Reason.CARD_NOT_IN_HAND),
        (hit(B, 0, "R1"), Reason.DOES_NOT_FIT),
    ],
)
def test_hits_that_point_nowhere(wish, reason):
    game = game_at(
        "R7 R1 R2", "B2", table={0: "set 1: G1 B1 Y1 / set 2: B2 G2 Y2", 1: LAID_1.replace("R7", "Y7")}, drew="R1"
    )
    refuse(game, A, throw("R2", wish), reason)


def test_a_hit_needs_melds_where_it_points():
    refuse(game_at("R7 R1 R2", "B2", table={0: LAID_1}, drew="R1"), A, throw("R2", hit(B, 0, "R7")), Reason.NO_SUCH_MELD)


def test_a_card_is_played_once():
    game = game_at("R7 B7 G7 R10 B10 G10 R1 R2", "B2", drew="R1")
    refuse(game, A, throw("R7", lay=PHASE_1), Reason.CARD_NOT_IN_HAND)
    refuse(game, A, throw("R1", hit(A, 0, "R7"), lay=PHASE_1), Reason.CARD_NOT_IN_HAND)


def test_the_first_step_that_fails_names_the_reason():
    game = game_at("R7 B7 G7 R10 B10 R1 R2", "B2", drew="R1")
    play = throw("Y12", hit(A, 5, "Y1"), lay="R7 B7 / R10 B10 R1", target=A)
    refuse(game, A, play, Reason.TOO_FEW_CARDS)
    game = game_at("R7 B7 G7 R10 B10 G10 R1 R2", "B2", drew="R1")
    refuse(game, A, throw("Y12", hit(A, 5, "R1"), lay=PHASE_1, target=A), Reason.NO_SUCH_MELD)
    refuse(game, A, throw("Y12", lay=PHASE_1, target=A), Reason.CARD_NOT_IN_HAND)


# --- going out ---------------------------------------------------------------------------------------------------------


def test_out_by_the_last_discard():
    game = game_at("R8 R9", "B2 B12", table={0: "set 8: B8 G8 Y8 / set 2: R2 B2 G2"}, drew="R9")
    events = game.submit(A, throw("R9", hit(A, 0, "R8")))
    end = next(event for event in events if isinstance(event, DealEnded))
    assert (end.cause, end.out, end.penalties) == (DealEnd.WENT_OUT, A, (0, 15))


def test_out_by_hits_alone_leaves_the_discard_pile_as_it_was():
    game = game_at("R9 R8", "B12 W", table={0: "set 9: B9 G9 Y9 / set 8: B8 G8 Y8"}, drew="R8", discard="R1 R2")
    events = game.submit(A, throw("", hit(A, 0, "R9"), hit(A, 1, "R8")))
    assert [type(event) for event in events[:3]] == [CardHit, CardHit, DealEnded]
    assert ended(game).out == A


def test_out_by_laying_everything():
    game = game_at("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11", "B2", phases=(6, 1), drew="R1")
    events = game.submit(A, throw("", lay="R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11"))
    assert [type(event) for event in events[:2]] == [PhaseLaid, DealEnded]
    assert ended(game).completed == (6, 0)


def test_out_in_the_turn_in_which_the_phase_is_laid():
    hand = "R3 R3 B3 B3 G3 R4 B4 G4 Y3 Y4 R12"
    game = game_at(hand, "B2", phases=(10, 1), drew="R12")
    game.submit(A, throw("R12", hit(A, 0, "Y3"), hit(A, 1, "Y4"), lay="R3 R3 B3 B3 G3 / R4 B4 G4"))
    assert ended(game).out == A


def test_an_empty_hand_has_nothing_to_throw():
    game = game_at("R9 R8", "B2", table={0: "set 9: B9 G9 Y9 / set 8: B8 G8 Y8"}, drew="R8")
    refuse(game, A, throw("R8", hit(A, 0, "R9"), hit(A, 1, "R8")), Reason.DISCARD_NOT_ALLOWED)
    refuse(game, A, throw("", hit(A, 0, "R9"), hit(A, 1, "R8"), target=B), Reason.TARGET_NOT_ALLOWED)


@pytest.mark.parametrize("last", ["W", "S", "R12"])
def test_any_card_can_be_the_last_one(last):
    game = game_at(f"R8 {last}", "B2 B12", table={0: "set 8: B8 G8 Y8 / set 2: R2 B2 G2"}, drew="R8")
    game.submit(A, throw(last, hit(A, 0, "R8")))
    assert ended(game).out == A
    # A last Skip is played against nobody: nobody is skipped in the next deal.
    assert not any(seat.skip_pending for seat in game.view(A).table.seats)


def test_a_last_skip_takes_no_target():
    game = game_at("R8 S", "B2 B12", table={0: "set 8: B8 G8 Y8 / set 2: R2 B2 G2"}, drew="R8")
    refuse(game, A, throw("S", hit(A, 0, "R8"), target=B), Reason.TARGET_NOT_ALLOWED)


def test_nobody_else_gets_a_turn_or_a_phase_when_a_seat_goes_out():
    complete = "R3 B3 G3 R4 B4 G4 R5"
    game = game_at("R9", complete, table={0: "set 9: B9 G9 Y9 / set 8: B8 G8 Y8"}, discard="R1")
    game.submit(A, Draw())
    card = str(game.view(A).drawn)
    game.submit(A, throw(card, hit(A, 0, "R9")))
    end = ended(game)
    assert (end.penalties, end.completed) == ((0, 35), (1, 0))


def test_the_deal_goes_on_while_cards_are_held_even_if_all_have_laid():
    game = game_at("R9 R12", "B2", table={0: LAID_1, 1: LAID_1.replace("R", "Y")}, drew="R12")
    assert [type(event) for event in game.submit(A, throw("R12"))] == [CardDiscarded]
    assert (game.to_move, game.stage) == (B, Stage.DRAW)


def test_the_table_is_empty_when_the_next_deal_begins():
    game = game_at(
        "R9", "B2 B3", table={0: "set 9: B9 G9 Y9 / set 8: B8 G8 Y8", 1: "set 7: R7 B7 G7 / set 4: R4 B4 G4"}, discard="R1"
    )
    game.submit(A, Draw())
    game.submit(A, throw(str(game.view(A).drawn), hit(A, 0, "R9")))
    view = game.view(A).table
    assert view.deal == 1
    assert [(seat.melds, seat.laid, seat.hand_size, seat.phase) for seat in view.seats] == [((), False, 10, 2)] * 2
    assert all_cards(game) == sorted(full_deck())


def test_a_move_after_the_end_is_refused():
    game = game_at("R9", "B2 B3", table={0: "set 9: B9 G9 Y9 R9 G9 / set 8: B8 G8 Y8"}, phases=(10, 1), discard="R1")
    game.submit(A, Draw())
    game.submit(A, throw(str(game.view(A).drawn), hit(A, 0, "R9")))
    assert (game.to_move, game.stage) == (None, Stage.OVER)
    refuse(game, A, Draw(), Reason.GAME_OVER)
    refuse(game, Seat(-1), Draw(), Reason.GAME_OVER)
