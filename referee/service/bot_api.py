"""`BotService`: the door for bots. A stream becomes a session; frames go in and out as bytes."""

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from itertools import count
from typing import Any, Final

import grpc
from phaseten.v1 import bot_pb2 as pb

from referee.service.errors import CallReason, CallRefused
from referee.service.interceptor import Context, Methods, metadata_value
from referee.service.lobby import Lobby
from referee.service.meter import Meter
from referee.service.outbox import Pacer
from referee.service.session import (
    MAX_FRAME_BYTES,
    MAX_MESSAGE_BYTES,
    PING_SECONDS,
    PROTOCOL,
    Pulse,
    Session,
    decode_frame,
    take_hello,
)
from referee.service.tickets import KeyRing, Ticket, bearer

SERVICE: Final = pb.DESCRIPTOR.services_by_name["BotService"].full_name
HELLO_SECONDS: Final = 5.0
LAST_WORDS_SECONDS: Final = 1.0  # for what is still to be written when a stream ends


class BotApi:
    """The handlers of `BotService`."""

    def __init__(self, lobby: Lobby, keys: KeyRing, referee: str, hello_seconds: float = HELLO_SECONDS) -> None:
        self._lobby = lobby
        self._keys = keys
        self._referee = referee
        self._hello_seconds = hello_seconds
        self.pacer = Pacer()
        self._pulse = Pulse()
        self._numbers = count(1)

    def handlers(self) -> Methods:
        """For the server. Frames are neither decoded nor encoded on the way, see `session` and `messages`."""
        return {"Connect": grpc.stream_stream_rpc_method_handler(self.connect)}

    async def connect(self, _requests: Any, context: Context) -> None:
        """The session of a bot, from its ticket to the end of its stream."""
        ticket = self._keys.bot(bearer(metadata_value(context, "authorization")))
        # A call whose first write is still under way can no longer be refused, so this is not left to that write.
        await context.send_initial_metadata(())
        first = await self._first_frame(context)
        session = Session(next(self._numbers), ticket, take_hello(first), self.pacer, self._lobby.time)
        self._lobby.join(session, self._welcome(session, ticket))
        reading = _read(session, first, context, self._pulse, self._lobby.meter)
        del first  # or it would be kept as long as the session lives
        try:
            await _converse(session, context, reading)
        finally:
            self._pulse.remove(session)
            self._lobby.leave(session)

    async def _first_frame(self, context: Context) -> Any:
        try:
            async with asyncio.timeout(self._hello_seconds):
                data = await context.read()
        except TimeoutError:
            raise CallRefused(CallReason.HELLO_TOO_LATE) from None
        if data is grpc.aio.EOF:
            raise CallRefused(CallReason.HELLO_MISSING)
        return decode_frame(data)

    def _welcome(self, session: Session, ticket: Ticket) -> pb.Welcome:
        return pb.Welcome(
            session_id=session.session_id,
            protocol=PROTOCOL,
            capacity=min(session.capacity, ticket.capacity),
            referee=self._referee,
            server_time_ms=int(time.time() * 1000),
            ping_interval_ms=int(PING_SECONDS * 1000),
            max_frame_bytes=MAX_FRAME_BYTES,
            max_message_bytes=MAX_MESSAGE_BYTES,
        )


async def _converse(session: Session, context: Context, reading: Coroutine[Any, Any, None]) -> None:
    """Read and write until one of both sides has had enough."""
    reader = asyncio.create_task(reading)
    writer = asyncio.create_task(session.outbox.pump(context.write))
    # For thousands that wait this is half the memory of `asyncio.wait`.
    for task in (reader, writer):
        task.add_done_callback(session.stream_ended)
    try:
        await session.ending
        reason = await _why(session, reader)
        session.outbox.close()
        if not writer.done():
            await asyncio.wait({writer}, timeout=LAST_WORDS_SECONDS)
        if reason is not None:
            raise reason
    finally:
        for task in (reader, writer):
            task.cancel()
        # A stream that broke while it was read or written has no more to say: its end is what the caller sees anyway.
        await asyncio.gather(reader, writer, return_exceptions=True)


async def _why(session: Session, reader: asyncio.Task[None]) -> CallRefused | None:
    """Why the conversation is over; None if the bot closed it."""
    if reader.done():
        with contextlib.suppress(grpc.aio.UsageError, grpc.RpcError):
            try:
                await reader
            except CallRefused as refused:
                return refused
    return session.ending.result()


async def _read(session: Session, first: Any, context: Context, pulse: Pulse, meter: Meter) -> None:
    session.take(first, start=1)
    del first
    pulse.add(session)
    while (data := await context.read()) is not grpc.aio.EOF:
        meter.heard(len(data))
        session.receive(data)
