"""Points, progress, the end of a game, ties and their extra deals."""

from dataclasses import replace
from typing import TypeVar

import pytest

from referee.engine import (
    OFFICIAL,
    CardPoints,
    DealEnd,
    DealEnded,
    DealStarted,
    Draw,
    Event,
    ForfeitCause,
    Game,
    GameEnd,
    GameEnded,
    Hit,
    Play,
    Ruleset,
    Seat,
    Stage,
    Terms,
    TurnSkipped,
    default_play,
    full_deck,
    hand_points,
    parse_card,
    parse_cards,
)
from referee.engine.ruleset import DealerRotation
from referee.engine.scoring import places
from tests.builders import FixedDecks, game_at, melds, rigged

A, B, C, D = map(Seat, range(4))
E = TypeVar("E", bound=Event)
LAID_10 = "set 9: R9 B9 Y9 Y9 R9 / set 8: B8 G8 Y8"
OTHER_10 = "set 6: R6 B6 G6 Y6 R6 / set 5: B5 G5 Y5"


@pytest.mark.parametrize(
    ("hand", "points"),
    [("R3 R8 R12 W", 45), ("S", 15), ("R9", 5), ("R10", 10), ("R12", 10), ("R1", 5), ("W W S R1 R11", 80), ("", 0)],
)
def test_what_a_hand_costs(hand, points):
    assert hand_points(parse_cards(hand), CardPoints()) == points


def test_other_prices():
    assert hand_points(parse_cards("R1 R12 S W"), CardPoints(low=1, high=2, skip=30, wild=400)) == 433


@pytest.mark.parametrize(
    ("completed", "totals", "forfeited", "winner", "expected"),
    [
        ((10, 9), (400, 20), "", None, (1, 2)),  # fewer points never beat a finisher
        ((10, 10), (240, 235), "", None, (2, 1)),
        ((10, 10, 3, 3), (5, 5, 80, 80), "", None, (1, 1, 3, 3)),
        ((10, 10, 9), (5, 5, 0), "", 1, (2, 1, 3)),
        ((10, 10, 10, 10), (5, 5, 5, 9), "", 0, (1, 2, 2, 4)),
        ((3, 4, 4, 2), (0, 90, 80, 0), "", None, (3, 2, 1, 4)),
        ((10, 2, 3), (0, 5, 5), "0", None, (3, 2, 1)),
        ((10, 2, 3, 1), (0, 5, 5, 9), "02", None, (3, 1, 3, 2)),
        ((2, 2), (5, 5), "", None, (1, 1)),
    ],
)
def test_places(completed, totals, forfeited, winner, expected):
    gone = [str(seat) in forfeited for seat in range(len(completed))]
    assert places(completed, totals, gone, winner) == expected


def go_out(game: Game) -> tuple[Event, ...]:
    """Seat A, who holds a nine and has laid nines, draws, hits and throws what it drew."""
    game.submit(A, Draw())
    return game.submit(A, Play((), (Hit(A, 0, parse_card("G9")),), game.view(A).drawn))


def last(game: Game, kind: type[E]) -> E:
    return next(event for event in reversed(game.log) if isinstance(event, kind))


def final(game: Game) -> GameEnded:
    event = game.log[-1]
    assert isinstance(event, GameEnded)
    assert (game.to_move, game.stage) == (None, Stage.OVER)
    return event


def test_points_and_phases_after_a_deal():
    game = game_at(
        "G9",
        "B12 W",
        "G2 G3",
        table={0: "set 9: R9 B9 Y9 / run 2: R2 R3 R4 R5", 1: "set 1: R1 B1 G1 / set 4: G4 Y4 Y4"},
        phases=(2, 1, 2),
        totals=(50, 20, 5),
        discard="G12",
    )
    go_out(game)
    end = last(game, DealEnded)
    assert end == DealEnded(DealEnd.WENT_OUT, A, (0, 35, 10), (50, 55, 15), (2, 1, 1))
    assert [seat.phase for seat in game.public_view().seats] == [3, 2, 2]
    assert [seat.points for seat in game.public_view().seats] == [50, 55, 15]


def test_out_in_the_first_turn_of_a_deal_costs_the_others_all_their_cards():
    decks = FixedDecks(
        rigged(
            ["R1 R2 R3 R4 R5 R6 R7 R8 R9 R10", "B1 B2 B3 B4 B5 B6 B7 B8 B9 B10"],
            "R11",
        )
    )
    game = Game(replace(OFFICIAL, phases=(4, 1)), Terms(), 2, decks)
    game.submit(A, Draw(from_discard=True))
    game.submit(A, Play(melds("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11")))
    assert last(game, DealEnded).penalties == (0, 55)


def test_a_lone_finisher_wins_even_if_another_seat_went_out():
    game = game_at(
        "G9",
        "B12 W",
        table={0: "set 9: R9 B9 Y9 / set 8: B8 G8 Y8", 1: OTHER_10},
        phases=(1, 10),
        totals=(0, 300),
        discard="G12",
    )
    go_out(game)
    assert final(game) == GameEnded(GameEnd.PHASES_DONE, (2, 1))
    assert game.result is not None
    assert (game.result.completed, game.result.totals) == ((1, 10), (0, 335))


