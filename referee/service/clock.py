"""Time in milliseconds: the referee's own, which stands still while the process does, and each seat's share of it."""

# ruff: noqa: FURB136, PLR1730 - `min` is several times as slow as a comparison, and this is done at every decision

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from referee.engine.ruleset import Clock

BEAT_MS: Final = 100.0
LONGEST_GAP_MS: Final = 150.0  # between two beats; what is beyond is handed back
MAX_LAG_MS: Final = 100.0  # network time given back for one answer
MAX_LAG_OF_GAME_MS: Final = 5000.0  # and in one game


def monotonic_ms() -> float:
    """Milliseconds of a clock that never jumps."""
    return time.monotonic() * 1000.0


class RefereeTime:
    """A clock that stands still while this process is frozen or busy with itself, so that nobody loses time by it.

    Something must call `beat` every BEAT_MS. In a gap that is much longer no bot could have been heard. It never goes back.
    """

    __slots__ = ("_expected", "_monotonic", "_stalled")

    def __init__(self, monotonic: Callable[[], float] = monotonic_ms) -> None:
        self._monotonic = monotonic
        self._expected = monotonic() + LONGEST_GAP_MS  # the next beat comes before
        self._stalled = 0.0

    def now(self) -> float:
        """Milliseconds since some moment, stalls left out."""
        real = self._monotonic()
        if real > self._expected:
            self._stalled += real - self._expected
            self._expected = real
        return real - self._stalled

    def beat(self) -> None:
        """Sign of life of the event loop."""
        self.now()
        self._expected = self._monotonic() + LONGEST_GAP_MS

    @property
    def stalled(self) -> float:
        """Milliseconds that were left out so far."""
        return self._stalled


class Charge(NamedTuple):
    """What an answer cost: thinking time, and network time that was given back."""

    think_ms: int
    lag_ms: int


_new: Final = tuple.__new__


class SeatClock:
    """The time of one seat in one game: a bank, an increment for each answer, a cap on each answer."""

    __slots__ = ("_cap", "_increment", "_lag_left", "_most_lag", "bank", "limit")

    def __init__(self, clock: Clock) -> None:
        self.bank = float(clock.bank_ms)
        self.limit = min(self.bank, clock.cap_ms)  # the most that the next answer may take
        self._increment = clock.increment_ms
        self._cap = clock.cap_ms
        self._lag_left = MAX_LAG_OF_GAME_MS
        self._most_lag = MAX_LAG_MS  # as much of the next delay as is given back

    @property
    def last_chance(self) -> bool:
        """Whether the bank is empty if the next answer does not come in time."""
        return self.bank <= self._cap

    def allowance(self, round_trip: float) -> float:
        """How long to wait for the next answer, the network's share included."""
        return self.limit + (round_trip if round_trip < self._most_lag else self._most_lag)

    def answered(self, elapsed: float, round_trip: float) -> Charge:
        """Charge an answer that came in time."""
        lag = round_trip if round_trip < elapsed else elapsed
        if lag > self._most_lag:
            lag = self._most_lag
        self._lag_left = left = self._lag_left - lag
        if left < MAX_LAG_MS:
            self._most_lag = left
        think = elapsed - lag
        if think > self.limit:
            think = self.limit
        self.bank = bank = self.bank + self._increment - think
        self.limit = bank if bank < self._cap else self._cap
        return _new(Charge, (round(think), round(lag)))

    def missed(self) -> Charge:
        """Charge an answer that did not come."""
        think = self.limit
        self.bank -= think
        self.limit = min(self.bank, self._cap)
        return Charge(round(think), 0)
