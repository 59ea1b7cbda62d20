"""What waits to be written to a stream: many messages a frame, few frames a second.

A frame costs the same whether it holds one message or fifty, so a busy stream gets at most one frame per tick, and the tick
grows with the number of busy streams. A quiet stream is written to at once. Messages are kept as serialised frames: protobuf
frames that are written one after the other are one frame with the messages of all.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

FRAME_BYTES: Final = 256 * 1024  # a frame is closed when it has grown beyond this
TICK_PER_STREAM: Final = 0.0006
SHORTEST_TICK: Final = 0.002
LONGEST_TICK: Final = 0.020
WINDOW: Final = 0.1  # seconds over which busy streams are counted

Write = Callable[[bytes], Awaitable[None]]


class Pacer:
    """Counts the streams that are written to, and says how long a frame should gather."""

    __slots__ = ("_busy", "_window", "_window_start", "tick")

    def __init__(self) -> None:
        self._window = 0  # the number of this window
        self._window_start = 0.0
        self._busy = 0
        self.tick = 0.0

    def wrote(self, last_window: int, now: float) -> int:
        """A stream was written to. Takes the window of its last write and returns that of this one."""
        if now - self._window_start > WINDOW:
            busy = self._busy if now - self._window_start < 2 * WINDOW else 0
            self.tick = min(max(busy * TICK_PER_STREAM, SHORTEST_TICK), LONGEST_TICK)
            self._window += 1
            self._window_start = now
            self._busy = 0
        if last_window != self._window:
            self._busy += 1
        return self._window


class Outbox:
    """Messages for one stream, and the task that writes them."""

    __slots__ = ("_bytes", "_closed", "_limit", "_next", "_overflow", "_pacer", "_pending", "_wake", "_window", "patient")

    def __init__(self, pacer: Pacer, limit: int, overflow: Callable[[], None]) -> None:
        """`overflow` is called when more than `limit` bytes wait: the reader is too slow."""
        self._pacer = pacer
        self._limit = limit
        self._overflow = overflow
        self._pending: list[bytes] = []
        self._bytes = 0
        self._wake = asyncio.Event()
        self._closed = False
        self._next = 0.0
        self._window = -1
        self.patient = False  # whether more messages are likely to come soon, so that waiting pays

    def push(self, frame: bytes) -> None:
        """Queue serialised messages."""
        if not self._pending:
            self._wake.set()
        self._pending.append(frame)
        self._bytes += len(frame)
        if self._bytes > self._limit and not self._closed:
            self._overflow()

    def close(self) -> None:
        """No more messages: `pump` writes what is left and returns."""
        self._closed = True
        self._wake.set()

    async def pump(self, write: Write) -> None:
        """Write frames until the outbox is closed and empty. Whatever `write` raises comes out."""
        while True:
            if not self._pending:
                if self._closed:
                    return
                self._wake.clear()
                await self._wake.wait()
                continue
            now = time.monotonic()
            if self.patient and not self._closed and now < self._next:
                await asyncio.sleep(self._next - now)
                now = time.monotonic()
            self._window = self._pacer.wrote(self._window, now)
            self._next = now + self._pacer.tick
            await write(self._take())

    def _take(self) -> bytes:
        if self._bytes <= FRAME_BYTES:
            frame = b"".join(self._pending)
            self._pending.clear()
            self._bytes = 0
            return frame
        size = count = 0
        while count < len(self._pending) and size < FRAME_BYTES:
            size += len(self._pending[count])
            count += 1
        frame = b"".join(self._pending[:count])
        del self._pending[:count]
        self._bytes -= size
        return frame
