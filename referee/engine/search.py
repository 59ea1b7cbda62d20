"""The meld search: how far a hand is from a phase, which cards help, and what to keep.

Only counts matter: cards per number, or per colour for a colour phase, and Wilds. They are packed into one integer with a
byte for each of twelve slots and one for the Wilds. Equal hands then share one cached answer, and a question about all
slots at once ("which numbers are held twice?") is one sum: a *set of slots* has the high bit of each slot's byte set.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

from referee.engine.cards import CARDS, NUMBERS, SKIP_KIND, WILD, Card
from referee.engine.ruleset import PHASES, GoalKind

_WILDS: Final = 12  # the slot of the Wilds; Skips come after it: they are never counted, they help nothing
_WIDTH: Final = 14
_WILD_SHIFT: Final = 8 * _WILDS
_NATURAL: Final = (1 << _WILD_SHIFT) - 1
_ONES: Final = int.from_bytes(b"\x01" * _WILDS, "little")
_BELOW: Final = 0x7F * _ONES
_ALL: Final = 0x80 * _ONES

_NUMBER_SLOTS: Final = (*(kind % 12 for kind in range(NUMBERS)), _WILDS, _WILDS + 1)
_COLOR_SLOTS: Final = (*(kind // 12 for kind in range(NUMBERS)), _WILDS, _WILDS + 1)


def _by_color(phase: int) -> bool:
    return PHASES[phase][0].kind is GoalKind.COLOR


_SLOTS: Final = {phase: _COLOR_SLOTS if _by_color(phase) else _NUMBER_SLOTS for phase in PHASES}
_PACK: Final = {
    phase: tuple(0 if kind == SKIP_KIND else 1 << 8 * slot for kind, slot in enumerate(slots)).__getitem__
    for phase, slots in _SLOTS.items()
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A shortest way from a hand to a phase.

    `distance` is the number of cards still missing, Wilds in hand already counted: 0 means that the phase can be laid now.
    `useful` holds every kind that, added to the hand, makes the distance smaller (empty at distance 0).
    """

    phase: int
    hand: tuple[Card, ...]
    distance: int
    useful: frozenset[Card]
    _packed: int = field(repr=False, compare=False)

    @property
    def parts(self) -> tuple[tuple[Card, ...], ...]:
        """Goal by goal, the cards of the hand that this plan keeps: number cards ascending, then Wilds."""
        rest: Sequence[Card] = self.hand
        parts = []
        for take in _takes(self.phase, self._packed):
            kept, rest = _split(rest, take, _SLOTS[self.phase])
            parts.append(tuple(kept))
        return tuple(parts)

    @property
    def leftover(self) -> tuple[Card, ...]:
        """The rest of the hand, ascending, Skips included: throwing any one of it leaves the distance as it is."""
        kept = sum(_takes(self.phase, self._packed))
        return tuple(_split(self.hand, kept, _SLOTS[self.phase])[1])


def plan(hand: tuple[Card, ...], phase: int) -> Plan:
    """The shortest way from `hand` (in ascending order, as in `View.hand`) to a phase (1-10; KeyError for any other).

    Counted by the official duty of at least one number card in the phase. Takes one or two microseconds for a hand seen
    lately, a few for a new one.
    """
    packed = sum(map(_PACK[phase], hand))
    distance, useful = _survey(phase, packed)
    return Plan(phase, hand, distance, useful, packed)


def _split(hand: Sequence[Card], take: int, slots: Sequence[int]) -> tuple[list[Card], list[Card]]:
    """The first cards of a hand that make up the packed counts `take`, and the others."""
    budget = bytearray(take.to_bytes(_WIDTH, "little"))
    kept: list[Card] = []
    rest: list[Card] = []
    for card in hand:
        slot = slots[card]
        if budget[slot]:
            budget[slot] -= 1
            kept.append(card)
        else:
            rest.append(card)
    return kept, rest


@lru_cache(maxsize=8192)
def _survey(phase: int, packed: int) -> tuple[int, frozenset[Card]]:
    """Distance and useful kinds."""
    goals = PHASES[phase]
    first = goals[0]
    total = first.size if len(goals) == 1 else first.size + goals[1].size
    wilds = packed >> _WILD_SHIFT
    numbers = packed & _NATURAL
    if not numbers:
        # Wilds and Skips alone lack at least the number card that a phase must hold.
        return max(1, total - wilds), _kinds(phase, _ALL, with_wild=total - wilds > 1)
    if first.kind is GoalKind.COLOR:
        most = min(max(numbers.to_bytes(_WIDTH, "little")), first.size)
        have, slots = most, _slots_with(numbers, most)
    elif first.kind is GoalKind.RUN:
        have, slots, _ = _run(first.size, _held(numbers))
    elif goals[1].kind is GoalKind.SET:
        have, slots = _best_sets(numbers, first.size, goals[1].size)
    else:
        have, slots = _best_set_and_run(numbers, first.size, goals[1].size)
    missing = total - have - wilds
    return (missing, _kinds(phase, slots, with_wild=True)) if missing > 0 else (0, _NOTHING)


_NOTHING: Final[frozenset[Card]] = frozenset()


@lru_cache(maxsize=8192)
def _kinds(phase: int, slots: int, *, with_wild: bool) -> frozenset[Card]:
    table = _SLOTS[phase]
    numbers = (card for card in CARDS[:NUMBERS] if slots >> 8 * table[card] & 0x80)
    return frozenset((*numbers, WILD) if with_wild else numbers)