def test_a_finisher_wins_with_many_points_and_nobody_is_on_an_eleventh_phase():
    game = game_at("G9", "G2", table={0: LAID_10}, phases=(10, 9), totals=(400, 20), discard="G12")
    go_out(game)
    assert final(game).places == (1, 2)
    assert [seat.phase for seat in game.public_view().seats] == [10, 9]


def test_of_two_finishers_the_one_with_fewer_points_wins_this_deal_included():
    game = game_at(
        "G9", "B12 W", "G2", table={0: LAID_10, 1: OTHER_10}, phases=(10, 10, 1), totals=(250, 230, 0), discard="G12"
    )
    go_out(game)
    assert final(game) == GameEnded(GameEnd.PHASES_DONE, (1, 2, 3))


def test_laying_the_last_phase_does_not_end_the_deal():
    game = game_at("R9 B9 G9 Y9 R9 B8 G8 Y8 R1 R2", "G2", phases=(10, 1), drew="R1")
    game.submit(A, Play(melds("R9 B9 G9 Y9 R9 / B8 G8 Y8"), (), parse_card("R1")))
    assert game.to_move == B


@pytest.mark.parametrize(
    ("phases", "after"),
    [((2, 4, 6, 8, 10), [4, 2]), ((1, 3, 5), [3, 1]), ((7, 2), [2, 7])],
)
def test_other_lists_of_phases(phases, after):
    rules = Ruleset(phases=phases)
    game = game_at("G9", "G2", table={0: LAID_10}, phases=(phases[0], phases[0]), ruleset=rules, discard="G12")
    go_out(game)
    assert [seat.phase for seat in game.public_view().seats] == after


def test_a_short_list_of_phases_ends_with_its_last_one():
    game = game_at("G9", "G2", table={0: LAID_10}, phases=(5, 5), ruleset=Ruleset(phases=(1, 2, 3, 4, 5)), discard="G12")
    go_out(game)
    assert final(game).places == (1, 2)
    assert game.public_view().seats[0].completed == 5


def test_the_cap_on_deals_ends_a_game_by_phases_and_then_points():
    table = {0: "set 9: R9 B9 Y9 / run 2: R2 R3 R4 R5"}
    game = game_at("G9", "B12 W", "G2", table=table, phases=(2, 2, 1), terms=Terms(max_deals=1), discard="G12")
    go_out(game)
    assert final(game) == GameEnded(GameEnd.DEAL_CAP, (1, 2, 3))


# --- ties --------------------------------------------------------------------------------------------------------------


def tied(seats: int = 4, rotation: DealerRotation = DealerRotation.LEFT, dealer: int = 3, **terms: int) -> Game:
    """Seats A and B (and C where there are four) have just finished with equal points; D has not."""
    hands = ["G9", "", "", "G2"][:seats]
    table = {0: LAID_10, 1: OTHER_10, 2: "set 4: R4 B4 G4 Y4 R4 / set 3: B3 G3 Y3"}
    game = game_at(
        *hands,
        table={seat: text for seat, text in table.items() if seat < seats},
        phases=[10, 10, 10, 3][:seats],
        totals=[70, 70, 70, 0][:seats],
        dealer=dealer,
        ruleset=replace(OFFICIAL, dealer_rotation=rotation),
        terms=Terms(max_turns_per_deal=terms.get("cap")),
        discard="G12",
    )
    go_out(game)
    return game


def test_only_the_tied_seats_play_the_extra_deal_on_the_last_phase():
    game = tied()
    started = last(game, DealStarted)
    assert (started.tie_break, started.players, started.dealer) == (True, (A, B, C), A)
    view = game.public_view()
    assert (view.tie_break, view.to_move) == (True, B)
    assert [seat.hand_size for seat in view.seats] == [10, 10, 10, 0]
    assert [seat.phase for seat in view.seats] == [10, 10, 10, 3]
    assert [seat.completed for seat in view.seats] == [10, 10, 10, 2]
    assert game.to_move == B


@pytest.mark.parametrize(
    ("rotation", "dealer", "expected"),
    [
        (DealerRotation.LEFT, 0, 1),
        (DealerRotation.LEFT, 2, 0),  # D takes no part, so the deal goes past it
        (DealerRotation.FIXED, 0, 0),
        (DealerRotation.FIXED, 3, 0),
    ],
)
def test_who_deals_the_extra_deal(rotation, dealer, expected):
    started = last(tied(rotation=rotation, dealer=dealer), DealStarted)
    assert started.dealer == expected


def extra_deal(hands: tuple[str, ...], to_move: int = 0, **more) -> Game:
    return game_at(
        *hands,
        phases=(10, 10, 3),
        totals=(70, 70, 0),
        tie_break=True,
        players=(0, 1),
        to_move=to_move,
        discard="G12",
        **more,
    )


