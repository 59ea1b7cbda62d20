"""Dealing, the start card, who deals and who begins, and deals that are cut off."""

from dataclasses import replace

import pytest

from referee.engine import (
    OFFICIAL,
    DealEnd,
    DealEnded,
    DealOpened,
    DealStarted,
    Draw,
    Game,
    Play,
    Reason,
    Ruleset,
    Seat,
    SeatDealer,
    SeededDecks,
    Terms,
    TurnSkipped,
    UnsupportedRules,
    default_play,
    full_deck,
    parse_card,
    parse_cards,
    public_event,
    shuffle_number,
)
from referee.engine.ruleset import DealerRotation, InitialSkip, InitialSkipDeals, InitialWild
from tests.builders import FixedDecks, all_cards, melds, rigged
from tests.engine.test_turn import refuse

HANDS = (
    "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10",
    "B1 B2 B3 B4 B5 B6 B7 B8 B9 B10",
    "G1 G2 G3 G4 G5 G6 G7 G8 G9 G10",
    "Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10",
)
KEY = bytes(range(64))


def start(seats: int, *starts: str, ruleset: Ruleset = OFFICIAL, cap: int = 1) -> Game:
    """A game whose deals turn up these cards, and which are cut off after `cap` turns a seat."""
    decks = FixedDecks(*(rigged(HANDS[:seats], text) for text in starts))
    return Game(ruleset, Terms(first_dealer=SeatDealer(0), max_turns_per_deal=cap), seats, decks)


def idle(game: Game) -> None:
    """One turn in which nothing happens."""
    seat = game.to_move
    assert seat is not None
    game.submit(seat, Draw())
    game.submit(seat, default_play(game.view(seat).hand, ()))


def deals(game: Game) -> list[DealStarted]:
    return [event for event in game.log if isinstance(event, DealStarted)]


@pytest.mark.parametrize(("seats", "stock"), [(2, 87), (3, 77), (4, 67), (5, 57), (6, 47)])
def test_ten_cards_each_and_one_turned_up(seats, stock):
    game = Game(OFFICIAL, Terms(), seats, SeededDecks(KEY))
    view = game.public_view()
    assert [seat.hand_size for seat in view.seats] == [10] * seats
    assert (view.stock_size, view.discard_size) == (stock, 1)
    assert all_cards(game) == sorted(full_deck())
    assert [seat.phase for seat in view.seats] == [1] * seats


def test_cards_are_dealt_one_at_a_time_beginning_left_of_the_dealer():
    game = Game(OFFICIAL, Terms(first_dealer=SeatDealer(1)), 3, SeededDecks(KEY))
    deck = deals(game)[0].deck
    for place in range(30):
        assert deck[place] in game.view(Seat((1 + 1 + place) % 3)).hand
    assert game.public_view().discard_top == deck[30]
    game.submit(Seat(2), Draw())
    assert game.view(Seat(2)).drawn == deck[31]


def test_the_deck_comes_from_the_key_and_the_number_of_the_deal():
    game = Game(OFFICIAL, Terms(max_turns_per_deal=1), 2, SeededDecks(KEY))
    while len(deals(game)) < 3:
        idle(game)
    assert [event.deck for event in deals(game)] == [
        SeededDecks(KEY)(shuffle_number(deal, 0), full_deck()) for deal in range(3)
    ]


@pytest.mark.parametrize(
    ("seats", "dealer", "first"),
    [(4, SeatDealer(0), 1), (3, SeatDealer(2), 0), (3, "last_seat", 0), (2, "last_seat", 0), (5, SeatDealer(3), 4)],
)
def test_the_seat_to_the_dealers_left_begins(seats, dealer, first):
    game = Game(OFFICIAL, Terms(first_dealer=dealer), seats, FixedDecks())
    assert game.to_move == first


def test_a_seeded_first_dealer_comes_from_the_decks():
    terms = Terms(first_dealer="seeded")
    assert deals(Game(OFFICIAL, terms, 4, FixedDecks(first_dealer=2)))[0].dealer == 2
    assert deals(Game(OFFICIAL, terms, 4, SeededDecks(KEY)))[0].dealer == SeededDecks(KEY).first_dealer(4)


@pytest.mark.parametrize(("rotation", "dealers"), [(DealerRotation.LEFT, [0, 1, 2, 3, 0]), (DealerRotation.FIXED, [0] * 5)])
def test_the_next_dealer(rotation, dealers):
    game = start(4, "G12", "G12", "G12", "G12", "G12", ruleset=replace(OFFICIAL, dealer_rotation=rotation))
    while len(deals(game)) < 5:
        idle(game)
    assert [event.dealer for event in deals(game)] == dealers
    assert game.to_move == (dealers[-1] + 1) % 4


