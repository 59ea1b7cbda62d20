"""Facts change the state here, and nowhere else. Nothing is checked: `decide` and `settle` made sure."""

from bisect import insort
from typing import Final, assert_never

from referee.engine.cards import SKIP, SKIP_KIND, WILD, WILD_KIND, Card
from referee.engine.events import (
    CardDiscarded,
    CardDrawn,
    CardHit,
    DealEnded,
    DealStarted,
    Event,
    GameEnded,
    GameStarted,
    PhaseLaid,
    SeatFaulted,
    SeatForfeited,
    SkipPlayed,
    StockRebuilt,
    TableMeld,
    TurnSkipped,
    WildTaken,
)
from referee.engine.melds import grown, replaced
from referee.engine.moves import Seat
from referee.engine.ruleset import (
    Advance,
    InitialSkip,
    InitialSkipDeals,
    InitialWild,
    Ruleset,
    ScoreTie,
    SkipLimit,
    SkipZone,
    WinCheck,
)
from referee.engine.state import NOBODY, State


def apply(state: State, event: Event) -> None:  # noqa: C901, PLR0912  one case per event, the frequent ones first
    """Change `state` by one event. A game's start makes a state and changes none: ValueError."""
    state.public_view = None
    match event:
        case CardDrawn():
            (state.discard if event.from_discard else state.stock).pop()
            insort(state.hands[event.seat], event.card)
            state.drawn = event.card
        case CardDiscarded():
            _give(state, event.seat, event.card)
            state.discard.append(event.card)
            _end_turn(state, event.seat)
        case SkipPlayed():
            _skip(state, event)
        case TurnSkipped():
            _skip_slot(state, event)
        case CardHit():
            _hit(state, event)
        case WildTaken():
            _take_wild(state, event)
        case PhaseLaid():
            _lay(state, event)
        case DealStarted():
            _deal(state, event)
        case DealEnded():
            _end_deal(state, event)
        case StockRebuilt():
            state.stock = list(reversed(event.stock))
            del state.discard[:-1]
            state.reshuffles += 1
        case SeatFaulted():
            state.faults[event.seat] = event.count
            state.seat_views[event.seat].clear()
        case SeatForfeited():
            state.forfeits[event.seat] = event.cause
            state.active -= 1
            state.seat_views[event.seat].clear()
        case GameEnded():
            state.game_end = event.cause
            state.places = event.places
            state.to_move = NOBODY
            state.drawn = None
            _forget_views(state)
        case GameStarted():
            raise ValueError("a game starts once")
        case _:
            assert_never(event)


def _give(state: State, seat: Seat, card: Card) -> None:
    hand = state.hands[seat]
    hand.remove(card)
    if not hand:
        state.out = seat


def _end_turn(state: State, seat: Seat) -> None:
    state.played_at[seat] = state.turn
    _next_slot(state)


def _next_slot(state: State) -> None:
    limit = state.ruleset.skip_limit
    if limit is not _ONE_PENDING:
        _lift_protection(state, limit)
    state.turn += 1
    state.drawn = None
    state.to_move = state.next_player[state.to_move]


_ONE_PENDING: Final = SkipLimit.ONE_PENDING


def _lift_protection(state: State, limit: SkipLimit) -> None:
    """Forget the views of seats that may be skipped again from the next slot on."""
    if limit is SkipLimit.UNTIL_REAL_TURN:
        state.seat_views[state.to_move].clear()
    elif limit is SkipLimit.ONE_PER_LAP and (state.turn + 1) % len(state.players) == 0:
        _forget_views(state)  # a new lap: nobody is protected by the last one's Skips


def _skip(state: State, event: SkipPlayed) -> None:
    _give(state, event.seat, SKIP)
    if state.ruleset.skip_zone is SkipZone.DISCARD_PILE:
        state.discard.append(SKIP)
    state.waiting[event.target] += 1
    state.skipped_at[event.target] = state.turn
    state.seat_views[event.target].clear()
    _end_turn(state, event.seat)


def _skip_slot(state: State, event: TurnSkipped) -> None:
    if event.by_start_card:
        state.start_skip = False
    else:
        state.waiting[event.seat] -= 1
        if state.ruleset.skip_zone is SkipZone.IN_FRONT:
            state.discard.append(SKIP)  # it lay before the seat until now (official leaflet)
        state.seat_views[event.seat].clear()
    _next_slot(state)


