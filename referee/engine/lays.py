"""The ways to lay a phase that a hand can pay for: all that no other way betters, best first.

What *better* means. A lay is at least as good as another one of the same phase if

1. it leaves no number card that the other one does not leave as well (kind by kind);
2. it leaves as many Wilds or more; and where no hit on the own melds may follow in the same turn, no more cards in all, for
   there a Wild that stays in hand stays there until the next turn;
3. its melds take what those of the other one take: its sets have the same numbers (its colour meld the same colour), and its
   run reaches as far to both sides, or is short of that by no more places than it leaves Wilds more, which can be hit there
   at once. Beyond the other run it reaches by number cards only;
4. where Wilds may be taken back (`Ruleset.wild_replaceable`) and both use as many, these stand for the same cards.

So among lays of more or fewer cards those count that lay every number card that fits and no Wild that could as well be hit
afterwards. Kept are all places of a run and of its Wilds that lead elsewhere, every choice of what melds of Wilds alone
stand for, and, where only some cards of a number are laid, every mixture of colours that may stay in hand. Which of its
melds holds which of its cards (a 7 in the set and a Wild in the run, or the other way round) makes no difference for any
later hit, and is not told apart.

For any lay that the rules accept, `lays` holds a way that is at least as good, and none of its ways is better than another.
Times, for h cards in hand: a hand that is short of the phase is known by `plan`. Else a run tries at most 45 places (kept
from call to call), a set and a run these for each number held, two sets each pair of numbers held, a colour four colours;
and each way that is found costs its h cards again. Only under options that no published rule set uses
(`Holding.careful`), and where a way would leave no card to discard, ways are compared with each other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from referee.engine.cards import WILD, Card
from referee.engine.holding import COLORED, NUMBER, RUN, SET, TOP, Holding, Part, Parts, between
from referee.engine.moves import Meld
from referee.engine.ruleset import Ruleset
from referee.engine.search import plan
from referee.engine.values import maker, quick


@quick
@dataclass(frozen=True, slots=True)
class Way:
    """One way to lay `phase`: a meld for each goal, in the order of the goals, and what stays in hand, ascending."""

    phase: int
    melds: tuple[Meld, ...]
    leftover: tuple[Card, ...]


_meld: Final = maker(Meld)
_way: Final = maker(Way)

_Rated = tuple[int, int, Parts]  # the points laid down, as a negative number; the Wilds used; the parts


def lays(hand: tuple[Card, ...], phase: int, ruleset: Ruleset) -> tuple[Way, ...]:
    """The ways to lay a phase (1-10; KeyError for others) from `hand` (ascending), best first; empty if there is none.

    All that no other way betters (see the module). Best is what leaves fewest penalty points in hand, then what uses fewest
    Wilds; a Wild that stays costs nothing where it can be hit in the same turn.
    """
    if plan(hand, phase, ruleset).distance:
        return ()
    holding = Holding(hand, phase, ruleset)
    return tuple(way for rated in sorted(_found(holding)) for way in _in_cards(holding, rated))


def best_lay(hand: tuple[Card, ...], phase: int, ruleset: Ruleset) -> Way | None:
    """The first of `lays`, or None if the phase cannot be laid; cheaper than asking for all."""
    if plan(hand, phase, ruleset).distance:
        return None
    holding = Holding(hand, phase, ruleset)
    best = min(_found(holding), default=None)
    return None if best is None else _first_in_cards(holding, best)


def _found(holding: Holding) -> list[_Rated]:
    """The ways that no other betters, in no order, each once for all mixtures of colours."""
    found = [_rated(holding, parts) for parts in holding.parts()]
    last = [way for way in found if _laid(holding, way) == len(holding.hand)] if holding.keep else []
    if last:
        shorter = {_rated(holding, parts) for way in last for parts in _one_less(holding, way[2])}
        found = [*(way for way in found if way not in last), *shorter.difference(found)]
    return _undominated(holding, found) if holding.careful or last else found


_LOW: Final = between(1, 9)


def _rated(holding: Holding, parts: Parts) -> _Rated:
    points = holding.rules.card_points
    laid = wilds = 0
    for goal, (one, two, three) in zip(holding.goals, parts, strict=True):
        if goal.kind is RUN:
            wilds += two - one + 1 - three.bit_count()
            laid += points.low * (three & _LOW).bit_count() + points.high * (three & ~_LOW).bit_count()
            continue
        wilds += three
        if goal.kind is SET:
            laid += two * (points.low if one < 10 else points.high)
        else:
            dearest = _dearest_first(holding, one)[:two]
            laid += sum(points.low if NUMBER[card] < 10 else points.high for card in dearest)
    return -laid - (wilds * points.wild if holding.late else 0), wilds, parts


def _laid(holding: Holding, way: _Rated) -> int:
    """How many cards a way lays."""
    return way[1] + sum(_used(holding, way[2]))


def _used(holding: Holding, parts: Parts) -> list[int]:
    """How many number cards of each number or colour are laid."""
    used = [0] * (TOP + 1)
    for goal, (one, two, three) in zip(holding.goals, parts, strict=True):
        if goal.kind is RUN:
            for number in range(one, two + 1):
                used[number] += three >> number & 1
        else:
            used[one] += two
    return used


def _one_less(holding: Holding, parts: Parts) -> Iterator[Parts]:
    """The ways that keep one number card of a way that leaves nothing."""
    for place, (goal, (one, two, three)) in enumerate(zip(holding.goals, parts, strict=True)):
        before, after = parts[:place], parts[place + 1 :]
        if goal.kind is not RUN:
            if two > 1 and two + three > goal.size:
                yield (*before, (one, two - 1, three), *after)
        elif two - one + 1 > goal.size:
            for low, high in ((one + 1, two), (one, two - 1)):
                row = _lean(holding, low, high, three, goal.size)
                shorter = (*before, row, *after)
                if row[2] or not (holding.each or (holding.one and not any(_used(holding, shorter)))):
                    yield shorter


def _lean(holding: Holding, low: int, high: int, held: int, size: int) -> Part:
    """A run without the Wilds at its ends that it does not need, where they can be hit again at once."""
    while not holding.late and high - low >= size and not (held >> low & 1 and held >> high & 1):
        low, high = (low, high - 1) if held >> low & 1 else (low + 1, high)
    return low, high, held & between(low, high)


def _undominated(holding: Holding, found: list[_Rated]) -> list[_Rated]:
    kept: list[_Rated] = []
    for way in sorted(found):
        if not any(_as_good(holding, other, way) for other in kept):
            kept = [other for other in kept if not _as_good(holding, way, other)]
            kept.append(way)
    return kept


def _as_good(holding: Holding, way: _Rated, other: _Rated) -> bool:
    """Whether a way is at least as good as another one: points 1 to 4 above, in this order."""
    mine, theirs = _used(holding, way[2]), _used(holding, other[2])
    if any(laid < more for laid, more in zip(mine, theirs, strict=True)):
        return False
    spared = other[1] - way[1]
    if spared < 0 or (holding.late and sum(mine) < sum(theirs) + spared):
        return False
    if not _takes_as_much(holding, way[2], other[2], 0 if holding.late else spared):
        return False
    return spared > 0 or not holding.rules.wild_replaceable or _stand_for(holding, way) == _stand_for(holding, other)


def _takes_as_much(holding: Holding, mine: Parts, theirs: Parts, spared: int) -> bool:
    values = {part[0] for goal, part in zip(holding.goals, mine, strict=True) if goal.kind is not RUN}
    for goal, (low, high, held), (one, two, _) in zip(holding.goals, mine, theirs, strict=True):
        if goal.kind is not RUN:
            if one not in values:
                return False
        elif max(0, low - one) + max(0, two - high) > spared or between(low, high) & ~between(one, two) & ~held:
            return False
    return True


def _stand_for(holding: Holding, way: _Rated) -> list[int]:
    """What the Wilds of a way stand for, ascending."""
    found = []
    for goal, (one, two, three) in zip(holding.goals, way[2], strict=True):
        if goal.kind is RUN:
            found += [number for number in range(one, two + 1) if not three >> number & 1]
        else:
            found += [one] * three
    return sorted(found)


def _in_cards(holding: Holding, way: _Rated) -> Iterator[Way]:
    """A way in cards, for every mixture of colours that may stay in hand; the dearest cards are laid first."""
    choices: list[list[tuple[int, Sequence[Card]]]] = []
    for value, used in enumerate(_used(holding, way[2])):
        if used:
            held = _dearest_first(holding, value)
            some = dict.fromkeys(combinations(held, used)) if used < len(held) else (held,)
            choices.append([(value, cards) for cards in some])
    for chosen in product(*choices):
        yield _made_of(holding, way, dict(chosen))


def _first_in_cards(holding: Holding, way: _Rated) -> Way:
    """The first of `_in_cards`."""
    used = enumerate(_used(holding, way[2]))
    return _made_of(holding, way, {value: _dearest_first(holding, value)[:count] for value, count in used if count})


def _dearest_first(holding: Holding, value: int) -> Sequence[Card]:
    """The cards of a number, or of a colour with the highest number in front."""
    held = holding.cards[value]
    return held if holding.goals[0].kind is not COLORED else sorted(held, key=NUMBER.__getitem__, reverse=True)


def _made_of(holding: Holding, way: _Rated, pool: dict[int, Sequence[Card]]) -> Way:
    """A way made of a pool of cards by number or colour."""
    left = list(holding.hand)
    for cards in pool.values():
        for card in cards:
            left.remove(card)
    for _ in range(way[1]):
        left.remove(WILD)
    return _way(holding.phase, _melds(holding, way[2], pool), tuple(left))


def _melds(holding: Holding, parts: Parts, pool: dict[int, Sequence[Card]]) -> tuple[Meld, ...]:
    """The parts, made of a pool of cards by number or colour, of which a run takes the last one and sets the first ones."""
    melds = []
    taken: dict[int, int] = {}
    for goal, (one, two, three) in zip(holding.goals, parts, strict=True):
        if goal.kind is RUN:
            row = [pool[number][-1] if three >> number & 1 else WILD for number in range(one, two + 1)]
            melds.append(_meld(tuple(row), None if three else one))
        elif two:
            start = taken.get(one, 0)
            taken[one] = start + two
            melds.append(_meld((*pool[one][start : start + two], *(WILD,) * three)))
        else:
            melds.append(_meld((WILD,) * three, one))
    return tuple(melds)
