"""Melds: does a wish meet its goal, and what may be added to a meld on the table."""

from bisect import insort
from collections.abc import Sequence
from typing import Final

from referee.engine.cards import CARDS, NUMBERS, SKIP_KIND, WILD, WILD_KIND, Card
from referee.engine.errors import IllegalMove, Reason
from referee.engine.events import CardHit, TableMeld, WildTaken
from referee.engine.moves import End, Hit, Meld, Seat
from referee.engine.ruleset import PHASES, Goal, GoalKind, GoingOut, HitOnLayTurn, NaturalCards, Ruleset
from referee.engine.values import maker

_TOP: Final = 12  # runs live inside 1..12

# A name of a module is found ten times as fast as a member of an enumeration.
_SET: Final = GoalKind.SET
_RUN: Final = GoalKind.RUN
_LOW: Final = End.LOW
_HIGH: Final = End.HIGH
_ANY: Final = HitOnLayTurn.ANY
_OWN_ONLY: Final = HitOnLayTurn.OWN_ONLY
_ONE_PER_PHASE: Final = NaturalCards.ONE_PER_PHASE
_NO_DUTY: Final = NaturalCards.NONE
_DISCARD_ONLY: Final = GoingOut.DISCARD_ONLY
_NOT_A_SET: Final = Reason.NOT_A_SET
_NOT_A_COLOR: Final = Reason.NOT_A_COLOR

_table_meld: Final = maker(TableMeld)
_card_hit: Final = maker(CardHit)


def lay(melds: Sequence[Meld], phase: int, hand: list[Card], ruleset: Ruleset) -> tuple[TableMeld, ...]:
    """The melds as they will lie on the table, in the order they were listed; their cards are taken out of `hand`.

    Melds are matched to the goals of the phase in the listed order first, then in the other order. Raises IllegalMove
    with the first thing that is wrong; `hand` is then in no defined state.
    """
    goals = PHASES[phase]
    if len(melds) != len(goals):
        raise IllegalMove(Reason.WRONG_MELD_COUNT)
    with_natural = 0
    remove = hand.remove
    try:
        for meld in melds:
            for card in meld.cards:
                if card == SKIP_KIND:
                    raise IllegalMove(Reason.SKIP_IN_MELD)
                remove(card)
            with_natural += min(meld.cards, default=WILD) < NUMBERS
    except ValueError:
        raise IllegalMove(Reason.CARD_NOT_IN_HAND) from None
    if with_natural < _naturals_needed(ruleset.natural_cards, len(melds)):
        raise IllegalMove(Reason.NATURAL_REQUIRED)
    laid = _matched(melds, goals, ruleset)
    if not ruleset.same_number_sets and len(laid) == 2 and _both_sets(laid) and laid[0].value == laid[1].value:
        raise IllegalMove(Reason.SAME_NUMBER_SETS)
    keep_discard(hand, ruleset)
    return laid


def _naturals_needed(duty: NaturalCards, melds: int) -> int:
    """How many of the melds must hold a number card. The texts speak of the phase: beside one, Wilds alone are fine."""
    if duty is _ONE_PER_PHASE:
        return 1
    return 0 if duty is _NO_DUTY else melds


def _both_sets(melds: tuple[TableMeld, ...]) -> bool:
    return all(meld.kind is _SET for meld in melds)


def keep_discard(hand: Sequence[Card], ruleset: Ruleset) -> None:
    """Raises IllegalMove if the hand was emptied by a lay or a hit where the last card must be discarded."""
    if not hand and ruleset.going_out is _DISCARD_ONLY:
        raise IllegalMove(Reason.MUST_KEEP_DISCARD)


def take(hand: list[Card], card: Card) -> None:
    """Take one copy of `card` out of `hand`. Raises IllegalMove(CARD_NOT_IN_HAND)."""
    try:
        hand.remove(card)
    except ValueError:
        raise IllegalMove(Reason.CARD_NOT_IN_HAND) from None


