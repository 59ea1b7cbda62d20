"""The server's side of HTTP/2, as far as somebody needs it who listens and answers pings only for a while."""

import asyncio
import struct
from dataclasses import dataclass, field
from typing import Any, Self

import pytest

from tests.faults.http2 import ACK, GOAWAY, HEADERS, PING, PREFACE, SETTINGS, frame

HEAD = 9  # bytes of a frame's head: length, type, flags, stream
PATIENCE = 30.0
KEEPALIVE, ANSWER = 1_000, 500  # ms


def quicker(monkeypatch: pytest.MonkeyPatch, module: Any, **others: int) -> None:
    """Smaller times in a module's OPTIONS, and what else is to be another; dots are written as two underscores."""
    times = {"keepalive_time_ms": KEEPALIVE, "keepalive_timeout_ms": ANSWER, "http2__ping_timeout_ms": ANSWER} | others
    changed = {f"grpc.{name.replace('__', '.')}": value for name, value in times.items()}
    monkeypatch.setattr(module, "OPTIONS", tuple((dict(module.OPTIONS) | changed).items()))


@dataclass
class Guest:
    """One connection, seen from the server. `goaway` is the client's farewell."""

    pings: int = 0
    calls: int = 0
    goaway: bytes = b""
    closed: bool = False


@dataclass
class DeafPeer:
    """Accepts connections, agrees to their settings, takes their calls and says nothing to them.

    The first `answers` pings of a connection are answered, and none after them.
    """

    answers: int = 0
    guests: list[Guest] = field(default_factory=list)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        guest = Guest()
        self.guests.append(guest)
        try:
            assert await reader.readexactly(len(PREFACE)) == PREFACE
            writer.write(frame(SETTINGS))
            while True:
                await self._take(guest, *await _read(reader), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the guest has gone
        finally:
            writer.close()
            guest.closed = True
            await self._tell()

    async def _take(self, guest: Guest, kind: int, flags: int, payload: bytes, writer: asyncio.StreamWriter) -> None:
        if kind == SETTINGS and not flags & ACK:
            writer.write(frame(SETTINGS, ACK))
        elif kind == HEADERS:
            guest.calls += 1
        elif kind == GOAWAY:
            guest.goaway = payload[8:]
        elif kind == PING and not flags & ACK:
            guest.pings += 1
            if guest.pings <= self.answers:
                writer.write(frame(PING, ACK, 0, payload))
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def until_closed(self, number: int = 0) -> Guest:
        """The connection of this number, once its client has closed it. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: len(self.guests) > number and self.guests[number].closed)
        return self.guests[number]

    async def until_called(self, calls: int) -> list[Guest]:
        """All connections, once so many calls were begun on them. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: sum(guest.calls for guest in self.guests) >= calls)
        return self.guests


async def _read(reader: asyncio.StreamReader) -> tuple[int, int, bytes]:
    """A frame's type, flags and payload."""
    head = await reader.readexactly(HEAD)
    kind, flags = struct.unpack_from(">BB", head, 3)
    return kind, flags, await reader.readexactly(int.from_bytes(head[:3]))
