"""Skips: chosen targets, one waiting at a time, the card in front of its target."""

import pytest

from referee.engine import (
    OFFICIAL,
    CardDiscarded,
    Draw,
    Event,
    ForfeitCause,
    Game,
    Reason,
    Seat,
    SeatDealer,
    SkipPlayed,
    Stage,
    Terms,
    TurnSkipped,
    parse_card,
    skip_targets,
)
from tests.builders import FixedDecks, game_at, rigged
from tests.engine.test_turn import ended, hit, refuse, throw

A, B, C, D = map(Seat, range(4))
HANDS = ("R2 R3 S", "B2 B3 S", "G2 G3 S", "Y2 Y3")


def turn(game: Game, card: str, target: Seat | None = None) -> tuple[Event, ...]:
    """The seat to move draws from the pile and throws this card."""
    seat = game.to_move
    assert seat is not None
    game.submit(seat, Draw())
    return game.submit(seat, throw(card, target=target))


def movers(game: Game, turns: int) -> list[Seat | None]:
    """Who moves next, and next ..., throwing a number card each time."""
    found = []
    for _ in range(turns):
        found.append(game.to_move)
        assert game.to_move is not None
        turn(game, str(game.view(game.to_move).hand[0]))
    return found


def test_the_chosen_seat_is_passed_over():
    game = game_at(*HANDS)
    assert turn(game, "S", C) == (SkipPlayed(A, C),)
    assert movers(game, 3) == [B, D, A]


def test_two_seats_may_wait_at_once():
    game = game_at(*HANDS)
    turn(game, "S", C)
    turn(game, "S", D)
    assert movers(game, 2) == [A, B]


def test_skips_over_the_turn_of_the_table():
    game = game_at(*HANDS[:3])
    turn(game, "S", C)
    turn(game, "S", A)
    assert movers(game, 1) == [B]


def test_with_two_seats_the_skipper_moves_again():
    game = game_at("R2 R3 S S", "B2 B3")
    assert turn(game, "S", B) == (SkipPlayed(A, B), TurnSkipped(B, by_start_card=False))
    before = game.view(B)
    assert turn(game, "S", B)[-1] == TurnSkipped(B, by_start_card=False)
    assert game.to_move == A
    assert game.view(B).hand == before.hand


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (None, Reason.TARGET_REQUIRED),
        (A, Reason.TARGET_SELF),
        (Seat(4), Reason.NO_SUCH_SEAT),
        (Seat(-1), Reason.NO_SUCH_SEAT),
        (D, Reason.TARGET_PROTECTED),
    ],
)
def test_whom_a_skip_may_not_be_played_against(target, reason):
    game = game_at(*HANDS, waiting=(3,), drew="R2")
    refuse(game, A, throw("S", target=target), reason)


def test_a_seat_that_takes_no_part_in_a_tie_break_is_no_seat_of_it():
    game = game_at("R2 R3 S", "B2", "", phases=(10, 10, 3), drew="R2", tie_break=True, players=(0, 1))
    refuse(game, A, throw("S", target=C), Reason.NO_SUCH_SEAT)
    assert [seat.may_be_skipped for seat in game.view(A).table.seats] == [True, True, False]


def test_a_seat_that_was_passed_over_may_be_skipped_again():
    game = game_at(*HANDS[:3])
    turn(game, "S", B)  # B's slot passes at once
    assert turn(game, "S", B) == (SkipPlayed(C, B),)
    assert movers(game, 2) == [A, C]


def test_a_skip_of_the_last_lap_still_protects_until_its_slot_has_come():
    game = game_at("R2 R3 S", "B2 B3", "G2 G3 S S", to_move=2)
    turn(game, "S", B)
    game.submit(A, Draw())
    refuse(game, A, throw("S", target=B), Reason.TARGET_PROTECTED)
    game.submit(A, throw("R2"))
    assert turn(game, "S", B) == (SkipPlayed(C, B),)


