"""Plain counters of what the referee did. The event loop writes them, the metrics page reads them."""

from bisect import bisect_left
from typing import Final

from referee.engine.events import FaultKind

BOUNDS_MS: Final = (1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0, 10000.0)


class Histogram:
    """Counts of times in milliseconds, by BOUNDS_MS and beyond, and their sum."""

    __slots__ = ("buckets", "total")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BOUNDS_MS) + 1)
        self.total = 0.0

    def note(self, milliseconds: float) -> None:
        self.total += milliseconds
        self.buckets[bisect_left(BOUNDS_MS, milliseconds)] += 1


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
        spent = self.decision_ms  # not by `note`: this is done a hundred thousand times a second
        spent.total += elapsed_ms
        spent.buckets[bisect_left(BOUNDS_MS, elapsed_ms)] += 1

    def heard(self, size: int) -> None:
        """A frame of so many bytes came from a bot."""
        self.frames_in += 1
        self.bytes_in += size

    def refused(self, reason: str) -> None:
        """A call was ended by us."""
        self.calls[reason] = self.calls.get(reason, 0) + 1
