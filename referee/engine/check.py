"""Decide a log again: every event must be what the rules give for the moves that the log shows."""

from collections.abc import Iterable, Sequence

from referee.engine.cards import SKIP, Card
from referee.engine.errors import CorruptLog, IllegalMove, UnsupportedRules
from referee.engine.events import (
    CardDiscarded,
    CardDrawn,
    CardHit,
    DealEnd,
    DealEnded,
    DealStarted,
    Event,
    ForfeitCause,
    GameStarted,
    PhaseLaid,
    SeatFaulted,
    SeatForfeited,
    SkipPlayed,
    StockRebuilt,
    WildTaken,
)
from referee.engine.game import Game
from referee.engine.moves import Draw, Hit, Meld, Play, Seat
from referee.engine.ruleset import Advance, SkipTarget
from referee.engine.shuffle import shuffle_number


def check_log(events: Iterable[Event]) -> Game:
    """The game that a log tells of, every event decided again and compared.

    Decks are taken from the log itself (whether they come from the right key is another question, see `shuffle`), but
    they must hold the right cards. A log may stop at any point where a decision was awaited. The game that is returned can
    be looked at, not played on past the cards that the log shows. Raises CorruptLog at the first event that does not follow.
    """
    log = tuple(events)
    if not log or not isinstance(log[0], GameStarted):
        raise CorruptLog("a log begins with the start of a game")
    start = log[0]
    try:
        game = Game(start.ruleset, start.terms, start.seats, LoggedDecks(log))
        _compare(game.log, log, 0)
        while (at := len(game.log)) < len(log):
            _repeat(game, log, at)
            _compare(game.log, log, at)
    except UnsupportedRules as problem:
        raise CorruptLog(f"event 0: {problem}") from problem
    return game


def _compare(played: Sequence[Event], log: Sequence[Event], start: int) -> None:
    for number in range(start, len(played)):
        if number >= len(log):
            raise CorruptLog(f"the log stops before event {number} ({type(played[number]).__name__})")
        if played[number] != log[number]:
            raise CorruptLog(f"event {number} is {log[number]}, by the rules {played[number]}")


def _repeat(game: Game, log: Sequence[Event], at: int) -> None:
    """Make the move again that led to event `at`."""
    event = log[at]
    try:
        match event:
            case SeatFaulted():
                done = game.fault(event.seat, event.kind)
            case SeatForfeited(cause=ForfeitCause.FAULTS):
                # It stands behind the fault that was one too many, and was repeated with it.
                raise CorruptLog(f"event {at} (SeatForfeited) does not follow: no fault was one too many")
            case SeatForfeited():
                done = game.forfeit(event.seat, event.cause)
            case CardDrawn():
                done = game.submit(event.seat, Draw(event.from_discard))
            case StockRebuilt() | DealEnded(cause=DealEnd.STOCK_EMPTY):
                done = game.submit(_mover(game, at), Draw())
            case PhaseLaid() | CardHit() | WildTaken() | CardDiscarded() | SkipPlayed():
                done = game.submit(event.seat, _play(game, log, at))
            case _:
                raise CorruptLog(f"event {at} ({type(event).__name__}) does not follow")
    except (IllegalMove, IndexError) as problem:
        raise CorruptLog(f"event {at} ({type(event).__name__}) is not allowed: {problem}") from problem
    if not done:
        raise CorruptLog(f"event {at} ({type(event).__name__}) changes nothing")


def _mover(game: Game, at: int) -> Seat:
    if game.to_move is None:
        raise CorruptLog(f"event {at} comes after the end")
    return game.to_move


def _play(game: Game, log: Sequence[Event], at: int) -> Play:
    """The Play that reads as the events from `at` on."""
    lay: tuple[Meld, ...] = ()
    phase = None
    hits: list[Hit] = []
    for event in log[at:]:
        match event:
            case PhaseLaid() if not lay:
                lay = tuple(Meld(meld.cards, meld.value) for meld in event.melds)
                phase = event.phase if game.ruleset.advance is Advance.FREE_CHOICE else None
            case CardHit():
                hits.append(Hit(event.owner, event.meld, event.card, event.end))
            case WildTaken():
                hits.append(Hit(event.owner, event.meld, event.card, for_wild=True))
            case CardDiscarded():
                return Play(lay, tuple(hits), event.card, None, phase)
            case SkipPlayed():
                target = event.target if game.ruleset.skip_target is SkipTarget.CHOSEN else None
                return Play(lay, tuple(hits), SKIP, target, phase)
            case _:
                break
    return Play(lay, tuple(hits), None, None, phase)


class LoggedDecks:
    """The decks that a log shows, by shuffle number, each checked to hold the cards it should."""

    def __init__(self, log: Iterable[Event]) -> None:
        self._orders: dict[int, tuple[Card, ...]] = {}
        self._dealer = 0
        deal = reshuffle = 0
        for event in log:
            if isinstance(event, DealStarted):
                deal, reshuffle = event.deal, 0
                if not deal:
                    self._dealer = event.dealer
                self._orders[shuffle_number(deal, 0)] = event.deck
            elif isinstance(event, StockRebuilt):
                reshuffle += 1
                self._orders[shuffle_number(deal, reshuffle)] = event.stock

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        order = self._orders.get(number)
        if order is None or tuple(sorted(order)) != cards:
            raise CorruptLog(f"shuffle {number} is missing or holds other cards than it should")
        return order

    def first_dealer(self, seats: int) -> int:
        return self._dealer % seats
