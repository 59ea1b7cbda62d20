"""Cards for the pictures of a rules page. The engine's own rules lay them, so a picture shows what may really be played."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from referee.engine.cards import NUMBERS, SKIP, WILD, Card, Color, number_card, parse_cards
from referee.engine.errors import IllegalMove
from referee.engine.events import TableMeld
from referee.engine.melds import lay, open_kinds
from referee.engine.moves import Meld
from referee.engine.ruleset import PHASES, Goal, GoalKind, Ruleset

# What the scoring chapter counts.
HAND: Final = parse_cards("R2 G9 Y11 S W")
_SETS: Final = (7, 10)  # the number of a phase's first set, and of its second one
_RUN: Final = 3  # where a run begins
_COLORED: Final = (2, 3, 3, 6, 8, 9, 11, 12, 1, 4)  # in a colour numbers may be missing and may come twice
_ORDER: Final = (Color.RED, Color.BLUE, Color.YELLOW, Color.GREEN)


@dataclass(frozen=True, slots=True)
class Trial:
    """Melds that may be doubted, and what the rules say: `refusal` is a sentence, empty if they may be laid."""

    question: str
    phase: int
    melds: tuple[Meld, ...]
    refusal: str


def phase_example(phase: int, rules: Ruleset) -> tuple[TableMeld, ...]:
    """A way to lay a phase with no card too many, one of them a Wild if the deck has any. Raises KeyError for no phase."""
    melds = _plain_melds(phase)
    if rules.wilds:
        longest = max(range(len(melds)), key=lambda place: (len(melds[place].cards), place))
        goal = PHASES[phase][longest]
        place = len(melds[longest].cards) // 2 if goal.kind is GoalKind.RUN else len(melds[longest].cards) - 1
        melds = _changed(melds, longest, _with(melds[longest].cards, place, WILD))
    return _lay(melds, phase, rules)


def hit_examples() -> tuple[tuple[TableMeld, tuple[Card, ...]], ...]:
    """Melds on the table, each with some cards that may be added to it, a Wild among them."""
    found = []
    for meld in (
        TableMeld(GoalKind.SET, parse_cards("R7 B7 Y7"), 7),
        TableMeld(GoalKind.RUN, parse_cards("R3 B4 W Y6"), 3),
        TableMeld(GoalKind.COLOR, parse_cards("B2 B3 B3 B6 B8 B9 B11"), Color.BLUE),
    ):
        fitting = sorted(open_kinds(meld))
        if meld.kind is GoalKind.COLOR:
            shown = [card for card in fitting if card.number in {1, 12} or not card.is_number]
        else:
            numbers = sorted({card.number for card in fitting if card.number})
            shown = [number_card(Color.GREEN, number) for number in numbers]
            shown += [card for card in fitting if not card.is_number]
        found.append((meld, tuple(shown)))
    return tuple(found)


def trials(rules: Ruleset) -> tuple[Trial, ...]:
    """What players ask about laying, tried with a phase of these rules."""
    found = []
    for question, make in _TRIALS:
        made = next((made for phase in rules.phases if (made := make(phase, rules)) is not None), None)
        if made is not None:
            phase, melds = made
            found.append(Trial(question, phase, melds, _refusal(melds, phase, rules)))
    return tuple(found)


def _refusal(melds: tuple[Meld, ...], phase: int, rules: Ruleset) -> str:
    try:
        _lay(melds, phase, rules)
    except IllegalMove as refused:
        text = refused.reason.value
        return f"{text[0].upper()}{text[1:]}."
    return ""


def _lay(melds: tuple[Meld, ...], phase: int, rules: Ruleset) -> tuple[TableMeld, ...]:
    """Out of a hand that holds one card more, as it would when the turn goes on. Raises IllegalMove."""
    return lay(melds, phase, [*(card for meld in melds for card in meld.cards), SKIP], rules)


def _plain_melds(phase: int) -> tuple[Meld, ...]:
    sets = 0
    melds = []
    for goal in PHASES[phase]:
        melds.append(Meld(_cards(goal, sets)))
        sets += goal.kind is GoalKind.SET
    return tuple(melds)


def _cards(goal: Goal, sets: int) -> tuple[Card, ...]:
    """Number cards that meet a goal; `sets` counts the sets before it."""
    match goal.kind:
        case GoalKind.SET:
            return tuple(number_card(_ORDER[(place + sets) % 4], _SETS[sets]) for place in range(goal.size))
        case GoalKind.RUN:
            low = min(_RUN, 13 - goal.size)
            return tuple(number_card(_ORDER[place * 3 % 4], low + place) for place in range(goal.size))
        case GoalKind.COLOR:
            return tuple(number_card(Color.BLUE, number) for number in sorted(_COLORED[: goal.size]))


def _with(cards: tuple[Card, ...], place: int, card: Card) -> tuple[Card, ...]:
    return (*cards[:place], card, *cards[place + 1 :])


def _changed(melds: tuple[Meld, ...], place: int, cards: tuple[Card, ...], meaning: int | None = None) -> tuple[Meld, ...]:
    return (*melds[:place], Meld(cards, meaning), *melds[place + 1 :])


_Made = tuple[int, tuple[Meld, ...]]


def _extra(phase: int, _: Ruleset) -> _Made | None:
    melds = _plain_melds(phase)
    goal = PHASES[phase][0]
    return phase, _changed(melds, 0, _cards(Goal(goal.kind, goal.size + 1), 0))


def _wild_meld(phase: int, rules: Ruleset) -> _Made | None:
    melds = _plain_melds(phase)
    last = len(melds) - 1
    size = len(melds[last].cards)
    if not last or size > rules.wilds:
        return None
    return phase, _changed(melds, last, (WILD,) * size, _meaning(PHASES[phase][last], last))


def _wild_phase(phase: int, rules: Ruleset) -> _Made | None:
    goals = PHASES[phase]
    if sum(goal.size for goal in goals) > rules.wilds:
        return None
    return phase, tuple(Meld((WILD,) * goal.size, _meaning(goal, place)) for place, goal in enumerate(goals))


def _meaning(goal: Goal, place: int) -> int:
    """What a meld of Wilds alone may stand for."""
    match goal.kind:
        case GoalKind.SET:
            return _SETS[place]
        case GoalKind.RUN:
            return _RUN
        case GoalKind.COLOR:
            return Color.BLUE


def _one_number(phase: int, _: Ruleset) -> _Made | None:
    goals = PHASES[phase]
    if [goal.kind for goal in goals] != [GoalKind.SET, GoalKind.SET]:
        return None
    cards = [number_card(_ORDER[place % 4], _SETS[0]) for place in range(sum(goal.size for goal in goals))]
    return phase, (Meld(tuple(cards[: goals[0].size])), Meld(tuple(cards[goals[0].size :])))


def _round_the_end(phase: int, _: Ruleset) -> _Made | None:
    for place, goal in enumerate(PHASES[phase]):
        if goal.kind is GoalKind.RUN:
            numbers = [(9 + step) % 12 + 1 for step in range(goal.size)]  # 10, 11, 12, 1, 2 ...
            cards = tuple(number_card(_ORDER[step % 4], number) for step, number in enumerate(numbers))
            return phase, _changed(_plain_melds(phase), place, cards)
    return None


def _skip_inside(phase: int, rules: Ruleset) -> _Made | None:
    if not rules.skips:
        return None
    melds = _plain_melds(phase)
    return phase, _changed(melds, 0, _with(melds[0].cards, len(melds[0].cards) - 1, SKIP))


_TRIALS: Final[tuple[tuple[str, Callable[[int, Ruleset], _Made | None]], ...]] = (
    ("One card more than asked for", _extra),
    ("A meld of Wilds alone beside one with number cards", _wild_meld),
    ("A whole phase of Wilds", _wild_phase),
    ("Two sets of one number", _one_number),
    ("A run that goes on from 12 to 1", _round_the_end),
    ("A Skip in a meld", _skip_inside),
)


def stands_for(meld: TableMeld) -> Iterator[tuple[Card, int | None]]:
    """Each card of a meld with the number that a Wild stands for; None for other cards and in a colour."""
    for place, card in enumerate(meld.cards):
        if card < NUMBERS or meld.kind is GoalKind.COLOR:
            yield card, None
        else:
            yield card, meld.value + (place if meld.kind is GoalKind.RUN else 0)
