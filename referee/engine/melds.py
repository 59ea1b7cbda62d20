"""Melds: does a wish meet its goal, and what may be added to a meld on the table."""

from collections.abc import Sequence

from referee.engine.cards import CARDS, NUMBERS, SKIP_KIND, WILD, WILD_KIND, Card
from referee.engine.errors import IllegalMove, Reason
from referee.engine.events import CardHit, TableMeld
from referee.engine.moves import End, Hit, Meld, Seat
from referee.engine.ruleset import PHASES, Goal, GoalKind, NaturalCards, Ruleset

_TOP = 12  # runs live inside 1..12


def lay(melds: Sequence[Meld], phase: int, hand: list[Card], ruleset: Ruleset) -> tuple[TableMeld, ...]:
    """The melds as they will lie on the table, in the order they were listed; their cards are taken out of `hand`.

    Melds are matched to the goals of the phase in the listed order first, then in the other order. Raises IllegalMove
    with the first thing that is wrong; `hand` is then in no defined state.
    """
    goals = PHASES[phase]
    if len(melds) != len(goals):
        raise IllegalMove(Reason.WRONG_MELD_COUNT)
    naturals = 0
    for meld in melds:
        for card in meld.cards:
            if card == SKIP_KIND:
                raise IllegalMove(Reason.SKIP_IN_MELD)
            take(hand, card)
            naturals += card < NUMBERS
    # The duty is the whole phase's: a meld of Wilds alone is fine beside one with a number card.
    if not naturals and ruleset.natural_cards is not NaturalCards.NONE:
        raise IllegalMove(Reason.NATURAL_REQUIRED)
    return _matched(melds, goals)


def take(hand: list[Card], card: Card) -> None:
    """Take one copy of `card` out of `hand`. Raises IllegalMove(CARD_NOT_IN_HAND)."""
    try:
        hand.remove(card)
    except ValueError:
        raise IllegalMove(Reason.CARD_NOT_IN_HAND) from None


def _matched(melds: Sequence[Meld], goals: tuple[Goal, ...]) -> tuple[TableMeld, ...]:
    """Melds against goals. Of two orders that both fail, the one in which more melds fit names the reason."""
    fitting, problems = _against(melds, goals)
    if problems and len(goals) == 2 and goals[0] != goals[1]:
        others, other_problems = _against(melds, goals[::-1])
        if len(others) > len(fitting):
            fitting, problems = others, other_problems
    if problems:
        raise problems[0]
    return tuple(fitting)


def _against(melds: Sequence[Meld], goals: tuple[Goal, ...]) -> tuple[list[TableMeld], list[IllegalMove]]:
    fitting: list[TableMeld] = []
    problems: list[IllegalMove] = []
    for meld, goal in zip(melds, goals, strict=True):
        try:
            fitting.append(meet(goal, meld))
        except IllegalMove as problem:
            problems.append(problem)
    return fitting, problems


def meet(goal: Goal, meld: Meld) -> TableMeld:
    """The meld, if it meets this goal. Raises IllegalMove with what is wrong (whose hand it is from does not matter)."""
    if len(meld.cards) < goal.size:
        raise IllegalMove(Reason.TOO_FEW_CARDS)
    if SKIP_KIND in meld.cards:
        raise IllegalMove(Reason.SKIP_IN_MELD)
    match goal.kind:
        case GoalKind.SET:
            value, lowest, highest = _same(meld.cards, _NUMBER, Reason.NOT_A_SET), 1, _TOP
        case GoalKind.RUN:
            value, lowest, highest = _start(meld.cards), 1, _TOP + 1 - len(meld.cards)
        case GoalKind.COLOR:
            value, lowest, highest = _same(meld.cards, _COLOR, Reason.NOT_A_COLOR), 0, 3
    if value is None:
        if highest < lowest:
            raise IllegalMove(Reason.NOT_A_RUN)
        if meld.meaning is None:
            raise IllegalMove(Reason.MEANING_REQUIRED)
        if not lowest <= meld.meaning <= highest:
            raise IllegalMove(Reason.MEANING_WRONG)
        value = meld.meaning
    elif meld.meaning is not None and meld.meaning != value:
        raise IllegalMove(Reason.MEANING_WRONG)
    return TableMeld(goal.kind, meld.cards, value)


