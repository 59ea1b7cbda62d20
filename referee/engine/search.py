"""The meld search: how far a hand is from a phase, which cards help, and what to keep.

Only counts matter: cards per number, or per colour for a colour phase, and Wilds. They are packed into one integer that a
processor adds in one step: five bits for each of twelve slots, then the Wilds. Equal hands share one cached answer, and a
question about all slots at once ("which numbers are held twice?") is one sum: a *set of slots* has the top bit of each of
its slots set, a bit that no count reaches.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import Final

from referee.engine.cards import CARDS, NUMBERS, SKIP_KIND, WILD, Card
from referee.engine.ruleset import PHASES, Goal, GoalKind, NaturalCards, Ruleset
from referee.engine.values import maker, quick

_BITS: Final = 5
_SLOTS: Final = 12
_COUNT: Final = 15  # the bits of a slot that count
_WILD_SHIFT: Final = _BITS * _SLOTS
_NATURAL: Final = (1 << _WILD_SHIFT) - 1
_SHIFTS: Final = tuple(range(0, _WILD_SHIFT, _BITS))
_ONES: Final = sum(1 << shift for shift in _SHIFTS)
_ALL: Final = 16 * _ONES
# By a count from 0 to 15, what is added to see which slots hold more than it, and what slots hold that hold just as many.
_OVER: Final = [(15 - count) * _ONES for count in range(16)]
_EVERY: Final = [count * _ONES for count in range(16)]

# Where each kind is counted. Skips come last, where nothing is ever kept: they help nothing.
_NUMBER_SHIFT: Final = (*(kind % 12 * _BITS for kind in range(NUMBERS)), _WILD_SHIFT, _WILD_SHIFT + 8)
_COLOR_SHIFT: Final = (*(kind // 12 * _BITS for kind in range(NUMBERS)), _WILD_SHIFT, _WILD_SHIFT + 8)


def _by_color(phase: int) -> bool:
    return PHASES[phase][0].kind is GoalKind.COLOR


def _units(phase: int) -> list[int]:
    return [0 if card == SKIP_KIND else 1 << _SHIFT_OF[phase][card] for card in CARDS]


_SHIFT_OF: Final = {phase: _COLOR_SHIFT if _by_color(phase) else _NUMBER_SHIFT for phase in PHASES}
_UNITS: Final = {phase: _units(phase) for phase in PHASES}  # by card; a list is read faster than a tuple or dictionary
_MASKS: Final = {phase: [unit * _COUNT for unit in units] for phase, units in _UNITS.items()}
_PACK: Final = {phase: units.__getitem__ for phase, units in _UNITS.items()}

# What a search finds: the most cards that can be used, the slots of which one card more would raise that, and the number
# cards to keep, packed, goal by goal.
_Best = tuple[int, int, tuple[int, ...]]
# What is known of a packed hand: the distance, the useful slots, whether a Wild is useful too, the number cards to keep
# goal by goal, and all of them with the Wilds to keep.
_Survey = tuple[int, int, bool, tuple[int, ...], int]


@quick
@dataclass(frozen=True, slots=True)
class Plan:
    """A shortest way from a hand to a phase.

    `distance` is the number of cards still missing, Wilds in hand already counted: 0 means that the phase can be laid now
    (where the last card must be discarded, if one more card is in hand: in play there always is).
    """

    phase: int
    hand: tuple[Card, ...]
    distance: int
    _survey: _Survey = field(repr=False, compare=False)

    @property
    def useful(self) -> frozenset[Card]:
        """Every kind that, added to the hand, makes the distance smaller; empty at distance 0."""
        _, slots, with_wild, _, _ = self._survey
        return _kinds(self.phase, slots, with_wild)

    @property
    def leftover(self) -> tuple[Card, ...]:
        """What the plan does not keep, ascending, Skips included: throwing any one of it leaves the distance as it is."""
        units, masks = _UNITS[self.phase], _MASKS[self.phase]
        kept = self._survey[4]
        rest = []
        for card in self.hand:
            if kept & masks[card]:
                kept -= units[card]
            else:
                rest.append(card)
        return tuple(rest)

    @property
    def parts(self) -> tuple[tuple[Card, ...], ...]:
        """Goal by goal, the cards of the hand that the plan keeps: number cards ascending, then Wilds.

        Together they are `distance` cards short of the phase.
        """
        shifts = _SHIFT_OF[self.phase]
        _, _, _, takes, kept = self._survey
        wilds = kept >> _WILD_SHIFT
        numbers = [card for card in self.hand if card < NUMBERS]
        parts = []
        for goal, take in zip(PHASES[self.phase], takes, strict=True):
            part: list[Card] = []
            for card in tuple(numbers):
                if take >> shifts[card] & _COUNT:
                    take -= 1 << shifts[card]  # noqa: PLW2901  what is still to be taken
                    part.append(card)
                    numbers.remove(card)
            used = min(wilds, goal.size - len(part))
            wilds -= used
            parts.append((*part, *(WILD,) * used))
        return tuple(parts)


_plan: Final = maker(Plan)

# Rules that bear on the search, as bits beside the phase. The official ones are 0.
_ALL_WILD: Final = 16
_NATURAL_EACH: Final = 32
_NUMBERS_DIFFER: Final = 64
_ONE_PER_PHASE: Final = NaturalCards.ONE_PER_PHASE  # a module's name is found ten times as fast as an enumeration's


def plan(hand: tuple[Card, ...], phase: int, ruleset: Ruleset | None = None) -> Plan:
    """The shortest way from `hand` (in ascending order, as in `View.hand`) to a phase (1-10; KeyError for any other).

    A hand holds at most fifteen cards of one number, or of one colour for a colour phase; in play none holds as many.
    `ruleset` says how many number cards the phase must hold and whether two sets may have one number; without it, the
    official rules count. The way is a shortest one and `useful` is complete, whatever the rules: see `_look`. Time grows
    with the numbers held, never with the ways to lay: about a microsecond for a hand seen lately, a few for a new one.
    """
    quest = phase
    if ruleset is not None and not (ruleset.natural_cards is _ONE_PER_PHASE and ruleset.same_number_sets):
        quest |= _rule_bits(ruleset)
    survey = _look(quest, sum(map(_PACK[phase], hand)))
    return _plan(phase, hand, survey[0], survey)


def _rule_bits(ruleset: Ruleset) -> int:
    duty = ruleset.natural_cards
    bits = 0 if ruleset.same_number_sets else _NUMBERS_DIFFER
    if duty is _ONE_PER_PHASE:
        return bits
    return bits | (_ALL_WILD if duty is NaturalCards.NONE else _NATURAL_EACH)


@lru_cache(maxsize=2048)
def _look(quest: int, packed: int) -> _Survey:
    """The survey of a packed hand.

    Two counts tell how far it is, and the greater one decides. `missing` are the cards short if a Wild could be anything.
    `lack` are the number cards that no Wild can stand for, since melds must hold some. A way that uses most number cards
    can always be changed, losing none of them, so that the fewest melds are without one (see `_spread`), so no other way is
    shorter. A card that cures a lack makes `missing` smaller as well: it starts a meld.
    """
    total, melds, best = _SEARCHES[quest]
    wilds = packed >> _WILD_SHIFT
    numbers = packed & _NATURAL
    have, slots, takes = best(numbers)
    missing = total - have - wilds
    if quest < _ALL_WILD and numbers:  # the official rules, and nothing that could be lacking
        kept = sum(takes) + ((total - have if missing < 0 else wilds) << _WILD_SHIFT)
        return (missing, slots, True, takes, kept) if missing > 0 else (0, 0, False, takes, kept)
    lack, cures = _lack(quest, melds, numbers)
    if not lack and quest & _NATURAL_EACH and melds > 1:
        takes = _spread(takes)
    kept = sum(takes) + (min(wilds, total - have - lack) << _WILD_SHIFT)
    if missing > lack:
        return missing, slots, True, takes, kept
    return lack, cures, False, takes, kept


def _lack(quest: int, melds: int, numbers: int) -> tuple[int, int]:
    """How many melds must have a number card that the hand cannot give them, and the slots that would give one."""
    if quest & _ALL_WILD:
        return 0, 0
    needed = melds if quest & _NATURAL_EACH else 1
    if not numbers:
        return needed, _ALL
    if needed == 1:
        return 0, 0
    held = _at_least(numbers, 1)
    if held & (held - 1):
        return 0, 0
    # One number alone. A second copy is as good as another number, unless it may be in one of two sets only.
    if quest & _NUMBERS_DIFFER and PHASES[quest & _COUNT][1].kind is GoalKind.SET:
        return 1, _ALL & ~held
    return (1, _ALL) if held >> 4 == numbers else (0, 0)


def _spread(takes: tuple[int, ...]) -> tuple[int, ...]:
    """The same cards, one of them moved to the goal that has none (the hand has a card for each)."""
    first, second = takes
    if first and second:
        return takes
    given = first or second
    unit = 1 << (given & -given).bit_length() // _BITS * _BITS
    return (given - unit, unit) if first else (unit, given - unit)


_CARDS_OF: Final = {
    shifts: tuple((slot, tuple(card for card in CARDS[:NUMBERS] if shifts[card] == slot)) for slot in _SHIFTS)
    for shifts in (_NUMBER_SHIFT, _COLOR_SHIFT)
}


@lru_cache(maxsize=2048)
def _kinds(phase: int, slots: int, with_wild: bool) -> frozenset[Card]:
    """The cards that belong to a set of slots."""
    found = [WILD] if with_wild else []
    for shift, cards in _CARDS_OF[_SHIFT_OF[phase]]:
        if slots >> shift & 16:
            found += cards
    return frozenset(found)


def _slots_with(numbers: int, count: int) -> int:
    """The slots that hold exactly `count` cards."""
    return ~((numbers ^ _EVERY[count]) + _EVERY[_COUNT]) & _ALL


def _at_least(numbers: int, count: int) -> int:
    """The slots that hold `count` cards or more (1 to 16)."""
    return numbers + _OVER[count - 1] & _ALL


def _lowest(slots: int) -> int:
    """The shift of the lowest slot of a set."""
    return (slots & -slots).bit_length() - _BITS


def _best_color(size: int, numbers: int) -> _Best:
    most = 0
    while _at_least(numbers, most + 1):
        most += 1
    slots = _slots_with(numbers, most)
    have = min(most, size)
    return have, slots, (have << _lowest(slots),)


def _best_run(length: int, numbers: int) -> _Best:
    held = _at_least(numbers, 1)
    have, useful, window = _run(length, held)
    return have, useful, ((window & held) >> 4,)


@cache  # at most 4096 sets of numbers for each of four lengths
def _run(length: int, held: int) -> tuple[int, int, int]:
    """For a set of numbers: how many of them the best run uses, which ones more would raise that, and the run's slots."""
    have, useful, best = -1, 0, 0
    window = _ALL >> _BITS * (_SLOTS - length)
    for _ in range(_SLOTS + 1 - length):
        inside = (held & window).bit_count()
        if inside > have:
            have, useful, best = inside, 0, window
        if inside == have:
            useful |= window & ~held
        window <<= _BITS
    return have, useful, best


