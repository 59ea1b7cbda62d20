"""The move that is played for a seat that gave no legal answer."""

from collections.abc import Sequence
from typing import Final

from referee.engine.cards import NUMBERS, SKIP, SKIP_KIND, WILD, Card
from referee.engine.moves import Draw, Move, Play, Seat
from referee.engine.state import State

_DRAW: Final = Draw()


def default_move(state: State) -> Move:
    """The default move of the seat to move. Only for a game that is not over."""
    if state.drawn is None:
        return _DRAW
    hand = state.hands[state.to_move]
    return default_play(hand, state.skip_targets())


def default_play(hand: Sequence[Card], targets: Sequence[Seat]) -> Play:
    """Lay and hit nothing; throw the dearest number card, else a Wild, else a Skip.

    Of equal numbers red goes before blue, green and yellow. `targets` are the seats that may be skipped, in order of play;
    the first one is skipped if cards remain in hand.
    """
    # Every rule set charges at least as much for 10-12 as for 1-9, so the highest number is the dearest.
    numbers = [card for card in hand if card < NUMBERS]
    if numbers:
        return Play(discard=max(numbers, key=lambda card: (card % 12, -card)))
    if WILD in hand:
        return Play(discard=WILD)
    target = targets[0] if targets and len(hand) > 1 and SKIP_KIND in hand else None
    return Play(discard=SKIP, skip_target=target)
