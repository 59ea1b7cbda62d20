"""A small gRPC referee on a free port: each connection runs the next of a list of scripts."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Self

import grpc
import grpc.aio
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import bot_pb2_grpc

from bots_sdk.client import Timing
from bots_sdk.tickets import RefereeAddress, Ticket
from bots_sdk.watcher import Watcher
from tests.sdk.scripted import ScriptedGame, answers, frame, joined

QUICK = Timing(ping=0.05, silence=20.0, rest=0.05, tick=0.02, shortest=0.01, longest=0.05, refresh=60.0)


@dataclass
class Visit:
    """One stream of a bot, seen from the referee."""

    context: Any
    ticket: str
    heard: list[pb.BotMessage] = field(default_factory=list)

    async def read(self) -> pb.ConnectRequest:
        """The next frame that holds more than shares in shuffles. The script ends here if the bot has left."""
        while True:
            found = await self.context.read()
            if not isinstance(found, pb.ConnectRequest):
                raise asyncio.CancelledError
            rest = [message for message in found.messages if message.WhichOneof("kind") != "nonce_commit"]
            if rest:
                return pb.ConnectRequest(messages=rest)

    async def hear(self, kind: str) -> pb.BotMessage:
        """The next message of this kind; others are kept in `heard`."""
        while True:
            for message in (await self.read()).messages:
                self.heard.append(message)
                if message.WhichOneof("kind") == kind:
                    return message

    async def welcome(self) -> pb.Hello:
        hello = (await self.hear("hello")).hello
        await self.say(frame(welcome=pb.Welcome(session_id="s", protocol=1, capacity=hello.capacity, referee="tiny")))
        return hello

    async def say(self, *frames: bytes) -> None:
        await self.context.write(pb.ConnectResponse.FromString(joined(*frames)))

    async def refuse(self, code: grpc.StatusCode, text: str) -> None:
        await self.context.abort(code, text)

    async def play(self, script: ScriptedGame, answers_until_it_stops: int | None = None) -> None:
        """Ask and judge, until the game is over or so many answers were taken."""
        taken = 0
        await self.say(script.ask())
        while script.game.to_move is not None and taken != answers_until_it_stops:
            for answer in answers((await self.read()).messages):
                taken += 1
                reply = script.take(answer)
                await self.say(reply) if taken == answers_until_it_stops else await self.say(reply, script.ask())


Script = Callable[[Visit], Awaitable[None]]


class TinyReferee(bot_pb2_grpc.BotServiceServicer):
    """Runs one script for each connection, in order; the last one again for all that follow."""

    def __init__(self, *scripts: Script, credentials: grpc.ServerCredentials | None = None) -> None:
        """With `credentials` it speaks TLS."""
        self.credentials = credentials
        self.scripts = list(scripts)
        self.visits: list[Visit] = []
        self.server = grpc.aio.server()
        self.port = 0

    async def __aenter__(self) -> Self:
        bot_pb2_grpc.add_BotServiceServicer_to_server(self, self.server)
        where = f"127.0.0.1:{self.port}"
        if self.credentials is None:
            self.port = self.server.add_insecure_port(where)
        else:
            self.port = self.server.add_secure_port(where, self.credentials)
        await self.server.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.server.stop(0)

    async def Connect(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override] # it writes by itself
        metadata = {key: str(value) for key, value in context.invocation_metadata()}
        visit = Visit(context, metadata["authorization"].removeprefix("Bearer "))
        script = self.scripts[min(len(self.visits), len(self.scripts) - 1)]
        self.visits.append(visit)
        await script(visit)

    def address(self, referee: str = "tiny") -> RefereeAddress:
        return RefereeAddress(referee, f"127.0.0.1:{self.port}", tls=False)

    def ticket(self, text: str = "ticket") -> Ticket:
        return Ticket(text, 8, (self.address(),))


class Diary(Watcher):
    """Writes down what a client tells its watcher."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.over = asyncio.Event()

    def connected(self, referee: str, capacity: int) -> None:
        self.lines.append(f"connected to {referee} for {capacity}")

    def disconnected(self, referee: str, why: str) -> None:
        self.lines.append(f"lost {referee}: {why}")

    def waiting(self, why: str, seconds: float) -> None:
        self.lines.append(f"waiting: {why}")

    def game_over(self, info: object, result: object) -> None:
        self.lines.append("game over")
        self.over.set()
