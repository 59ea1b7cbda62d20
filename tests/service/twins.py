"""Two games of the referee's that differ in hidden cards, played side by side: what the tests of non-interference share.

Both games are whole, from the invitation on, only the sockets are left out. Whatever happens happens in both, at one time by
one clock; what an onlooker is sent must be the same until the rules themselves show it the difference.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import zip_longest
from typing import Any

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine import events as ev
from referee.engine.cards import Card
from referee.engine.game import Game
from referee.engine.ruleset import Terms
from referee.engine.shuffle import DeckSource, SeededDecks, nonce_commit
from referee.service import game as games
from referee.service import messages
from referee.service.batch import Batch
from referee.service.clock import BEAT_MS, RefereeTime
from referee.service.feed import Feed
from referee.service.game import RunningGame
from referee.service.gathering import Gathering
from referee.service.house import House
from referee.service.meter import Meter
from referee.service.order import decode_order
from referee.service.records import Records
from referee.service.seats import TableSeat
from referee.wire import coarse
from referee.wire.moves import write_answer
from tests.service.client import RULES, order, quick_terms

Decks = Callable[[bytes], DeckSource]  # from the key of a game
Public = Any
CALM = quick_terms(max_deals=3, max_turns_per_deal=40)
SOON = 12  # a card that is dealt, or one of as many that are drawn first, is among those that differ


class Hours:
    """A clock that goes on when it is told to, and the referee's time by it."""

    def __init__(self) -> None:
        self._ms = 5_000.0
        self.time = RefereeTime(lambda: self._ms)

    def pass_by(self, ms: float) -> None:
        """In steps as small as those of the referee's own pulse, or its time would stand still."""
        end = self._ms + ms
        while self._ms < end:
            self._ms = min(end, self._ms + BEAT_MS)
            self.time.beat()


class Tape:
    """The sessions of a seat, one after the other: it keeps what they are sent."""

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
    others: DeckSource

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return self.others(number, cards) if number else self.deck

    def first_dealer(self, seats: int) -> int:
        return self.others.first_dealer(seats)


class Room:
    """One game, without sockets. A mirrored one has begun at once, another one waits for its shares (`commit`, `reveal`)."""

    def __init__(self, seats: int, decks: Decks, hours: Hours, terms: Terms, mirrored: bool, seed: bytes) -> None:
        self.failed: list[Exception] = []
        self.nonces = [sha256(b"nonce %d" % seat).digest() for seat in range(seats)]
        self.hours = hours
        self._tapes = [Tape() for _ in range(seats)]
        self._public: list[bytes] = []
        self._decks = decks
        self._feed = Feed(Records(10**6), referee_pb2.WatchGreeting(referee="r"), list)
        self._watcher = self._feed.join()
        self._house = House("r", hours.time, self._feed, Meter(), asyncio.get_running_loop())
        self._running: RunningGame | None = None
        ordered = order(*"abcdef"[:seats], terms=terms, mirrored=mirrored)
        ordered.match_id = b"m" * 16
        del ordered.game_ids[:]
        ordered.game_ids.extend(bytes([number]) * 16 for number in range(seats))
        self.gathering = Gathering(decode_order(ordered), 0, seed, self._house, self)
        self.gathering.begin(self._tapes)
        self.tell()

    @property
    def running(self) -> RunningGame:
        assert self.failed == []
        assert self._running is not None
        return self._running

    @property
    def begun(self) -> bool:
        assert self.failed == []
        return self._running is not None

    @property
    def over(self) -> bool:
        return self.begun and self.running.over

    @property
    def game(self) -> Game:
        return self.running._game

    @property
    def log(self) -> Sequence[ev.Event]:
        return self.game.log if self.begun else ()

    @property
    def deadline(self) -> float:
        """When the referee will act by itself if nobody else does."""
        return (self._running or self.gathering)._deadline

    def sent(self, onlooker: int | None) -> list[bytes]:
        """The frames for a seat, or those of a watch stream."""
        return self._public if onlooker is None else self._tapes[onlooker].frames

    def close(self) -> None:
        (self._running or self.gathering).abandon("enough seen")

    # What seats and their sessions do, and what time does.

    def commit(self, seat: int) -> None:
        commitment = nonce_commit(self.gathering.context, seat, self.nonces[seat])
        self.gathering.commit(self.gathering.seats[seat], commitment)

    def decline(self, seat: int) -> None:
        """The seat takes no part in the shuffle."""
        self.gathering.commit(self.gathering.seats[seat], b"")

    def reveal(self, seat: int, nonce: bytes | None = None) -> None:
        self.gathering.reveal(self.gathering.seats[seat], nonce or self.nonces[seat])

    def answer(self, decision: bytes, seat: int | None = None, ahead: int = 0) -> None:
        """What the seat that is asked says, or another one; to the open question, or to one before or after it."""
        batch = self.batch()
        self.say(decision, batch, seat, ahead)
        batch.play()

    def batch(self) -> Batch:
        """A frame that comes now, for answers of this game and of others by the same clock."""
        return Batch(self.hours.time.now())

    def say(self, decision: bytes, batch: Batch, seat: int | None = None, ahead: int = 0) -> None:
        """As `answer`, but together with what else is in the frame."""
        said = self.running._asked if seat is None else self.running.seats[seat]
        assert said is not None
        answer = write_answer(1, self.running._question + ahead, decision)
        self.running.answer(said, coarse.Answer.FromString(answer), batch)

    def resign(self, seat: int) -> None:
        self.running.resign(self.running.seats[seat])

    def lose(self, seat: int) -> None:
        """The stream of a seat's session breaks."""
        self.gathering.seats[seat].link = None

    def is_here(self, seat: int) -> bool:
        return self.gathering.seats[seat].link is not None

    def resume(self, seat: int) -> None:
        """A new session takes the seat."""
        told = pb.Resync()
        (self._running or self.gathering).resume(self.gathering.seats[seat], self._tapes[seat], told)
        self._tapes[seat].push(messages.framed(pb.RefereeMessage(resync=told)))

    def ring(self) -> None:
        """The timer of the game rings."""
        (self._running or self.gathering)._ring()

    def tell(self) -> None:
        """The feed tells the public, as it does every now and then."""
        if self._feed._timer is not None:
            self._feed._timer.cancel()
        self._feed._flush()
        self._public.append(self._watcher._take())

    # What the game says to whom it belongs.

    def gathered(self, gathering: Gathering) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(games, "SeededDecks", self._decks)
            self._running = RunningGame(gathering, self._house, self)
        self._running.begin()

    def nobody_came(self) -> None:
        raise AssertionError

    def game_over(self, game: RunningGame, replay: bytes) -> None:
        return

    def game_failed(self, error: Exception) -> None:
        self.failed.append(error)


