"""What a person sees: lines that stay, and below them, on a terminal, a few that are rewritten in place."""

import io
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

#: colours that can be read on dark and on light
_PALETTE = (36, 33, 35, 32, 34, 96, 93, 95, 92, 94)
_NAME_WIDTH = 12
#: seconds between repeats of the rewritten lines where there is no terminal
_PLAIN_INTERVAL = 5.0


def plain(text: str) -> str:
    """Without characters that would move the cursor or worse: other people chose the names we show."""
    return "".join(letter if letter.isprintable() or letter == "\t" else "?" for letter in text)


class Console:
    """Not safe for threads: used from the event loop, or before there is one."""

    def __init__(self, out: TextIO | None = None, *, no_color: bool = False) -> None:
        self._out = out or sys.stdout
        self.terminal = self._out.isatty()
        self.color = self.terminal and not no_color
        self._live: tuple[str, ...] = ()
        self._live_shown = 0
        self._last_plain = float("-inf")
        self._deaf = False
        if isinstance(self._out, io.TextIOWrapper):
            self._out.reconfigure(errors="replace")  # a name may be in letters that this terminal lacks

    def line(self, text: str = "") -> None:
        """A line that stays, above the rewritten ones."""
        self._wipe()
        self._write(text + "\n")
        self._draw()

    def service(self, name: str, text: str, colour: int) -> None:
        """A line of a service's output, behind its name."""
        self.line(f"{self.painted(name.ljust(_NAME_WIDTH), _PALETTE[colour % len(_PALETTE)])} | {plain(text)}")

    def warn(self, text: str) -> None:
        self.line(self.painted(text, 31))

    def live(self, lines: Sequence[str]) -> None:
        """Replace the lines at the bottom. Without a terminal: print them when they changed, now and then."""
        if self.terminal:
            self._wipe()
            self._live = tuple(lines)
            self._draw()
        elif tuple(lines) != self._live and time.monotonic() - self._last_plain >= _PLAIN_INTERVAL:
            self._live = tuple(lines)
            self._last_plain = time.monotonic()
            self._write("".join(line + "\n" for line in lines))

    def finish(self, lines: Sequence[str] | None = None) -> None:
        """Let the lines at the bottom stay as they are (or as `lines`)."""
        if self.terminal and lines is not None:
            self.live(lines)
        elif lines is not None and tuple(lines) != self._live:
            self._write("".join(line + "\n" for line in lines))
        self._live = ()
        self._live_shown = 0

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Say what is being done and how long it took."""
        started = time.monotonic()
        if self.terminal:
            self.live([f"  ...  {text}"])
        try:
            yield
        except BaseException:
            self._end_step("failed", started, text, 31)
            raise
        self._end_step("ok", started, text, 32)

    def painted(self, text: str, code: int) -> str:
        return f"\033[{code}m{text}\033[0m" if self.color else text

    def _end_step(self, outcome: str, started: float, text: str, code: int) -> None:
        if self.terminal:
            self.live([])
        seconds = f"{time.monotonic() - started:.1f} s".rjust(7)
        self.line(f"  {self.painted(outcome.ljust(6), code)} {seconds}  {text}")

    def _wipe(self) -> None:
        if self.terminal and self._live_shown:
            self._write(f"\033[{self._live_shown}A\r\033[J")
            self._live_shown = 0

    def _draw(self) -> None:
        if self.terminal and self._live:
            width = shutil.get_terminal_size().columns - 1
            self._write("".join(line[:width] + "\n" for line in self._live))
            self._live_shown = len(self._live)

    def _write(self, text: str) -> None:
        if self._deaf:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except BrokenPipeError:  # `dev.py demo | head`: nobody reads any more, and the house goes on
            self._deaf = True
