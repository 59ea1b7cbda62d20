"""A raw client for the referee: hand-written messages, so that misbehaviour can be sent too."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self
from uuid import UUID, uuid4

import grpc
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.rpc import error_details_pb2, status_pb2
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Clock, InitialSkip, Ruleset, Terms
from referee.service.bot_api import BotApi
from referee.service.server import RefereeServer
from referee.service.settings import Settings
from referee.service.tickets import KeyRing, key_id
from referee.wire.replay import SeatInfo, encode_seat_info
from referee.wire.rules import encode_ruleset, encode_terms

PATIENCE = 30.0
# A start card that skips the first player would make it a matter of luck who is asked first.
RULES = replace(OFFICIAL, name="first-seat-first", initial_skip=InitialSkip.IGNORE)


def new_key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


def public_pem(*keys: Ed25519PrivateKey) -> bytes:
    return b"".join(
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        for key in keys
    )


def signed(key: Ed25519PrivateKey, claims: dict[str, Any], kid: str | None = None) -> str:
    return jwt.encode(claims, key, algorithm="EdDSA", headers={"kid": kid or key_id(key.public_key())})


def bot_claims(bot: str, /, **changes: Any) -> dict[str, Any]:
    claims = {
        "aud": "referee",
        "sub": bot,
        "bot": bot,
        "bot_name": bot.title(),
        "version": "1",
        "version_id": version_id(bot),
        "capacity": 64,
        "exp": int(time.time()) + 600,
    }
    return claims | changes


def version_id(bot: str) -> int:
    return sum(bot.encode()) + 1


def control_claims(**changes: Any) -> dict[str, Any]:
    return {"aud": "referee-control", "scope": "control", "exp": int(time.time()) + 600} | changes


def quick_terms(bank: int = 20_000, increment: int = 0, cap: int = 20_000, **more: Any) -> Terms:
    return Terms(clock=Clock(bank, increment, cap), **({"max_deals": 1, "max_turns_per_deal": 3} | more))


def order(
    *bots: str,
    match: UUID | None = None,
    attempt: int = 1,
    terms: Terms | None = None,
    ruleset: Ruleset = RULES,
    mirrored: bool = False,
) -> referee_pb2.MatchOrder:
    return referee_pb2.MatchOrder(
        match_id=(match or uuid4()).bytes,
        attempt=attempt,
        ruleset=encode_ruleset(ruleset),
        terms=encode_terms(terms or quick_terms()),
        bots=[encode_seat_info(SeatInfo(bot, bot.title(), "1", version_id(bot))) for bot in bots],
        game_ids=[uuid4().bytes for _ in bots],
        mirrored=mirrored,
    )


def reason_of(error: grpc.aio.AioRpcError) -> str:
    """The reason of an error's ErrorInfo."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            info = error_details_pb2.ErrorInfo()
            assert status_pb2.Status.FromString(value).details[0].Unpack(info)
            assert info.domain == "phaseten"
            return str(info.reason)
    return ""


def _invited(message: pb.RefereeMessage) -> list[int]:
    """The games that a message waits for a share in."""
    if message.WhichOneof("kind") == "invite":
        return [message.invite.game]
    return [told.invite.game for told in message.resync.games if not told.HasField("start")]


