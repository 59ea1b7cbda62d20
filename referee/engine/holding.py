"""A hand counted for one phase, and the groups of melds that it can pay for, one part per goal.

Parts are plain tuples, since many are looked at and few are laid: `(value, naturals, wilds)` for a set or colour (`value` as
in Meld.meaning), `(low, high, held)` for a run, where `held` has the bit `1 << number` for each place of a number card; the
other places are Wilds.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from referee.engine.cards import NUMBERS, WILD, Card
from referee.engine.ruleset import PHASES, GoalKind, GoingOut, HitOnLayTurn, NaturalCards, Ruleset

TOP: Final = 12
NUMBER: Final = tuple(kind % 12 + 1 for kind in range(NUMBERS))
COLOR: Final = tuple(kind // 12 for kind in range(NUMBERS))

Part = tuple[int, int, int]
Parts = tuple[Part, ...]

# A name of a module is found ten times as fast as a member of an enumeration.
SET: Final = GoalKind.SET
RUN: Final = GoalKind.RUN
COLORED: Final = GoalKind.COLOR
_EACH: Final = NaturalCards.ONE_PER_MELD
_NONE: Final = NaturalCards.NONE
_NOT_NOW: Final = HitOnLayTurn.NONE
_DISCARD_ONLY: Final = GoingOut.DISCARD_ONLY


class Holding:
    """What can be paid with, and by which rules: `cards` and `counts` are by number, by colour for a colour phase.

    `each` and `one` say that each meld, or one of them, must hold a number card; `exact` that no meld may be larger than its
    goal; `late` that no hit on the own melds may follow in this turn; `keep` that a card must be left to discard. `careful`
    says that `parts` gives more than the best, and that they have to be compared with each other.
    """

    __slots__ = (
        "cards",
        "careful",
        "counts",
        "each",
        "exact",
        "goals",
        "hand",
        "held",
        "keep",
        "late",
        "one",
        "phase",
        "rules",
        "style",
        "wilds",
    )

    def __init__(self, hand: Sequence[Card], phase: int, rules: Ruleset) -> None:
        self.hand, self.phase, self.rules = hand, phase, rules
        self.goals = goals = PHASES[phase]
        self.each = rules.natural_cards is _EACH
        self.one = rules.natural_cards is not _NONE
        self.exact = not rules.lay_extra
        self.late = rules.hit_on_lay_turn is _NOT_NOW
        self.keep = rules.going_out is _DISCARD_ONLY
        self.careful = self.exact or self.late or rules.wild_replaceable
        self.style = _EXACT if self.exact else _LATE if self.late else _LEAN
        values = COLOR if goals[0].kind is COLORED else NUMBER
        self.wilds = hand.count(WILD)
        self.cards: list[list[Card]] = [[] for _ in range(TOP + 1)]
        held = 0
        for card in hand:
            if card < NUMBERS:
                value = values[card]
                self.cards[value].append(card)
                held |= 1 << value
        self.held = held
        self.counts = list(map(len, self.cards))

    def parts(self) -> Iterator[Parts]:
        """Every way that no other one betters, in the sense of `lays`; others too if `careful`."""
        if self.one and not self.held:
            return iter(())
        first = self.goals[0]
        if first.kind is RUN:
            rows = _rows(first.size, self.held, self.wilds, self.style)
            return ((row,) for row in rows if row[2] or not self.one)
        if first.kind is COLORED:
            return _one_color(self, first.size)
        second = self.goals[1]
        return (_two_sets if second.kind is SET else _set_and_run)(self, first.size, second.size)

    def fit(self, count: int, size: int) -> int:
        """How many of `count` number cards a set or colour takes."""
        return min(count, size) if self.exact else count

    def more(self, used: int) -> range:
        """How many more Wilds than it needs a set or colour may be given, with `used` needed in all."""
        return range(self.wilds - used + 1 if self.late and not self.exact else 1)


def _one_color(holding: Holding, size: int) -> Iterator[Parts]:
    for color in range(4):
        laid = holding.fit(holding.counts[color], size)
        need = max(0, size - laid)
        if need <= holding.wilds and (laid or not holding.one):
            for more in holding.more(need):
                yield ((color, laid, need + more),)


_LEAN, _LATE, _EXACT = range(3)


@lru_cache(maxsize=4096)
def _rows(length: int, held: int, wilds: int, style: int) -> tuple[Part, ...]:
    """Every run that the numbers `held` and the Wilds can make and that no other one betters, by the style of the rules.

    Exact ones have `length` places. All others are grown over the numbers that follow, and where Wilds can be hit
    afterwards (lean), a run that is longer than it must be has no Wild at its ends.
    """
    rows = []
    for low, high, places in _SHORTEST[length]:
        gaps = length - (held & places).bit_count()
        while gaps <= wilds:
            if style == _EXACT:
                rows.append((low, high, held & places))
                break
            before, after = held >> (low - 1) & 1, held >> (high + 1) & 1
            if before:
                break  # it is part of the run that begins there
            if not after and (high - low < length or style == _LATE or (held >> low & held >> high & 1)):
                rows.append((low, high, held & places))
            if high == TOP:
                break
            high += 1  # noqa: PLW2901  the same run, a place longer
            places |= 1 << high  # noqa: PLW2901  as above
            gaps += not after
    return tuple(rows)


def between(low: int, high: int) -> int:
    """The bits of the places of a run."""
    return (2 << high) - (1 << low)


_SHORTEST: Final = {
    length: [(low, low + length - 1, between(low, low + length - 1)) for low in range(1, TOP + 2 - length)]
    for length in sorted({goal.size for goals in PHASES.values() for goal in goals if goal.kind is RUN})
}


def _two_sets(holding: Holding, first: int, second: int) -> Iterator[Parts]:
    """Each pair of numbers, the one that saves Wilds in the larger set; and both sets of one number."""
    wilds, counts = holding.wilds, holding.counts
    least = [wilds + 1] * (TOP + 1)  # by number, the Wilds of its best pair
    fewest = max(second - wilds, int(holding.each))
    able = [number for number in range(1, TOP + 1) if counts[number] >= fewest]
    for one, other in combinations(able, 2):
        count, more = counts[one], counts[other]
        if (first - count > wilds and first - more > wilds) or (holding.one and not count and not more):
            continue
        straight, turned = short(first, count) + short(second, more), short(first, more) + short(second, count)
        need = min(straight, turned)
        if need > wilds:
            continue
        last = holding.keep and count + more + need == len(holding.hand)
        if not last:
            least[one], least[other] = min(least[one], need), min(least[other], need)
        both = first != second and (holding.careful or (last and straight == turned))
        if straight == need or (both and straight <= wilds):
            yield from _pair(holding, (one, first), (other, second))
        if turned < straight or (both and turned <= wilds):
            yield from _pair(holding, (other, first), (one, second))
    for one in able if holding.rules.same_number_sets else ():
        # Another number in the second set is better if it costs no more Wilds.
        need = short(first + second, counts[one])
        if counts[one] >= holding.one + holding.each and need <= wilds and (holding.careful or need < least[one]):
            yield from _twins(holding, one, first, second)


def short(size: int, count: int) -> int:
    """How many cards a meld of so many number cards is short of its goal."""
    return size - count if size > count else 0


def _pair(holding: Holding, one: tuple[int, int], other: tuple[int, int]) -> Iterator[Parts]:
    """Two sets of two numbers, given as (number, size of the goal)."""
    first, second = ((number, holding.fit(holding.counts[number], size), size) for number, size in (one, other))
    need, other_need = short(first[2], first[1]), short(second[2], second[1])
    for more in holding.more(need + other_need):
        # Which set holds a Wild without need matters where it may be taken back.
        for mine in range(more + 1) if holding.rules.wild_replaceable else (more,):
            yield (*first[:2], need + mine), (*second[:2], other_need + more - mine)


def _twins(holding: Holding, number: int, first: int, second: int) -> Iterator[Parts]:
    """Both sets of one number: the second takes what the first does not need, the first what is then too much."""
    count = holding.fit(holding.counts[number], first + second)
    spare = min(short(count, first), second)
    spare = max(spare, 1) if holding.each else spare
    need, other_need = short(first, count - spare), second - spare
    for more in holding.more(need + other_need):
        yield (number, count - spare, need + more), (number, spare, other_need)


def _set_and_run(holding: Holding, size: int, length: int) -> Iterator[Parts]:
    """For every number: all its copies in the set, but one that the set can spare in the run if that has a place for it.

    A copy that the set cannot spare would cost a Wild there as it saves one in the run.
    """
    for number in range(1, TOP + 1):
        count = holding.counts[number]
        need = short(size, count)
        if need > holding.wilds or not (count or not holding.each):
            continue
        held = holding.held if count > size else holding.held & ~(1 << number)
        for row in _rows(length, held, holding.wilds - need, holding.style):
            yield from _with_row(holding, (number, count, need), row, size)


def _with_row(holding: Holding, part: Part, row: Part, size: int) -> Iterator[Parts]:
    number, count, need = part
    low, high, held = row
    used = need + high - low + 1 - held.bit_count()
    found = []
    if held or not (holding.each or (holding.one and not count)):
        found.append((count - (held >> number & 1), need, row))
    if holding.each and count > 1 and low <= number <= high and not held >> number & 1 and (holding.careful or not held):
        # A run without a number card of its own gets one of the set's, for a Wild.
        found.append((count - 1, need + 1, (low, high, held | 1 << number)))
    for laid, wilds, run in found:
        for more in holding.more(used):
            yield (number, holding.fit(laid, size), wilds + more), run
