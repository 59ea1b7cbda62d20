"""Plain counters of what the referee did. The event loop writes them, the metrics page reads them."""

from bisect import bisect_right
from math import fsum, inf
from typing import Final

from referee.engine.events import FaultKind

BOUNDS_MS: Final = (1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0, 10000.0)

_AT_ONCE: Final = 1024


class Histogram:
    """Counts of times in milliseconds, by BOUNDS_MS and beyond, and their sum.

    A time is only put down when it is noted, and counted with a thousand others: some are noted at every decision.
    """

    __slots__ = ("_buckets", "_noted", "_total")

    def __init__(self) -> None:
        self._buckets = [0] * (len(BOUNDS_MS) + 1)
        self._total = 0.0
        self._noted: list[float] = []

    def note(self, milliseconds: float) -> None:
        """Count a time."""
        self._noted.append(milliseconds)
        if len(self._noted) >= _AT_ONCE:
            self._count()

    @property
    def buckets(self) -> list[int]:
        """How many times were above the bound before (the first one: above nothing) and not above this one."""
        self._count()
        return self._buckets

    @property
    def total(self) -> float:
        """The sum of all times."""
        self._count()
        return self._total

    def _count(self) -> None:
        noted, counted = self._noted, 0
        noted.sort()
        for number, bound in enumerate((*BOUNDS_MS, inf)):
            end = bisect_right(noted, bound)
            self._buckets[number] += end - counted
            counted = end
        self._total += fsum(noted)
        noted.clear()


class Meter:
    """Counts since the process started."""

    __slots__ = (
        "bytes_in",
        "calls",
        "decision_ms",
        "decisions",
        "faults",
        "frames_in",
        "games",
        "loop_lag_ms",
        "matches",
        "sessions",
    )

    def __init__(self) -> None:
        self.decisions = 0
        self.decision_ms = Histogram()
        self.loop_lag_ms = Histogram()
        self.faults = dict.fromkeys(FaultKind, 0)
        self.games = 0
        self.matches = {"finished": 0, "void": 0}
        self.calls: dict[str, int] = {}
        self.sessions = 0
        self.frames_in = 0
        self.bytes_in = 0

    def decided(self, elapsed_ms: float) -> None:
        """An answer came after so many milliseconds."""
        self.decisions += 1
        self.decision_ms.note(elapsed_ms)

    def heard(self, size: int) -> None:
        """A frame of so many bytes came from a bot."""
        self.frames_in += 1
        self.bytes_in += size

    def refused(self, reason: str) -> None:
        """A call was ended by us."""
        self.calls[reason] = self.calls.get(reason, 0) + 1