@pytest.mark.parametrize(("seats", "mover"), [(4, 2), (3, 2), (2, 0)])
def test_a_skip_turned_up_skips_the_first_player_in_every_deal(seats, mover):
    game = start(seats, "S", "S")
    assert game.log[-1] == TurnSkipped(Seat(1), by_start_card=True)
    assert game.to_move == mover
    refuse(game, Seat(mover), Draw(from_discard=True), Reason.SKIP_NOT_TAKEABLE)
    while len(deals(game)) < 2:
        idle(game)
    assert game.log[-1] == TurnSkipped(Seat(2 % seats), by_start_card=True)


def test_a_skip_turned_up_may_count_in_the_first_deal_alone():
    game = start(2, "S", "S", ruleset=replace(OFFICIAL, initial_skip_deals=InitialSkipDeals.FIRST))
    assert game.to_move == 0
    while len(deals(game)) < 2:
        idle(game)
    assert game.to_move == 0  # seat 1 dealt, seat 0 begins


def test_a_skip_turned_up_may_be_ignored():
    game = start(2, "S", ruleset=replace(OFFICIAL, initial_skip=InitialSkip.IGNORE))
    assert game.to_move == 1


@pytest.mark.parametrize(("turned", "top", "size"), [("S R11", "R11", 2), ("S S R11", "R11", 3), ("R11", "R11", 1)])
def test_a_skip_turned_up_may_be_covered(turned, top, size):
    game = start(4, turned, ruleset=replace(OFFICIAL, initial_skip=InitialSkip.COVER))
    view = game.public_view()
    assert (view.discard_top, view.discard_size, view.stock_size) == (parse_card(top), size, 68 - size)
    assert game.to_move == 1
    opened = next(filter(None, (public_event(event, game.ruleset) for event in game.log)))
    assert isinstance(opened, DealOpened)
    assert (opened.start_card, opened.stock_size) == (parse_card(top), 68 - size)
    game.submit(Seat(1), Draw(from_discard=True))


def test_a_wild_turned_up_may_be_taken_or_left():
    assert start(2, "W").submit(Seat(1), Draw())
    game = start(2, "W")
    game.submit(Seat(1), Draw(from_discard=True))
    assert game.view(Seat(1)).drawn == parse_card("W")


def test_a_wild_turned_up_may_be_covered():
    game = start(2, "W W G12", ruleset=replace(OFFICIAL, initial_wild=InitialWild.COVER))
    assert game.state.discard == list(parse_cards("W W G12"))


def test_where_skips_may_be_taken_one_can():
    game = start(2, "S", ruleset=replace(OFFICIAL, take_skip_from_discard=True))
    game.submit(Seat(0), Draw(from_discard=True))
    assert game.view(Seat(0)).drawn == parse_card("S")


@pytest.mark.parametrize("cap", [1, 3])
def test_a_deal_is_cut_off_after_as_many_slots_as_the_cap_gives_each_seat(cap):
    game = start(3, "G12", cap=cap)
    turns = 0
    while not any(isinstance(event, DealEnded) for event in game.log):
        idle(game)
        turns += 1
    assert turns == 3 * cap
    end = next(event for event in game.log if isinstance(event, DealEnded))
    assert (end.cause, end.out) == (DealEnd.TURN_CAP, None)
    assert all(end.penalties)
    assert game.public_view().deal == 1


def test_skipped_slots_count_for_the_cap():
    game = start(2, "S", cap=1)
    idle(game)
    assert game.public_view().deal == 1


def test_phases_laid_in_a_deal_that_is_cut_off_count():
    hands = ("R1 B1 G1 R2 B2 G2 Y3 Y4 Y5 Y6", HANDS[1])
    decks = FixedDecks(rigged([hands[0], "B3 B4 B5 B6 B7 B8 B9 B10 B11 B12"], "G12", "G11"))
    game = Game(OFFICIAL, Terms(first_dealer=SeatDealer(1), max_turns_per_deal=1), 2, decks)
    game.submit(Seat(0), Draw())
    game.submit(Seat(0), Play(melds("R1 B1 G1 / R2 B2 G2"), (), parse_card("G11")))
    idle(game)
    assert [seat.completed for seat in game.public_view().seats] == [1, 0]
    assert [seat.phase for seat in game.public_view().seats] == [2, 1]


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_a_game_needs_two_to_six_seats(seats):
    with pytest.raises(UnsupportedRules) as refused:
        Game(OFFICIAL, Terms(), seats, FixedDecks())
    assert "players_max" in dict(refused.value.problems)


def test_the_same_key_gives_the_same_game():
    logs = []
    for _ in range(2):
        game = Game(OFFICIAL, Terms(max_turns_per_deal=40, max_deals=3), 3, SeededDecks(KEY))
        while game.to_move is not None:
            idle(game)
        logs.append(list(game.log))
    assert logs[0] == logs[1]
    assert any(type(event).__name__ == "StockRebuilt" for event in logs[0])
