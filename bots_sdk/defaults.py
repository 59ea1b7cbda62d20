"""The move that is sent for a bot that failed: what the referee itself would play for a missing answer."""

from referee.engine.default_move import default_play
from referee.engine.legal import skip_targets
from referee.engine.moves import Draw, Move
from referee.engine.ruleset import Ruleset
from referee.engine.view import Stage, View


def default_move(view: View, ruleset: Ruleset) -> Move:
    """Draw unseen; lay and hit nothing, and throw the dearest number card, else a Wild, else a Skip."""
    if view.table.stage is Stage.DRAW:
        return Draw()
    return default_play(view.hand, skip_targets(view, ruleset))
