"""Running until told to stop, also where a bot's code does not come back.

The event loop and the code of the bots share one thread. While a bot thinks nothing else happens in it, and a signal only
leaves a note there; so another thread looks on.
"""

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Final, Self

from bots_sdk.asking import ask
from bots_sdk.author import ONE_THREAD, call

log = logging.getLogger("phaseten")

STILL: Final = 3.0  # seconds after which a call of a bot's code is worth a word
GRACE: Final = 2.0  # seconds that it has to come back once the process is told to stop
LOOK: Final = 1.0
LOOK_AT_THE_END: Final = 0.1
TWICE: Final = 1.0  # seconds: what comes twice within them, as `timeout` sends it to a process and its group, is meant once
_SDK: Final = Path(__file__).parent
_REMEMBERED: Final = 256


class Watchdog:
    """A thread that looks every second at what the thread it was made in is doing, for as long as the `with` lasts.

    It warns, once a game, of a decision that goes on and on; and after `stop` it ends a process whose bot does not return.
    The bots pay nothing for it: whether their code runs is read off the stack, where `author.call` stands below it.
    """

    def __init__(self, *, still: float = STILL, grace: float = GRACE, look: float = LOOK) -> None:
        """Times in seconds: what is worth a word, what may pass after `stop`, and what passes between two looks."""
        self._watched = threading.get_ident()
        self._still = still
        self._grace = grace
        self._pause = look
        self._told: SimpleQueue[int | None] = SimpleQueue()  # its `put` may be called in a signal handler
        self._thread = threading.Thread(target=self._look_on, name="phaseten-watchdog", daemon=True)
        self._signal = 0
        self._until = 0.0
        self._call: FrameType | None = None  # kept, so that no other frame can take its place in memory
        self._since = 0.0
        self._warned: deque[object] = deque(maxlen=_REMEMBERED)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._told.put(None)
        self._thread.join()

    def stop(self, number: int) -> None:
        """This signal wants the process to end."""
        self._told.put(number)

    def _look_on(self) -> None:
        while True:
            with contextlib.suppress(Empty):
                told = self._told.get(timeout=self._pause)
                if told is None:
                    return
                if not self._signal:
                    self._signal, self._until = told, time.monotonic() + self._grace
                    self._pause = min(self._pause, LOOK_AT_THE_END)
            self._look(time.monotonic())

    def _look(self, now: float) -> None:
        stack = self._stack()
        running = stack[-1] if stack else None
        if running is not self._call:
            self._call, self._since = running, now
        elif running is not None:  # the same call as at the last look
            if self._signal and now >= self._until:
                _leave(self._signal, f"{self._grace:g} s", _where(stack))
            if now - self._since >= self._still:
                self._warn(stack, now - self._since)

    def _stack(self) -> list[FrameType]:
        """The frames of a bot's code that runs now, the innermost first, the call of it last; empty if none runs."""
        frame = sys._current_frames().get(self._watched)  # noqa: SLF001 - there is no other way to see another thread's stack
        found, end = [], 0
        while frame is not None:
            found.append(frame)
            if frame.f_code is call.__code__:  # the outermost counts: a bot may play games of its own while it thinks
                end = len(found)
            frame = frame.f_back
        return found[:end]

    def _warn(self, stack: list[FrameType], seconds: float) -> None:
        asked = [frame.f_locals for frame in stack if frame.f_code is ask.__code__][-1:]
        game = asked[0]["info"].game_id if asked else None
        if game in self._warned:
            return
        self._warned.append(game)
        where = _where(stack)
        if not asked:
            log.warning("the bot's code has not returned for %.0f s (%s). %s", seconds, where, ONE_THREAD)
            return
        left = asked[0]["time_left"]
        text = (
            "game %s: a decision has taken %.0f s so far (%s); its clock allowed %.1f s, with %.1f s left for the game. %s"
        )
        log.warning(text, game, seconds, where, left.limit_ms / 1000, left.bank_ms / 1000, ONE_THREAD)


def _where(stack: list[FrameType]) -> str:
    """The place in the author's file that is being executed."""
    own = [frame for frame in stack if Path(frame.f_code.co_filename).parent != _SDK]
    if not own:
        return "no line of its own"
    file = own[-1].f_code.co_filename
    inner = next(frame for frame in own if frame.f_code.co_filename == file)
    return f"{Path(file).name}, line {inner.f_lineno}, in {inner.f_code.co_name}"


def _leave(number: int, grace: str, where: str) -> None:
    """End the process with the status that a shell gives to one that this signal has killed. Nothing is tidied up."""
    name = signal.Signals(number).name
    text = f"phaseten: the bot's code has not returned in the {grace} since {name} ({where}); the process ends without it\n"
    # The bot may hold the locks of sys.stderr and of logging for ever.
    os.write(2, text.encode("utf-8", "replace"))
    os._exit(128 + number)


class _Stop:
    """The handler of SIGINT and SIGTERM: the first signal cancels a task, another one later on interrupts whatever runs."""

    def __init__(self, watchdog: Watchdog) -> None:
        self.wanted = False
        self._watchdog = watchdog
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._process = os.getpid()
        self._first = 0.0

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        if os.getpid() != self._process:  # a child that a bot has forked
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        elif not self.wanted:
            self.wanted, self._first = True, time.monotonic()
            self._watchdog.stop(number)
            if self._task is not None and self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._task.cancel)  # it wakes the loop, too
        elif time.monotonic() - self._first > TWICE:
            raise KeyboardInterrupt

    def cancels(self, task: asyncio.Task[Any] | None) -> None:
        """This is the task, of the running loop."""
        self._loop, self._task = asyncio.get_running_loop(), task

    @contextlib.contextmanager
    def installed(self) -> Iterator[Self]:
        """Handles signals meanwhile, but no Ctrl-C that is ignored or handled already. Only the main thread may do so."""
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = {signal.SIGTERM: signal.getsignal(signal.SIGTERM)}
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            before[signal.SIGINT] = signal.default_int_handler
        for number in before:
            signal.signal(number, self)
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler or signal.SIG_DFL)


def run_until_stopped(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run `main()` in an event loop until it ends, Ctrl-C is pressed or SIGTERM comes; uses uvloop where it is installed.

    Where the code of a bot keeps that from happening for two seconds, the process ends at once, with status 128 and the
    signal's number.
    """

    async def stoppable() -> None:
        stop.cancels(asyncio.current_task())
        if not stop.wanted:
            await main()

    with (
        Watchdog() as watchdog,
        _Stop(watchdog).installed() as stop,
        asyncio.Runner(loop_factory=_loop_factory()) as runner,
    ):
        try:
            runner.run(stoppable())
        except (KeyboardInterrupt, asyncio.CancelledError):
            log.info("stopped")


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
