"""What a seat may do, worked out from its View alone: for bots, the SDK and the tests."""

from collections.abc import Sequence
from typing import Final

from referee.engine import melds as table_rules
from referee.engine.cards import NUMBERS, SKIP_KIND, WILD, Card
from referee.engine.errors import IllegalMove, Reason
from referee.engine.events import TableMeld
from referee.engine.hits import best_hits
from referee.engine.lays import Way, best_lay, lays
from referee.engine.moves import Draw, End, Hit, Meld, Play, Seat
from referee.engine.ruleset import Advance, GoingOut, HitOnLayTurn, Ruleset, ScoreTie, SkipTarget, WinCheck
from referee.engine.scoring import hand_points
from referee.engine.search import Plan, plan
from referee.engine.values import maker
from referee.engine.view import View

# A name of a module is found ten times as fast as a member of an enumeration.
_LOW: Final = End.LOW
_NEXT: Final = SkipTarget.NEXT
_FREE_CHOICE: Final = Advance.FREE_CHOICE
_DISCARD_ONLY: Final = GoingOut.DISCARD_ONLY
_ON_LAY: Final = WinCheck.ON_LAY

_play: Final = maker(Play)

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
    if ruleset.skip_target is _NEXT:
        return ()
    seats = view.table.seats
    count = len(seats)
    order = (Seat((view.seat + step) % count) for step in range(1, count))
    return tuple(seat for seat in order if seats[seat].may_be_skipped)


def open_phases(view: View, ruleset: Ruleset) -> tuple[int, ...]:
    """The phases of which `view.seat` may still lay one in this deal, in the rule set's order.

    One for most rule sets, all that are not done yet where a player may choose, none once a phase is laid.
    """
    me = view.table.seats[view.seat]
    if me.laid:
        return ()
    if not me.phase and ruleset.advance is _FREE_CHOICE:
        return tuple(phase for phase in ruleset.phases if phase not in me.phases_done)
    return (me.phase,) if me.phase else ()


def plans(view: View, ruleset: Ruleset) -> tuple[Plan, ...]:
    """The shortest way to each of the open phases, the nearest first; empty once a phase is laid."""
    found = [plan(view.hand, phase, ruleset) for phase in open_phases(view, ruleset)]
    return tuple(sorted(found, key=_distance))


def _distance(way: Plan) -> int:
    return way.distance


