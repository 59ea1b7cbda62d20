"""The ways to lay a phase that a hand can pay for, best first.

A way is one part per goal. Parts are plain tuples, since many are looked at and few are laid:
`(value, naturals, wilds)` for a set or colour (`value` as in Meld.meaning), `(low, high, held)` for a run, where `held` has
the bit `1 << number` for each place of a number card; the other places are Wilds.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from referee.engine.cards import NUMBERS, WILD, Card
from referee.engine.moves import Meld
from referee.engine.ruleset import PHASES, CardPoints, Goal, GoalKind, Ruleset

_TOP: Final = 12
_NUMBER: Final = tuple(kind % 12 + 1 for kind in range(NUMBERS))
_COLOR: Final = tuple(kind // 12 for kind in range(NUMBERS))

_Part = tuple[int, int, int]
_Way = tuple[int, int, tuple[_Part, ...]]  # the points laid down, as a negative number; the Wilds used; the parts


def lays(hand: Sequence[Card], phase: int, ruleset: Ruleset) -> tuple[tuple[Meld, ...], ...]:
    """The good ways to lay a phase (1-10; KeyError for others) from `hand` (ascending), best first; empty if none.

    Every choice of numbers, run or colour that the hand can pay for appears once, each with all number cards that fit its
    melds and no more Wilds than it needs. Best is what leaves fewest penalty points in hand, Wilds not counted since
    they can be hit at once, and then what uses fewest Wilds.
    """
    stock = _Stock(hand, PHASES[phase], ruleset.card_points)
    return tuple(stock.melds(way) for way in sorted(stock.ways()))


def best_lay(hand: Sequence[Card], phase: int, ruleset: Ruleset) -> tuple[Meld, ...] | None:
    """The first of `lays`, or None if the phase cannot be laid; cheaper than asking for all."""
    stock = _Stock(hand, PHASES[phase], ruleset.card_points)
    best = min(stock.ways(), default=None)
    return None if best is None else stock.melds(best)


class _Stock:
    """A hand counted by number (by colour for a colour phase): what can be paid with."""

    __slots__ = ("counts", "goals", "held", "numbers", "points", "values", "wilds")

    def __init__(self, hand: Sequence[Card], goals: tuple[Goal, ...], points: CardPoints) -> None:
        self.goals = goals
        by_color = goals[0].kind is GoalKind.COLOR
        self.values = values = _COLOR if by_color else _NUMBER
        self.numbers = [card for card in hand if card < NUMBERS]
        self.wilds = hand.count(WILD)
        self.counts = counts = [0] * (_TOP + 1)
        held = 0
        for card in self.numbers:
            value = values[card]
            counts[value] += 1
            held |= 1 << value
        self.held = held
        self.points = [points.low] * 10 + [points.high] * 3

    def ways(self) -> Iterator[_Way]:
        if not self.numbers:
            return iter(())  # a phase needs a number card, and every way below uses one
        first = self.goals[0]
        if first.kind is GoalKind.RUN:
            rows = _rows(first.size, self.held, self.wilds)
            return ((-self.worth(row), _gaps(row), (row,)) for row in rows)
        if first.kind is GoalKind.COLOR:
            return _one_color(self, first.size)
        second = self.goals[1]
        return (_two_sets if second.kind is GoalKind.SET else _set_and_run)(self, first.size, second.size)

    def worth(self, row: _Part) -> int:
        """The points of the number cards in a run."""
        held = row[2]
        return self.points[1] * (held & _LOW).bit_count() + self.points[_TOP] * (held & ~_LOW).bit_count()

    def melds(self, way: _Way) -> tuple[Meld, ...]:
        pool: list[list[Card]] = [[] for _ in range(_TOP + 1)]
        for card in self.numbers:
            pool[self.values[card]].append(card)
        melds = []
        for goal, (one, two, three) in zip(self.goals, way[2], strict=True):
            if goal.kind is GoalKind.RUN:
                row = [pool[number].pop() if three >> number & 1 else WILD for number in range(one, two + 1)]
                melds.append(Meld(tuple(row), None if three else one))
            else:
                taken = pool[one][:two]
                del pool[one][:two]
                melds.append(Meld((*taken, *(WILD,) * three), None if two else one))
        return tuple(melds)


_LOW: Final = (1 << 10) - 1  # the numbers 1 to 9, as bits


def _gaps(row: _Part) -> int:
    """The Wilds in a run."""
    low, high, held = row
    return high - low + 1 - held.bit_count()


def _one_color(stock: _Stock, size: int) -> Iterator[_Way]:
    for color in range(4):
        count = stock.counts[color]
        need = max(0, size - count)
        if count and need <= stock.wilds:
            # Of a colour any card may stay in hand: the more are laid, the better.
            yield -count, need, ((color, count, need),)


@lru_cache(maxsize=4096)
def _rows(length: int, held: int, wilds: int) -> tuple[_Part, ...]:
    """Every run of at least `length` that the numbers `held` and the Wilds can make, grown over all numbers that follow."""
    rows: dict[_Part, None] = {}
    for start in range(1, _TOP + 2 - length):
        low, high = start, start + length - 1
        if length - (held & _between(low, high)).bit_count() > wilds:
            continue
        while held >> (low - 1) & 1 and low > 1:
            low -= 1
        while held >> (high + 1) & 1 and high < _TOP:
            high += 1
        rows[low, high, held & _between(low, high)] = None
    return tuple(rows)


def _between(low: int, high: int) -> int:
    return (2 << high) - (1 << low)


def _two_sets(stock: _Stock, first: int, second: int) -> Iterator[_Way]:
    wilds, points = stock.wilds, stock.points
    able = [(number, count) for number, count in enumerate(stock.counts) if count and second - count <= wilds]
    for place, (one, count) in enumerate(able):
        laid = count * points[one]
        need = first + second - count
        if need <= wilds:
            # Both sets of one number: the second takes what the first does not need, the first what is then too much.
            spare = min(max(0, count - first), second)
            parts = (one, count - spare, max(0, first - count + spare)), (one, spare, second - spare)
            yield -laid, max(0, need), parts
        need = first - count if first > count else 0
        if need > wilds:
            continue
        # Two goals of one size are met by the same two numbers in either order.
        for other, more in able[place + 1 :] if first == second else able:
            more_need = second - more if second > more else 0
            if need + more_need <= wilds and other != one:
                parts = (one, count, need), (other, more, more_need)
                yield -laid - more * points[other], need + more_need, parts


def _set_and_run(stock: _Stock, size: int, length: int) -> Iterator[_Way]:
    """For every number: all its copies in the set, or one of them in the run where the run has a place for it."""
    wilds, held = stock.wilds, stock.held
    for number, count in enumerate(stock.counts):
        if not count or size - count > wilds:
            continue
        need = max(0, size - count)
        for row in _rows(length, held & ~(1 << number), wilds - need):
            yield _with_row(stock, (number, count, need), row)
        need = max(0, size - count + 1)
        if need <= wilds:
            for row in _rows(length, held, wilds - need):
                if row[2] >> number & 1:
                    yield _with_row(stock, (number, count - 1, need), row)


def _with_row(stock: _Stock, part: _Part, row: _Part) -> _Way:
    number, count, need = part
    return -count * stock.points[number] - stock.worth(row), need + _gaps(row), (part, row)