@cache
def _sets(high: int, low: int, first: int, second: int, differ: bool) -> tuple[int, bool, bool, int, int]:
    """For the two numbers held most often: what two sets can use of them (first >= second).

    The cards used, whether one more of either number would raise that, and how many cards each set takes; the second
    count is below zero if both sets are made of the number held most often.
    """
    have = _sets_use(high, low, first, second, differ)
    more_high = _sets_use(high + 1, low, first, second, differ) > have
    more_low = low < high and _sets_use(high, low + 1, first, second, differ) > have
    if have > min(high, first) + min(low, second):
        return have, more_high, more_low, first, first - have
    return have, more_high, more_low, min(high, first), min(low, second)


def _sets_use(high: int, low: int, first: int, second: int, differ: bool) -> int:
    """Two sets of two numbers, or both of the number held most often where they need not `differ`."""
    two = min(high, first) + min(low, second)
    return two if differ else max(two, min(high, first + second))


def _best_sets(first: int, second: int, differ: bool, numbers: int) -> _Best:
    high = low = 0
    slots = _ALL
    while more := numbers + _OVER[high] & _ALL:  # the slots that hold more than `high`
        high += 1
        slots = more
        if more & (more - 1):
            low = high
    have, more_high, more_low, one_takes, other_takes = _sets(high, low, first, second, differ)
    one = _lowest(slots)
    if other_takes < 0:
        takes = (one_takes << one, -other_takes << one)
        others = 0
    else:
        others = slots ^ (16 << one) if low == high else _slots_with(numbers, low)
        takes = (one_takes << one, other_takes << _lowest(others))
    # Numbers held less often than the second one stay behind it even with one card more.
    useful = (slots if more_high else 0) | (others if more_low else 0)
    return have, useful, takes


