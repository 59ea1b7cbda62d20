"""What is hidden from somebody is not in any byte that is sent to them.

A random game is stopped somewhere, and two cards that an onlooker cannot see change places: between two hands, between a
hand and the draw pile, or within the draw pile. What the onlooker is sent must stay the same, byte for byte.
"""

import copy
import random
from dataclasses import fields

import pytest

from referee.engine.cards import CARDS, SKIP, Card
from referee.engine.events import CardDrawn, DealStarted, StockRebuilt
from referee.engine.game import Game
from referee.engine.legal import Turn, draws
from referee.engine.moves import Move, Seat
from referee.engine.observe import public_event, public_view, seat_view, view_fields
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.shuffle import SeededDecks
from referee.engine.state import State
from referee.engine.view import Stage
from referee.service.messages import QuestionWriter
from referee.wire.events import encode_public_event

RULES = Ruleset()


def random_move(game: Game, dice: random.Random) -> Move:
    """A legal move: lays mostly, hits mostly, discards anything."""
    seat = game.to_move
    assert seat is not None
    view = game.view(seat)
    if view.table.stage is Stage.DRAW:
        return dice.choice(draws(view, RULES))
    turn = Turn(view, RULES)
    if dice.random() < 0.9 and (ways := turn.lays()):
        turn.lay(dice.choice(ways))
    while dice.random() < 0.8 and (hits := turn.hits()):
        turn.hit(dice.choice(hits))
    if not turn.hand:
        return turn.end()
    return turn.end(dice.choice(turn.discards()))


def fresh(state: State) -> State:
    """A deep copy that has kept no views."""
    twin = State.new(state.ruleset, state.terms, state.seats)
    for field in fields(State):
        if field.compare:
            setattr(twin, field.name, copy.deepcopy(getattr(state, field.name)))
    return twin


def bytes_for(state: State, seat: Seat | None) -> bytes:
    """What a seat, or the public (None), is sent of a state; views are made anew."""
    state = fresh(state)
    writer = QuestionWriter(state.ruleset.name)
    if seat is None:
        return writer.table(public_view(state))
    asked = writer.question(1, 1, writer.view(view_fields(state, seat)), (60_000.0, 10_000.0, 3.0))
    return asked + writer.view(seat_view(state, seat))


Place = tuple[list[Card], int]


def hidden_places(state: State, seat: Seat | None) -> list[Place]:
    """Every place that holds a card which the onlooker cannot see."""
    piles = [state.stock, *(hand for owner, hand in enumerate(state.hands) if owner != seat)]
    return [(pile, index) for pile in piles for index in range(len(pile))]


def swapped(state: State, seat: Seat | None, dice: random.Random) -> State | None:
    """A copy in which two different hidden cards have changed places; None if there are none."""
    twin = fresh(state)
    places = hidden_places(twin, seat)
    if len(places) < 2:
        return None
    (pile, index), (other, place) = dice.sample(places, 2)
    if pile[index] == other[place]:
        return None
    pile[index], other[place] = other[place], pile[index]
    if state.to_move != seat and state.drawn is not None:
        twin.drawn = dice.choice(CARDS)  # the card that another seat drew is hidden too
    return twin


def play(seats: int, seed: int, decisions: int) -> Game:
    game = Game(RULES, Terms(), seats, SeededDecks(seed.to_bytes(64, "big")))
    dice = random.Random(seed)
    for _ in range(decisions):
        if game.to_move is None:
            break
        game.submit(game.to_move, random_move(game, dice))
    return game


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_swapping_hidden_cards_changes_no_byte_of_a_view(seats: int) -> None:
    compared = 0
    for seed in range(60):
        dice = random.Random(f"{seats} {seed}")
        game = play(seats, seed, dice.randrange(1, 400))
        for seat in (None, *map(Seat, range(seats))):
            before = bytes_for(game.state, seat)
            for _ in range(3):
                twin = swapped(game.state, seat, dice)
                if twin is not None:
                    assert bytes_for(twin, seat) == before
                    compared += 1
    assert compared > 60 * seats


def test_the_comparison_would_notice_a_card_that_is_seen() -> None:
    game = play(2, 1, 40)
    seat = Seat(0)
    twin = fresh(game.state)
    seen, hidden = twin.hands[seat], twin.stock
    index = next(index for index, card in enumerate(hidden) if card != seen[0])
    seen[0], hidden[index] = hidden[index], seen[0]
    assert bytes_for(twin, seat) != bytes_for(game.state, seat)
    assert bytes_for(twin, None) == bytes_for(game.state, None)


def test_public_events_tell_only_cards_that_lie_open() -> None:
    """Two games that differ in a drawn card, a deck or a rebuilt pile look alike from outside."""
    for card in CARDS:
        seen = public_event(CardDrawn(Seat(1), card, from_discard=False), RULES)
        other = public_event(CardDrawn(Seat(1), SKIP, from_discard=False), RULES)
        assert seen is not None
        assert other is not None
        assert encode_public_event(seen).SerializeToString() == encode_public_event(other).SerializeToString()
    game = play(3, 5, 1)
    started = next(event for event in game.log if isinstance(event, DealStarted))
    deck = list(started.deck)
    start = 3 * RULES.hand_size
    hidden = deck[:start] + deck[start + 1 :]
    random.Random(7).shuffle(hidden)
    shuffled = (*hidden[:start], deck[start], *hidden[start:])
    twin = DealStarted(started.deal, started.dealer, started.players, started.tie_break, shuffled)
    assert twin != started
    assert public_event(twin, RULES) == public_event(started, RULES)
    assert public_event(StockRebuilt(tuple(deck)), RULES) == public_event(StockRebuilt(tuple(reversed(deck))), RULES)
