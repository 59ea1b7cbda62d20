"""A referee of the script: who comes in, and which stream is the current one."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from phaseten.v1 import bot_pb2 as pb

from bots_sdk.conformance.findings import Heard
from bots_sdk.conformance.patience import Patience
from bots_sdk.conformance.report import NoSession
from bots_sdk.conformance.table import say
from bots_sdk.conformance.visit import End, Pipe, Visit

FIRST_PING: Final = 1 << 32  # far from those of the scenarios


@dataclass(slots=True)
class Dial:
    """An attempt to come in."""

    ticket: str
    at: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class Referee:
    """One address at which bots come in; the newest stream is the current one.

    `closed` refuses everybody as long as it is set. Where `idle` is set, whoever comes is welcomed without a script.
    """

    name: str
    patience: Patience
    heard: Heard
    admits: Callable[[str], bool]
    idle: bool = False
    closed: End | None = None
    visit: Visit | None = None
    dials: list[Dial] = field(default_factory=list)
    _came: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, pipe: Pipe, ticket: str) -> End | None:
        """A stream from its beginning to its end; how it is to be ended, None if the bot ended it."""
        self.dials.append(Dial(ticket))
        if self.closed is not None:
            return self.closed
        if not self.admits(ticket):
            return End("UNAUTHENTICATED", "the ticket is not one of this site")
        visit = Visit(pipe, ticket, self.heard)
        await self._replace(visit)
        listening = asyncio.create_task(visit.listen())
        pulse = asyncio.create_task(self._keep(visit))
        try:
            endings: set[asyncio.Future[Any]] = {listening, visit.ending}
            await asyncio.wait(endings, return_when=asyncio.FIRST_COMPLETED)
            return visit.ending.result() if visit.ending.done() else None
        finally:
            visit.gone = True
            for task in (listening, pulse):
                task.cancel()
            await asyncio.gather(listening, pulse, return_exceptions=True)

    async def _replace(self, visit: Visit) -> None:
        older, self.visit = self.visit, visit
        if older is not None and not older.gone:
            await older.say(say(superseded=pb.Superseded(text="a newer session took over")))
            older.end("ABORTED", "a newer session took over")
        self._came.set()

    async def _keep(self, visit: Visit) -> None:
        """Ping a visit now and then, as referees do; where nobody else does, welcome it."""
        if self.idle:
            try:
                await visit.greet(self.patience.hello)
            except NoSession:
                visit.end("DEADLINE_EXCEEDED", "no Hello came in time")
                return
        number = FIRST_PING
        while not visit.gone:
            await asyncio.sleep(self.patience.ping)
            if visit.welcomed and not visit.deaf:
                number += 1
                await visit.say(say(ping=pb.Ping(id=number)))

    @property
    def here(self) -> bool:
        """Whether a stream is open."""
        return self.visit is not None and not self.visit.gone

    async def arrival(self, within: float, after: Visit | None = None) -> Visit | None:
        """The open stream that is not `after`, as soon as there is one; None if none comes in time."""
        try:
            async with asyncio.timeout(within):
                while self.visit is None or self.visit.gone or self.visit is after:
                    self._came.clear()
                    await self._came.wait()
        except TimeoutError:
            return None
        return self.visit
