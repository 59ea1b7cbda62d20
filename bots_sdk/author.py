"""The author's code is called from here and nowhere else.

A bot plays many games at once in one process. A bug that shows in one position must not take the other games down with
it, so whatever an author's method raises is caught here, in one place, and told with its traceback.
"""

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, ParamSpec, TypeVar

log = logging.getLogger("phaseten")

CRASHES_TO_RESIGN: Final = 10  # a bot that fails this often in one game gives the game up
ONE_THREAD: Final = (
    "All games of this process share one thread, and their clocks run meanwhile: think shorter, or take fewer games at once "
    "(`capacity`)."
)

P = ParamSpec("P")
T = TypeVar("T")


class WrongAnswer(Exception):
    """A bot's method returned something that is no answer to the question."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The author's code raised `error`."""

    error: Exception


def call(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Crash:
    """What `function` returns, or the Crash it ended in."""
    try:
        return function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - an author's bug may be anything; one game's bug must not end the others
        return Crash(error)


@dataclass(slots=True)
class CrashReporter:
    """Logs crashes: the traceback when one is new, a line when the same place fails again."""

    _seen: set[tuple[str, str]] = field(default_factory=set)

    def report(self, crash: Crash, what: str, then: str) -> None:
        """`what` says which call failed and where in the game, `then` what the SDK does about it."""
        error = crash.error
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        key = (type(error).__name__, place)
        if key in self._seen:
            log.error("%s failed again at %s: %s: %s. %s", what, place, type(error).__name__, error, then)
            return
        self._seen.add(key)
        text = "".join(traceback.format_exception(error)).rstrip()
        log.error("%s failed. %s\n%s", what, then, text)
