"""What a seat may know, what everybody may know, and nothing beyond."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.engine import (
    OFFICIAL,
    Card,
    CardDiscarded,
    CardDrawn,
    DealOpened,
    DealStarted,
    Draw,
    DrawSeen,
    Game,
    GameStarted,
    Play,
    PublicView,
    Seat,
    SeatView,
    SeededDecks,
    Stage,
    StockRebuilt,
    StockRenewed,
    Terms,
    View,
    draws,
    parse_card,
    parse_cards,
    public_event,
)
from referee.engine.observe import public_view, seat_view
from tests.builders import game_at, melds, on_table
from tests.strategies import games

A, B, C = map(Seat, range(3))
TABLE = {1: "set 7: R7 B7 G7 / set 10: R10 W G10"}


def test_a_view_tells_all_that_lies_open():
    game = game_at(
        "R2 R3 R5",
        "B2 B3",
        "G2",
        table=TABLE,
        phases=(3, 1, 2),
        waiting=(2,),
        totals=(5, 10, 15),
        drew="R5",
        discard="Y1 Y2",
    )
    stock = len(game.state.stock)
    assert game.view(A) == View(
        "official",
        A,
        parse_cards("R2 R3 R5"),
        parse_card("R5"),
        PublicView(
            0,
            0,
            C,
            A,
            Stage.PLAY,
            False,
            stock,
            2,
            parse_card("Y2"),
            (
                SeatView(3, 2, False, 5, 3, False, True, 0, False, ()),
                SeatView(1, 1, True, 10, 2, False, True, 0, False, on_table(TABLE[1])),
                SeatView(2, 1, False, 15, 1, True, False, 0, False, ()),
            ),
        ),
    )


def test_only_the_seat_to_move_has_drawn_a_card():
    game = game_at("R2 R5", "B2", drew="R5")
    assert game.view(B).drawn is None
    assert game.view(B).hand == parse_cards("B2")
    assert game.view(B).table == game.public_view() == game.view(A).table


def test_a_hand_is_in_ascending_order():
    game = game_at("R2 G5", "B2", stock="W B1 S R1")
    for _ in range(2):
        game.submit(A, Draw()) if game.to_move == A else game.submit(B, Draw())
        seat = game.to_move
        assert seat is not None
        hand = game.view(seat).hand
        assert list(hand) == sorted(hand)
        game.submit(seat, Play(discard=hand[0]))


def test_looking_twice_gives_the_same():
    game = game_at("R7 B7 G7 R9 B9 G9 R1 R2", "B2", drew="R1")
    game.submit(A, Play(melds("R7 B7 G7 / R9 B9 G9"), (), parse_card("R1")))
    assert game.view(A) == game.view(A)
    assert game.view(A).hand == parse_cards("R2")


@given(games())
def test_kept_views_are_what_a_fresh_look_gives(game):
    fresh = deepcopy(game.state)
    fresh.public_view = None
    fresh.seat_views = [{} for _ in range(fresh.seats)]
    assert game.public_view() == public_view(fresh)
    for seat in range(game.seats):
        assert game.view(Seat(seat)) == seat_view(fresh, Seat(seat))


def hidden_places(game: Game, seat: Seat | None) -> list[tuple[list[Card], int]]:
    """Every place of a card that `seat` (nobody: the public) cannot see, as a list and an index."""
    state = game.state
    found = [(state.stock, index) for index in range(len(state.stock))]
    for other, hand in enumerate(state.hands):
        if other != seat:
            found += [(hand, index) for index in range(len(hand))]
    return found


@given(games(), st.data())
def test_swapping_two_hidden_cards_changes_no_view(game, data):
    seat = data.draw(st.sampled_from([None, *range(game.seats)]))
    views = [game.public_view()] if seat is None else [game.view(seat), game.public_view()]
    places = hidden_places(game, seat)
    if len(places) < 2:
        return
    (one, i), (other, j) = (data.draw(st.sampled_from(places)) for _ in range(2))
    one[i], other[j] = other[j], one[i]
    for hand in game.state.hands:
        hand.sort()
    game.state.public_view = None
    game.state.seat_views = [{} for _ in range(game.seats)]
    # The card drawn this turn is known to its seat alone; it is no part of what others see.
    assert views == ([game.public_view()] if seat is None else [game.view(seat), game.public_view()])


def test_public_events_hide_what_was_drawn_from_the_pile():
    drawn = CardDrawn(A, parse_card("R5"), from_discard=False)
    taken = CardDrawn(A, parse_card("R5"), from_discard=True)
    assert public_event(drawn, OFFICIAL) == DrawSeen(A, None)
    assert public_event(taken, OFFICIAL) == DrawSeen(A, parse_card("R5"))


def test_public_events_show_no_order_of_cards():
    game = Game(OFFICIAL, Terms(), 3, SeededDecks(bytes(64)))
    start, deal = game.log[:2]
    assert isinstance(start, GameStarted)
    assert isinstance(deal, DealStarted)
    assert public_event(start, OFFICIAL) is None
    assert public_event(deal, OFFICIAL) == DealOpened(0, Seat(2), (A, B, C), False, deal.deck[30], 77)
    assert public_event(StockRebuilt(parse_cards("R1 R2")), OFFICIAL) == StockRenewed(2)


def test_what_lies_open_is_public_as_it_is():
    event = CardDiscarded(A, parse_card("R5"))
    assert public_event(event, OFFICIAL) is event


@given(games())
def test_no_public_event_holds_a_card_that_is_hidden(game):
    """Every card in a public event came from or went to an open place: the discard pile, a meld, the start card."""
    for event in game.log:
        seen = public_event(event, game.ruleset)
        if isinstance(event, CardDrawn) and not event.from_discard:
            assert seen == DrawSeen(event.seat, None)
        elif isinstance(event, DealStarted | StockRebuilt):
            assert isinstance(seen, DealOpened | StockRenewed)


@pytest.mark.parametrize(("discard", "count"), [("R1", 2), ("", 1), ("R1 S", 1), ("W", 2)])
def test_the_draws_a_view_allows(discard, count):
    game = game_at("R2", "B2", discard=discard)
    options = draws(game.view(A), OFFICIAL)
    assert len(options) == count
    for option in options:
        game_at("R2", "B2", discard=discard).submit(A, option)