def by_the_rules(event: ev.Event | None, onlooker: int | None) -> Public:
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


def opening(room: Room) -> ev.DealStarted:
    event = room.log[1]
    assert isinstance(event, ev.DealStarted)
    return event


def may_differ(one: ev.Event | None, two: ev.Event | None, seat: int) -> bool:
    """Whether two events may be the first that differ to a seat.

    The seat is dealt other cards, or draws another one; hands are counted at the end of a deal; or another seat holds other
    cards and does something else. What a seat does itself, or what becomes of it, hangs on nothing that it cannot know: its
    faults and default moves are the same in both games until it knows of a difference.
    """
    match one, two:
        case (ev.DealStarted(), ev.DealStarted()) | (ev.DealEnded(), ev.DealEnded()):
            return True
        case ev.CardDrawn(from_discard=False), ev.CardDrawn(from_discard=False) if one.seat == two.seat:
            return True
        case _:
            return seat not in {getattr(event, "seat", seat) for event in (one, two)}


@dataclass
class Twins:
    """Two games, and who looks at them; `look` is what is compared of what a room has sent to somebody.

    One onlooker is named, for whom the games were made. Whoever else can know of no difference so far is an onlooker too.
    """

    first: Room
    second: Room
    onlooker: int | None
    look: Callable[[Room, int | None], Any] = Room.sent
    unaware: set[int | None] = field(default_factory=set)
    _compared: int = 0  # events

    def __post_init__(self) -> None:
        self.unaware = {None, *range(len(self.first.nonces))}
        assert self.both(lambda _: None)

    def both(self, step: Callable[[Room], None]) -> bool:
        """Do the same in both games. False if the rules show the onlooker a difference; else it was sent the same."""
        first, second = self.first, self.second
        for room in (first, second):
            step(room)
            room.tell()
        news = list(zip_longest(first.log[self._compared :], second.log[self._compared :]))
        self._compared += len(news)
        self.unaware -= {who for who in self.unaware if is_made_aware(who, news)}
        for who in self.unaware:
            alike = self.look(first, who) == self.look(second, who)
            assert alike, f"onlooker {who} is sent what it may not know"
            assert first.deadline == second.deadline, f"onlooker {who} sees from the time what it may not know"
        return self.onlooker in self.unaware

    def close(self) -> None:
        self.first.close()
        self.second.close()


def is_made_aware(who: int | None, news: Sequence[tuple[ev.Event | None, ev.Event | None]]) -> bool:
    """Whether somebody who knew of no difference sees one in what has happened in both games."""
    for one, two in news:
        if by_the_rules(one, who) != by_the_rules(two, who):
            assert who is None or may_differ(one, two, who), f"onlooker: seat {who} fares otherwise by cards it may not know"
            return True
    return False


def unlike(dealt: ev.DealStarted, onlooker: int | None, dice: random.Random) -> tuple[Card, ...]:
    """The deck, changed where the onlooker cannot know it: two cards change places, or the whole stock is shuffled again."""
    deck = list(dealt.deck)
    places = unknown_places(dealt, onlooker)
    stock = len(dealt.players) * RULES.hand_size + 1
    if dice.random() < 0.3:
        deck[stock:] = dice.sample(deck[stock:], len(deck) - stock)
    else:
        one = dice.choice([place for place in places if place < stock + SOON])
        two = dice.choice([place for place in places if deck[place] != deck[one]])
        deck[one], deck[two] = deck[two], deck[one]
    return tuple(deck)


def twins(
    seats: int,
    onlooker: int | None,
    dice: random.Random,
    terms: Terms = CALM,
    mirrored: bool = True,
    hours: Hours | None = None,
) -> Twins:
    """Two games whose first decks differ in what the onlooker cannot know; all else is the same, the key too.

    By a clock of their own, unless they are given one that others go by as well.
    """
    hours, seed = hours or Hours(), dice.randbytes(64)
    first = Room(seats, SeededDecks, hours, terms, mirrored, seed)

    def other(key: bytes) -> DeckSource:
        return Stacked(unlike(opening(first), onlooker, dice), SeededDecks(key))

    return Twins(first, Room(seats, other, hours, terms, mirrored, seed), onlooker)
