"""A wire between a bot and a referee that can be cut: it counts the referee's frames as they pass."""

import asyncio
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field
from typing import Self

_HEADER = 9  # bytes of an HTTP/2 frame's head: length, type, flags, stream
_DATA = 0


@dataclass
class Wire:
    """Forwards connections to `port` on this machine.

    `cut_at` is the number of the referee's frame (from 1, over all connections) at which the connection is cut, once: right
    after it was passed on, or with `eat` right before. `every` cuts again after so many frames more. `frames` and `cuts`
    count what came by.
    """

    port: int
    cut_at: int = 0
    eat: bool = False
    every: int = 0
    frames: int = 0
    cuts: int = 0
    _server: asyncio.Server | None = None
    _pumps: set["asyncio.Task[None]"] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for pump in tuple(self._pumps):
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    @property
    def listens_on(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:  # nobody listens there now
            writer.close()
            return
        writers = (writer, there_writer)
        for pump in (_pass_on(reader, there_writer), self._count(there_reader, writer)):
            task = asyncio.create_task(_until_it_ends(pump, writers))
            self._pumps.add(task)
            task.add_done_callback(self._pumps.discard)

    async def _count(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """From the referee to the bot, frame by frame."""
        while True:
            head = await reader.readexactly(_HEADER)
            body = await reader.readexactly(int.from_bytes(head[:3], "big"))
            counts = head[3] == _DATA and body
            self.frames += bool(counts)
            cut = counts and self.frames == self.cut_at
            if cut:
                self.cuts += 1
                self.cut_at += self.every
            if not (cut and self.eat):
                writer.write(head + body)
                await writer.drain()
            if cut:
                return


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def _until_it_ends(pump: Awaitable[None], writers: Iterable[asyncio.StreamWriter]) -> None:
    try:
        await pump
    except (OSError, asyncio.IncompleteReadError):
        return  # one side is gone, and now the other one goes
    finally:
        for writer in writers:
            writer.close()
