"""A log played again: from rules, key and the moves that it shows, event by event."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from referee.engine.cards import SKIP
from referee.engine.errors import IllegalMove, Reason
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
from referee.engine.game import Game, Result
from referee.engine.moves import Draw, Hit, Meld, Play, Seat
from referee.engine.ruleset import Advance, SkipTarget
from referee.engine.shuffle import DeckSource
from referee.verify.report import Check, Differs, differs
from referee.verify.words import words

PlayEvent = PhaseLaid | CardHit | WildTaken | CardDiscarded | SkipPlayed
NOTHING: Final = "nothing"
_BY_SEAT: Final = frozenset({"penalties", "totals", "completed", "places"})


@dataclass(frozen=True, slots=True)
class Repeated:
    """What came of a log. `asked` says of each event that a decision begins with which seat had to decide."""

    result: Result
    asked: dict[int, Seat]


def repeat(log: Sequence[Event], decks: DeckSource) -> Repeated:
    """Play a log again to its end; it begins with a GameStarted that can be played. Raises Differs at its first untruth."""
    start = log[0]
    assert isinstance(start, GameStarted)
    walk = _Walk(log, Game(start.ruleset, start.terms, start.seats, decks))
    return walk.to_the_end()


class _Walk:
    """The game is always as far as the log was read, and whatever follows by itself was compared already."""

    def __init__(self, log: Sequence[Event], game: Game) -> None:
        self._log = log
        self._game = game
        self._asked: dict[int, Seat] = {}

    def to_the_end(self) -> Repeated:
        game = self._game
        self._compare(0)
        while (at := len(game.log)) < len(self._log):
            self._decision(at)
            self._compare(at)
        if game.result is None:
            raise self._wrong(len(self._log), f"a decision of seat {game.to_move}")
        return Repeated(game.result, self._asked)

    def _wrong(self, at: int, follows: str) -> Differs:
        """The event `at` as a whole does not follow."""
        says = words(self._log[at]) if at < len(self._log) else NOTHING
        return differs(Check.EVENTS, says, follows, event=at)

    def _compare(self, start: int) -> None:
        played, log = self._game.log, self._log
        for at in range(start, len(played)):
            if at == len(log) or type(played[at]) is not type(log[at]):
                raise self._wrong(at, words(played[at]))
            if played[at] != log[at]:
                raise unlike(at, log[at], played[at])

    def _decision(self, at: int) -> None:
        """Make the decision again that led to event `at`."""
        game, event, mover = self._game, self._log[at], self._game.to_move
        if mover is None:
            raise self._wrong(at, f"{NOTHING}: the game is over")
        try:
            match event:
                case PhaseLaid() | CardHit() | WildTaken() | CardDiscarded() | SkipPlayed():
                    self._play(at, event.seat)
                case CardDrawn():
                    game.submit(event.seat, Draw(event.from_discard))
                case StockRebuilt() | DealEnded(cause=DealEnd.STOCK_EMPTY):
                    game.submit(mover, Draw())
                case SeatFaulted() if self._counts(event.seat):
                    game.fault(event.seat, event.kind)
                case SeatForfeited(cause=cause) if cause is not ForfeitCause.FAULTS and self._counts(event.seat):
                    game.forfeit(event.seat, cause)
                case _:
                    raise self._wrong(at, f"a decision of seat {mover}")
        except IllegalMove as problem:
            raise self._wrong(at, f"not allowed: {problem}") from problem
        if getattr(event, "seat", mover) == mover:
            self._asked[at] = mover

    def _counts(self, seat: int) -> bool:
        """Whether there is such a seat and it has not forfeited."""
        state = self._game.state
        return seat < state.seats and state.forfeits[seat] is None

    # Plays: several events for one decision, which is taken whole or refused whole.

    def _play(self, at: int, seat: Seat) -> None:
        events = self._play_events(at, seat)
        try:
            self._game.submit(seat, self._wish(events))
        except IllegalMove as problem:
            raise self._culprit(at, seat, events, problem.reason) from problem

    def _play_events(self, at: int, seat: Seat) -> list[PlayEvent]:
        """The events from `at` on that one Play of a seat can lead to: a lay at most, hits, a discard at most."""
        found: list[PlayEvent] = []
        for event in self._log[at:]:
            match event:
                case PhaseLaid() if not found and event.seat == seat:
                    found.append(event)
                case CardHit() | WildTaken() if event.seat == seat:
                    found.append(event)
                case CardDiscarded() | SkipPlayed() if event.seat == seat:
                    found.append(event)
                    break
                case _:
                    break
        return found

    def _wish(self, events: Sequence[PlayEvent]) -> Play:
        """The Play that reads as these events."""
        rules = self._game.ruleset
        wish: dict[str, Any] = {}
        hits: list[Hit] = []
        for event in events:
            match event:
                case PhaseLaid():
                    wish["lay"] = tuple(Meld(meld.cards, meld.value) for meld in event.melds)
                    # Without melds it is refused whatever it names, but not without a name.
                    wish["phase"] = event.phase if rules.advance is Advance.FREE_CHOICE or not event.melds else None
                case CardHit():
                    hits.append(Hit(event.owner, event.meld, event.card, event.end))
                case WildTaken():
                    hits.append(Hit(event.owner, event.meld, event.card, for_wild=True))
                case CardDiscarded():
                    wish["discard"] = event.card
                case SkipPlayed():
                    wish["discard"] = SKIP
                    wish["skip_target"] = event.target if rules.skip_target is SkipTarget.CHOSEN else None
        return Play(hits=tuple(hits), **wish)

    def _culprit(self, at: int, seat: Seat, events: Sequence[PlayEvent], reason: Reason) -> Differs:
        """Which event of a refused Play is the wrong one: the first that cannot follow those before it.

        A Play that is cut off is refused for its missing discard as long as all that it lists is allowed. It is taken only
        if it leaves no card; then the game says itself what comes next.
        """
        for count in range(1, len(events)):
            try:
                self._game.submit(seat, self._wish(events[:count]))
            except IllegalMove as problem:
                if problem.reason is not Reason.DISCARD_REQUIRED:
                    return self._wrong(at + count - 1, f"not allowed: {problem}")
            else:
                self._compare(at)  # the cut-off part may itself be told wrongly
                raise AssertionError("the log goes on where the game did not")  # it has more events than the part
        if reason is Reason.DISCARD_REQUIRED:
            return self._wrong(at + len(events), f"a hit or a discard of seat {seat}")
        return self._wrong(at + len(events) - 1, f"not allowed: {reason.value}")


def unlike(at: int, says: Event, follows: Event) -> Differs:
    """Two events of one kind that are not equal: which field of them is the first to differ."""
    name = next(field.name for field in fields(says) if getattr(says, field.name) != getattr(follows, field.name))
    mine, theirs = getattr(says, name), getattr(follows, name)
    if name in {"deck", "stock"}:
        return _unlike_cards(at, name, mine, theirs)
    check = Check.EVENTS
    if isinstance(follows, DealStarted) and name == "dealer" and not follows.deal:
        check = Check.DEALER
    place = name
    if name in _BY_SEAT and len(mine) == len(theirs):
        seat = next(number for number, value in enumerate(mine) if value != theirs[number])
        place = f"{name} of seat {seat}"
    return differs(check, words(says), words(follows), event=at, place=place)


def _unlike_cards(at: int, name: str, mine: Sequence[Any], theirs: Sequence[Any]) -> Differs:
    what = "deck" if name == "deck" else "draw pile"
    if len(mine) != len(theirs):
        return differs(Check.SHUFFLES, f"{len(mine)} cards", f"{len(theirs)} cards", event=at, place=what)
    number = next(number for number, card in enumerate(mine) if card != theirs[number])
    place = f"card {number + 1} of the {what}"
    return differs(Check.SHUFFLES, str(mine[number]), str(theirs[number]), event=at, place=place)