class Turn:
    """A Play being put together, step by step, against a PLAY question.

        turn = Turn(view, ruleset)
        if ways := turn.lays():
            turn.lay(ways[0])
        while hits := turn.hits():
            turn.hit(hits[0])
        return turn.end(max(turn.discards(), default=None))

    It keeps the hand and the table as they will be after the steps so far; the view is not changed. Attributes to read:
    `hand` (what is left, ascending), `laid` (whether the own phase lies on the table), `table` (melds by seat), and `over`:
    nothing can follow and nothing has to be discarded, because the hand is empty or the lay has decided the game.
    """

    __slots__ = ("_hits", "_lay", "_phase", "_plans", "_ruleset", "_view", "hand", "laid", "over", "table")

    def __init__(self, view: View, ruleset: Ruleset) -> None:
        self._view = view
        self._ruleset = ruleset
        self._lay: tuple[Meld, ...] = ()
        self._phase = 0  # laid in this turn
        self._plans: tuple[Plan, ...] | None = None  # before it was; None until somebody asks
        self._hits: list[Hit] = []
        self.hand: tuple[Card, ...] = view.hand
        self.laid: bool = view.table.seats[view.seat].laid
        self.over: bool = not view.hand
        self.table: list[tuple[TableMeld, ...]] = [seat.melds for seat in view.table.seats]

    @property
    def phase(self) -> int:
        """The phase (1-10) the seat works on or has laid; 0 as long as it is free to choose one."""
        return self._phase or self._view.table.seats[self._view.seat].phase

    def phases(self) -> tuple[int, ...]:
        """The phases of which one may be laid now; more than one only where the rules let a player choose."""
        return () if self.laid else open_phases(self._view, self._ruleset)

    def plans(self) -> tuple[Plan, ...]:
        """The shortest way to each of these phases, the nearest first."""
        if self.laid:
            return ()
        if self._plans is None:
            self._plans = plans(self._view, self._ruleset)
        return self._plans

    def lays(self, phase: int | None = None) -> tuple[Way, ...]:
        """The ways to lay a phase now, best first (see `lays`): this one, or any that is open. Empty if there is none.

        Of several phases those come first that leave the fewest points in hand.
        """
        phases = self._named(phase)
        if len(phases) == 1:
            return lays(self.hand, phases[0], self._ruleset)
        found = [way for number in phases for way in lays(self.hand, number, self._ruleset)]
        return tuple(sorted(found, key=self._left))

    def best_lay(self, phase: int | None = None) -> Way | None:
        """The first of `lays`, or None; cheaper than asking for all."""
        phases = [way.phase for way in self.plans() if not way.distance and (phase is None or phase == way.phase)]
        if len(phases) == 1:
            return best_lay(self.hand, phases[0], self._ruleset)
        ways = [way for number in phases if (way := best_lay(self.hand, number, self._ruleset))]
        return min(ways, key=self._left, default=None)

    def _named(self, phase: int | None) -> tuple[int, ...]:
        phases = self.phases()
        return phases if phase is None else (phase,) if phase in phases else ()

    def _left(self, way: Way) -> tuple[int, int]:
        late = self._ruleset.hit_on_lay_turn is HitOnLayTurn.NONE
        counted = (card for card in way.leftover if late or card != WILD)
        return hand_points(counted, self._ruleset.card_points), -way.leftover.count(WILD)

    def lay(self, way: Way | Sequence[Meld], phase: int | None = None) -> None:
        """Lay one of the ways found, or these melds. Raises IllegalMove; then nothing is changed.

        Of melds it must be said which `phase` they are where more than one is open.
        """
        wanted = self._wanted(way.phase if isinstance(way, Way) else phase)
        melds = way.melds if isinstance(way, Way) else tuple(way)
        hand = list(self.hand)
        self.table[self._view.seat] = table_rules.lay(melds, wanted, hand, self._ruleset)
        self._lay, self._phase, self.hand, self.laid = melds, wanted, tuple(hand), True
        self.over = not hand or self._decides()

    def _wanted(self, phase: int | None) -> int:
        if self.laid:
            raise IllegalMove(Reason.ALREADY_LAID)
        me, phases = self._view.table.seats[self._view.seat], self.phases()
        if phase is None and not me.phase and phases:
            raise IllegalMove(Reason.PHASE_REQUIRED)
        if phase in me.phases_done and not me.phase:
            raise IllegalMove(Reason.PHASE_ALREADY_DONE)
        wanted = me.phase if phase is None else phase
        if wanted not in phases:
            raise IllegalMove(Reason.PHASE_NOT_AVAILABLE)
        return wanted

    def _decides(self) -> bool:
        """Whether the lay ends the deal whatever else this turn could hold."""
        table, rules = self._view.table, self._ruleset
        if table.tie_break:
            return rules.score_tie is ScoreTie.REPLAY_FIRST_TO_LAY
        return rules.win_check is _ON_LAY and table.seats[self._view.seat].completed + 1 == len(rules.phases)

    def hits(self) -> tuple[Hit, ...]:
        """Every single hit that is legal now; empty before the own phase is laid.

        Number cards come first, then those that fetch a Wild from the table. Of the Wilds, those come first that make room
        for a number card of the hand.
        """
        if not self.laid or self.over:
            return ()
        hand = self.hand
        numbers: list[Hit] = []
        useful: list[Hit] = []
        wild: list[Hit] = []
        for owner, index, meld in self._open_melds() if self._may_lose_a_card() else ():
            fitting = table_rules.open_kinds(meld)
            if fitting.isdisjoint(hand):
                continue
            for card in sorted(fitting.intersection(hand)):
                if card < NUMBERS:
                    numbers.append(Hit(owner, index, card))
                    continue
                for end in table_rules.ends(meld, card):
                    makes_room = end is not None and self._holds(_beyond(meld, end))
                    (useful if makes_room else wild).append(Hit(owner, index, card, end))
        return (*numbers, *self._exchanges(), *useful, *wild)

    def best_hits(self) -> tuple[Hit, ...]:
        """The hits that get rid of most cards and points, in the order in which to make them (see `best_hits`)."""
        if not self.laid or self.over:
            return ()
        return best_hits(self._view.seat, self.hand, self.table, self._ruleset, laying=bool(self._lay))

    def _open_melds(self) -> list[tuple[Seat, int, TableMeld]]:
        """The melds that may be hit in this turn: owner, number and meld."""
        laying, me = bool(self._lay), self._view.seat
        return [
            (Seat(owner), index, meld)
            for owner, melds in enumerate(self.table)
            if not laying or table_rules.may_hit_now(self._ruleset, own=owner == me)
            for index, meld in enumerate(melds)
        ]

    def _may_lose_a_card(self) -> bool:
        return len(self.hand) > 1 or self._ruleset.going_out is not _DISCARD_ONLY

    def _exchanges(self) -> list[Hit]:
        if not self._ruleset.wild_replaceable:
            return []
        return [
            Hit(owner, index, card, for_wild=True)
            for owner, index, meld in self._open_melds()
            for card in dict.fromkeys(self.hand)
            if table_rules.wild_place(meld, card) is not None
        ]

    def _holds(self, number: int) -> bool:
        return any(card < NUMBERS and card % 12 + 1 == number for card in self.hand)

    def hit(self, hit: Hit) -> None:
        """Add this hit. Raises IllegalMove; then nothing is changed."""
        if not self.laid:
            raise IllegalMove(Reason.NOT_LAID)
        hand = list(self.hand)
        table_rules.hit(self._view.seat, hit, hand, self.table, self._ruleset, laying=bool(self._lay))
        self.hand = tuple(hand)
        self.over = self.over or not hand
        self._hits.append(hit)

    def discards(self) -> tuple[Card, ...]:
        """The kinds left in hand, ascending, each once; none if nothing has to be discarded."""
        return () if self.over else tuple(sorted(set(self.hand)))

    def targets(self) -> tuple[Seat, ...]:
        """The seats of which one must be named if a Skip is discarded now; empty if it is the last card."""
        return skip_targets(self._view, self._ruleset) if len(self.hand) > 1 else ()

    def end(self, discard: Card | None = None, target: Seat | None = None) -> Play:
        """The finished Play. Checks nothing: the referee does.

        For a Skip without a target the next seat in order of play that may be skipped is named, if one must be.
        `discard` is left out if the turn is `over`. The phase is named where it must be.
        """
        free = self._phase and not self._view.table.seats[self._view.seat].phase
        phase = self._phase if free else None
        if self.over:
            return _play(self._lay, tuple(self._hits), None, None, phase)
        if discard == SKIP_KIND and target is None:
            target = next(iter(self.targets()), None)
        return _play(self._lay, tuple(self._hits), discard, target, phase)


def _beyond(meld: TableMeld, end: End) -> int:
    """The number that would fit next after a Wild at this end of a run."""
    return meld.value - 2 if end is _LOW else meld.value + len(meld.cards) + 1
