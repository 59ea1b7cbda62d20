"""What a seat may do, worked out from its View alone: for bots, the SDK and the tests."""

from typing import Final

from referee.engine import melds as table_rules
from referee.engine.cards import NUMBERS, SKIP_KIND, Card
from referee.engine.errors import IllegalMove, Reason
from referee.engine.events import TableMeld
from referee.engine.lays import best_lay, lays
from referee.engine.moves import Draw, End, Hit, Meld, Play, Seat
from referee.engine.ruleset import Ruleset, SkipTarget
from referee.engine.view import View

DRAW_STOCK: Final = Draw()
DRAW_DISCARD: Final = Draw(from_discard=True)


def draws(view: View, ruleset: Ruleset) -> tuple[Draw, ...]:
    """The legal answers to a DRAW question: the draw pile always, the discard pile if its top card may be taken."""
    top = view.table.discard_top
    if top is None or (top == SKIP_KIND and not ruleset.take_skip_from_discard):
        return (DRAW_STOCK,)
    return (DRAW_STOCK, DRAW_DISCARD)


def skip_targets(view: View, ruleset: Ruleset) -> tuple[Seat, ...]:
    """The seats of which `view.seat` must name one when it plays a Skip now, in order of play.

    Empty where a Skip always meets the next seat, and where nobody may be skipped.
    """
    if ruleset.skip_target is SkipTarget.NEXT:
        return ()
    seats = view.table.seats
    count = len(seats)
    order = (Seat((view.seat + step) % count) for step in range(1, count))
    return tuple(seat for seat in order if seats[seat].may_be_skipped)


class Turn:
    """A Play being put together, step by step, against a PLAY question.

        turn = Turn(view, ruleset)
        if ways := turn.lays():
            turn.lay(ways[0])
        while hits := turn.hits():
            turn.hit(hits[0])
        return turn.end(max(turn.discards(), default=None))

    It keeps the hand and the table as they will be after the steps so far; the view is not changed. Attributes to read:
    `hand` (what is left, ascending), `laid` (whether the own phase lies on the table) and `table` (melds by seat).
    """

    __slots__ = ("_hits", "_lay", "_ruleset", "_view", "hand", "laid", "table")

    def __init__(self, view: View, ruleset: Ruleset) -> None:
        self._view = view
        self._ruleset = ruleset
        self._lay: tuple[Meld, ...] = ()
        self._hits: list[Hit] = []
        self.hand: tuple[Card, ...] = view.hand
        self.laid: bool = view.table.seats[view.seat].laid
        self.table: list[tuple[TableMeld, ...]] = [seat.melds for seat in view.table.seats]

    @property
    def phase(self) -> int:
        """The phase (1-10) the seat works on or has laid."""
        return self._view.table.seats[self._view.seat].phase

    def lays(self) -> tuple[tuple[Meld, ...], ...]:
        """The good ways to lay the own phase now, best first (see `lays`); empty if there is none or it is laid already."""
        return () if self.laid or not self.phase else lays(self.hand, self.phase, self._ruleset)

    def best_lay(self) -> tuple[Meld, ...] | None:
        """The first of `lays`, or None; cheaper than asking for all."""
        return None if self.laid or not self.phase else best_lay(self.hand, self.phase, self._ruleset)

    def lay(self, melds: tuple[Meld, ...]) -> None:
        """Lay these melds. Raises IllegalMove; then nothing is changed."""
        if self.laid:
            raise IllegalMove(Reason.ALREADY_LAID)
        if not self.phase:
            raise IllegalMove(Reason.PHASE_NOT_AVAILABLE)
        hand = list(self.hand)
        self.table[self._view.seat] = table_rules.lay(melds, self.phase, hand, self._ruleset)
        self._lay, self.hand, self.laid = melds, tuple(hand), True

    def hits(self) -> tuple[Hit, ...]:
        """Every single hit that is legal now; empty before the own phase is laid.

        Number cards come first. Of the Wilds, those come first that make room for a number card of the hand.
        """
        if not self.laid:
            return ()
        hand = self.hand
        numbers: list[Hit] = []
        useful: list[Hit] = []
        wild: list[Hit] = []
        for owner, melds in enumerate(self.table):
            for index, meld in enumerate(melds):
                fitting = table_rules.open_kinds(meld)
                if fitting.isdisjoint(hand):
                    continue
                for card in sorted(fitting.intersection(hand)):
                    if card < NUMBERS:
                        numbers.append(Hit(Seat(owner), index, card))
                        continue
                    for end in table_rules.ends(meld, card):
                        makes_room = end is not None and self._holds(_beyond(meld, end))
                        (useful if makes_room else wild).append(Hit(Seat(owner), index, card, end))
        return (*numbers, *useful, *wild)

    def _holds(self, number: int) -> bool:
        return any(card < NUMBERS and card % 12 + 1 == number for card in self.hand)

    def hit(self, hit: Hit) -> None:
        """Add this hit. Raises IllegalMove; then nothing is changed."""
        if not self.laid:
            raise IllegalMove(Reason.NOT_LAID)
        hand = list(self.hand)
        table_rules.hit(self._view.seat, hit, hand, self.table, self._ruleset, laying=bool(self._lay))
        self.hand = tuple(hand)
        self._hits.append(hit)

    def discards(self) -> tuple[Card, ...]:
        """The kinds left in hand, ascending, each once."""
        return tuple(sorted(set(self.hand)))

    def targets(self) -> tuple[Seat, ...]:
        """The seats of which one must be named if a Skip is discarded now; empty if it is the last card."""
        return skip_targets(self._view, self._ruleset) if len(self.hand) > 1 else ()

    def end(self, discard: Card | None = None, target: Seat | None = None) -> Play:
        """The finished Play. Checks nothing: the referee does.

        For a Skip without a target the next seat in order of play that may be skipped is named, if one must be.
        `discard` is left out if the hand is empty.
        """
        if not self.hand:
            return Play(self._lay, tuple(self._hits))
        if discard == SKIP_KIND and target is None:
            target = next(iter(self.targets()), None)
        return Play(self._lay, tuple(self._hits), discard, target)


def _beyond(meld: TableMeld, end: End) -> int:
    """The number that would fit next after a Wild at this end of a run."""
    return meld.value - 2 if end is End.LOW else meld.value + len(meld.cards) + 1