def _held(numbers: int) -> int:
    """The slots that hold a card."""
    return (numbers + _BELOW) & _ALL


def _slots_with(numbers: int, count: int) -> int:
    """The slots that hold exactly `count` cards."""
    return ~((numbers ^ count * _ONES) + _BELOW) & _ALL


@cache  # at most 4096 sets of numbers for each of four lengths
def _run(length: int, held: int) -> tuple[int, int, int]:
    """For a set of numbers: how many of them the best run uses, which ones more would raise that, and the run's slots."""
    have, useful, best = 0, 0, 0
    window = _ALL >> 8 * (_WILDS - length)
    for _ in range(_WILDS + 1 - length):
        inside = (held & window).bit_count()
        if inside > have:
            have, useful, best = inside, 0, window
        if inside == have:
            useful |= window & ~held
        window <<= 8
    return have, useful, best


@cache
def _sets(high: int, low: int, first: int, second: int) -> tuple[int, bool, bool]:
    """For the two numbers held most often: how many cards two sets use, and whether one more of either would raise that."""
    have = _sets_use(high, low, first, second)
    return (
        have,
        _sets_use(high + 1, low, first, second) > have,
        _sets_use(high, low + 1, first, second) > have,
    )


def _sets_use(high: int, low: int, first: int, second: int) -> int:
    """Two sets of two numbers, or both of the number held most often (first >= second)."""
    return max(min(high, first) + min(low, second), min(high, first + second))


def _best_sets(numbers: int, first: int, second: int) -> tuple[int, int]:
    """The most cards that two sets can use, and the slots of which one card more would raise that."""
    *_, low, high = sorted(numbers.to_bytes(_WILDS, "little"))
    have, more_high, more_low = _sets(high, low, first, second)
    useful = _slots_with(numbers, high) if more_high else 0
    # Numbers held less often than the second one stay behind it even with one card more.
    if more_low and low < high:
        useful |= _slots_with(numbers, low)
    return have, useful


def _best_set_and_run(numbers: int, size: int, length: int) -> tuple[int, int]:
    """Try every number for the set, with all its copies in the set or with one of them free for the run."""
    held = _held(numbers)
    with_all, run_useful, _ = _run(length, held)
    # A set of nothing beside the best run: any card at all would start the set.
    have, useful = with_all, _ALL
    bit = 0x80
    for count in numbers.to_bytes(_WILDS, "little"):
        if count:
            in_set = min(count, size)
            if in_set + with_all >= have:
                run, more, _ = _run(length, held ^ bit)
                if in_set + run >= have:
                    useful = (useful if in_set + run == have else 0) | more | (bit if in_set < size else 0)
                    have = in_set + run
            in_set = min(count - 1, size)
            if in_set + with_all >= have:
                useful = (useful if in_set + with_all == have else 0) | run_useful | (bit if in_set < size else 0)
                have = in_set + with_all
        bit <<= 8
    return have, useful


@lru_cache(maxsize=8192)
def _takes(phase: int, packed: int) -> tuple[int, ...]:
    """One best choice, goal by goal, as packed counts; the Wilds go where cards are missing."""
    goals = PHASES[phase]
    first = goals[0]
    numbers, wilds = packed & _NATURAL, packed >> _WILD_SHIFT
    chosen: tuple[int, ...]
    if first.kind is GoalKind.COLOR:
        chosen = (_most_of(numbers, first.size),)
    elif first.kind is GoalKind.RUN:
        chosen = (_run_take(first.size, _held(numbers)),)
    elif goals[1].kind is GoalKind.SET:
        chosen = _choose_sets(numbers, first.size, goals[1].size)
    else:
        chosen = _choose_set_and_run(numbers, first.size, goals[1].size)
    takes = []
    for goal, take in zip(goals, chosen, strict=True):
        used = min(wilds, goal.size - sum(take.to_bytes(_WIDTH, "little")))
        wilds -= used
        takes.append(take | used << _WILD_SHIFT)
    return tuple(takes)


def _most_of(numbers: int, size: int) -> int:
    """The slot that holds most cards, `size` of them at most."""
    counts = numbers.to_bytes(_WILDS, "little")
    most = max(counts)
    return min(most, size) << 8 * counts.index(most)


def _run_take(length: int, held: int) -> int:
    return (_run(length, held)[2] & held) >> 7


def _choose_sets(numbers: int, first: int, second: int) -> tuple[int, int]:
    one = _most_of(numbers, first)
    *_, low, high = sorted(numbers.to_bytes(_WILDS, "little"))
    if min(high, first + second) > min(high, first) + min(low, second):
        return one, _most_of(numbers, first + second) - one
    slot = (one.bit_length() - 1) // 8 if one else 0
    return one, _most_of(numbers & ~(0xFF << 8 * slot), second)


def _choose_set_and_run(numbers: int, size: int, length: int) -> tuple[int, int]:
    held = _held(numbers)
    with_all = _run(length, held)[0]
    best, chosen = -1, (0, 0)
    bit = 0x80
    for slot, count in enumerate(numbers.to_bytes(_WILDS, "little")):
        if count:
            in_set = min(count, size)
            if in_set + with_all > best and (have := in_set + _run(length, held ^ bit)[0]) > best:
                best, chosen = have, (in_set << 8 * slot, held ^ bit)
            in_set = min(count - 1, size)
            if in_set + with_all > best:
                best, chosen = in_set + with_all, (in_set << 8 * slot, held)
        bit <<= 8
    return chosen[0], _run_take(length, chosen[1])
