"""The wall around one game: a mistake of ours in it must not end the sessions, and with them everybody else's games."""

from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")


def contained(
    failed: Callable[[Exception], None], step: Callable[P, bool | None], *args: P.args, **kwargs: P.kwargs
) -> bool:
    """Take a step; if it raises, call `failed` with the error instead. False only if the step itself answers False."""
    try:
        return step(*args, **kwargs) is not False
    except Exception as error:  # noqa: BLE001  whatever it is, it costs this attempt and nothing else
        failed(error)
        return True