def test_the_first_seat_to_go_out_wins_the_extra_deal_and_its_points_do_not_count():
    game = extra_deal(("G9", "W W R1 R2", ""), table={0: LAID_10})
    go_out(game)
    end = last(game, DealEnded)
    assert end == DealEnded(DealEnd.WENT_OUT, A, (0, 0, 0), (70, 70, 0), (10, 10, 2))
    assert final(game) == GameEnded(GameEnd.TIE_BREAK, (1, 2, 3))


def test_laying_first_is_not_enough_in_the_extra_deal():
    game = extra_deal(("G9", "B12", ""), table={0: LAID_10, 1: OTHER_10}, to_move=1)
    game.submit(B, Draw())
    game.submit(B, Play(discard=parse_card("B12")))
    go_out(game)
    assert final(game).places == (1, 2, 3)


def test_an_extra_deal_counts_no_phase():
    game = extra_deal(("R9 B9 G9 Y9 R9 B8 G8 Y8 R1 R2", "G2", ""), drew="R1")
    game.submit(A, Play(melds("R9 B9 G9 Y9 R9 / B8 G8 Y8"), (), parse_card("R1")))
    seat = game.public_view().seats[0]
    assert (seat.laid, seat.phase, seat.completed) == (True, 10, 10)


def idle(game: Game) -> None:
    seat = game.to_move
    assert seat is not None
    game.submit(seat, Draw())
    game.submit(seat, default_play(game.view(seat).hand, ()))


def test_extra_deals_that_nobody_ends_share_the_place():
    game = tied(cap=1)
    while game.to_move is not None:
        idle(game)
    assert final(game) == GameEnded(GameEnd.TIE_BREAK, (1, 1, 1, 4))
    extra = [event for event in game.log if isinstance(event, DealStarted) and event.tie_break]
    assert [event.dealer for event in extra] == [A, B, C]
    assert len(extra) == OFFICIAL.tiebreak_max_deals


def test_how_many_extra_deals_there_are_is_a_rule():
    game = game_at(
        "G9",
        "",
        table={0: LAID_10, 1: OTHER_10},
        phases=(10, 10),
        ruleset=replace(OFFICIAL, tiebreak_max_deals=1),
        discard="G12",
        terms=Terms(max_turns_per_deal=1),
    )
    go_out(game)
    while game.to_move is not None:
        idle(game)
    assert sum(isinstance(event, DealStarted) and event.tie_break for event in game.log) == 1


def test_a_skip_turned_up_in_the_extra_deal_skips_the_first_of_its_players():
    hands = ["R1 R2 R3 R4 R5 R6 R7 R8 R9 R10", "B1 B2 B3 B4 B5 B6 B7 B8 B9 B10", "G1 G2 G3 G4 G5 G6 G7 G8 G9 G10"]
    decks = FixedDecks(full_deck(), rigged(hands, "S"))
    game = Game(OFFICIAL, Terms(), 4, decks)
    state = game.state
    state.completed, state.totals = [10, 10, 10, 2], [5, 5, 5, 0]
    state.deal_end, state.deal = DealEnd.WENT_OUT, 0
    game.forfeit(D, ForfeitCause.RESIGNED)
    assert game.public_view().tie_break
    assert game.log[-1] == TurnSkipped(B, by_start_card=True)
    assert game.to_move == 2  # A deals, B is skipped


def test_a_tied_seat_that_forfeits_leaves_the_win_to_the_other():
    game = extra_deal(("G9", "W W", ""), table={0: LAID_10})
    game.forfeit(B, ForfeitCause.RESIGNED)
    end = last(game, DealEnded)
    assert (end.cause, end.out) == (DealEnd.DECIDED, None)
    assert final(game) == GameEnded(GameEnd.TIE_BREAK, (1, 3, 2))


def test_of_three_tied_seats_two_play_on_when_one_forfeits():
    game = tied()
    game.forfeit(C, ForfeitCause.RESIGNED)
    assert game.to_move == B
    game.forfeit(B, ForfeitCause.RESIGNED)
    assert final(game) == GameEnded(GameEnd.TIE_BREAK, (1, 3, 3, 2))


def test_a_finisher_that_forfeits_wins_nothing_and_the_others_play_on():
    game = game_at(
        "G9", "R1", "G2", table={0: "set 9: R9 B9 Y9 / set 8: B8 G8 Y8", 1: OTHER_10}, phases=(1, 10, 1), discard="G12"
    )
    game.forfeit(B, ForfeitCause.RESIGNED)
    go_out(game)
    view = game.public_view()
    assert (view.deal, view.tie_break) == (1, False)
    assert (view.seats[1].completed, view.seats[1].phase) == (10, 0)
    assert game.result is None
    game.forfeit(C, ForfeitCause.RESIGNED)
    assert final(game) == GameEnded(GameEnd.FORFEITS, (1, 2, 2))
