"""What is hidden from a seat, or from the public, changes no byte that it is sent: whole games, played twice.

Both games are the referee's own, from the invitation on. Their decks differ in what the onlooker cannot know, two cards or
the whole stock, and the same answers are given. Up to the move that shows the difference by the rules, the onlooker's bytes
must be the same. Games that go badly, and those with shares in the shuffle, are in the files beside this.
"""

import random
from contextlib import ExitStack, closing
from functools import partial

import pytest

from referee.engine import events as ev
from referee.engine import observe
from referee.engine.cards import full_deck
from referee.engine.moves import Seat
from referee.engine.ruleset import Ruleset
from referee.service import game as running
from referee.service import pieces
from referee.service.batch import Batch
from referee.service.game import RunningGame
from referee.wire.moves import write_decision
from tests.players import Policy, random_player
from tests.service.client import RULES
from tests.service.twins import Hours, Room, Twins, by_the_rules, may_differ, seat_of, twins, unknown_places

PAIRS, NIGHTLY_PAIRS = 400, 10_000
FRAMES, TOGETHER = 25, 4  # games whose answers share their frames, and how many do
DECISIONS = 90


def compare(seats: int, seed: int) -> int:
    """Play a game and its twin; how many decisions looked alike to the onlooker."""
    dice = random.Random(f"{seats} {seed}")
    onlooker = dice.choice((None, *range(seats)))
    pair, policy, alike = twins(seats, onlooker, dice), random_player(dice.randrange), 0
    with closing(pair):
        for _ in range(DECISIONS):
            seat = pair.first.game.to_move
            if seat is None:
                break
            decision = write_decision(policy(pair.first.game.view(seat), RULES))
            if not pair.both(partial(Room.answer, decision=decision)):
                break  # by the rules it may be seen from here on
            alike += 1
    return alike


def compare_all(seats: int, pairs: int) -> int:
    return sum(compare(seats, seed) for seed in range(pairs))


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seats", [2, 3, 4, 6])
async def test_cards_that_are_hidden_change_no_byte(seats: int, nightly: bool) -> None:
    pairs = (NIGHTLY_PAIRS if nightly else PAIRS) // 4
    assert compare_all(seats, pairs) > 10 * pairs  # most games went on for a while before the difference could be seen


def compare_together(seats: int, seed: int) -> int:
    """As `compare`, with several games whose answers come in one frame each time: none tells anything of another.

    What they share is the batch, and whatever a module keeps; a session or a feed of all of them is not looked at.
    """
    dice, hours = random.Random(f"together {seats} {seed}"), Hours()
    policy, alike = random_player(dice.randrange), 0
    with ExitStack() as stack:
        pairs = [twins(seats, dice.choice((None, *range(seats))), dice, hours=hours) for _ in range(TOGETHER)]
        for pair in pairs:
            stack.enter_context(closing(pair))
        for _ in range(DECISIONS):
            dice.shuffle(pairs)
            said = [(pair, _decision(pair, policy)) for pair in pairs if not pair.first.over and not pair.second.over]
            for side in ("first", "second"):
                rooms = [(getattr(pair, side), decision) for pair, decision in said]
                batch = pairs[0].first.batch()
                for room, decision in rooms:
                    room.say(decision, batch)
                batch.play()
            pairs = [pair for pair, _ in said if pair.both(lambda _: None)]
            if not pairs:
                break
            alike += len(pairs)
    return alike


def _decision(pair: Twins, policy: Policy) -> bytes:
    game = pair.first.game
    assert game.to_move is not None
    return write_decision(policy(game.view(game.to_move), RULES))


@pytest.mark.parametrize("seats", [2, 4])
async def test_games_of_one_frame_change_no_byte_of_each_other(seats: int) -> None:
    assert sum(compare_together(seats, seed) for seed in range(FRAMES)) > 10 * FRAMES * TOGETHER


async def test_the_comparison_would_notice_what_another_game_of_the_frame_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that shows the view of the game before it in the frame is found out."""
    look, play, before = RunningGame._look, Batch.play, list[bytes]()

    def astray(self: RunningGame) -> bool:
        done = look(self)
        before.append(self._seen)
        self._seen = before[-2:][0]
        return done

    def fresh(self: Batch) -> None:
        before.clear()
        play(self)

    monkeypatch.setattr(running, "_STAGES", tuple(astray if s is look else s for s in running._STAGES))
    monkeypatch.setattr(Batch, "play", fresh)
    with pytest.raises(AssertionError, match="onlooker"):
        sum(compare_together(2, seed) for seed in range(FRAMES))


async def test_the_comparison_would_notice_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A public view that names another seat's card is found out."""
    honest = observe.public_event

    def leaky(event: ev.Event, ruleset: Ruleset) -> ev.PublicEvent | None:
        if isinstance(event, ev.CardDrawn):
            return ev.DrawSeen(event.seat, event.card)
        return honest(event, ruleset)

    monkeypatch.setattr(pieces, "public_event", leaky)
    pieces.event_pieces.cache_clear()
    try:
        with pytest.raises(AssertionError, match="onlooker"):
            compare_all(3, 40)
    finally:
        monkeypatch.undo()
        pieces.event_pieces.cache_clear()


def test_what_is_said_once_more_here_is_what_the_rules_say() -> None:
    """The test's own idea of what may be known hides what it should."""
    deck = full_deck()
    opening = ev.DealStarted(0, Seat(1), (Seat(0), Seat(1)), tie_break=False, deck=deck)
    assert seat_of(0, opening) == 0  # the dealer's left
    assert len(unknown_places(opening, 0)) == len(deck) - 1 - RULES.hand_size
    assert len(unknown_places(opening, None)) == len(deck) - 1
    drawn = ev.CardDrawn(Seat(0), deck[0], from_discard=False)
    assert by_the_rules(drawn, 0) == drawn
    assert by_the_rules(drawn, 1) == by_the_rules(drawn, None) == ("draws", 0)


def test_what_a_seat_does_is_no_difference_that_it_may_learn() -> None:
    red, blue = full_deck()[0], full_deck()[-1]
    drawn, other = (ev.CardDrawn(Seat(0), card, from_discard=False) for card in (red, blue))
    thrown, instead = (ev.CardDiscarded(Seat(0), card) for card in (red, blue))
    fault = ev.SeatFaulted(Seat(0), ev.FaultKind.ILLEGAL, 1)
    assert may_differ(drawn, other, 0)
    assert not may_differ(drawn, ev.CardDrawn(Seat(0), blue, from_discard=True), 0)
    assert may_differ(thrown, instead, 1), "the other seat holds other cards"
    assert not may_differ(thrown, instead, 0), "it would have to have other reasons than the cards it knows"
    assert may_differ(thrown, fault, 1)
    assert not may_differ(thrown, fault, 0)
    assert not may_differ(fault, None, 1)
    assert not may_differ(ev.StockRebuilt((red,)), ev.StockRebuilt((red, blue)), 1)
