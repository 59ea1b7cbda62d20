"""The ways to lay a phase that a hand can pay for, best first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Final

from referee.engine.cards import NUMBERS, WILD_KIND, Card
from referee.engine.moves import Meld
from referee.engine.ruleset import PHASES, CardPoints, GoalKind, Ruleset

_TOP: Final = 12


@dataclass(frozen=True, slots=True)
class _Same:
    """Naturals of one number or colour (`value` as in Meld.meaning), then Wilds."""

    value: int
    naturals: int
    wilds: int


@dataclass(frozen=True, slots=True)
class _Row:
    """A run from `low` to `high`; `held` has a bit (1 << number) for each place of a number card, the rest are Wilds."""

    low: int
    high: int
    held: int

    @property
    def wilds(self) -> int:
        return self.high - self.low + 1 - self.held.bit_count()


_Part = _Same | _Row
_Way = tuple[_Part, ...]


def lays(hand: Sequence[Card], phase: int, ruleset: Ruleset) -> tuple[tuple[Meld, ...], ...]:
    """The good ways to lay a phase (1-10; KeyError for others) from `hand` (ascending), best first; empty if none.

    Every choice of numbers, run or colour that the hand can pay for appears once, each with all number cards that fit its
    melds and no more Wilds than it needs. Best is what leaves fewest penalty points in hand, Wilds not counted since
    they can be hit at once, and then what uses fewest Wilds.
    """
    stock = _Stock(hand, by_color=PHASES[phase][0].kind is GoalKind.COLOR)
    if not any(stock.counts):
        return ()  # a phase needs a number card, and every way below uses one
    ways = sorted(_ways(phase, stock), key=partial(_cost, stock.points(ruleset.card_points)))
    return tuple(stock.melds(way) for way in ways)


class _Stock:
    """A hand sorted by number (or colour): what can be paid with."""

    def __init__(self, hand: Sequence[Card], *, by_color: bool) -> None:
        self._by_color = by_color
        self.cards: list[list[Card]] = [[] for _ in range(_TOP + 1)]
        self.wilds: list[Card] = []
        for card in hand:
            if card < NUMBERS:
                self.cards[card // 12 if by_color else card % 12 + 1].append(card)
            elif card == WILD_KIND:
                self.wilds.append(card)
        self.counts = [len(cards) for cards in self.cards]
        self.held = sum(1 << value for value, count in enumerate(self.counts) if count)

    @property
    def values(self) -> list[int]:
        return [value for value, count in enumerate(self.counts) if count]

    def points(self, points: CardPoints) -> list[int]:
        """What a card of each value costs in hand; of a colour, one point for each: more cards laid is better."""
        return [1 if self._by_color else points.low if value < 10 else points.high for value in range(_TOP + 1)]

    def melds(self, way: _Way) -> tuple[Meld, ...]:
        pool = [list(cards) for cards in self.cards]
        wilds = list(self.wilds)
        melds = []
        for part in way:
            if isinstance(part, _Same):
                naturals = [pool[part.value].pop(0) for _ in range(part.naturals)]
                cards = naturals + [wilds.pop() for _ in range(part.wilds)]
                melds.append(Meld(tuple(cards), None if naturals else part.value))
            else:
                row = range(part.low, part.high + 1)
                cards = [pool[value].pop(0) if part.held >> value & 1 else wilds.pop() for value in row]
                melds.append(Meld(tuple(cards), None if part.held else part.low))
        return tuple(melds)


def _cost(points: list[int], way: _Way) -> tuple[int, int]:
    laid = 0
    for part in way:
        if isinstance(part, _Same):
            laid += part.naturals * points[part.value]
        else:
            laid += sum(points[value] for value in range(part.low, part.high + 1) if part.held >> value & 1)
    return -laid, sum(part.wilds for part in way)


def _ways(phase: int, stock: _Stock) -> Iterator[_Way]:
    goals = PHASES[phase]
    first = goals[0]
    if first.kind is GoalKind.RUN:
        return ((row,) for row in _rows(first.size, stock.held, len(stock.wilds)))
    if first.kind is GoalKind.COLOR:
        return _one_color(stock, first.size)
    if goals[1].kind is GoalKind.SET:
        return _two_sets(stock, first.size, goals[1].size)
    return _set_and_run(stock, first.size, goals[1].size)


def _one_color(stock: _Stock, size: int) -> Iterator[_Way]:
    for color in stock.values:
        missing = max(0, size - stock.counts[color])
        if missing <= len(stock.wilds):
            yield (_Same(color, stock.counts[color], missing),)


def _rows(length: int, held: int, wilds: int) -> list[_Row]:
    """Every run of at least `length` that the numbers `held` and the Wilds can make, grown over all numbers that follow."""
    rows: dict[_Row, None] = {}
    for start in range(1, _TOP + 2 - length):
        low, high = start, start + length - 1
        if length - (held & _between(low, high)).bit_count() > wilds:
            continue
        while held >> (low - 1) & 1 and low > 1:
            low -= 1
        while held >> (high + 1) & 1 and high < _TOP:
            high += 1
        rows[_Row(low, high, held & _between(low, high))] = None
    return list(rows)


def _between(low: int, high: int) -> int:
    return (2 << high) - (1 << low)


def _two_sets(stock: _Stock, first: int, second: int) -> Iterator[_Way]:
    counts, wilds = stock.counts, len(stock.wilds)
    for one, other in product(stock.values, repeat=2):
        if one == other:
            yield from _one_number(one, counts[one], wilds, (first, second))
        elif first != second or one < other:
            parts = (_filled(one, counts[one], first), _filled(other, counts[other], second))
            if parts[0].wilds + parts[1].wilds <= wilds:
                yield parts


def _filled(value: int, naturals: int, size: int) -> _Same:
    return _Same(value, naturals, max(0, size - naturals))


def _one_number(value: int, count: int, wilds: int, sizes: tuple[int, int]) -> Iterator[_Way]:
    """Both sets of one number: the second takes what the first does not need, the first takes what then is too much."""
    spare = min(max(0, count - sizes[0]), sizes[1])
    parts = (_filled(value, count - spare, sizes[0]), _filled(value, spare, sizes[1]))
    if parts[0].wilds + parts[1].wilds <= wilds:
        yield parts


def _set_and_run(stock: _Stock, size: int, length: int) -> Iterator[_Way]:
    """For every number: all its copies in the set, or one of them in the run where the run has a place for it."""
    wilds = len(stock.wilds)
    for value in stock.values:
        count = stock.counts[value]
        whole = _filled(value, count, size)
        for row in _rows(length, stock.held & ~(1 << value), wilds - whole.wilds):
            yield whole, row
        shared = _filled(value, count - 1, size)
        for row in _rows(length, stock.held, wilds - shared.wilds):
            if row.held >> value & 1:
                yield shared, row
