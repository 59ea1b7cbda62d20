"""Seats that answer wrongly, late or not at all: faults, default moves, forfeits."""

import pytest

from referee.engine import (
    OFFICIAL,
    CardDiscarded,
    CardDrawn,
    Draw,
    FaultKind,
    ForfeitCause,
    Game,
    GameEnd,
    GameEnded,
    Hit,
    Play,
    Seat,
    SeatFaulted,
    SeatForfeited,
    SeededDecks,
    Stage,
    Terms,
    default_play,
    parse_card,
    parse_cards,
)
from tests.builders import game_at

A, B, C = map(Seat, range(3))


@pytest.mark.parametrize(
    ("hand", "targets", "card", "target"),
    [
        ("R2 R9 B12 W S", (), "B12", None),  # never a Wild or a Skip while there is a number
        ("R10 B11 G9", (), "B11", None),  # 10 points each: the higher number
        ("G12 B12 R12 Y12", (), "R12", None),
        ("Y12 G12 B12", (), "B12", None),
        ("Y12 G12", (), "G12", None),
        ("B9 R9 R1", (), "R9", None),
        ("W S S", (B,), "W", None),
        ("S S", (C, B), "S", C),
        ("S S", (), "S", None),
        ("S", (B,), "S", None),  # the last card skips nobody
        ("R1", (B,), "R1", None),
    ],
)
def test_the_default_discard(hand, targets, card, target):
    play = default_play(sorted(parse_cards(hand)), targets)
    assert play == Play(discard=parse_card(card), skip_target=target)


def test_a_default_turn_draws_from_the_pile_and_lays_nothing():
    game = game_at("R7 B7 G7 R10 B10 G10 R1", "B2", stock="R2", discard="W")
    assert game.fault(A, FaultKind.LATE) == (
        SeatFaulted(A, FaultKind.LATE, 1),
        CardDrawn(A, parse_card("R2"), from_discard=False),
    )
    assert (game.to_move, game.stage) == (A, Stage.PLAY)
    assert game.fault(A, FaultKind.ILLEGAL) == (
        SeatFaulted(A, FaultKind.ILLEGAL, 2),
        CardDiscarded(A, parse_card("R10")),
    )
    assert game.to_move == B
    assert game.public_view().seats[A].faults == 2


def test_the_default_skip_goes_to_the_next_seat_that_may_be_skipped():
    game = game_at("S S", "B2", "G2", waiting=(1,), stock="S")
    game.fault(A, FaultKind.GONE)
    game.fault(A, FaultKind.GONE)
    assert game.public_view().to_move == A  # B was waiting, C was hit: both were passed over


@pytest.mark.parametrize("kind", FaultKind)
def test_a_fault_out_of_turn_is_counted_and_moves_nothing(kind):
    game = game_at("R2 R3", "B2 B3")
    assert game.fault(B, kind) == (SeatFaulted(B, kind, 1),)
    assert (game.to_move, game.stage) == (A, Stage.DRAW)


def test_the_third_fault_forfeits():
    game = game_at("R2 R3", "B2 B3", "G2 G3")
    game.fault(B, FaultKind.MALFORMED)
    game.fault(B, FaultKind.MALFORMED)
    assert game.fault(B, FaultKind.MALFORMED) == (
        SeatFaulted(B, FaultKind.MALFORMED, 3),
        SeatForfeited(B, ForfeitCause.FAULTS),
    )
    seat = game.public_view().seats[B]
    assert (seat.faults, seat.forfeited) == (3, True)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_how_many_faults_forfeit_is_a_term(limit):
    game = game_at("R2 R3", "B2 B3", "G2 G3", terms=Terms(max_faults=limit))
    for _ in range(limit):
        assert not game.public_view().seats[B].forfeited
        game.fault(B, FaultKind.LATE)
    assert game.public_view().seats[B].forfeited


def test_a_forfeited_seat_plays_default_moves_by_itself():
    game = game_at("R2 R3", "B2 B12", "G2 G3", stock="R9 G1 G4")
    game.forfeit(B, ForfeitCause.CLOCK)
    game.submit(A, Draw())
    events = game.submit(A, Play(discard=parse_card("R2")))
    assert events == (
        CardDiscarded(A, parse_card("R2")),
        CardDrawn(B, parse_card("G1"), from_discard=False),
        CardDiscarded(B, parse_card("B12")),
    )
    assert game.to_move == C


