"""Who may know what: views of the state, and events as they are seen from the table.

This is the only place where hidden cards are left out. Views are kept with the state until an event touches them.
"""

from typing import Final, assert_never

from referee.engine.apply import start_cards
from referee.engine.events import (
    CardDiscarded,
    CardDrawn,
    CardHit,
    DealEnded,
    DealOpened,
    DealStarted,
    DrawSeen,
    Event,
    GameEnded,
    GameStarted,
    PhaseLaid,
    PublicEvent,
    SeatFaulted,
    SeatForfeited,
    SkipPlayed,
    StockRebuilt,
    StockRenewed,
    TurnSkipped,
    WildTaken,
)
from referee.engine.moves import Seat
from referee.engine.ruleset import Advance, Ruleset
from referee.engine.state import NOBODY, State
from referee.engine.values import maker
from referee.engine.view import PublicView, SeatView, Stage, TableFields, View, ViewFields


def seat_view(state: State, seat: Seat) -> View:
    """All that `seat` may know. Raises IndexError for a seat that does not exist."""
    table = state.public_view
    if table is None:
        table = public_view(state)
    drawn = state.drawn if seat == state.to_move else None
    return _new(View, (state.ruleset.name, seat, tuple(state.hands[seat]), drawn, table))


def public_view(state: State) -> PublicView:
    """What everybody at and around the table may know."""
    if state.public_view is None:
        state.public_view = _new(PublicView, table_fields(state))
    return state.public_view


def view_fields(state: State, seat: Seat) -> ViewFields:
    """What `seat_view` holds, for who reads it at once: the hand is the state's own. Raises IndexError as that does."""
    drawn = state.drawn if seat == state.to_move else None
    return state.ruleset.name, seat, state.hands[seat], drawn, table_fields(state)


def table_fields(state: State) -> TableFields:
    """What `public_view` holds."""
    kept, hands, seats = state.seat_views, state.hands, []
    for seat in state.everybody:
        views, size = kept[seat], len(hands[seat])
        seats.append(views[size] if size in views else _look_at(state, seat))
    to_move, discard = state.to_move, state.discard
    return (
        state.deal,
        state.turn,
        state.dealer,
        None if to_move == NOBODY else to_move,
        stage(state),
        state.tie_break,
        len(state.stock),
        len(discard),
        discard[-1] if discard else None,
        tuple(seats),
    )


# Half the time of the constructors; every decision needs them.
_new: Final = tuple.__new__
_seat_view: Final = maker(SeatView)
_draw_seen: Final = maker(DrawSeen)


_DRAW: Final = Stage.DRAW
_PLAY: Final = Stage.PLAY
_OVER: Final = Stage.OVER
_FREE_CHOICE: Final = Advance.FREE_CHOICE


def stage(state: State) -> Stage:
    """Which decision is due."""
    if state.drawn is not None:
        return _PLAY
    return _DRAW if state.game_end is None else _OVER


def _look_at(state: State, seat: Seat) -> SeatView:
    laid, size = state.laid[seat], len(state.hands[seat])
    state.seat_views[seat][size] = view = _seat_view(
        laid or state.phase(seat),
        state.completed[seat],
        laid > 0,
        state.totals[seat],
        size,
        state.waiting[seat] > 0,
        state.may_be_skipped(seat),
        state.faults[seat],
        state.forfeits[seat] is not None,
        state.melds[seat],
        state.done[seat] if state.ruleset.advance is _FREE_CHOICE else (),
    )
    return view


def public_event(event: Event, ruleset: Ruleset) -> PublicEvent | None:
    """What everybody saw of an event; None for a game's start, which is announced otherwise."""
    match event:
        case CardDrawn():
            return _draw_seen(event.seat, event.card if event.from_discard else None)
        case DealStarted():
            return _opened(event, ruleset)
        case StockRebuilt():
            return StockRenewed(len(event.stock))
        case GameStarted():
            return None
        case (
            CardDiscarded()
            | SkipPlayed()
            | TurnSkipped()
            | CardHit()
            | WildTaken()
            | PhaseLaid()
            | SeatFaulted()
            | SeatForfeited()
            | DealEnded()
            | GameEnded()
        ):
            return event
        case _:
            assert_never(event)


def _opened(event: DealStarted, ruleset: Ruleset) -> DealOpened:
    dealt = len(event.players) * ruleset.hand_size
    face_up = start_cards(event.deck, dealt, ruleset)
    stock_size = len(event.deck) - dealt - face_up
    start_card = event.deck[dealt + face_up - 1]
    return DealOpened(event.deal, event.dealer, event.players, event.tie_break, start_card, stock_size)
