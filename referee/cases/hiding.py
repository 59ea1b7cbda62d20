"""Who cannot see what: exchange the cards that somebody cannot see, and look whether anything changes."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Final

from referee.engine.moves import Seat
from referee.engine.observe import public_view, seat_view
from referee.engine.state import NOBODY, State

EVERYBODY: Final = NOBODY  # who sees what is public and no more


def copied(state: State) -> State:
    """A state that shares nothing with the first one that could change; remembered views are left out."""
    parts: dict[str, Any] = {}
    for part in fields(State):
        value = getattr(state, part.name)
        if isinstance(value, list):
            parts[part.name] = [list(one) if isinstance(one, list) else one for one in value]
    parts["seat_views"] = [{} for _ in range(state.seats)]
    return replace(state, public_view=None, **parts)


def blind(state: State, viewers: Iterable[Seat]) -> tuple[Seat, ...]:
    """Those of the viewers (seats, or EVERYBODY) whose view stays the same when all that they cannot see is exchanged."""
    return tuple(viewer for viewer in viewers if _view(copied(state), viewer) == _view(exchanged(state, viewer), viewer))


def _view(state: State, viewer: Seat) -> object:
    return public_view(state) if viewer == EVERYBODY else seat_view(state, viewer)


def exchanged(state: State, viewer: Seat) -> State:
    """The state with the hands of the others and the stock dealt anew from the same cards, in reverse order."""
    other = copied(state)
    hidden = [hand for seat, hand in enumerate(other.hands) if seat != viewer] + [other.stock]
    cards = [card for pile in hidden for card in pile]
    cards.reverse()
    for pile in hidden:
        pile[:] = sorted(cards[: len(pile)]) if pile is not other.stock else cards[: len(pile)]
        del cards[: len(pile)]
    if viewer != other.to_move and other.drawn is not None:
        other.drawn = other.hands[other.to_move][0]
    return other
