"""The one object people hold: a game of Phase 10."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from referee.engine import observe
from referee.engine.apply import apply
from referee.engine.decide import decide
from referee.engine.default_move import default_move
from referee.engine.errors import CorruptLog
from referee.engine.events import (
    Event,
    FaultKind,
    ForfeitCause,
    GameEnd,
    GameStarted,
    SeatFaulted,
    SeatForfeited,
)
from referee.engine.moves import Move, Seat
from referee.engine.presets import check_ruleset
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.settle import follow
from referee.engine.shuffle import DeckSource
from referee.engine.state import NOBODY, State
from referee.engine.values import quick
from referee.engine.view import PublicView, Stage, View, ViewFields


@quick
@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. All tuples are by seat; `places` as in GameEnded, `totals` in penalty points.

    `completed` counts the phases done, `deals` those that were begun, tie-breaks included.
    """

    cause: GameEnd
    places: tuple[int, ...]
    totals: tuple[int, ...]
    completed: tuple[int, ...]
    faults: tuple[int, ...]
    forfeits: tuple[ForfeitCause | None, ...]
    deals: int


class Game:
    """A running or finished game. Nothing in it waits, sleeps or rolls dice: decks come from `decks`."""

    __slots__ = ("_decks", "_log", "_state")

    def __init__(
        self, ruleset: Ruleset, terms: Terms, seats: int, decks: DeckSource, *, so_far: tuple[Event, ...] = ()
    ) -> None:
        """Start a game of `seats` seats and deal. Raises UnsupportedRules with all problems.

        With `so_far` it is the game that wrote these events instead, of the same rules, terms and seats: see `from_log`.
        """
        self._decks = decks
        if so_far:
            self._state, self._log = fold(so_far), list(so_far)
        else:
            check_ruleset(ruleset, terms, seats)
            self._state = State.new(ruleset, terms, seats)
            self._log = [GameStarted(ruleset, terms, seats)]
        self._settle()

    @classmethod
    def from_log(cls, events: Iterable[Event], decks: DeckSource) -> Self:
        """The game that wrote `events`, ready to go on with `decks`. Folds without deciding again (see `check_log`).

        Raises CorruptLog if the events cannot be folded.
        """
        log = tuple(events)
        first = _beginning(log)
        return cls(first.ruleset, first.terms, first.seats, decks, so_far=log)

    @property
    def ruleset(self) -> Ruleset:
        return self._state.ruleset

    @property
    def terms(self) -> Terms:
        return self._state.terms

    @property
    def seats(self) -> int:
        return self._state.seats

    @property
    def state(self) -> State:
        """The full state, hidden cards included: for tests and analysis. Read it, never change it."""
        return self._state

    @property
    def log(self) -> Sequence[Event]:
        """Everything that happened, in order. The live list: read it, never change it."""
        return self._log

    @property
    def to_move(self) -> Seat | None:
        """The seat whose decision is awaited; None when the game is over."""
        seat = self._state.to_move
        return None if seat == NOBODY else seat

    @property
    def stage(self) -> Stage:
        """Which decision is awaited."""
        return observe.stage(self._state)

    @property
    def result(self) -> Result | None:
        """How the game ended; None while it runs."""
        state = self._state
        if state.game_end is None:
            return None
        return Result(
            state.game_end,
            state.places,
            tuple(state.totals),
            tuple(state.completed),
            tuple(state.faults),
            tuple(state.forfeits),
            state.deal + 1,
        )

    def submit(self, seat: Seat, move: Move) -> tuple[Event, ...]:
        """Make a move; returns all events it led to, the next deal's start included.

        Raises IllegalMove; then nothing happened.
        """
        state, log = self._state, self._log
        events = decide(state, seat, move, self._decks)
        for event in events:
            apply(state, event)
        log += events
        if state.drawn is not None and state.out == NOBODY and not state.decided:
            return events  # in the middle of a turn nothing follows by itself
        decided = len(log)
        self._settle()
        return events if len(log) == decided else (*events, *log[decided:])

    def fault(self, seat: Seat, kind: FaultKind) -> tuple[Event, ...]:
        """Log a fault; at the limit of the terms the seat forfeits. If its decision was awaited, the default move is played.

        Nothing happens (an empty tuple) once the game is over or for a seat that has forfeited. Raises IndexError for
        a seat that does not exist.
        """
        state = self._state
        if state.game_end is not None or state.forfeits[seat] is not None:
            return ()
        start = len(self._log)
        count = state.faults[seat] + 1
        self._record((SeatFaulted(seat, kind, count),))
        if count >= state.terms.max_faults:
            self._record((SeatForfeited(seat, ForfeitCause.FAULTS),))
        elif state.to_move == seat:
            self._record(decide(state, seat, default_move(state), self._decks))
        self._settle()
        return tuple(self._log[start:])

    def forfeit(self, seat: Seat, cause: ForfeitCause) -> tuple[Event, ...]:
        """The seat stops counting and plays default moves from now on.

        When nothing happens, and what it raises: as `fault`. ValueError for the cause FAULTS: only faults lead to that.
        """
        if cause is ForfeitCause.FAULTS:
            raise ValueError("a seat forfeits by its faults when there are too many: see Game.fault")
        state = self._state
        if state.game_end is not None or state.forfeits[seat] is not None:
            return ()
        start = len(self._log)
        self._record((SeatForfeited(seat, cause),))
        self._settle()
        return tuple(self._log[start:])

    def view(self, seat: Seat) -> View:
        """All that a seat may know now. Raises IndexError for a seat that does not exist."""
        return observe.seat_view(self._state, seat)

    def view_fields(self, seat: Seat) -> ViewFields:
        """What `view` holds, in half the time, for who reads it at once and keeps nothing of it."""
        return observe.view_fields(self._state, seat)

    def public_view(self) -> PublicView:
        """What everybody may know now."""
        return observe.public_view(self._state)

    def _record(self, events: tuple[Event, ...]) -> None:
        for event in events:
            apply(self._state, event)
        self._log += events

    def _settle(self) -> None:
        """Record what follows by itself, the moves of forfeited seats included, until somebody must be asked."""
        state = self._state
        while True:
            event = follow(state, self._decks)
            if event is not None:
                self._record((event,))
            elif state.to_move != NOBODY and state.forfeits[state.to_move] is not None:
                self._record(decide(state, state.to_move, default_move(state), self._decks))
            else:
                return


def fold(events: Iterable[Event]) -> State:
    """The state after `events`, applied one by one without checks; the same log gives the same state, for ever.

    Raises CorruptLog if they do not begin with a game's start or cannot even be applied.
    """
    log = tuple(events)
    first = _beginning(log)
    state = State.new(first.ruleset, first.terms, first.seats)
    for number, event in enumerate(log[1:], start=1):
        try:
            apply(state, event)
        except (ValueError, IndexError) as problem:
            raise CorruptLog(f"event {number} ({type(event).__name__}) cannot follow: {problem}") from problem
    return state


def _beginning(log: tuple[Event, ...]) -> GameStarted:
    first = log[0] if log else None
    if not isinstance(first, GameStarted):
        raise CorruptLog("a log begins with the start of a game")
    return first
