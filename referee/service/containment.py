"""Where anything may go wrong and the process goes on: around a step of a game, and around a call.

A mistake of ours in one game must not end the sessions, and with them everybody else's games.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar, TypeVarTuple

A = TypeVarTuple("A")
T = TypeVar("T")


def contained(failed: Callable[[Exception], None], step: Callable[[*A], bool | None], *args: *A) -> bool:
    """Take a step; if it raises, call `failed` with the error instead. False only if the step itself answers False."""
    try:
        return step(*args) is not False
    except Exception as error:  # noqa: BLE001  whatever it is, it costs this attempt and nothing else
        failed(error)
        return True


class Staged(Protocol):
    """What has taken an answer, and goes through stages with it."""

    def failed(self, error: Exception) -> None:
        """A stage raised this."""


Stage = Callable[[Any], bool]


def go_through(stages: Sequence[Stage], staged: Sequence[Staged]) -> None:
    """Take all of `staged` through one stage after the other. Who is done answers False, and takes part no longer."""
    for stage in stages:
        left = []
        for one in staged:
            try:
                if stage(one):
                    left.append(one)
            except Exception as error:  # noqa: BLE001  as above
                one.failed(error)
        staged = left


async def contained_call(
    failed: Callable[[Exception], Awaitable[T]], meant: tuple[type[Exception], ...], call: Awaitable[T]
) -> T:
    """Await a call; what it raises goes to `failed`, but for the errors that are `meant` to come out."""
    try:
        return await call
    except meant:
        raise
    except Exception as error:  # noqa: BLE001  the outermost layer: whatever it is, the caller gets an answer
        return await failed(error)
