"""Measuring as the referee's process runs."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from referee.service.memory import collect_rarely


@contextmanager
def collected_rarely() -> Iterator[None]:
    """Python looks for cycles as rarely as in the referee's process, for as long as this lasts."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
