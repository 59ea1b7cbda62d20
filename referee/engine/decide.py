"""Wishes are judged here: the rules of a turn. Nothing is changed."""

from typing import Final, assert_never

from referee.engine.cards import SKIP, SKIP_KIND, Card
from referee.engine.closing import deal_over
from referee.engine.errors import IllegalMove, Reason
from referee.engine.events import (
    CardDiscarded,
    CardDrawn,
    DealEnd,
    Event,
    PhaseLaid,
    SkipPlayed,
    StockRebuilt,
)
from referee.engine.melds import hit, lay
from referee.engine.moves import Draw, Move, Play, Seat
from referee.engine.ruleset import Advance, DeckExhausted, ScoreTie, SkipTarget, WinCheck
from referee.engine.shuffle import DeckSource, shuffle_number
from referee.engine.state import NOBODY, State
from referee.engine.values import maker

_card_drawn: Final = maker(CardDrawn)
_card_discarded: Final = maker(CardDiscarded)
_phase_laid: Final = maker(PhaseLaid)


def decide(state: State, seat: Seat, move: Move, decks: DeckSource) -> tuple[Event, ...]:
    """The events that a move leads to. Raises IllegalMove with the first thing that is wrong; changes nothing ever."""
    if seat != state.to_move or seat == NOBODY:
        raise IllegalMove(Reason.NOT_YOUR_TURN if state.game_end is None else Reason.GAME_OVER)
    match move:
        case Draw():
            if state.drawn is not None:
                raise IllegalMove(Reason.ALREADY_DREW)
            return _taken(state, seat) if move.from_discard else _drawn(state, seat, decks)
        case Play():
            if state.drawn is None:
                raise IllegalMove(Reason.MUST_DRAW_FIRST)
            if move.lay or move.hits or move.phase is not None:
                return _full_play(state, seat, move)
            return (_discard(state, seat, move, state.hands[seat]),)
        case _:
            assert_never(move)


def _drawn(state: State, seat: Seat, decks: DeckSource) -> tuple[Event, ...]:
    if state.stock:
        return (_card_drawn(seat, state.stock[-1], False),)
    if state.ruleset.deck_exhausted is DeckExhausted.END_DEAL:
        return (deal_over(state, DealEnd.STOCK_EMPTY),)
    # Every turn takes one card and puts as many down, so in play at least 18 cards lie in the piles.
    if len(state.discard) < 2:
        raise IllegalMove(Reason.STOCK_EMPTY)
    # The leaflets are silent on an empty pile; as everywhere in rummy the discards but the top one are shuffled.
    number = shuffle_number(state.deal, state.reshuffles + 1)
    stock = decks(number, tuple(sorted(state.discard[:-1])))
    return (StockRebuilt(stock), CardDrawn(seat, stock[0], False))


def _taken(state: State, seat: Seat) -> tuple[Event, ...]:
    if not state.discard:
        raise IllegalMove(Reason.DISCARD_EMPTY)
    top = state.discard[-1]
    if top == SKIP_KIND and not state.ruleset.take_skip_from_discard:
        raise IllegalMove(Reason.SKIP_NOT_TAKEABLE)
    return (_card_drawn(seat, top, True),)


def _full_play(state: State, seat: Seat, play: Play) -> tuple[Event, ...]:
    """Lay, then hits as listed, then the discard: the first step that fails names the reason."""
    rules = state.ruleset
    hand = list(state.hands[seat])
    table = list(state.melds)
    events: list[Event] = []
    if play.lay or play.phase is not None:
        phase = _phase_to_lay(state, seat, play)
        table[seat] = lay(play.lay, phase, hand, rules)
        events.append(_phase_laid(seat, phase, table[seat]))
        if _lay_decides(state, seat):
            return tuple(events)  # the game or the tie-break is over, so what was wished for after it is not judged
    for wish in play.hits:
        if not table[seat]:
            raise IllegalMove(Reason.NOT_LAID)
        events.append(hit(seat, wish, hand, table, rules, laying=bool(play.lay)))
    if hand:
        events.append(_discard(state, seat, play, hand))
    elif play.discard is not None:
        raise IllegalMove(Reason.DISCARD_NOT_ALLOWED)
    elif play.skip_target is not None:
        raise IllegalMove(Reason.TARGET_NOT_ALLOWED)
    return tuple(events)


def _phase_to_lay(state: State, seat: Seat, play: Play) -> int:
    if state.laid[seat]:
        raise IllegalMove(Reason.ALREADY_LAID)
    phase, named = state.phase(seat), play.phase
    free = not phase and state.ruleset.advance is Advance.FREE_CHOICE
    if free and play.lay and named is None:
        raise IllegalMove(Reason.PHASE_REQUIRED)
    if free and play.lay and named in state.done[seat]:
        raise IllegalMove(Reason.PHASE_ALREADY_DONE)
    allowed = state.ruleset.phases if free else (phase,) if phase else ()
    wanted = phase if named is None else named
    if not play.lay or wanted not in allowed:
        raise IllegalMove(Reason.PHASE_NOT_AVAILABLE)
    return wanted


def _lay_decides(state: State, seat: Seat) -> bool:
    """Whether a lay of this seat ends the deal whatever else it holds."""
    rules = state.ruleset
    if state.tie_break:
        return rules.score_tie is ScoreTie.REPLAY_FIRST_TO_LAY
    return rules.win_check is WinCheck.ON_LAY and state.completed[seat] + 1 == len(rules.phases)


def _discard(state: State, seat: Seat, play: Play, hand: list[Card]) -> Event:
    card, target = play.discard, play.skip_target
    if card is None:
        raise IllegalMove(Reason.DISCARD_REQUIRED)
    if card not in hand:
        raise IllegalMove(Reason.CARD_NOT_IN_HAND)
    if card != SKIP_KIND:
        if target is not None:
            raise IllegalMove(Reason.TARGET_NOT_ALLOWED)
        return _card_discarded(seat, card)
    if target is not None:
        return _aimed(state, seat, target, hand)
    # The last card ends the deal, so there is nobody left to skip.
    if len(hand) == 1:
        return CardDiscarded(seat, SKIP)
    if state.ruleset.skip_target is SkipTarget.NEXT:
        following = state.next_player[seat]
        return CardDiscarded(seat, SKIP) if state.is_protected(following) else SkipPlayed(seat, following)
    if state.skip_targets():
        raise IllegalMove(Reason.TARGET_REQUIRED)
    return CardDiscarded(seat, SKIP)


def _aimed(state: State, seat: Seat, target: Seat, hand: list[Card]) -> Event:
    """A Skip that names its target."""
    targets = state.skip_targets() if len(hand) > 1 else ()
    if not targets:
        raise IllegalMove(Reason.TARGET_NOT_ALLOWED)
    if target == seat:
        raise IllegalMove(Reason.TARGET_SELF)
    if target not in state.players:
        raise IllegalMove(Reason.NO_SUCH_SEAT)
    if target not in targets:
        raise IllegalMove(Reason.TARGET_PROTECTED)
    return SkipPlayed(seat, target)
