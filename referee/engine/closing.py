"""What the end of a deal adds up to."""

from referee.engine import scoring
from referee.engine.events import DealEnd, DealEnded
from referee.engine.ruleset import Advance, WinCheck
from referee.engine.state import NOBODY, State


def deal_over(state: State, cause: DealEnd) -> DealEnded:
    """Points are what is held in hand, whoever ended the deal and however; those of a tie-break do not count."""
    points = state.ruleset.card_points
    counts = not state.tie_break
    penalties = tuple(scoring.hand_points(hand, points) if counts else 0 for hand in state.hands)
    totals = tuple(total + more for total, more in zip(state.totals, penalties, strict=True))
    out = None if state.out == NOBODY else state.out
    return DealEnded(cause, out, penalties, totals, _completed(state) if counts else tuple(state.completed))


def _completed(state: State) -> tuple[int, ...]:
    """The phases done by seat after this deal, no tie-break."""
    rules, completed = state.ruleset, state.completed
    if rules.advance is Advance.EVERY_DEAL:
        return tuple(done + 1 for done in completed)
    if rules.win_check is WinCheck.END_OF_DEAL_AND_OUT:
        # Who laid the last phase and did not go out plays it again (help of the mobile app).
        last = len(rules.phases)
        return tuple(done - (done == last and seat != state.out) for seat, done in enumerate(completed))
    return tuple(completed)
