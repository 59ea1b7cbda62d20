"""A case file as values. What is not said is None or empty; what it then means is decided where it is used."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from referee.engine.cards import Card
from referee.engine.errors import Reason
from referee.engine.events import FaultKind, ForfeitCause, TableMeld
from referee.engine.moves import Draw, Play, Seat
from referee.engine.ruleset import Ruleset

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BySeat(Generic[T]):
    """A value for some seats, or one for everybody."""

    some: Mapping[int, T] = field(default_factory=dict)
    everybody: T | None = None

    def at(self, seat: int) -> T | None:
        """What is said of a seat; None for nothing."""
        return self.some.get(seat, self.everybody)

    @property
    def highest(self) -> int:
        """How many seats there must be for all that is said."""
        return max((seat + 1 for seat in self.some), default=0)


NOTHING: BySeat[Any] = BySeat()
FIRST = Seat(0)


@dataclass(frozen=True, slots=True)
class Pile:
    """Cards in the order they are written; `rest` says that all cards written nowhere are there too."""

    cards: tuple[Card, ...]
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """A position in the middle of a deal. A hand may be a number of cards; `drawn` is the mover's."""

    seats: int | None = None
    hands: BySeat[Pile | int] = NOTHING
    melds: BySeat[tuple[TableMeld, ...]] = NOTHING
    phases: BySeat[int] = NOTHING
    points: BySeat[int] = NOTHING
    to_move: Seat = FIRST
    plays: bool = False
    drawn: Card | None = None
    discard: Pile | None = None
    stock: Pile | None = None
    waiting: BySeat[int] = NOTHING
    dealer: Seat | None = None
    turn: int | None = None
    players: tuple[Seat, ...] | None = None
    tie_break: int = 0
    deal: int | None = None
    completed: BySeat[int] = NOTHING
    done: BySeat[tuple[int, ...]] = NOTHING
    faults: BySeat[int] = NOTHING
    forfeited: BySeat[ForfeitCause] = NOTHING
    skipped_at: BySeat[int] = NOTHING
    played_at: BySeat[int] = NOTHING
    reshuffles: int = 0


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal to come. `hands` are in the order of dealing, from the dealer's left; what is short is filled up."""

    hands: tuple[tuple[Card, ...], ...] = ()
    start: tuple[Card, ...] = ()
    stock: tuple[Card, ...] = ()
    deck: tuple[Card, ...] | None = None
    players: int | None = None
    reshuffles: tuple[tuple[Card, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """The first deal of a game."""

    seats: int | None = None
    dealer: Seat | None = None
    hands: BySeat[tuple[Card, ...]] = NOTHING
    start: tuple[Card, ...] = ()
    stock: tuple[Card, ...] = ()
    seed: str | None = None
    deck: tuple[Card, ...] | None = None


@dataclass(frozen=True, slots=True)
class Turns:
    """So many whole turns in which nobody does more than draw and throw the dearest card."""

    count: int


@dataclass(frozen=True, slots=True)
class Step:
    """Something done, by the seat to move unless one is named, and what is expected of it.

    `deeds` are done one after the other; a refusal is expected of the last one. Lines are events as text; None for those
    of which nothing is expected. `after` holds properties by name, as `looking` reads them.
    """

    deeds: tuple[Draw | Play | FaultKind | ForfeitCause | Turns, ...] = ()
    seat: Seat | None = None
    reject: Reason | None = None
    events: tuple[str, ...] | None = None
    contains: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    seen: tuple[str, ...] | None = None
    after: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happens under some rules. `options` and `terms` are changes by name; `refuse` names an option complained of."""

    rulesets: tuple[Ruleset, ...]
    steps: tuple[Step, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Any] = field(default_factory=dict)
    refuse: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A position, or the first deal of a game, and its outcomes. `deals` are those that follow the one it begins in."""

    id: str
    title: str
    start: Position | Opening
    outcomes: tuple[Outcome, ...]
    about: str = ""
    reshuffles: tuple[tuple[Card, ...], ...] = ()
    deals: tuple[Deal, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A file of cases; `name` is what it is called when something is said of it."""

    name: str
    title: str
    cases: tuple[Case, ...]
    about: str = ""


def seats_named(values: Iterable[BySeat[Any]]) -> int:
    """How many seats there must be for all of these."""
    return max((value.highest for value in values), default=0)
