"""What waits to be written to a stream: many messages a frame, few frames a second.

A frame costs about the same whether it holds one message or fifty. So while the house is busy, a stream that plays many
games gathers: until its frame holds a good part of them, or until the oldest message has waited long enough. Everything else
is written at once, or as soon as the last write is done. Messages are kept as serialised frames: protobuf frames that are
written one after the other are one frame with the messages of all.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

FRAME_BYTES: Final = 256 * 1024  # a frame is closed when it has grown beyond this
LONGEST_WAIT: Final = 0.008  # seconds
BUSY_PER_SECOND: Final = 1500  # messages of all streams
WINDOW: Final = 0.1  # seconds over which they are counted
MANY_GAMES: Final = 4  # from here on waiting for more pays
SHARE: Final = 3  # a frame is full with the messages of one in so many games

Write = Callable[[bytes], Awaitable[None]]


class Pacer:
    """Counts the messages of all streams, and says whether the house is busy."""

    __slots__ = ("_start", "_written", "busy", "bytes", "frames")

    def __init__(self) -> None:
        self._start = 0.0
        self._written = 0
        self.busy = False
        self.frames = self.bytes = 0  # since the process started

    def wrote(self, messages: int, size: int, now: float) -> None:
        """A frame of so many messages and bytes is written; `now` in seconds."""
        self.frames += 1
        self.bytes += size
        passed = now - self._start
        if passed > WINDOW:
            self.busy = self._written > BUSY_PER_SECOND * passed
            self._start = now
            self._written = 0
        self._written += messages


class Outbox:
    """Messages for one stream, and the task that writes them."""

    __slots__ = ("_bytes", "_closed", "_full", "_limit", "_overflow", "_pacer", "_pending", "_wake", "_wanted")

    def __init__(self, pacer: Pacer, limit: int, overflow: Callable[[], None]) -> None:
        """`overflow` is called when more than `limit` bytes wait: the reader is too slow."""
        self._pacer = pacer
        self._limit = limit
        self._overflow = overflow
        self._pending: list[bytes] = []
        self._bytes = 0
        self._full = 0  # messages that make a frame worth writing; 0 where waiting does not pay
        self._wanted = 1  # messages that wake the writer
        self._wake: asyncio.Future[None] | None = None  # while the writer sleeps
        self._closed = False

    def expect(self, games: int) -> None:
        """The stream plays so many games now."""
        self._full = games // SHARE if games >= MANY_GAMES else 0

    def push(self, frame: bytes) -> None:
        """Queue serialised messages."""
        pending = self._pending
        pending.append(frame)
        self._bytes = size = self._bytes + len(frame)
        if len(pending) == self._wanted:
            self._rouse()
        if size > self._limit and not self._closed:
            self._overflow()

    def close(self) -> None:
        """No more messages: `pump` writes what is left and returns."""
        self._closed = True
        self._rouse()

    async def pump(self, write: Write) -> None:
        """Write frames until the outbox is closed and empty. Whatever `write` raises comes out."""
        while self._pending or not self._closed:
            if not self._pending:
                await self._woken(1)
                continue
            if self._pacer.busy and len(self._pending) < self._full and not self._closed:
                await self._gathered()
            waiting = len(self._pending)
            frame = self._take()
            self._pacer.wrote(waiting - len(self._pending), len(frame), time.monotonic())
            await write(frame)

    async def _woken(self, wanted: int) -> None:
        """Sleep until so many messages are pending, or until the outbox is closed."""
        self._wanted = wanted
        self._wake = asyncio.get_running_loop().create_future()  # an Event would keep a queue of sleepers for every stream
        try:
            await self._wake
        finally:
            self._wake = None

    def _rouse(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def _gathered(self) -> None:
        """Wait for a full frame, but not for long."""
        timer = asyncio.get_running_loop().call_later(LONGEST_WAIT, self._rouse)
        try:
            await self._woken(self._full)
        finally:
            timer.cancel()

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
