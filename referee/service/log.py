"""Structured logs: one JSON object a line. Matches, sessions and reasons go in; hands, seeds and tokens never do."""

import json
import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TextIO

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class EventLog:
    """A logger whose messages are an event's name and its fields."""

    __slots__ = ("_logger",)

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, **fields: Any) -> None:
        self._logger.debug(event, extra={"fields": fields})

    def info(self, event: str, **fields: Any) -> None:
        self._logger.info(event, extra={"fields": fields})

    def warning(self, event: str, **fields: Any) -> None:
        self._logger.warning(event, extra={"fields": fields})

    def bug(self, event: str, error: BaseException, **fields: Any) -> None:
        """A mistake of ours, with its traceback."""
        self._logger.error(event, exc_info=error, extra={"fields": fields})


class Sparing:
    """Lines that somebody else can cause as often as he likes. Where there are too many, they are counted instead.

    `untold` says how many were left out since the last one, `used_at` (seconds, monotonic) when there was one to be written.
    """

    __slots__ = ("_allowed", "untold", "used_at")

    def __init__(self, allowed: Callable[[float], bool]) -> None:
        """`allowed` is asked before each line, with the time in seconds."""
        self._allowed = allowed
        self.untold = 0
        self.used_at = time.monotonic()

    def tell(self, tell: Callable[..., None], event: str, **fields: Any) -> None:
        """Log a line by a method of an `EventLog`, with the number of those that were left out before it."""
        self.used_at = time.monotonic()
        if not self._told(tell, event, fields):
            self.untold += 1

    def catch_up(self, tell: Callable[..., None], event: str, **fields: Any) -> None:
        """Log a line that is there only to say what was left out. To be called now and then, while something is."""
        self._told(tell, event, fields)

    def _told(self, tell: Callable[..., None], event: str, fields: dict[str, Any]) -> bool:
        if not self._allowed(time.monotonic()):
            return False
        tell(event, **fields, untold=self.untold)
        self.untold = 0
        return True


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON; fields of `EventLog` stand beside time, level and event.

    It is ASCII: whatever a name holds, on no terminal does it look like another line or turn words round.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def configure(level: str, stream: TextIO = sys.stderr) -> None:
    """Send every log of the process to `stream`. `level`, one of LEVELS, is for our own; libraries only warn."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("referee").setLevel(level)
    # It would write down metadata that are no UTF-8, as an error of ours, and a ticket is among them.
    logging.getLogger("grpc._cython.cygrpc").setLevel(logging.CRITICAL)