_NUMBER = tuple(kind % 12 + 1 for kind in range(NUMBERS))
_COLOR = tuple(kind // 12 for kind in range(NUMBERS))


def _same(cards: tuple[Card, ...], table: tuple[int, ...], reason: Reason) -> int | None:
    """What all number cards share, None for Wilds alone."""
    found = {table[card] for card in cards if card < NUMBERS}
    if len(found) > 1:
        raise IllegalMove(reason)
    return found.pop() if found else None


def _start(cards: tuple[Card, ...]) -> int | None:
    """The lowest number of a run listed lowest first, None for Wilds alone."""
    found = {_NUMBER[card] - place for place, card in enumerate(cards) if card < NUMBERS}
    if not found:
        return None
    start = found.pop()
    if found or start < 1 or start + len(cards) - 1 > _TOP:
        raise IllegalMove(Reason.NOT_A_RUN)
    return start


def ends(meld: TableMeld, card: Card) -> tuple[End | None, ...]:
    """Where `card` fits on a meld: (None,) for a set or colour, one or both ends of a run, or nowhere: ()."""
    if card == SKIP_KIND:
        return ()
    match meld.kind:
        case GoalKind.SET:
            return (None,) if card == WILD_KIND or _NUMBER[card] == meld.value else ()
        case GoalKind.COLOR:
            return (None,) if card == WILD_KIND or _COLOR[card] == meld.value else ()
        case GoalKind.RUN:
            return _run_ends(meld.value - 1, meld.value + len(meld.cards), card)


def _run_ends(below: int, above: int, card: Card) -> tuple[End | None, ...]:
    if card == WILD_KIND:
        low = (End.LOW,) if below >= 1 else ()
        return (*low, End.HIGH) if above <= _TOP else low
    if _NUMBER[card] == below:
        return (End.LOW,)
    return (End.HIGH,) if _NUMBER[card] == above else ()


def hit_end(meld: TableMeld, card: Card, end: End | None) -> End | None:
    """The end at which a hit takes effect: None for a set or colour. Raises IllegalMove if the hit is not allowed."""
    if card == SKIP_KIND:
        raise IllegalMove(Reason.SKIP_IN_MELD)
    if end is not None and meld.kind is not GoalKind.RUN:
        raise IllegalMove(Reason.END_NOT_ALLOWED)
    open_ends = ends(meld, card)
    if end is None and len(open_ends) == 2:
        raise IllegalMove(Reason.END_REQUIRED)
    if not open_ends or (end is not None and end not in open_ends):
        raise IllegalMove(Reason.DOES_NOT_FIT)
    return end if end is not None else open_ends[0]


def hit(seat: Seat, wish: Hit, hand: list[Card], table: list[tuple[TableMeld, ...]]) -> CardHit:
    """One hit: the card is taken out of `hand`, the meld grows on `table` (melds by seat). Raises IllegalMove."""
    if not 0 <= wish.owner < len(table):
        raise IllegalMove(Reason.NO_SUCH_SEAT)
    melds = table[wish.owner]
    if not 0 <= wish.meld < len(melds):
        raise IllegalMove(Reason.NO_SUCH_MELD)
    take(hand, wish.card)
    end = hit_end(melds[wish.meld], wish.card, wish.end)
    meld = grown(melds[wish.meld], wish.card, end)
    table[wish.owner] = (*melds[: wish.meld], meld, *melds[wish.meld + 1 :])
    return CardHit(seat, wish.owner, wish.meld, wish.card, end)


def grown(meld: TableMeld, card: Card, end: End | None) -> TableMeld:
    """The meld with one card more, at `end` if it is a run."""
    if end is End.LOW and meld.kind is GoalKind.RUN:
        return TableMeld(meld.kind, (card, *meld.cards), meld.value - 1)
    return TableMeld(meld.kind, (*meld.cards, card), meld.value)


def _open(kind: GoalKind, value: int, size: int) -> frozenset[Card]:
    probe = TableMeld(kind, (WILD,) * size, value)
    return frozenset(card for card in CARDS if ends(probe, card))


_OPEN_SETS = tuple(_open(GoalKind.SET, value, 2) for value in range(_TOP + 1))
_OPEN_COLORS = tuple(_open(GoalKind.COLOR, value, 2) for value in range(4))
_OPEN_RUNS = tuple(tuple(_open(GoalKind.RUN, low, size) for size in range(_TOP + 2 - low)) for low in range(_TOP + 1))


def open_kinds(meld: TableMeld) -> frozenset[Card]:
    """Every kind that may be added to this meld now."""
    kind = meld.kind
    if kind is GoalKind.RUN:
        return _OPEN_RUNS[meld.value][len(meld.cards)]
    return _OPEN_SETS[meld.value] if kind is GoalKind.SET else _OPEN_COLORS[meld.value]
