"""Time in the hands of a test, so that nothing hangs on how fast the machine is."""

import time
from math import ceil

from referee.service.clock import BEAT_MS
from referee.service.gathering import Gathering
from tests.service.client import House, until


def stand_still(seconds: float) -> None:
    """Block the event loop, as a long collection of garbage or a busy machine does."""
    time.sleep(seconds)


class Hours:
    """The clock of a referee, in our hand: no time goes by but what we let go by, however slow the machine is.

    With a `step` it goes by so many milliseconds whenever somebody looks at it.
    """

    def __init__(self, house: House) -> None:
        self._of = house.server.time
        self.time = float(ceil(self._of._monotonic()))  # whole numbers add up exactly
        self.step = 0.0
        self._of._monotonic = self
        self._of.beat()

    def __call__(self) -> float:
        self.time += self.step
        return self.time

    def pass_by(self, ms: float) -> None:
        """So much time goes by, in which the referee does its work."""
        self._of.beat()
        while ms > 0:
            self.time += min(ms, BEAT_MS)
            self._of.beat()
            ms -= BEAT_MS

    def stand_still(self, seconds: float) -> None:
        """Block the event loop, and let the time go by in which nothing beats."""
        stand_still(seconds)
        self.time += seconds * 1000.0


def awaited(house: House) -> list[str]:
    """The bots that games wait for, each once a game: for its share, or for its answer."""
    names: list[str] = []
    for match in house.server.lobby._matches.values():
        for game in match.games.values():
            missing = game._missing() if isinstance(game, Gathering) else [game._asked]
            names += [seat.info.bot for seat in missing if seat is not None]
    return names


async def time_runs_out(house: House, *bots: str) -> None:
    """Once the games wait for these bots and for no other, let their timers ring as if all time were over."""
    await until(lambda: awaited(house) == list(bots))
    for match in tuple(house.server.lobby._matches.values()):
        for game in tuple(match.games.values()):
            assert game._timer is not None
            game._timer.cancel()
            game._deadline = 0.0
            game._ring()
