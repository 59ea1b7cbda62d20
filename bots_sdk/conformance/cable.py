"""A cable between the bot and the referee's door: it can be cut, and it can freeze, as networks and machines do."""

import asyncio
import contextlib
import socket
from typing import Final

CHUNK: Final = 64 * 1024


class Cable:
    """Listens on one port and hands everything on to another one of this machine."""

    def __init__(self, host: str, port: int, target: int) -> None:
        """`port` 0 takes a free one; `target` is the port that is handed on to."""
        self._host = host
        self.port = port
        self._target = target
        self._server: asyncio.Server | None = None
        self._strands: set[_Strand] = set()

    async def start(self) -> None:
        """Raises OSError if the port cannot be had."""
        self._server = await asyncio.start_server(self._carry, self._host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.cut()
        await asyncio.sleep(0)

    def cut(self) -> None:
        """Break every connection, without a goodbye."""
        for strand in tuple(self._strands):
            strand.cut()

    def freeze(self) -> None:
        """Let every connection of now fall silent for ever. New ones are carried as usual."""
        for strand in self._strands:
            strand.frozen = True

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        strand = _Strand(writer, inner_writer)
        self._strands.add(strand)
        try:
            await asyncio.gather(strand.pour(reader, inner_writer), strand.pour(inner_reader, writer))
        finally:
            self._strands.discard(strand)
            strand.close()


class _Strand:
    """One connection through the cable."""

    def __init__(self, outer: asyncio.StreamWriter, inner: asyncio.StreamWriter) -> None:
        self._writers = (outer, inner)
        self.frozen = False

    async def pour(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hand on what comes until one side has had enough."""
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                if not self.frozen:
                    writer.write(data)
                    await writer.drain()
        self.close()

    def cut(self) -> None:
        outer = self._writers[0].get_extra_info("socket")
        if outer is not None:
            with contextlib.suppress(OSError):  # it is closed already
                # Linger for no time: the other side gets a reset and no orderly end.
                outer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        for writer in self._writers:
            writer.transport.abort()

    def close(self) -> None:
        for writer in self._writers:
            writer.close()
