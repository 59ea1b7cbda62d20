"""Memory: what is free goes back to the system, and what only cycles hold is looked for rarely."""

import ctypes
import gc
from typing import Final

GIVE_BACK_SECONDS: Final = 10.0

_trim: Final = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it


def give_back() -> None:
    """Give back what was freed, at most some milliseconds of work.

    The allocator keeps what thousands of connections have left behind, in pieces between what is still in use, for the next
    thousands: a crowd or an attack would be seen in the process for ever.
    """
    if _trim is not None:
        _trim(0)


def collect_rarely() -> None:
    """What was imported stays, and a game leaves no cycles behind: looking for them so often cost a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
