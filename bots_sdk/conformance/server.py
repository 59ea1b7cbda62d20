"""The doors of the scripted referees: gRPC streams become visits."""

import asyncio
import contextlib
from typing import Any, Final

import grpc
import grpc.aio
from phaseten.v1 import bot_pb2 as pb

from bots_sdk.conformance.cable import Cable
from bots_sdk.conformance.referee import Referee

SERVICE: Final = pb.DESCRIPTOR.services_by_name["BotService"].full_name
OPTIONS: Final = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    ("grpc.max_send_message_length", 16 * 1024 * 1024),
    ("grpc.http2.min_ping_interval_without_data_ms", 1000),
    ("grpc.keepalive_permit_without_calls", 1),
)


class Door:
    """One referee's server, and the cable that leads to it."""

    def __init__(self, referee: Referee, host: str, port: int) -> None:
        """`port` 0 takes a free one."""
        self.referee = referee
        self._server = grpc.aio.server(options=OPTIONS)
        handler: Any = grpc.stream_stream_rpc_method_handler(self._connect)
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Connect": handler}),))
        self.cable = Cable(host, port, self._server.add_insecure_port("127.0.0.1:0"))

    async def start(self) -> None:
        """Raises OSError if the port cannot be had."""
        await self._server.start()
        await self.cable.start()

    async def close(self) -> None:
        await self.cable.close()
        await self._server.stop(0)

    async def _connect(self, _requests: Any, context: Any) -> None:
        # A call whose first write is still under way can no longer be refused, so this is not left to that write.
        await context.send_initial_metadata(())
        metadata = {str(key): str(value) for key, value in context.invocation_metadata() or ()}
        ticket = metadata.get("authorization", "").removeprefix("Bearer ")
        end = await self.referee.serve(_Stream(context), ticket)
        if end is not None and end.code != "OK":
            await context.abort(grpc.StatusCode[end.code], end.text)


class _Stream:
    """A gRPC stream as a `visit.Pipe`."""

    def __init__(self, context: Any) -> None:
        self._context = context

    async def read(self) -> bytes | None:
        with contextlib.suppress(grpc.aio.UsageError, grpc.RpcError, asyncio.InvalidStateError):
            data = await self._context.read()
            return data if isinstance(data, bytes) else None
        return None

    async def write(self, frame: bytes) -> None:
        try:
            await self._context.write(frame)
        except (grpc.aio.UsageError, grpc.RpcError, asyncio.InvalidStateError) as error:
            raise ConnectionError(str(error)) from error
