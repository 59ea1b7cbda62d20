"""What a seat may do, worked out from its View alone: for bots, the SDK and the tests."""

from referee.engine.cards import Card
from referee.engine.moves import Draw, Hit, Meld, Play, Seat
from referee.engine.ruleset import Ruleset
from referee.engine.view import View


def draws(view: View, ruleset: Ruleset) -> tuple[Draw, ...]:
    """The legal answers to a DRAW question: the draw pile always, the discard pile if its top card may be taken."""


def skip_targets(view: View) -> tuple[Seat, ...]:
    """The seats that the seat to move may play a Skip against now, in order of play."""


class Turn:
    """A Play being put together, step by step, against a PLAY question.

        turn = Turn(view, ruleset)
        if ways := turn.lays():
            turn.lay(ways[0])
        while hits := turn.hits():
            turn.hit(hits[0])
        return turn.end(min(turn.discards()))

    It keeps the hand and the melds on the table as they will be after the steps so far; the view is not changed.
    """

    hand: tuple[Card, ...]  # what is left in hand, ascending
    laid: bool  # whether the own phase lies on the table

    def __init__(self, view: View, ruleset: Ruleset) -> None: ...

    def lays(self) -> tuple[tuple[Meld, ...], ...]:
        """The good ways to lay the own phase now, best first (see `search.lays`); empty if there is none or it is laid."""

    def lay(self, melds: tuple[Meld, ...]) -> None:
        """Lay these melds. Raises IllegalMove."""

    def hits(self) -> tuple[Hit, ...]:
        """Every single hit that is legal now, number cards before Wilds; empty before the phase is laid."""

    def hit(self, hit: Hit) -> None:
        """Add this hit. Raises IllegalMove."""

    def discards(self) -> tuple[Card, ...]:
        """The kinds left in hand, ascending, each once."""

    def end(self, discard: Card | None = None, target: Seat | None = None) -> Play:
        """The finished Play. For a Skip that needs a target and got none, the next seat in order of play that may be
        skipped is named. `discard` is ignored when the hand is empty. Checks nothing else."""