def _lay(state: State, event: PhaseLaid) -> None:
    hand = state.hands[event.seat]
    for meld in event.melds:
        for card in meld.cards:
            hand.remove(card)
    if not hand:
        state.out = event.seat
    state.laid[event.seat] = event.phase
    state.seat_views[event.seat].clear()
    state.melds[event.seat] = event.melds
    if state.tie_break:
        state.decided = state.ruleset.score_tie is ScoreTie.REPLAY_FIRST_TO_LAY
        return
    state.done[event.seat] += (event.phase,)
    if state.ruleset.advance is not Advance.EVERY_DEAL:
        state.completed[event.seat] += 1
        last = state.completed[event.seat] == len(state.ruleset.phases)
        state.decided = last and state.ruleset.win_check is WinCheck.ON_LAY


def _hit(state: State, event: CardHit) -> None:
    _give(state, event.seat, event.card)
    _change_meld(state, event.owner, event.meld, grown(state.melds[event.owner][event.meld], event.card, event.end))


def _take_wild(state: State, event: WildTaken) -> None:
    hand = state.hands[event.seat]
    hand.remove(event.card)
    insort(hand, WILD)
    _change_meld(state, event.owner, event.meld, replaced(state.melds[event.owner][event.meld], event.place, event.card))


def _change_meld(state: State, owner: Seat, number: int, meld: TableMeld) -> None:
    melds = list(state.melds[owner])
    melds[number] = meld
    state.melds[owner] = tuple(melds)
    state.seat_views[owner].clear()


def _end_deal(state: State, event: DealEnded) -> None:
    for seat, completed in enumerate(event.completed):
        if completed < state.completed[seat]:
            state.done[seat] = state.done[seat][:-1]  # the last phase did not count without going out
    state.totals[:] = event.totals
    state.completed[:] = event.completed
    state.deal_end = event.cause
    _forget_views(state)


def _deal(state: State, event: DealStarted) -> None:
    players, deck = event.players, event.deck
    count = len(players)
    first = players.index(event.dealer) + 1
    dealt = count * state.ruleset.hand_size
    state.hands = [[] for _ in range(state.seats)]
    for place in range(count):
        state.hands[players[(first + place) % count]] = sorted(deck[place:dealt:count])
    face_up = start_cards(deck, dealt, state.ruleset)
    state.discard = list(deck[dealt : dealt + face_up])
    state.stock = list(reversed(deck[dealt + face_up :]))
    state.deal, state.dealer, state.players, state.tie_break = event.deal, event.dealer, players, event.tie_break
    state.tie_breaks += event.tie_break
    state.next_player = [NOBODY] * state.seats
    for place, seat in enumerate(players):
        state.next_player[seat] = players[(place + 1) % count]
    state.laid = [0] * state.seats
    state.melds = [()] * state.seats
    state.waiting = [0] * state.seats
    state.skipped_at = [-1] * state.seats
    state.played_at = [-1] * state.seats
    state.turn = state.reshuffles = 0
    cap = state.terms.max_turns_per_deal
    state.turn_cap = -1 if cap is None else cap * count
    state.to_move = players[first % count]
    state.drawn = state.deal_end = None
    state.out = NOBODY
    state.decided = False
    state.start_skip = _skips_first_player(state)
    _forget_views(state)


def start_cards(deck: tuple[Card, ...], dealt: int, ruleset: Ruleset) -> int:
    """How many cards are turned up after the deal: one, and more where the rules cover a Skip or a Wild."""
    face_up = 1
    while dealt + face_up < len(deck):
        top = deck[dealt + face_up - 1]
        skip = top == SKIP_KIND and ruleset.initial_skip is InitialSkip.COVER
        wild = top == WILD_KIND and ruleset.initial_wild is InitialWild.COVER
        if not skip and not wild:
            break
        face_up += 1
    return face_up


def _skips_first_player(state: State) -> bool:
    rules = state.ruleset
    applies = rules.initial_skip_deals is InitialSkipDeals.EVERY or state.deal == 0
    return state.discard[-1] == SKIP_KIND and rules.initial_skip is InitialSkip.SKIP_FIRST_PLAYER and applies


def _forget_views(state: State) -> None:
    for views in state.seat_views:
        views.clear()