def test_the_start_card_was_played_by_nobody():
    hands = ["R2 R3 R4 R5 R6 R7 R8 R9 R10 S", "B1 B2 B3 B4 B5 B6 B7 B8 B9 S", "G1 G2 G3 G4 G5 G6 G7 G8 G9 G10"]
    game = Game(OFFICIAL, Terms(first_dealer=SeatDealer(0)), 3, FixedDecks(rigged([hands[2], hands[0], hands[1]], "S")))
    assert game.log[-1] == TurnSkipped(B, by_start_card=True)
    assert game.to_move == C
    assert turn(game, "S", B) == (SkipPlayed(C, B),)
    assert movers(game, 2) == [A, C]


def test_the_skip_lies_in_front_of_its_target_until_the_slot_comes():
    game = game_at(*HANDS, discard="R6")
    turn(game, "S", C)
    view = game.view(B).table
    assert (view.discard_top, view.discard_size) == (parse_card("R6"), 1)
    assert [seat.skip_pending for seat in view.seats] == [False, False, True, False]
    assert [seat.may_be_skipped for seat in view.seats] == [True, True, False, True]
    assert skip_targets(game.view(B), game.ruleset) == (D, A)
    game.submit(B, Draw(from_discard=True))
    game.submit(B, throw("R6"))
    view = game.view(D).table
    assert (view.discard_top, view.discard_size) == (parse_card("S"), 2)
    assert not any(seat.skip_pending for seat in view.seats)
    refuse(game, D, Draw(from_discard=True), Reason.SKIP_NOT_TAKEABLE)


def test_a_pile_that_was_emptied_stays_empty_while_the_skip_lies_in_front():
    game = game_at(*HANDS, discard="R6")
    game.submit(A, Draw(from_discard=True))
    game.submit(A, throw("S", target=C))
    refuse(game, B, Draw(from_discard=True), Reason.DISCARD_EMPTY)
    turn(game, "B2")
    assert game.state.discard == [parse_card("B2"), parse_card("S")]


def test_a_skip_that_still_waits_when_the_deal_ends_counts_for_nobody():
    game = game_at("R9", "B2 B3", "G12", table={0: "set 9: B9 G9 Y9 / set 8: B8 G8 Y8"}, waiting=(2,), discard="R1")
    game.submit(A, Draw())
    game.submit(A, throw(str(game.view(A).drawn), hit(A, 0, "R9")))
    assert ended(game).penalties == (0, 10, 10)
    assert sum(game.state.waiting) == 0


def test_only_the_slot_of_a_skipped_seat_passes():
    melds = "set 9: B9 G9 Y9 / set 8: B8 G8 Y8"
    game = game_at("R2 S", "B2 B12", "G2 G3", table={1: melds})
    before = game.view(B)
    turn(game, "S", B)
    after = game.view(B)
    assert after.hand == before.hand
    assert after.table.seats[B].melds == before.table.seats[B].melds
    assert game.to_move == C


def test_a_forfeited_seat_keeps_its_slot_and_its_skip():
    game = game_at(*HANDS, waiting=(2,))
    game.forfeit(C, ForfeitCause.RESIGNED)
    turn(game, "R2")
    assert TurnSkipped(C, by_start_card=False) in turn(game, "B2")
    assert game.to_move == D


def test_a_skip_may_be_kept_and_one_just_drawn_may_be_played():
    game = game_at("R2 R3 S", "B2 B3", stock="R5 S")
    assert turn(game, "R2") == (CardDiscarded(A, parse_card("R2")),)
    game = game_at("R2 R3", "B2 B3", stock="R5 S")
    assert turn(game, "S", B)[0] == SkipPlayed(A, B)
    assert parse_card("S") not in game.view(A).hand


def test_a_skip_played_leaves_the_hand_and_a_refused_one_stays():
    game = game_at("R2 R3 S", "B2", "G2", waiting=(1,), drew="R2")
    refuse(game, A, throw("S", target=B), Reason.TARGET_PROTECTED)
    assert game.view(A).hand[-1] == parse_card("S")
    game.submit(A, throw("S", target=C))
    assert parse_card("S") not in game.view(A).hand
    assert (game.to_move, game.stage) == (A, Stage.DRAW)  # both others were passed over
