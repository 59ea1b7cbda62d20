"""Moves: what a seat may wish for. Two decisions a turn: a Draw, then one Play that is taken whole or refused whole."""

from dataclasses import dataclass
from enum import Enum
from typing import NewType

from referee.engine.cards import Card
from referee.engine.values import quick

Seat = NewType("Seat", int)  # 0 .. seats-1, clockwise


class End(Enum):
    """The end of a run that a card is added to."""

    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the top card of the draw pile, or of the discard pile."""

    from_discard: bool = False


@quick
@dataclass(frozen=True, slots=True)
class Meld:
    """Cards laid for one goal. A run is listed lowest first, so a Wild's place is its meaning.

    `meaning` is needed for Wilds alone and may be left out otherwise: the number of a set (1-12), the lowest number of a
    run, or the colour of a colour meld (0-3).
    """

    cards: tuple[Card, ...]
    meaning: int | None = None


@quick
@dataclass(frozen=True, slots=True)
class Hit:
    """Add a card to a meld on the table: meld number `meld` (from 0) of seat `owner`.

    `end` is for Wilds on runs that are open at both ends; for a number card on a run the number decides. `for_wild` puts the
    card in the place of a Wild that stands for it and takes that Wild into the hand, where the rules allow it.
    """

    owner: Seat
    meld: int
    card: Card
    end: End | None = None
    for_wild: bool = False


@quick
@dataclass(frozen=True, slots=True)
class Play:
    """The rest of a turn, judged in this order: lay the phase, hit, discard (with a target if it is a Skip).

    `lay` is empty or holds one meld per goal of the phase. `discard` is None only when nothing is left to discard. `phase`
    names the phase laid where the rules let a player choose it; elsewhere it is None.
    """

    lay: tuple[Meld, ...] = ()
    hits: tuple[Hit, ...] = ()
    discard: Card | None = None
    skip_target: Seat | None = None
    phase: int | None = None


Move = Draw | Play