def _matched(melds: Sequence[Meld], goals: tuple[Goal, ...], ruleset: Ruleset) -> tuple[TableMeld, ...]:
    """Melds against goals. Of two orders that both fail, the one in which more melds fit names the reason."""
    fitting, problems = _against(melds, goals, ruleset)
    if problems and len(goals) == 2 and goals[0] != goals[1]:
        others, other_problems = _against(melds, goals[::-1], ruleset)
        if len(others) > len(fitting):
            fitting, problems = others, other_problems
    if problems:
        raise problems[0]
    return tuple(fitting)


def _against(melds: Sequence[Meld], goals: tuple[Goal, ...], ruleset: Ruleset) -> tuple[list[TableMeld], list[IllegalMove]]:
    fitting: list[TableMeld] = []
    problems: list[IllegalMove] = []
    for meld, goal in zip(melds, goals, strict=True):
        try:
            fitting.append(meet(goal, meld, ruleset))
        except IllegalMove as problem:
            problems.append(problem)
    return fitting, problems


def meet(goal: Goal, meld: Meld, ruleset: Ruleset) -> TableMeld:
    """The meld, if it meets this goal. Raises IllegalMove with what is wrong (whose hand it is from does not matter)."""
    if len(meld.cards) < goal.size:
        raise IllegalMove(Reason.TOO_FEW_CARDS)
    if len(meld.cards) > goal.size and not ruleset.lay_extra:
        raise IllegalMove(Reason.EXTRA_NOT_ALLOWED)
    if SKIP_KIND in meld.cards:
        raise IllegalMove(Reason.SKIP_IN_MELD)
    kind = goal.kind
    if kind is _SET:
        value, lowest, highest = _same(meld.cards, _NUMBER, _NOT_A_SET), 1, _TOP
    elif kind is _RUN:
        value, lowest, highest = _start(meld.cards), 1, _TOP + 1 - len(meld.cards)
    else:
        value, lowest, highest = _same(meld.cards, _COLOR, _NOT_A_COLOR), 0, 3
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
    return _table_meld(kind, meld.cards, value)