def test_a_seat_that_forfeits_in_mid_turn_finishes_it_by_default():
    game = game_at("R2 R3", "B2 B12", "G2 G3", stock="R9 G1 G4")
    game.submit(A, Draw())
    assert game.forfeit(A, ForfeitCause.RESIGNED) == (
        SeatForfeited(A, ForfeitCause.RESIGNED),
        CardDiscarded(A, parse_card("G4")),
    )
    assert game.to_move == B


def test_the_melds_of_a_forfeited_seat_stay_open():
    table = {0: "set 7: R7 B7 G7 / set 10: R10 B10 G10", 1: "set 5: R5 B5 G5 / set 6: R6 B6 G6"}
    game = game_at("Y5 R1 R2", "B2", "G2", table=table, drew="R1")
    game.forfeit(B, ForfeitCause.RESIGNED)
    game.submit(A, Play((), (Hit(B, 0, parse_card("Y5")),), parse_card("R1")))
    assert len(game.public_view().seats[B].melds[0].cards) == 4


def test_only_faults_lead_to_a_forfeit_by_faults():
    game = game_at("R2 R3", "B2 B3")
    with pytest.raises(ValueError, match=r"see Game\.fault"):
        game.forfeit(B, ForfeitCause.FAULTS)
    assert not game.public_view().seats[B].forfeited


@pytest.mark.parametrize("cause", [ForfeitCause.CLOCK, ForfeitCause.RESIGNED, ForfeitCause.NO_SHOW])
def test_the_last_seat_that_counts_wins_at_once(cause):
    game = game_at("R2 R3", "B2 B3", totals=(500, 0))
    assert game.forfeit(B, cause) == (SeatForfeited(B, cause), GameEnded(GameEnd.FORFEITS, (1, 2)))
    result = game.result
    assert result is not None
    assert (result.cause, result.places, result.forfeits, result.totals) == (
        GameEnd.FORFEITS,
        (1, 2),
        (None, cause),
        (500, 0),
    )


def test_several_forfeited_seats_tie_for_the_last_place():
    game = game_at("R2", "B2", "G2", "Y2")
    game.forfeit(A, ForfeitCause.NO_SHOW)
    game.forfeit(C, ForfeitCause.NO_SHOW)
    assert game.result is None
    game.forfeit(B, ForfeitCause.NO_SHOW)
    assert game.result is not None
    assert game.result.places == (2, 2, 2, 1)


def test_nothing_happens_to_a_seat_that_forfeited_or_after_the_end():
    game = game_at("R2", "B2", "G2")
    game.forfeit(B, ForfeitCause.RESIGNED)
    assert game.forfeit(B, ForfeitCause.CLOCK) == ()
    assert game.fault(B, FaultKind.LATE) == ()
    game.forfeit(C, ForfeitCause.RESIGNED)
    assert game.forfeit(A, ForfeitCause.RESIGNED) == ()
    assert game.fault(A, FaultKind.LATE) == ()
    assert game.result is not None
    assert game.result.faults == (0, 0, 0)


def test_a_seat_that_does_not_exist_cannot_be_at_fault():
    game = game_at("R2", "B2")
    with pytest.raises(IndexError):
        game.fault(Seat(2), FaultKind.LATE)
    with pytest.raises(IndexError):
        game.forfeit(Seat(5), ForfeitCause.CLOCK)
    with pytest.raises(IndexError):
        game.view(Seat(2))


def test_a_game_in_which_nobody_ever_answers_ends():
    game = Game(OFFICIAL, Terms(), 4, SeededDecks(bytes(64)))
    while (seat := game.to_move) is not None:
        game.fault(seat, FaultKind.LATE)
    assert game.result is not None
    assert game.result.cause is GameEnd.FORFEITS
    assert game.result.faults == (3, 3, 3, 2)
    assert game.result.places == (2, 2, 2, 1)


def test_a_game_of_default_moves_ends_by_the_caps():
    game = Game(OFFICIAL, Terms(max_faults=10**6, max_turns_per_deal=20, max_deals=3), 2, SeededDecks(bytes(64)))
    while (seat := game.to_move) is not None:
        game.fault(seat, FaultKind.LATE)
    assert game.result is not None
    assert (game.result.cause, game.result.deals, game.result.completed) == (GameEnd.DEAL_CAP, 3, (0, 0))
