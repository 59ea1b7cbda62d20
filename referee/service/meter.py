"""Plain counters of what the referee did. The event loop writes them, the metrics page reads them."""

from bisect import bisect_left
from typing import Final

from referee.engine.events import FaultKind

BOUNDS_MS: Final = (1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0, 10000.0)


class Meter:
    """Counts since the process started."""

    __slots__ = ("buckets", "calls", "decision_ms", "decisions", "faults", "matches")

    def __init__(self) -> None:
        self.decisions = 0
        self.decision_ms = 0.0
        self.buckets = [0] * (len(BOUNDS_MS) + 1)
        self.faults = dict.fromkeys(FaultKind, 0)
        self.matches = {"finished": 0, "void": 0}
        self.calls: dict[str, int] = {}

    def decided(self, elapsed_ms: float) -> None:
        """An answer came after so many milliseconds."""
        self.decisions += 1
        self.decision_ms += elapsed_ms
        self.buckets[bisect_left(BOUNDS_MS, elapsed_ms)] += 1

    def refused(self, reason: str) -> None:
        """A call was ended by us."""
        self.calls[reason] = self.calls.get(reason, 0) + 1
