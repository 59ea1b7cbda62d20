"""The one object people hold: a game of Phase 10."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from referee.engine.events import Event, FaultKind, ForfeitCause, GameEnd
from referee.engine.moves import Move, Seat
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.shuffle import DeckSource
from referee.engine.state import State
from referee.engine.view import PublicView, Stage, View


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. All tuples are by seat; `places` as in GameEnded, `totals` in penalty points."""

    cause: GameEnd
    places: tuple[int, ...]
    totals: tuple[int, ...]
    completed: tuple[int, ...]
    faults: tuple[int, ...]
    forfeits: tuple[ForfeitCause | None, ...]
    deals: int


class Game:
    """A running or finished game. Nothing in it waits, sleeps or rolls dice: decks come from `decks`."""

    def __init__(self, ruleset: Ruleset, terms: Terms, seats: int, decks: DeckSource) -> None:
        """Start a game and deal. Raises UnsupportedRules with all problems."""

    @classmethod
    def from_log(cls, events: Iterable[Event], decks: DeckSource) -> Self:
        """The game that wrote `events`, ready to go on. Every event is decided again. Raises CorruptLog."""

    @property
    def log(self) -> Sequence[Event]:
        """Everything that happened, in order. The live list: read it, never change it."""

    @property
    def to_move(self) -> Seat | None:
        """The seat whose decision is awaited; None when the game is over."""

    @property
    def stage(self) -> Stage: ...

    @property
    def result(self) -> Result | None: ...

    def submit(self, seat: Seat, move: Move) -> tuple[Event, ...]:
        """Make a move; returns all events it led to, the next deal's start included. Raises IllegalMove: nothing happened."""

    def fault(self, seat: Seat, kind: FaultKind) -> tuple[Event, ...]:
        """Log a fault; at the limit the seat forfeits. If its decision was awaited, the default move is played.

        Nothing happens (an empty tuple) once the game is over or for a seat that has forfeited.
        """

    def forfeit(self, seat: Seat, cause: ForfeitCause) -> tuple[Event, ...]:
        """The seat stops counting and plays default moves from now on. Nothing happens as in `fault`."""

    def view(self, seat: Seat) -> View: ...

    def public_view(self) -> PublicView: ...


def fold(events: Iterable[Event]) -> State:
    """The state after `events`, applied without checks. Raises CorruptLog if they cannot even be applied."""


def check_log(events: Iterable[Event]) -> Game:
    """Decide every event of a log again and compare. Raises CorruptLog at the first event that does not follow."""
