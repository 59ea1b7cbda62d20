"""Everything a seat could wish for, tried one by one: slow and plain, to be held against what `legal` offers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from referee.engine import (
    CARDS,
    PHASES,
    WILD,
    Card,
    Draw,
    End,
    Game,
    Goal,
    GoalKind,
    Hit,
    IllegalMove,
    Meld,
    Move,
    Play,
    Reason,
    Ruleset,
    Seat,
    SeededDecks,
    TableMeld,
)
from referee.engine.decide import decide
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


Finish = tuple[Card | None, Seat | None]  # what a Play ends with: discard and target
ANY_DECKS = SeededDecks(bytes(64))


def verdict(game: Game, move: Move) -> Reason | None:
    """Why the rules refuse a move of the seat to move; None if they accept it."""
    assert game.to_move is not None
    try:
        decide(game.state, game.to_move, move, ANY_DECKS)
    except IllegalMove as refused:
        return refused.reason
    return None


def accepted_draws(game: Game) -> list[Draw]:
    return [move for move in (Draw(), Draw(from_discard=True)) if verdict(game, move) is None]


def goes_on(game: Game, play: Play) -> bool:
    """Whether a Play without a discard is right as far as it goes."""
    return verdict(game, play) in {None, Reason.DISCARD_REQUIRED}


def accepted_lays(game: Game) -> list[tuple[int, tuple[Meld, ...]]]:
    """Every lay that is accepted now with the phase it is for, in the order of the phase's goals."""
    assert game.to_move is not None
    hand = game.state.hands[game.to_move]
    found = []
    for phase, goals in PHASES.items():
        refused = {Reason.PHASE_NOT_AVAILABLE, Reason.PHASE_ALREADY_DONE, Reason.ALREADY_LAID}
        for melds in product(*(candidates(hand, goal) for goal in goals)):
            reason = verdict(game, Play(melds, phase=phase))
            if reason in refused:
                break  # whatever is laid
            if reason in {None, Reason.DISCARD_REQUIRED}:
                found.append((phase, melds))
    return found


def accepted_hits(game: Game, play: Play, cards: Iterable[Card] = CARDS) -> set[Hit]:
    """Every hit of these cards that can follow the steps of a Play so far."""
    assert game.to_move is not None
    wishes = (
        Hit(Seat(owner), meld, card, end, for_wild)
        for owner, meld, card, end, for_wild in product(
            range(-1, game.seats + 1), range(-1, 3), cards, (None, *End), (False, True)
        )
    )
    fine = {wish for wish in wishes if goes_on(game, Play(play.lay, (*play.hits, wish), phase=play.phase))}
    # Where one end is possible, it may be named or left out. Here number cards leave it out and Wilds name it.
    named = {(wish.owner, wish.meld, wish.card) for wish in fine if wish.end is not None}
    return {
        wish
        for wish in fine
        if wish.for_wild or (wish.owner, wish.meld, wish.card) not in named or (wish.end is None) is wish.card.is_number
    }


def accepted_finishes(game: Game, play: Play) -> set[Finish]:
    """Every discard and target that make a whole Play of the steps so far."""
    finishes = product((None, *CARDS), (None, *map(Seat, range(-1, game.seats + 1))))
    return {
        (card, target)
        for card, target in finishes
        if verdict(game, Play(play.lay, play.hits, card, target, play.phase)) is None
    }