@dataclass
class RawBot:
    """One stream of a bot. It reads and remembers everything, takes no part in shuffles, and does nothing else by itself.

    With `shares` off it stays silent where it is asked for its share; it reads only while `listening` is set.
    """

    channel: grpc.aio.Channel
    call: Any
    heard: list[pb.RefereeMessage] = field(default_factory=list)
    unread: list[pb.RefereeMessage] = field(default_factory=list)
    shares: bool = True
    listening: asyncio.Event = field(default_factory=asyncio.Event)
    _news: asyncio.Queue[pb.ConnectResponse | Exception] = field(default_factory=asyncio.Queue)
    _pump: asyncio.Task[None] | None = None
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def send(self, *messages: pb.BotMessage) -> None:
        async with self._writing:
            await self.call.write(pb.ConnectRequest(messages=messages).SerializeToString())

    async def hello(self, capacity: int = 64) -> pb.Welcome:
        await self.send(pb.BotMessage(hello=pb.Hello(protocol=1, sdk="raw/1", language="test", capacity=capacity)))
        return (await self.hear("welcome")).welcome

    async def hear(self, *kinds: str, where: Callable[[pb.RefereeMessage], bool] = lambda _: True) -> pb.RefereeMessage:
        """The next message of one of these kinds; others are passed over."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while self.unread:
                    message = self.unread.pop(0)
                    self.heard.append(message)
                    if message.WhichOneof("kind") in kinds and where(message):
                        return message
                await self.read()

    async def read(self) -> None:
        self.listening.set()
        if self._pump is None:
            self._pump = asyncio.create_task(self._read_all())
        news = await self._news.get()
        if isinstance(news, Exception):
            self._news.put_nowait(news)  # it stays so
            raise news
        self.unread.extend(news.messages)

    async def _read_all(self) -> None:
        """Read on while nobody listens, so that a game can begin."""
        try:
            while True:
                await self.listening.wait()
                data = await self.call.read()
                if data is grpc.aio.EOF:
                    raise EOFError  # noqa: TRY301  it is told to whoever listens
                frame = pb.ConnectResponse.FromString(data)
                self._news.put_nowait(frame)
                if self.shares:
                    await self._decline([game for message in frame.messages for game in _invited(message)])
        except (grpc.aio.AioRpcError, EOFError) as error:
            self._news.put_nowait(error)

    async def _decline(self, games: list[int]) -> None:
        if games:
            with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # it has ended: reading says why
                await self.send(*(pb.BotMessage(nonce_commit=pb.NonceCommit(game=game)) for game in games))

    async def refused(self) -> grpc.aio.AioRpcError:
        """The error that ends the stream."""
        async with asyncio.timeout(PATIENCE):
            try:
                while True:
                    await self.read()
            except grpc.aio.AioRpcError as error:
                return error

    async def answer(self, game: int, question: int, **move: Any) -> None:
        await self.send(pb.BotMessage(answer=pb.Answer(game=game, id=question, **move)))

    async def close(self) -> None:
        if self._pump is not None:
            self._pump.cancel()
        self.call.cancel()
        await self.channel.close()


class House:
    """A referee in this process, and the site's keys."""

    def __init__(self, **settings: Any) -> None:
        self.key = new_key()
        given = {"bind": "127.0.0.1:0", "control_bind": "127.0.0.1:0"} | settings
        self.settings = Settings("test-referee", KeyRing.parse(public_pem(self.key)), **given)
        self.server = RefereeServer(self.settings)
        self._open: list[Any] = []

    def hello_within(self, seconds: float) -> None:
        """Before `start`: another limit for the Hello than the five seconds."""
        self.server._bots = BotApi(self.server.lobby, self.settings.keys, self.settings.referee, seconds)

    async def start(self) -> None:
        await self.server.start()
        token = signed(self.key, control_claims())
        self.channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{self.server.control_port}", options=(("grpc.max_receive_message_length", 16 * 1024 * 1024),)
        )
        self.control = Control(self.channel, token)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        for opened in self._open:
            await opened.close()
        await self.channel.close()
        await self.server.stop()

    async def dial(self, token: str | None) -> RawBot:
        """Open a stream with any token, or without one, on a connection of its own."""
        options = (("grpc.use_local_subchannel_pool", 1),)
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{self.server.port}", options=options)
        metadata = (("authorization", f"Bearer {token}"),) if token is not None else ()
        call: Any = channel.stream_stream("/phaseten.v1.BotService/Connect")(metadata=metadata)
        bot = RawBot(channel, call)
        self._open.append(bot)
        return bot

    def ticket(self, bot: str, **changes: Any) -> str:
        return signed(self.key, bot_claims(bot, **changes))

    async def bot(self, name: str, capacity: int = 64, **changes: Any) -> RawBot:
        """A bot that has been welcomed."""
        bot = await self.dial(self.ticket(name, **changes))
        await bot.hello(capacity)
        return bot

    async def watch(self, token: str | None = None) -> "RawWatch":
        metadata = (("authorization", f"Bearer {token or signed(self.key, control_claims())}"),)
        call: Any = self.channel.stream_stream("/phaseten.v1.RefereeService/Watch")(metadata=metadata)
        watch = RawWatch(call)
        self._open.append(watch)
        return watch

    async def play(self, *orders: referee_pb2.MatchOrder) -> list[referee_pb2.StartResult]:
        response = await self.control.StartMatches(referee_pb2.StartMatchesRequest(matches=orders))
        return list(response.results)


