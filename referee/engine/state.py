"""The state of a game: what its events add up to. `apply` alone writes to it; everybody else reads.

Hands are short sorted lists, the piles are lists whose last card is the top, seats are small integers and -1 is nobody.
"""

from dataclasses import dataclass, field
from typing import Final

from referee.engine.cards import Card
from referee.engine.events import DealEnd, ForfeitCause, GameEnd, TableMeld
from referee.engine.moves import Seat
from referee.engine.ruleset import Advance, Ruleset, SkipLimit, SkipTarget, Terms
from referee.engine.view import PublicView, SeatView

NOBODY: Final = Seat(-1)


_ONE_PENDING: Final = SkipLimit.ONE_PENDING
_UNLIMITED: Final = SkipLimit.UNLIMITED


@dataclass(slots=True)
class State:
    """Everything about a game. Lists are by seat unless they are piles.

    `turn` counts the slots of the deal, skipped ones included. `drawn` is the card drawn in the turn that is being played,
    None while a draw is awaited. `laid` is the phase laid in this deal or 0, `done` the phases that were laid and count.
    `waiting` counts the Skips played against a seat whose slot has not come yet, `skipped_at` is the slot in which the last
    one was played and `played_at` the slot of the seat's own last turn (-1 for none in this deal). `start_skip` says that
    the start card still has to skip the first player. `out` is the seat that got rid of its cards in this deal; `decided`
    says that a lay has decided the game or the tie-break.
    """

    ruleset: Ruleset
    terms: Terms
    seats: int
    everybody: tuple[Seat, ...] = field(compare=False, repr=False)  # every seat

    completed: list[int]
    done: list[tuple[int, ...]]
    totals: list[int]
    faults: list[int]
    forfeits: list[ForfeitCause | None]
    active: int  # seats that have not forfeited
    hands: list[list[Card]]
    laid: list[int]
    melds: list[tuple[TableMeld, ...]]
    waiting: list[int]
    skipped_at: list[int]
    played_at: list[int]

    deal: int = -1
    dealer: Seat = NOBODY
    players: tuple[Seat, ...] = ()
    next_player: list[Seat] = field(default_factory=list)
    tie_break: bool = False
    tie_breaks: int = 0
    turn: int = 0
    turn_cap: int = -1  # slots after which the deal is cut off; -1 for none
    to_move: Seat = NOBODY
    drawn: Card | None = None
    start_skip: bool = False
    out: Seat = NOBODY
    decided: bool = False
    reshuffles: int = 0
    stock: list[Card] = field(default_factory=list)
    discard: list[Card] = field(default_factory=list)
    deal_end: DealEnd | None = None  # set between a deal's end and the next one's start

    game_end: GameEnd | None = None
    places: tuple[int, ...] = ()

    # Views that are still true; `apply` drops what it touches. A hand's size changes all the time and nothing else with it,
    # so a seat's view is kept for each size.
    seat_views: list[dict[int, SeatView]] = field(default_factory=list, compare=False, repr=False)
    public_view: PublicView | None = field(default=None, compare=False, repr=False)

    @classmethod
    def new(cls, ruleset: Ruleset, terms: Terms, seats: int) -> "State":
        """The state before the first deal."""
        return cls(
            ruleset,
            terms,
            seats,
            tuple(map(Seat, range(seats))),
            completed=[0] * seats,
            done=[()] * seats,
            totals=[0] * seats,
            faults=[0] * seats,
            forfeits=[None] * seats,
            active=seats,
            hands=[[] for _ in range(seats)],
            laid=[0] * seats,
            melds=[()] * seats,
            waiting=[0] * seats,
            skipped_at=[-1] * seats,
            played_at=[-1] * seats,
            seat_views=[{} for _ in range(seats)],
        )

    def phase(self, seat: Seat) -> int:
        """The phase (1-10) a seat works on or laid in this deal; 0 once it has done all of them or is free to choose."""
        if self.laid[seat]:
            return self.laid[seat]
        phases = self.ruleset.phases
        if self.tie_break and seat in self.players:
            return phases[-1]
        if self.ruleset.advance is Advance.FREE_CHOICE:
            return 0
        done = self.completed[seat]
        return phases[done] if done < len(phases) else 0

    def may_be_skipped(self, seat: Seat) -> bool:
        """Whether a Skip may be played against a seat now (by another one): it plays, and no limit protects it."""
        return self.game_end is None and seat in self.players and not self.is_protected(seat)

    def is_protected(self, seat: Seat) -> bool:
        """Whether the limit on Skips protects a player of this deal. The start card's Skip was played by nobody."""
        limit = self.ruleset.skip_limit
        if self.waiting[seat]:
            return limit is not _UNLIMITED
        if limit is _ONE_PENDING or self.skipped_at[seat] < 0:
            return False
        if limit is SkipLimit.ONE_PER_LAP:
            players = len(self.players)
            return self.skipped_at[seat] // players == self.turn // players
        if limit is SkipLimit.UNTIL_REAL_TURN:
            return self.skipped_at[seat] > self.played_at[seat]
        return limit is SkipLimit.ONE_PER_DEAL

    def skip_targets(self) -> tuple[Seat, ...]:
        """The seats of which the seat to move must name one when it plays a Skip, in order of play."""
        if self.ruleset.skip_target is SkipTarget.NEXT:
            return ()
        found = []
        seat = self.next_player[self.to_move]
        while seat != self.to_move:
            if not self.is_protected(seat):
                found.append(seat)
            seat = self.next_player[seat]
        return tuple(found)
