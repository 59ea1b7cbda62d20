"""The best hits: what to add to which melds, so that as little as possible stays in hand.

A number card that fits a set or colour on the table can go there whatever else is done, and so can any Wild. What has to be
thought about are the runs, which grow place by place: a card that fits nowhere now may follow once another card or a Wild
lies before it. So the search chooses how far each end of each run is grown. Number cards of the hand fill its places, first
those that fit nothing else; Wilds fill the gaps.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final

from referee.engine.cards import NUMBERS, WILD, Card
from referee.engine.events import TableMeld
from referee.engine.melds import may_hit_now, open_kinds, replaced, wild_place
from referee.engine.moves import End, Hit, Seat
from referee.engine.ruleset import GoalKind, GoingOut, Ruleset
from referee.engine.scoring import card_points, hand_points
from referee.engine.values import maker

_TOP: Final = 12
_CARD: Final = 1 << 16  # getting rid of one card more outweighs all points

# A name of a module is found ten times as fast as a member of an enumeration.
_SET: Final = GoalKind.SET
_RUN: Final = GoalKind.RUN
_LOW: Final = End.LOW
_HIGH: Final = End.HIGH
_DISCARD_ONLY: Final = GoingOut.DISCARD_ONLY

_hit: Final = maker(Hit)

_Row = tuple[Seat, tuple[TableMeld, ...]]
_Meld = tuple[Seat, int]
_RunEnd = tuple[Seat, int, End, range]  # the numbers that follow at this end


def best_hits(
    seat: Seat, hand: Sequence[Card], table: Sequence[tuple[TableMeld, ...]], ruleset: Ruleset, *, laying: bool
) -> tuple[Hit, ...]:
    """The hits, in an order in which they can be played, that rid `seat` of most cards and among those of most points.

    `table` holds the melds by seat, those of `seat` included: it must have laid; `laying` says that it did so in this turn.
    Number cards and the Wilds that make room for them come first, the other Wilds last.

    No other hits leave fewer cards, or as many with fewer points: every way to grow the runs is compared, and where the last
    card must be discarded, every card that could be the last. Only where Wilds may be taken back it is a rule of thumb:
    cards are exchanged for the Wilds that they fit, meld by meld, as long as that leaves less. Takes time in the number of
    different parts of the hand that the run ends can use up, times the ends; a few microseconds for usual hands.
    """
    allowed: list[tuple[int, tuple[TableMeld, ...]]] = []
    fits = ruleset.wild_replaceable
    for owner, row in enumerate(table):
        if row and (not laying or may_hit_now(ruleset, own=owner == seat)):
            allowed.append((owner, row))
            for meld in row:
                if not fits and not open_kinds(meld).isdisjoint(hand):
                    fits = True
    if not fits:
        return ()
    rows = [(Seat(owner), row) for owner, row in allowed]
    places = _Places(rows)
    best = _last_kept(hand, places, ruleset)
    if ruleset.wild_replaceable:
        exchanged: list[Hit] = []
        least = _left(hand, best, ruleset)
        for hit, held in _exchanges(hand, rows):
            exchanged.append(hit)
            more = _last_kept(held, places, ruleset)
            left = _left(held, more, ruleset)
            if left < least:
                least, best = left, (*exchanged, *more)
    return best


def _left(hand: Sequence[Card], hits: Sequence[Hit], ruleset: Ruleset) -> tuple[int, int]:
    """The cards and points that stay in hand."""
    points = hand_points(hand, ruleset.card_points) - hand_points((hit.card for hit in hits), ruleset.card_points)
    return len(hand) - len(hits), points


def _exchanges(hand: Sequence[Card], rows: list[_Row]) -> Iterator[tuple[Hit, list[Card]]]:
    """One hit after the other that fetches a Wild, with the hand after it."""
    held = list(hand)
    for owner, index, meld in ((owner, index, meld) for owner, row in rows for index, meld in enumerate(row)):
        for card in hand:
            place = wild_place(meld, card) if card in held else None
            if place is None:
                continue
            meld = replaced(meld, place, card)  # noqa: PLW2901  the same meld, a Wild less in it
            held[held.index(card)] = WILD
            yield Hit(owner, index, card, for_wild=True), sorted(held)


def _last_kept(hand: Sequence[Card], places: "_Places", ruleset: Ruleset) -> tuple[Hit, ...]:
    """The best hits without exchanges. Where the last card must be discarded, the cheapest one that can be kept is."""
    best = _best(hand, places, ruleset)
    if len(best) < len(hand) or ruleset.going_out is not _DISCARD_ONLY:
        return best
    for card in sorted(set(hand), key=lambda card: (card_points(card, ruleset.card_points), card)):
        rest = list(hand)
        rest.remove(card)
        fewer = _best(rest, places, ruleset)
        if len(fewer) == len(rest):
            return fewer
    return best[:-1]


class _Places:
    """Where cards can go: sets by number, colour melds by colour, any of these for a Wild, and the ends of runs."""

    __slots__ = ("colors", "ends", "group", "sets")

    def __init__(self, rows: list[_Row]) -> None:
        self.sets: dict[int, _Meld] = {}
        self.colors: dict[int, _Meld] = {}
        self.group: _Meld | None = None
        self.ends: list[_RunEnd] = []
        for owner, row in rows:
            for index, meld in enumerate(row):
                kind, value = meld.kind, meld.value
                if kind is _SET:
                    self.group = self.sets[value] = owner, index
                elif kind is not _RUN:
                    self.group = self.colors[value] = owner, index
                else:
                    above = value + len(meld.cards)
                    self.ends.append((owner, index, _LOW, range(value - 1, 0, -1)))
                    self.ends.append((owner, index, _HIGH, range(above, _TOP + 1)))


def _best(hand: Sequence[Card], places: _Places, ruleset: Ruleset) -> tuple[Hit, ...]:
    sets, colors = places.sets, places.colors
    easy: list[Hit] = []
    hard: list[Card] = []
    for card in hand:
        if card < NUMBERS:
            where = sets.get(card % 12 + 1) or colors.get(card // 12)
            if where:
                easy.append(_hit(*where, card))
            else:
                hard.append(card)
    wilds = hand.count(WILD)
    group = places.group
    grown: list[Hit] = []
    if ends := _worth_growing(places, hand, hard, wilds):
        used = [hit.card for hit in easy]
        grown = list(_Growth(ends, hard, used, ruleset, wilds_fit=group is not None).hits(wilds))
        wilds -= sum(hit.card == WILD for hit in grown)
        for hit in grown:
            if hit.card in used:
                easy.pop(used.index(hit.card))
                used.remove(hit.card)
    return (*grown, *easy, *[_hit(*group, WILD)] * wilds) if group else tuple(grown)


def _worth_growing(places: _Places, hand: Sequence[Card], hard: list[Card], wilds: int) -> list[_RunEnd]:
    """The ends that can take a card or Wild and lead to one that fits nothing else."""
    if not places.ends or not (hard or wilds):
        return []
    held = {card % 12 + 1 for card in hand if card < NUMBERS}
    wanted = [card % 12 + 1 for card in hard]
    return [
        end
        for end in places.ends
        if (numbers := end[3])
        and (wilds or numbers[0] in held)
        and (not places.group or any(number in numbers for number in wanted))
    ]


class _Fill(Enum):
    """What fills the next place of a run."""

    NOTHING = 0
    NUMBER = 1
    WILD = 2


_NOTHING, _NUMBER, _WILD = _Fill


class _Growth:
    """How far the ends of the runs are best grown, and with what.

    Counts by number are packed into an integer, four bits each. A place is worth a card and its points if what fills it
    would stay in hand otherwise, and nothing if it fits a set or colour as well. A Wild fills a place of which the hand has
    a number card only where Wilds fit nothing but runs: to keep the cheaper card.
    """

    __slots__ = ("_cards", "_counts", "_easy", "_ends", "_known", "_wild_worth", "_wilds_fit", "_worth")

    def __init__(
        self, ends: list[_RunEnd], hard: list[Card], easy: list[Card], ruleset: Ruleset, *, wilds_fit: bool
    ) -> None:
        self._ends = ends
        self._cards: dict[int, list[Card]] = {}
        for card in (*easy, *hard):  # those that fit nothing else are taken first, from the end
            self._cards.setdefault(card % 12 + 1, []).append(card)
        self._easy = _packed(easy)
        self._counts = self._easy + _packed(hard)
        points = ruleset.card_points
        self._worth = [_CARD + points.low] * 10 + [_CARD + points.high] * 3
        self._wilds_fit = wilds_fit
        self._wild_worth = 0 if wilds_fit else _CARD + points.wild
        self._known: dict[tuple[int, int, int, int], tuple[int, _Fill]] = {}

    def hits(self, wilds: int) -> Iterator[Hit]:
        counts = self._counts
        for place, (owner, index, end, numbers) in enumerate(self._ends):
            for length, number in enumerate(numbers):
                _, fill = self._best(place, length, counts, wilds)
                if fill is _NOTHING:
                    break
                if fill is _NUMBER:
                    counts -= 1 << 4 * number
                    yield _hit(owner, index, self._cards[number].pop())
                else:
                    wilds -= 1
                    yield _hit(owner, index, WILD, end)

    def _best(self, place: int, length: int, counts: int, wilds: int) -> tuple[int, _Fill]:
        """What the ends from `place` on can be worth with these cards, and what fills the next place of the first of them.

        That one has been grown by `length` already.
        """
        if place == len(self._ends):
            return 0, _NOTHING
        key = place, length, counts, wilds
        known = self._known.get(key)
        if known is None:
            known = self._best(place + 1, 0, counts, wilds)[0], _NOTHING
            for worth, fill in self._grown(place, length, counts, wilds):
                if worth > known[0]:
                    known = worth, fill
            self._known[key] = known
        return known

    def _grown(self, place: int, length: int, counts: int, wilds: int) -> Iterator[tuple[int, _Fill]]:
        numbers = self._ends[place][3]
        if length == len(numbers):
            return
        number = numbers[length]
        shift = 4 * number
        held = counts >> shift & 15
        if held:
            worth = self._worth[number] if held > (self._easy >> shift & 15) else 0
            yield worth + self._best(place, length + 1, counts - (1 << shift), wilds)[0], _NUMBER
        if wilds and not (held and self._wilds_fit):
            yield self._wild_worth + self._best(place, length + 1, counts, wilds - 1)[0], _WILD


def _packed(cards: Sequence[Card]) -> int:
    return sum(1 << 4 * (card % 12 + 1) for card in cards)


def _may_grow(ends: list[_RunEnd], hand: Sequence[Card]) -> bool:
    """Whether a number card of the hand follows at any end, which is seldom so."""
    nearest = {numbers[0] for _, _, _, numbers in ends}
    return any(card < NUMBERS and card % 12 + 1 in nearest for card in hand)
