"""What is hidden from a seat, or from the public, changes no byte that it is sent: whole games, played twice.

Both games are the referee's own, from the invitation on. Their decks differ in two cards that the onlooker cannot know, and
the same answers are given. Up to the move that shows the difference by the rules, the onlooker's bytes must be the same.
"""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from phaseten.v1 import referee_pb2

from referee.engine import events as ev
from referee.engine import observe
from referee.engine.cards import Card, full_deck
from referee.engine.game import Game
from referee.engine.moves import Seat
from referee.engine.ruleset import Ruleset
from referee.engine.shuffle import SeededDecks
from referee.service import game as games
from referee.service import pieces
from referee.service.clock import RefereeTime
from referee.service.feed import Feed
from referee.service.game import RunningGame
from referee.service.gathering import Gathering
from referee.service.house import House
from referee.service.meter import Meter
from referee.service.order import decode_order
from referee.service.records import Records
from referee.service.seats import TableSeat
from referee.wire import coarse
from referee.wire.moves import write_answer, write_decision
from tests.players import random_player
from tests.service.client import RULES, order, quick_terms

PAIRS, NIGHTLY_PAIRS = 400, 10_000
DECISIONS = 90
Public = Any


class Tape:
    """A session that keeps what it is sent."""

    round_trip = 3.0

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def push(self, frame: bytes) -> None:
        self.frames.append(frame)

    def seat(self, seat: TableSeat) -> int:
        return 1

    def unseat(self, handle: int) -> None:
        return


@dataclass
class Stacked:
    """Decks of which the first is given."""

    deck: tuple[Card, ...]
    others: SeededDecks = field(default_factory=lambda: SeededDecks(bytes(64)))

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return self.others(number, cards) if number else self.deck

    def first_dealer(self, seats: int) -> int:
        return 0


class Room:
    """One game of the referee's, without sockets: `tapes` by seat, and `public`, the frames of the watch stream."""

    def __init__(self, seats: int, deck: tuple[Card, ...], monkeypatch: pytest.MonkeyPatch) -> None:
        self.failed: list[Exception] = []
        self.tapes = [Tape() for _ in range(seats)]
        self.public: list[bytes] = []
        feed = Feed(Records(10**6), referee_pb2.WatchGreeting(referee="r"), list)
        feed.join()
        house = House("r", RefereeTime(lambda: 5_000.0), feed, Meter(), asyncio.get_running_loop())
        ordered = order(*"abcdef"[:seats], terms=quick_terms(max_deals=3, max_turns_per_deal=40), mirrored=True)
        ordered.match_id = b"m" * 16
        del ordered.game_ids[:]
        ordered.game_ids.extend(bytes([number]) * 16 for number in range(seats))
        monkeypatch.setattr(games, "SeededDecks", lambda _key: Stacked(deck))
        self._house = house
        self._running: RunningGame | None = None
        Gathering(decode_order(ordered), 0, b"s" * 64, house, self).begin(self.tapes)
        self.tell()

    @property
    def running(self) -> RunningGame:
        assert self.failed == []
        assert self._running is not None
        return self._running

    @property
    def game(self) -> Game:
        return self.running._game

    def answer(self, decision: bytes) -> None:
        """What the seat that is asked says."""
        seat = self.running._asked
        assert seat is not None
        answer = write_answer(1, self.running._question, decision)
        self.running.answer(seat, coarse.Answer.FromString(answer))
        self.tell()

    def tell(self) -> None:
        """As the feed does every now and then."""
        self.public.append(self.running.update())

    def close(self) -> None:
        self.running.abandon("enough seen")

    def sent(self, onlooker: int | None) -> bytes:
        return b"".join(self.public if onlooker is None else self.tapes[onlooker].frames)

    # What the game says to whom it belongs.

    def gathered(self, gathering: Gathering) -> None:
        self._running = RunningGame(gathering, self._house, self)
        self._running.begin()

    def nobody_came(self) -> None:
        raise AssertionError

    def game_over(self, game: RunningGame, replay: bytes) -> None:
        return

    def game_failed(self, error: Exception) -> None:
        self.failed.append(error)


def by_the_rules(event: ev.Event, onlooker: int | None) -> Public:
    """What an onlooker may know of an event, said once more here: nothing of the product is asked."""
    match event:
        case ev.DealStarted():
            first = len(event.players) * RULES.hand_size
            own = [] if onlooker is None else [place for place in range(first) if seat_of(place, event) == onlooker]
            return (event.deal, event.dealer, event.players, [event.deck[place] for place in (*own, first)])
        case ev.CardDrawn() if not event.from_discard and event.seat != onlooker:
            return ("draws", event.seat)
        case ev.StockRebuilt():
            return ("rebuilt", len(event.stock))
        case _:
            return event


def seat_of(place: int, event: ev.DealStarted) -> int:
    """Who is dealt the card at a place of the deck: one at a time, from the dealer's left."""
    order_of_deal = [seat for seat in event.players if seat > event.dealer] + [
        seat for seat in event.players if seat <= event.dealer
    ]
    return order_of_deal[place % len(event.players)]


def unknown_places(first: ev.DealStarted, onlooker: int | None) -> list[int]:
    dealt = len(first.players) * RULES.hand_size
    return [
        place
        for place in range(len(first.deck))
        if place != dealt and (place > dealt or onlooker is None or seat_of(place, first) != onlooker)
    ]


def known(room: Room, onlooker: int | None) -> list[Public]:
    return [by_the_rules(event, onlooker) for event in room.game.log[1:]]


def twins(seats: int, onlooker: int | None, dice: random.Random, monkeypatch: pytest.MonkeyPatch) -> tuple[Room, Room]:
    """Two games whose decks differ in two cards that the onlooker cannot know."""
    deck = SeededDecks(dice.randbytes(64))(0, full_deck())
    first = Room(seats, deck, monkeypatch)
    opening = first.game.log[1]
    assert isinstance(opening, ev.DealStarted)
    one, two = dice.sample(unknown_places(opening, onlooker), 2)
    other = list(deck)
    other[one], other[two] = deck[two], deck[one]
    return first, Room(seats, tuple(other), monkeypatch)


def compare(seats: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Play a game and its twin; how many decisions looked alike to the onlooker."""
    dice = random.Random(f"{seats} {seed}")
    onlooker = dice.choice((None, *range(seats)))
    first, twin = twins(seats, onlooker, dice, monkeypatch)
    policy, alike = random_player(dice.randrange), 0
    assert first.sent(onlooker) == twin.sent(onlooker)
    for _ in range(DECISIONS):
        seat = first.game.to_move
        if seat is None or seat != twin.game.to_move:
            break
        decision = write_decision(policy(first.game.view(seat), RULES))
        for room in (first, twin):
            room.answer(decision)
        if known(first, onlooker) != known(twin, onlooker):
            break  # by the rules it may be seen from here on
        assert first.sent(onlooker) == twin.sent(onlooker), f"{seats} seats, seed {seed}, onlooker {onlooker}"
        alike += 1
    for room in (first, twin):
        room.close()
    return alike


def compare_all(seats: int, pairs: int, monkeypatch: pytest.MonkeyPatch) -> int:
    return sum(compare(seats, seed, monkeypatch) for seed in range(pairs))


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seats", [2, 3, 4, 6])
async def test_cards_that_are_hidden_change_no_byte(seats: int, nightly: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = (NIGHTLY_PAIRS if nightly else PAIRS) // 4
    assert (
        compare_all(seats, pairs, monkeypatch) > 10 * pairs
    )  # most games went on for a while before the difference could be seen


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
            compare_all(3, 40, monkeypatch)
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
