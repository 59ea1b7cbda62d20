"""One stream of a bot, seen from the referee that follows a script."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from google.protobuf.message import DecodeError
from phaseten.v1 import bot_pb2 as pb

from bots_sdk.conformance.findings import Heard
from bots_sdk.conformance.report import Failed, Gone, NoSession
from bots_sdk.conformance.table import say

PROTOCOL: Final = 1
MAX_FRAME_BYTES: Final = 64 * 1024
MAX_MESSAGE_BYTES: Final = 4 * 1024


class Pipe(Protocol):
    """Where frames come from and go to."""

    async def read(self) -> bytes | None:
        """The next frame; None when the bot has closed its side."""

    async def write(self, frame: bytes) -> None:
        """Raises ConnectionError if the stream is gone."""


@dataclass(frozen=True, slots=True)
class End:
    """How the script ends a stream: the name of a gRPC status code (OK for none), and words."""

    code: str
    text: str


@dataclass(slots=True)
class Told:
    """A message of the bot, and when it came."""

    message: pb.BotMessage
    kind: str
    at: float


@dataclass(slots=True)
class Visit:
    """One stream, from its beginning to its end. Pings are answered as long as it is not `deaf`.

    `hello` is there once it has come; `early` are the kinds of messages that came before it. `garbled` tells of a frame that
    could not be read.
    """

    pipe: Pipe
    ticket: str
    heard: Heard
    came: float = field(default_factory=time.monotonic)
    hello: pb.Hello | None = None
    hello_at: float = 0.0
    early: list[str] = field(default_factory=list)
    welcomed: bool = False
    gone: bool = False
    garbled: str = ""
    deaf: bool = False
    pongs: dict[int, float] = field(default_factory=dict)
    pings: int = 0
    inbox: deque[Told] = field(default_factory=deque)
    ending: "asyncio.Future[End]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def listen(self) -> None:
        """Take in what comes until the bot closes its side or the stream breaks."""
        try:
            while (data := await self.pipe.read()) is not None:
                await self._take(data)
        finally:
            self.gone = True
            self._news.set()

    async def _take(self, data: bytes) -> None:
        now = time.monotonic()
        try:
            frame = pb.ConnectRequest.FromString(data)
        except DecodeError:
            self.garbled = "a frame that is no phaseten.v1.ConnectRequest"
            self.end("INVALID_ARGUMENT", "the frame cannot be decoded")
            return
        self.heard.frame(data, frame, now)
        for message in frame.messages:
            await self._sort(message, now)
        self._news.set()

    async def _sort(self, message: pb.BotMessage, now: float) -> None:
        kind = message.WhichOneof("kind") or "unknown"
        if kind == "hello" and self.hello is None:
            self.hello, self.hello_at = message.hello, now
            return
        if self.hello is None:
            self.early.append(kind)
        if kind == "ping":
            self.pings += 1
            if not self.deaf:
                await self.say(say(pong=pb.Pong(id=message.ping.id)))
        elif kind == "pong":
            self.pongs.setdefault(message.pong.id, now)
        else:
            self.inbox.append(Told(message, kind, now))

    async def say(self, *frames: bytes) -> None:
        """Write frames as one. A stream that is gone hears nothing: whoever waits for an answer will notice."""
        data = b"".join(frames)
        if self.gone or not data:
            return
        try:
            async with self._writing:
                await self.pipe.write(data)
        except ConnectionError:
            self.gone = True
            self._news.set()

    def end(self, code: str, text: str) -> None:
        """Let the stream come to an end."""
        if not self.ending.done():
            self.ending.set_result(End(code, text))

    async def until(self, happened: Callable[[], bool], within: float) -> bool:
        """Wait until something has happened, at most so many seconds; whether it has. False also if the stream ended."""
        try:
            async with asyncio.timeout(within):
                while not happened():
                    if self.gone:
                        return False
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return happened()
        return True

    async def wait_for(self, messages: int, within: float) -> bool:
        """Wait until so many messages are in the inbox; whether they are."""
        return await self.until(lambda: len(self.inbox) >= messages, within)

    async def hear(self, kind: str, game: int, within: float) -> Told | None:
        """The next message of this kind for this game, at most so many seconds; others stay in the inbox.

        Raises Gone if the stream ends while it is waited for.
        """
        if await self.until(lambda: self._find(kind, game) is not None, within):
            told = self._find(kind, game)
            assert told is not None
            self.inbox.remove(told)
            return told
        if self.gone:
            raise Gone("while a game begins", self.garbled)
        return None

    def _find(self, kind: str, game: int) -> Told | None:
        for told in self.inbox:
            if told.kind == kind and getattr(told.message, kind).game == game:
                return told
        return None

    async def greet(self, hello_within: float, *frames: bytes) -> pb.Hello:
        """Wait for the Hello and answer it, with what else a new session is told at once. Raises NoSession."""
        await self.until(lambda: self.hello is not None, hello_within)
        if self.hello is None:
            came = "none came in time"
            if self.gone:
                came = f"{self.garbled} came first" if self.garbled else "the stream ended without one"
            raise NoSession("a Hello right after the stream was opened", came, "send Hello as the first message")
        welcome = pb.Welcome(
            session_id="script",
            protocol=PROTOCOL,
            capacity=max(1, self.hello.capacity),
            referee="script",
            server_time_ms=int(time.time() * 1000),
            ping_interval_ms=5000,
            max_frame_bytes=MAX_FRAME_BYTES,
            max_message_bytes=MAX_MESSAGE_BYTES,
        )
        await self.say(say(welcome=welcome), *frames)
        self.welcomed = True
        return self.hello

    async def pong(self, number: int, within: float) -> float | None:
        """Ping the bot; the seconds until its Pong came, or None if it did not."""
        asked = time.monotonic()
        await self.say(say(ping=pb.Ping(id=number)))
        await self.until(lambda: number in self.pongs, within)
        at = self.pongs.get(number)
        return None if at is None else at - asked


def gone(visit: Visit, during: str) -> Failed:
    """The failure of a stream that ended by the bot's doing."""
    return Gone(during, visit.garbled)