_NUMBER: Final = tuple(kind % 12 + 1 for kind in range(NUMBERS))
_COLOR: Final = tuple(kind // 12 for kind in range(NUMBERS))


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
    kind, value = meld.kind, meld.value
    if kind is _RUN:
        return _run_ends(value - 1, value + len(meld.cards), card)
    return (None,) if card == WILD_KIND or (_NUMBER if kind is _SET else _COLOR)[card] == value else ()


def _run_ends(below: int, above: int, card: Card) -> tuple[End | None, ...]:
    if card == WILD_KIND:
        low = (_LOW,) if below >= 1 else ()
        return (*low, _HIGH) if above <= _TOP else low
    if _NUMBER[card] == below:
        return (_LOW,)
    return (_HIGH,) if _NUMBER[card] == above else ()


def hit_end(meld: TableMeld, card: Card, end: End | None) -> End | None:
    """The end at which a hit takes effect: None for a set or colour. Raises IllegalMove if the hit is not allowed."""
    if card == SKIP_KIND:
        raise IllegalMove(Reason.SKIP_IN_MELD)
    if end is not None and meld.kind is not _RUN:
        raise IllegalMove(Reason.END_NOT_ALLOWED)
    open_ends = ends(meld, card)
    if end is None and len(open_ends) == 2:
        raise IllegalMove(Reason.END_REQUIRED)
    if not open_ends or (end is not None and end not in open_ends):
        raise IllegalMove(Reason.DOES_NOT_FIT)
    return end if end is not None else open_ends[0]


def hit(  # noqa: PLR0913  the whole table is looked at
    seat: Seat, wish: Hit, hand: list[Card], table: list[tuple[TableMeld, ...]], ruleset: Ruleset, *, laying: bool
) -> CardHit | WildTaken:
    """One hit: the card is taken out of `hand`, the meld grows on `table` (melds by seat). Raises IllegalMove.

    `laying` says that the seat lays its phase in this turn. Where a Wild is taken, it is in `hand` afterwards.
    """
    if not 0 <= wish.owner < len(table):
        raise IllegalMove(Reason.NO_SUCH_SEAT)
    melds = table[wish.owner]
    if not 0 <= wish.meld < len(melds):
        raise IllegalMove(Reason.NO_SUCH_MELD)
    if laying and not may_hit_now(ruleset, own=wish.owner == seat):
        raise IllegalMove(Reason.HIT_NOT_THIS_TURN)
    take(hand, wish.card)
    meld = melds[wish.meld]
    event: CardHit | WildTaken
    if wish.for_wild:
        place = _wild_place(meld, wish, ruleset)
        meld = replaced(meld, place, wish.card)
        insort(hand, WILD)
        event = WildTaken(seat, wish.owner, wish.meld, place, wish.card)
    else:
        end = hit_end(meld, wish.card, wish.end)
        meld = grown(meld, wish.card, end)
        event = _card_hit(seat, wish.owner, wish.meld, wish.card, end)
    table[wish.owner] = (*melds[: wish.meld], meld, *melds[wish.meld + 1 :])
    keep_discard(hand, ruleset)
    return event


def may_hit_now(ruleset: Ruleset, *, own: bool) -> bool:
    """Whether a meld, the seat's own or another's, may be hit in the turn in which the seat lays its phase."""
    allowed = ruleset.hit_on_lay_turn
    return allowed is _ANY or (own and allowed is _OWN_ONLY)


def _wild_place(meld: TableMeld, wish: Hit, ruleset: Ruleset) -> int:
    """The place of the Wild that `wish` replaces. Raises IllegalMove."""
    if wish.card == SKIP_KIND:
        raise IllegalMove(Reason.SKIP_IN_MELD)
    if not ruleset.wild_replaceable:
        raise IllegalMove(Reason.WILD_NOT_REPLACEABLE)
    if wish.end is not None:
        raise IllegalMove(Reason.END_NOT_ALLOWED)
    place = wild_place(meld, wish.card)
    if place is None:
        raise IllegalMove(Reason.DOES_NOT_FIT)
    return place


def wild_place(meld: TableMeld, card: Card) -> int | None:
    """The place of a Wild in a meld that stands for `card`, the first one of a set or colour; None if there is none."""
    if card >= NUMBERS or WILD not in meld.cards:
        return None
    if meld.kind is _RUN:
        place = _NUMBER[card] - meld.value
        return place if 0 <= place < len(meld.cards) and meld.cards[place] == WILD_KIND else None
    return meld.cards.index(WILD) if ends(meld, card) else None


def replaced(meld: TableMeld, place: int, card: Card) -> TableMeld:
    """The meld with `card` in the place of the Wild at `place`. Raises ValueError if no Wild lies there."""
    if meld.cards[place] != WILD_KIND:
        raise ValueError(f"no Wild lies at place {place}")
    return _table_meld(meld.kind, (*meld.cards[:place], card, *meld.cards[place + 1 :]), meld.value)


def grown(meld: TableMeld, card: Card, end: End | None) -> TableMeld:
    """The meld with one card more, at `end` if it is a run."""
    if end is _LOW and meld.kind is _RUN:
        return _table_meld(meld.kind, (card, *meld.cards), meld.value - 1)
    return _table_meld(meld.kind, (*meld.cards, card), meld.value)


def _open(kind: GoalKind, value: int, size: int) -> frozenset[Card]:
    probe = TableMeld(kind, (WILD,) * size, value)
    return frozenset(card for card in CARDS if ends(probe, card))


_OPEN_SETS: Final = tuple(_open(GoalKind.SET, value, 2) for value in range(_TOP + 1))
_OPEN_COLORS: Final = tuple(_open(GoalKind.COLOR, value, 2) for value in range(4))
_OPEN_RUNS: Final = tuple(tuple(_open(GoalKind.RUN, low, size) for size in range(_TOP + 2 - low)) for low in range(_TOP + 1))


def open_kinds(meld: TableMeld) -> frozenset[Card]:
    """Every kind that may be added to this meld now."""
    kind = meld.kind
    if kind is _RUN:
        return _OPEN_RUNS[meld.value][len(meld.cards)]
    return _OPEN_SETS[meld.value] if kind is _SET else _OPEN_COLORS[meld.value]