def _best_set_and_run(size: int, length: int, numbers: int) -> _Best:
    """Try every number for the set, with all its copies in the set or with one of them free for the run.

    Numbers held most often come first: beside the best run, the others are soon known to be too few.
    """
    held = _at_least(numbers, 1)
    with_all, run_useful, all_window = _run(length, held)
    # A set of nothing beside the best run: any card at all would start the set.
    have, useful, in_set, row = with_all, _ALL, 0, all_window & held
    rest, count = held, 1
    while more := _at_least(numbers, count + 1):
        rest, count = more, count + 1
    while count:
        taken = min(count, size)
        if taken + with_all < have:
            break
        bits = rest & ~_at_least(numbers, count + 1)
        while bits:
            bit = bits & -bits
            bits ^= bit
            shift = bit.bit_length() - _BITS
            run, more, window = _run(length, held ^ bit)
            if taken + run >= have:
                if taken + run > have:
                    have, useful, in_set, row = taken + run, 0, taken << shift, window & held & ~bit
                useful |= more if taken == size else more | bit
            fewer = count - 1 if count <= size else size
            if fewer + with_all >= have:
                if fewer + with_all > have:
                    have, useful, in_set, row = fewer + with_all, 0, fewer << shift, all_window & held
                useful |= run_useful if fewer == size else run_useful | bit
        count -= 1
        rest = _at_least(numbers, count) if count else 0
    return have, useful, (in_set, row >> 4)


def _search(goals: tuple[Goal, ...], differ: bool) -> tuple[int, int, Callable[[int], _Best]]:
    """How many cards and melds these goals ask for, and the search for them."""
    first = goals[0].size
    if len(goals) == 1:
        return first, 1, partial(_best_color if goals[0].kind is GoalKind.COLOR else _best_run, first)
    second = goals[1].size
    if goals[1].kind is GoalKind.SET:
        return first + second, 2, partial(_best_sets, first, second, differ)
    return first + second, 2, partial(_best_set_and_run, first, second)


_SEARCHES: Final = {
    phase | duty | differ: _search(goals, differ > 0)
    for phase, goals in PHASES.items()
    for duty in (0, _ALL_WILD, _NATURAL_EACH)
    for differ in (0, _NUMBERS_DIFFER)
}