def _request_bytes(message: Any) -> bytes:
    return bytes(message) if isinstance(message, bytes) else bytes(message.SerializeToString())


class Control:
    """The unary calls of `RefereeService`, by name."""

    def __init__(self, channel: grpc.aio.Channel, token: str | None) -> None:
        self._channel = channel
        self._token = token

    def __getattr__(self, name: str) -> Any:
        method = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].methods_by_name[name]
        response = getattr(referee_pb2, method.output_type.name)
        call = self._channel.unary_unary(
            f"/phaseten.v1.RefereeService/{name}",
            request_serializer=_request_bytes,
            response_deserializer=response.FromString,
        )
        metadata = (("authorization", f"Bearer {self._token}"),) if self._token else ()
        return lambda request: call(request, metadata=metadata, timeout=PATIENCE)


@dataclass
class RawWatch:
    """A watch stream."""

    call: Any
    heard: list[referee_pb2.WatchMessage] = field(default_factory=list)
    unread: list[referee_pb2.WatchMessage] = field(default_factory=list)

    async def hear(
        self, *kinds: str, where: Callable[[referee_pb2.WatchMessage], bool] = lambda _: True
    ) -> referee_pb2.WatchMessage:
        async with asyncio.timeout(PATIENCE):
            while True:
                while self.unread:
                    message = self.unread.pop(0)
                    self.heard.append(message)
                    if message.WhichOneof("kind") in kinds and where(message):
                        return message
                data = await self.call.read()
                if data is grpc.aio.EOF:
                    raise EOFError
                self.unread.extend(referee_pb2.WatchResponse.FromString(data).messages)

    async def record(self) -> referee_pb2.MatchRecord:
        """The next whole record."""
        data = b""
        while True:
            part = (await self.hear("record")).record
            assert part.part == (len(data) > 0) * part.part
            data += part.data
            if part.part + 1 == part.parts:
                return referee_pb2.MatchRecord.FromString(data)

    async def acknowledge(self, attempt: referee_pb2.AttemptRef, verdict: int = referee_pb2.VERDICT_STORED) -> None:
        message = referee_pb2.Acknowledgement(attempt=attempt)
        message.verdict = verdict  # type: ignore[assignment]  # the stub wants its own int type
        await self.call.write(referee_pb2.WatchRequest(messages=[message]).SerializeToString())

    async def close(self) -> None:
        self.call.cancel()


def reference(match: referee_pb2.MatchOrder) -> referee_pb2.AttemptRef:
    return referee_pb2.AttemptRef(match_id=match.match_id, attempt=match.attempt)


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something inside the referee that no message tells of."""
    async with asyncio.timeout(PATIENCE):
        while not happened():  # noqa: ASYNC110  the referee has no event for it, and needs none
            await asyncio.sleep(0.01)


def new_match() -> UUID:
    return UUID(bytes=secrets.token_bytes(16))


def kinds(messages: Iterable[pb.RefereeMessage]) -> list[str]:
    return [str(message.WhichOneof("kind")) for message in messages]
