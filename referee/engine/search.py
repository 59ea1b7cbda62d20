"""The meld search: how far a hand is from a phase, which cards help, and what to keep.

Only counts matter: cards per number, or per colour for phase 8, and Wilds. They are packed into one integer, a byte each, so
that equal hands share one cached answer. `lays` lists the ways to lay a phase that is complete.
"""

from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

from referee.engine.cards import CARDS, NUMBERS, SKIP_KIND, WILD, Card
from referee.engine.ruleset import PHASES, Goal, GoalKind

_WILDS: Final = 12  # the byte that counts Wilds; Skips have no place, they help nothing
_WIDTH: Final = 13
_ALL: Final = (1 << 12) - 1  # every number, as a set of bits

_NUMBER_SLOT: Final = (*(kind % 12 for kind in range(NUMBERS)), _WILDS, _WIDTH)
_COLOR_SLOT: Final = (*(kind // 12 for kind in range(NUMBERS)), _WILDS, _WIDTH)


def _packing(slots: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(0 if kind == SKIP_KIND else 1 << 8 * slot for kind, slot in enumerate(slots))


def _by_color(phase: int) -> bool:
    return PHASES[phase][0].kind is GoalKind.COLOR


_SLOTS: Final = {phase: _COLOR_SLOT if _by_color(phase) else _NUMBER_SLOT for phase in PHASES}
_PACK: Final = {phase: _packing(slots).__getitem__ for phase, slots in _SLOTS.items()}
_TOTAL: Final = {phase: sum(goal.size for goal in goals) for phase, goals in PHASES.items()}

Take = tuple[int, ...]  # cards to take per slot: twelve numbers (or four colours and eight zeros), then Wilds


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
    _key: int = field(repr=False, compare=False)

    @property
    def parts(self) -> tuple[tuple[Card, ...], ...]:
        """Goal by goal, the cards of the hand that this plan keeps: number cards ascending, then Wilds."""
        rest = list(self.hand)
        parts = []
        for take in _takes(self.phase, self._key):
            kept, rest = _split(rest, take, _SLOTS[self.phase])
            parts.append(tuple(kept))
        return tuple(parts)

    @property
    def leftover(self) -> tuple[Card, ...]:
        """The rest of the hand, ascending, Skips included: throwing any one of it leaves the distance as it is."""
        return tuple(_split(self.hand, _kept(self.phase, self._key), _SLOTS[self.phase])[1])


def plan(hand: tuple[Card, ...], phase: int) -> Plan:
    """The shortest way from `hand` (in ascending order, as in `View.hand`) to a phase (1-10; KeyError for any other).

    Counted by the official duty of at least one number card in the phase. Takes about a microsecond for a hand seen lately,
    a few for a new one.
    """
    key = sum(map(_PACK[phase], hand))
    distance, useful = _survey(phase, key)
    return Plan(phase, hand, distance, useful, key)


def _split(hand: tuple[Card, ...] | list[Card], take: Take, slots: tuple[int, ...]) -> tuple[list[Card], list[Card]]:
    budget = [*take, 0]
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
def _survey(phase: int, key: int) -> tuple[int, frozenset[Card]]:
    """Distance and useful kinds of a packed hand."""
    counts = key.to_bytes(_WIDTH, "little")
    wilds = counts[_WILDS]
    if key >> 8 * _WILDS << 8 * _WILDS == key:
        return _without_numbers(phase, wilds)
    have, slots = _best(phase, counts)
    missing = _TOTAL[phase] - have - wilds
    if missing <= 0:
        return 0, frozenset()
    return missing, _kinds(_by_color(phase), slots, with_wild=True)


def _without_numbers(phase: int, wilds: int) -> tuple[int, frozenset[Card]]:
    """A hand of Wilds and Skips lacks at least the number card that a phase must hold."""
    distance = max(1, _TOTAL[phase] - wilds)
    return distance, _kinds(by_color=False, slots=_ALL, with_wild=distance > 1)


@lru_cache(maxsize=4096)
def _kinds(by_color: bool, slots: int, with_wild: bool) -> frozenset[Card]:
    table = _COLOR_SLOT if by_color else _NUMBER_SLOT
    numbers = (card for card in CARDS[:NUMBERS] if slots >> table[card] & 1)
    return frozenset((*numbers, WILD) if with_wild else numbers)


def _best(phase: int, counts: bytes) -> tuple[int, int]:
    """The most cards of a hand that a phase can use, and the slots (as bits) of which one card more would raise that."""
    goals = PHASES[phase]
    first = goals[0]
    if first.kind is GoalKind.COLOR:
        most = min(max(counts[:4]), first.size)
        return most, _slots_with(counts[:4], most)
    if first.kind is GoalKind.RUN:
        have, useful, _ = _run(first.size, _mask(counts))
        return have, useful
    if goals[1].kind is GoalKind.SET:
        return _best_sets(counts, first.size, goals[1].size)
    return _best_set_and_run(counts, first.size, goals[1].size)


def _slots_with(counts: bytes, count: int) -> int:
    return sum(1 << slot for slot, held in enumerate(counts) if held == count)


def _mask(counts: bytes) -> int:
    return sum(1 << slot for slot in range(12) if counts[slot])


@cache  # at most 4096 masks for each of four lengths
def _run(length: int, mask: int) -> tuple[int, int, int]:
    """For numbers as bits: how many of them the best run uses, which ones would raise that, and where the run starts."""
    have, useful, start = 0, 0, 0
    for low in range(13 - length):
        window = ((1 << length) - 1) << low
        held = (mask & window).bit_count()
        if held > have:
            have, useful, start = held, 0, low
        if held == have:
            useful |= window & ~mask
    return have, useful, start


def _sets_use(high: int, low: int, first: int, second: int) -> int:
    """Cards used of the two numbers held most often, as two sets or both sets of one number (first >= second)."""
    return max(min(high, first) + min(low, second), min(high, first + second))


def _best_sets(counts: bytes, first: int, second: int) -> tuple[int, int]:
    *_, low, high = sorted(counts[:12])
    have = _sets_use(high, low, first, second)
    useful = 0
    if _sets_use(high + 1, low, first, second) > have:
        useful |= _slots_with(counts[:12], high)
    # Numbers held less often than the second one stay behind it even with one card more.
    if low < high and _sets_use(high, low + 1, first, second) > have:
        useful |= _slots_with(counts[:12], low)
    return have, useful


def _best_set_and_run(counts: bytes, size: int, length: int) -> tuple[int, int]:
    """Try every number for the set, with all its copies in the set or with one of them free for the run."""
    mask = _mask(counts)
    with_all, run_useful, _ = _run(length, mask)
    # A set of nothing beside the best run: any card at all would start the set.
    have, useful = with_all, _ALL
    for slot in range(12):
        held = counts[slot]
        if not held:
            continue
        bit = 1 << slot
        in_set = min(held, size)
        run, more, _ = _run(length, mask ^ bit)
        if in_set + run >= have:
            useful = (useful if in_set + run == have else 0) | more | (bit if in_set < size else 0)
            have = in_set + run
        in_set = min(held - 1, size)
        if in_set + with_all >= have:
            useful = (useful if in_set + with_all == have else 0) | run_useful | (bit if in_set < size else 0)
            have = in_set + with_all
    return have, useful


@lru_cache(maxsize=8192)
def _kept(phase: int, key: int) -> Take:
    takes = _takes(phase, key)
    return takes[0] if len(takes) == 1 else tuple(map(sum, zip(*takes, strict=True)))


@lru_cache(maxsize=8192)
def _takes(phase: int, key: int) -> tuple[Take, ...]:
    """One best choice for a packed hand, goal by goal; the Wilds go where cards are missing."""
    counts = key.to_bytes(_WIDTH, "little")
    goals = PHASES[phase]
    wilds = counts[_WILDS]
    takes = []
    for goal, numbers in zip(goals, _choice(goals, counts), strict=True):
        used = min(wilds, goal.size - sum(numbers))
        wilds -= used
        takes.append((*numbers, used))
    return tuple(takes)


def _choice(goals: tuple[Goal, ...], counts: bytes) -> tuple[Take, ...]:
    first = goals[0]
    if first.kind is GoalKind.COLOR:
        slot = max(range(4), key=counts.__getitem__)
        return (_only(slot, min(counts[slot], first.size)),)
    if first.kind is GoalKind.RUN:
        return (_run_take(first.size, _mask(counts)),)
    if goals[1].kind is GoalKind.SET:
        return _choose_sets(counts, first.size, goals[1].size)
    return _choose_set_and_run(counts, first.size, goals[1].size)


def _only(slot: int, count: int) -> Take:
    return tuple(count if other == slot else 0 for other in range(12))


def _run_take(length: int, mask: int) -> Take:
    low = _run(length, mask)[2]
    return tuple(1 if low <= slot < low + length and mask >> slot & 1 else 0 for slot in range(12))


def _choose_sets(counts: bytes, first: int, second: int) -> tuple[Take, Take]:
    high, low = sorted(range(12), key=lambda slot: -counts[slot])[:2]
    apart = min(counts[high], first) + min(counts[low], second)
    together = min(counts[high], first + second)
    if apart >= together:
        return _only(high, min(counts[high], first)), _only(low, min(counts[low], second))
    return _only(high, first), _only(high, together - first)


def _choose_set_and_run(counts: bytes, size: int, length: int) -> tuple[Take, Take]:
    mask = _mask(counts)
    with_all = _run(length, mask)[0]
    best, chosen, in_set, numbers = -1, 0, 0, mask
    for slot in range(12):
        if not counts[slot]:
            continue
        apart = min(counts[slot], size) + _run(length, mask ^ 1 << slot)[0]
        if apart > best:
            best, chosen, in_set, numbers = apart, slot, min(counts[slot], size), mask ^ 1 << slot
        shared = min(counts[slot] - 1, size) + with_all
        if shared > best:
            best, chosen, in_set, numbers = shared, slot, min(counts[slot] - 1, size), mask
    return _only(chosen, in_set), _run_take(length, numbers)
