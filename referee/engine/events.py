"""Events: what happened. A game is the list of them; folding that list needs no dice and no clock.

`Event` is the full truth, written to logs and replays. `PublicEvent` is what everybody at and around the table saw; the two
are different types, so a hidden card cannot slip into a public message.
"""

from dataclasses import dataclass
from enum import Enum

from referee.engine.cards import Card
from referee.engine.moves import End, Seat
from referee.engine.ruleset import GoalKind, Ruleset, Terms
from referee.engine.values import quick


class FaultKind(Enum):
    """What a bot did instead of a legal answer."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    LATE = "late"
    GONE = "gone"


class ForfeitCause(Enum):
    """Why a seat stopped counting."""

    FAULTS = "faults"
    CLOCK = "clock"
    RESIGNED = "resigned"
    NO_SHOW = "no_show"


class DealEnd(Enum):
    """Why a deal ended: a seat went out, the cap on turns, the draw pile ran dry, or the game was decided in it."""

    WENT_OUT = "went_out"
    TURN_CAP = "turn_cap"
    STOCK_EMPTY = "stock_empty"
    DECIDED = "decided"


class GameEnd(Enum):
    """Why a game ended."""

    PHASES_DONE = "phases_done"
    TIE_BREAK = "tie_break"
    DEAL_CAP = "deal_cap"
    FORFEITS = "forfeits"


@quick
@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table: its kind, its cards (a run lowest first) and what it stands for.

    `value` is the number of a set, the lowest number of a run, or the colour (0-3) of a colour meld.
    """

    kind: GoalKind
    cards: tuple[Card, ...]
    value: int


@dataclass(frozen=True, slots=True)
class GameStarted:
    ruleset: Ruleset
    terms: Terms
    seats: int


@dataclass(frozen=True, slots=True)
class DealStarted:
    """A shuffled deck, top first: dealt one card at a time from the dealer's left to `players`, then one turned up.

    `deal` counts from 0. `players` are the seats that take part: all of them, or the tied ones in a tie-break.
    """

    deal: int
    dealer: Seat
    players: tuple[Seat, ...]
    tie_break: bool
    deck: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class StockRebuilt:
    """The discard pile but its top card was shuffled into a new draw pile; `stock` is its order, top first."""

    stock: tuple[Card, ...]


@quick
@dataclass(frozen=True, slots=True)
class CardDrawn:
    seat: Seat
    card: Card
    from_discard: bool


@quick
@dataclass(frozen=True, slots=True)
class PhaseLaid:
    seat: Seat
    phase: int
    melds: tuple[TableMeld, ...]


@quick
@dataclass(frozen=True, slots=True)
class CardHit:
    """`end` is set for runs and None for sets and colours."""

    seat: Seat
    owner: Seat
    meld: int
    card: Card
    end: End | None


@quick
@dataclass(frozen=True, slots=True)
class WildTaken:
    """`card` lies now where a Wild lay, at `place` (from 0) of the meld; the Wild went to the hand of `seat`."""

    seat: Seat
    owner: Seat
    meld: int
    place: int
    card: Card


@quick
@dataclass(frozen=True, slots=True)
class CardDiscarded:
    """A card went to the discard pile, a Skip without a target included."""

    seat: Seat
    card: Card


@quick
@dataclass(frozen=True, slots=True)
class SkipPlayed:
    """A Skip was played against `target`; where it lies is the rule set's business."""

    seat: Seat
    target: Seat


@dataclass(frozen=True, slots=True)
class TurnSkipped:
    """A seat's slot passed without a turn: a Skip was waiting for it, or the start card was one."""

    seat: Seat
    by_start_card: bool


@dataclass(frozen=True, slots=True)
class SeatFaulted:
    """`count` is the number of faults of this seat so far, this one included."""

    seat: Seat
    kind: FaultKind
    count: int


@dataclass(frozen=True, slots=True)
class SeatForfeited:
    seat: Seat
    cause: ForfeitCause


@dataclass(frozen=True, slots=True)
class DealEnded:
    """`penalties` are this deal's points by seat (0 for seats that took no part), `totals` those of the game so far.

    `completed` says by seat how many phases are done now. `out` is the seat that got rid of its cards, if any.
    """

    cause: DealEnd
    out: Seat | None
    penalties: tuple[int, ...]
    totals: tuple[int, ...]
    completed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameEnded:
    """`places` by seat: 1 is best, ties share a place and leave the next one out (1, 2, 2, 4)."""

    cause: GameEnd
    places: tuple[int, ...]


Event = (
    GameStarted
    | DealStarted
    | StockRebuilt
    | CardDrawn
    | PhaseLaid
    | CardHit
    | WildTaken
    | CardDiscarded
    | SkipPlayed
    | TurnSkipped
    | SeatFaulted
    | SeatForfeited
    | DealEnded
    | GameEnded
)


@dataclass(frozen=True, slots=True)
class DealOpened:
    """The public side of a deal's start. `start_card` lies face up; None only where every card was covered."""

    deal: int
    dealer: Seat
    players: tuple[Seat, ...]
    tie_break: bool
    start_card: Card | None
    stock_size: int


@dataclass(frozen=True, slots=True)
class StockRenewed:
    """The public side of a rebuilt draw pile: only its size is known."""

    stock_size: int


@quick
@dataclass(frozen=True, slots=True)
class DrawSeen:
    """The public side of a draw: the card is known only if it came from the discard pile."""

    seat: Seat
    card: Card | None


PublicEvent = (
    DealOpened
    | StockRenewed
    | DrawSeen
    | PhaseLaid
    | CardHit
    | WildTaken
    | CardDiscarded
    | SkipPlayed
    | TurnSkipped
    | SeatFaulted
    | SeatForfeited
    | DealEnded
    | GameEnded
)
