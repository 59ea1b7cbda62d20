"""Everything a hand could lay, tried one by one: slow and plain, to be held against the search."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from referee.engine import PHASES, WILD, Card, Goal, GoalKind, IllegalMove, Meld, Ruleset, TableMeld
from referee.engine.melds import lay
from referee.engine.ruleset import HitOnLayTurn

Laid = tuple[tuple[TableMeld, ...], tuple[Card, ...]]  # the melds, and the hand after it


def all_lays(hand: Sequence[Card], phase: int, ruleset: Ruleset) -> list[Laid]:
    """Every lay that the rules accept, melds in the order of the goals; sets that hold the same cards count once."""
    found: dict[Laid, None] = {}
    for melds in product(*(candidates(hand, goal) for goal in PHASES[phase])):
        rest = list(hand)
        try:
            laid = lay(melds, phase, rest, ruleset)
        except IllegalMove:
            continue
        found[laid, tuple(rest)] = None
    return list(found)


def candidates(hand: Sequence[Card], goal: Goal) -> list[Meld]:
    """Every meld of this goal that could be made of the hand, larger ones and Wilds without need included."""
    return list(dict.fromkeys(_runs(hand, goal.size) if goal.kind is GoalKind.RUN else _groups(hand, goal)))


def _groups(hand: Sequence[Card], goal: Goal) -> Iterator[Meld]:
    values = range(1, 13) if goal.kind is GoalKind.SET else range(4)
    wilds = hand.count(WILD)
    for value in values:
        fitting = [card for card in hand if (card.number if goal.kind is GoalKind.SET else card.color) == value]
        for naturals in range(len(fitting) + 1):
            for cards in combinations(fitting, naturals):
                for more in range(max(0, goal.size - naturals), wilds + 1):
                    yield Meld((*cards, *(WILD,) * more), value)


def _runs(hand: Sequence[Card], size: int) -> Iterator[Meld]:
    for low in range(1, 13):
        for high in range(low + size - 1, 13):
            choices = [{card for card in hand if card.number == number} | {WILD} for number in range(low, high + 1)]
            for cards in product(*choices):
                if cards.count(WILD) <= hand.count(WILD):
                    yield Meld(cards, low)


def as_good(one: Laid, other: Laid, ruleset: Ruleset) -> bool:
    """Whether the first lay is at least as good as the second: the four points of `referee.engine.lays`, in cards."""
    (melds, hand), (others, other_hand) = one, other
    late = ruleset.hit_on_lay_turn is HitOnLayTurn.NONE
    spared = hand.count(WILD) - other_hand.count(WILD)
    if numbers(hand) - numbers(other_hand) or spared < 0 or (late and len(hand) > len(other_hand)):
        return False
    if ruleset.wild_replaceable and not spared and stand_for(melds) != stand_for(others):
        return False
    taken = {(meld.kind, meld.value) for meld in melds if meld.kind is not GoalKind.RUN}
    for mine, theirs in zip(melds, others, strict=True):
        if theirs.kind is not GoalKind.RUN:
            if (theirs.kind, theirs.value) not in taken:
                return False
            continue
        mine_there, theirs_there = places(mine), places(theirs)
        short = (*range(min(theirs_there), min(mine_there)), *range(max(mine_there), max(theirs_there)))
        beyond = [card for place, card in mine_there.items() if place not in theirs_there]
        if len(short) > (0 if late else spared) or WILD in beyond:
            return False
    return True


def numbers(hand: Sequence[Card]) -> Counter[Card]:
    return Counter(card for card in hand if card.is_number)


def places(run: TableMeld) -> dict[int, Card]:
    return {run.value + place: card for place, card in enumerate(run.cards)}


def stand_for(melds: Sequence[TableMeld]) -> list[int]:
    found = []
    for meld in melds:
        for place, card in enumerate(meld.cards):
            if card == WILD:
                found.append(meld.value + place if meld.kind is GoalKind.RUN else meld.value)
    return sorted(found)
