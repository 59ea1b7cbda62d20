"""What a call of the meld search costs: shortest ways to a phase, ways to lay it, best hits.

The hands and tables are those of the questions in some games of greedy seats, by the official rules. Every round begins
with nothing remembered from earlier calls. Microseconds of processor time, the median of the rounds.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

from referee.engine import OFFICIAL, Game, SeededDecks, Terms, Turn, holding, lays, plan, search
from tests.players import greedy

Report = Callable[[str, float, str], None]
Calls = Sequence[Callable[[], object]]

GAMES = 20
ROUNDS = 5


def run(report: Report) -> None:
    """Report the mean of each search, and of all calls together."""
    searches = _searches()
    rounds = [_round(searches) for _ in range(ROUNDS)]
    for name, calls in searches.items():
        report(f"search.{name}_microseconds", 1e6 * median(spent[name] for spent in rounds) / len(calls), "us")
    count = sum(map(len, searches.values()))
    report("search.microseconds", 1e6 * median(sum(spent.values()) for spent in rounds) / count, "us")


def _searches() -> dict[str, Calls]:
    """The calls to measure: at each question, what a bot would ask there."""
    plans: list[Callable[[], object]] = []
    ways: list[Callable[[], object]] = []
    hits: list[Callable[[], object]] = []
    for number in range(GAMES):
        game = Game(OFFICIAL, Terms(), 2 + number % 3, SeededDecks(hashlib.sha512(f"search {number}".encode()).digest()))
        while (seat := game.to_move) is not None:
            view = game.view(seat)
            me = view.table.seats[seat]
            if not me.laid:
                plans.append(partial(plan, view.hand, me.phase))
            if view.drawn is not None:
                turn = Turn(view, OFFICIAL)
                if not me.laid:
                    ways.append(partial(lays, view.hand, me.phase, OFFICIAL))
                    if best := turn.best_lay():
                        turn.lay(best)
                if turn.laid:
                    hits.append(turn.best_hits)
            game.submit(seat, greedy(view, OFFICIAL))
    return {"plan": plans, "lays": ways, "hits": hits}


def _round(searches: dict[str, Calls]) -> dict[str, float]:
    for cached in (search._look, search._kinds, search._run, holding._rows):
        cached.cache_clear()
    return {name: _seconds(calls) for name, calls in searches.items()}


def _seconds(calls: Calls) -> float:
    start = time.process_time()
    for call in calls:
        call()
    return time.process_time() - start
