"""Sessions over gRPC: the only file of the SDK that knows of this network protocol, and times the conversation.

One client serves one bot. It gets a ticket from the site and keeps a stream open to every referee that the ticket names;
each stream carries all games that the bot plays there. What is ready goes out in one frame, and the next frame is written
when the last one is out, so a busy bot sends few and full frames.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import grpc
import grpc.aio
from phaseten.v1 import bot_pb2 as pb

from bots_sdk.bot import Maker
from bots_sdk.errors import ADDRESS_RIGHT, RefereeSilent, SiteRefused, SiteUnavailable, Superseded, WrongInput
from bots_sdk.games import Games
from bots_sdk.session import Session
from bots_sdk.tickets import RefereeAddress, Ticket, Validation
from bots_sdk.watcher import Watcher
from referee.wire.errors import MalformedMessage

log = logging.getLogger("phaseten")

# Measured on grpcio 1.85: without http2.ping_timeout_ms a frozen peer is noticed after a minute, and connections of
# equal options are shared behind our back, so that redialling would get the dead one again. The minimum of the backoff is
# also the time that a connection may take to be made; how long to wait between two is this file's business.
OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.min_reconnect_backoff_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)

Call = grpc.aio.StreamStreamCall[bytes, bytes]
METHOD: Final = f"/{pb.DESCRIPTOR.services_by_name['BotService'].full_name}/Connect"


@dataclass(frozen=True, slots=True)
class Timing:
    """Every time the client knows, in seconds.

    `ping` is the interval of pings while a game runs, `silence` how long a referee may say nothing then, `tick` how often
    that is looked at. While none runs pings come every `rest`, for thousands of bots may wait at one referee, and it may say
    nothing for as much longer.
    `shortest` and `longest` bound the pause before another try. `refresh` is the age at which a ticket is replaced when
    one is needed, and how often the list of referees is asked for; `undecided` is the same while the site has yet to
    say whether the version may play for ratings. `slice` is how long a bot may think before what is ready is sent, `long`
    how long one decision may take before its author hears of it; a slice is much shorter.
    """

    ping: float = 5.0
    silence: float = 8.0
    rest: float = 60.0
    tick: float = 1.0
    shortest: float = 0.2
    longest: float = 5.0
    refresh: float = 300.0
    undecided: float = 10.0
    slice: float = 0.005
    long: float = 1.0


class Backoff:
    """Pauses that grow, with jitter over all of them: bots that lost one referee together come back one by one.

    The jitter of `steady` ones is over their upper half, so that whoever reads them sees them grow, and not two that wait.
    """

    def __init__(self, timing: Timing, *, steady: bool = False) -> None:
        self._timing = timing
        self._steady = steady
        self._tries = 0

    def reset(self) -> None:
        self._tries = 0

    def next(self) -> float:
        """The next pause in seconds."""
        self._tries += 1
        most = min(self._timing.longest, self._timing.shortest * 2 ** min(self._tries, 16))
        least = max(self._timing.shortest, most / 2) if self._steady else self._timing.shortest
        return random.uniform(least, most)  # noqa: S311 - spreads load, hides nothing


class Tickets:
    """The current ticket, shared by all connections; a new one is fetched when it is old or was refused."""

    def __init__(self, fetch: Callable[[], Ticket], timing: Timing, watcher: Watcher) -> None:
        self._fetch = fetch
        self._timing = timing
        self._watcher = watcher
        self._lock = asyncio.Lock()
        self._ticket: Ticket | None = None
        self._fetched: float | None = None
        self._validation: Validation | None = None  # as the watcher was told

    async def current(self) -> Ticket:
        """A ticket. Waits for a site that is away; raises SiteRefused when asking again would not help."""
        async with self._lock:
            ticket = self._ticket
            if ticket is None or self._fetched is None or time.monotonic() - self._fetched > self.lasts:
                ticket = self._ticket = await self._new()
                self._fetched = time.monotonic()
                self._tell(ticket.validation)
            return ticket

    @property
    def lasts(self) -> float:
        """Seconds after which the site is asked again."""
        validation = None if self._ticket is None else self._ticket.validation
        undecided = validation is not None and validation.undecided
        return min(self._timing.undecided, self._timing.refresh) if undecided else self._timing.refresh

    def _tell(self, validation: Validation | None) -> None:
        """Tell the watcher what is new; a version that never had to wait is not worth a word."""
        before, self._validation = self._validation, validation
        if validation is None or validation == before or (before is None and validation.passed):
            return
        self._watcher.validation(f"{validation.text} {validation.match}".rstrip())

    async def _new(self) -> Ticket:
        """Asks until there is one. Whoever needs one waits for the same: each failure is told once, from here."""
        backoff = Backoff(self._timing, steady=True)
        while True:
            try:
                return await asyncio.to_thread(self._fetch)
            except (SiteUnavailable, SiteRefused) as error:
                pause, why = backoff.next(), str(error)
                if isinstance(error, SiteRefused):
                    if not error.is_temporary:
                        raise
                    pause = max(pause, error.wait or 0.0)
                elif self._fetched is None and not why.endswith(ADDRESS_RIGHT):
                    why += f". {ADDRESS_RIGHT}"  # nobody there has ever answered as a site does
                self._watcher.waiting(why, pause)
            await asyncio.sleep(pause)

    def refused(self, ticket: Ticket) -> None:
        """A referee did not let this ticket in."""
        if ticket is self._ticket:
            self._ticket = None


@dataclass(slots=True)
class Conversation:
    """One stream: a reader, a writer, and a look at the clock."""

    call: Call
    session: Session
    timing: Timing
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _thinking: bool = False
    _heard: float = 0.0

    async def run(self) -> None:
        """Talk until the stream ends. Raises Superseded, RefereeSilent, grpc.aio.AioRpcError."""
        self._heard = time.monotonic()
        self._ready.set()
        tasks = [asyncio.create_task(part) for part in (self._read(), self._write(), self._watch())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.call.cancel()
        for task in done:
            task.result()

    async def _read(self) -> None:
        session = self.session
        while True:
            frame = await self.call.read()
            if not isinstance(frame, bytes):  # the end of the stream
                break
            self._heard = time.monotonic()
            session.accept(frame)
            if session.superseded is not None:
                raise Superseded(session.superseded)
            if not self._thinking:
                self._think()

    def _think(self) -> None:
        """Answer questions, but let the writer and the reader have their turn in between."""
        session, clock = self.session, time.monotonic
        before = now = clock()
        until = now + self.timing.slice
        while session.decide() and (now := clock()) < until:
            before = now
        if now - before > self.timing.long:  # only the last decision of a slice can be so long
            session.thought_long(now - before)
        self._ready.set()
        self._thinking = session.has_questions
        if self._thinking:
            asyncio.get_running_loop().call_soon(self._think)

    async def _write(self) -> None:
        while True:
            await self._ready.wait()
            self._ready.clear()
            while (frame := self.session.take_frame()) is not None:
                try:
                    await self.call.write(frame)
                except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
                    await asyncio.Event().wait()  # the stream has ended; the reader knows why and tells it

    async def _watch(self) -> None:
        timing = self.timing
        last = pinged = time.monotonic()
        while True:
            await asyncio.sleep(timing.tick)
            now = time.monotonic()
            if now - last > timing.tick * 2:  # a long thought of ours stopped this loop, not the referee
                self._heard = max(self._heard, now - timing.tick)
            last = now
            pause = timing.rest if self.session.rests else timing.ping
            if now - self._heard > timing.silence - timing.ping + pause:
                raise RefereeSilent(f"nothing heard for {now - self._heard:.0f} s")
            if now - pinged >= pause:
                pinged = now
                self.session.ping()
                self._ready.set()


class Link:
    """The connection to one referee, made again whenever it is lost."""

    def __init__(self, client: "Client", address: RefereeAddress) -> None:
        self._client = client
        self._address = address
        self._games = Games(client.make, client.watcher)
        self._backoff = Backoff(client.timing)

    async def run(self) -> None:
        """Stay connected until the site no longer names this referee. Raises Superseded, SiteRefused."""
        while True:
            ticket = await self._client.tickets.current()
            if self._address not in ticket.referees:
                return
            why = await self._converse(ticket)
            pause = self._backoff.next()
            log.debug("referee %s: %s", self._address.id, why)
            self._client.watcher.disconnected(self._address.id, why)
            await asyncio.sleep(pause)

    async def _converse(self, ticket: Ticket) -> str:
        """One stream from its beginning to its end; says why it ended."""
        session = Session(self._games, self._client.capacity)
        async with self._channel() as channel:
            metadata = (("authorization", f"Bearer {ticket.text}"),)
            call: Call = channel.stream_stream(METHOD)(
                metadata=metadata
            )  # bytes: the session reads and writes frames itself
            try:
                await Conversation(call, session, self._client.timing).run()
            except (RefereeSilent, MalformedMessage) as error:
                return str(error)
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                    self._client.tickets.refused(ticket)
                return f"{error.code().name}: {error.details() or 'no reason given'}"
            finally:
                if session.welcome is not None:
                    self._backoff.reset()
        return "the referee went away" if session.draining else "the referee ended the session"

    def _channel(self) -> grpc.aio.Channel:
        options = list(OPTIONS)
        if self._address.is_local:
            options.append(("grpc.enable_http_proxy", 0))  # no proxy leads back to this machine
        if self._address.tls:
            return grpc.aio.secure_channel(self._address.target, grpc.ssl_channel_credentials(), options)
        return grpc.aio.insecure_channel(self._address.target, options)


class Client:
    """Keeps a bot connected to every referee of its ticket."""

    def __init__(
        self,
        make: Maker,
        fetch: Callable[[], Ticket],
        capacity: int,
        watcher: Watcher | None = None,
        timing: Timing | None = None,
    ) -> None:
        """`fetch` gets a ticket from the site; it may block, and raises SiteRefused or SiteUnavailable."""
        if capacity < 1:
            raise WrongInput(f"a bot plays at least one game at once, not {capacity}")
        self.make = make
        self.capacity = capacity
        self.watcher = watcher or Watcher()
        self.timing = timing or Timing()
        self.tickets = Tickets(fetch, self.timing, self.watcher)
        self._links: dict[RefereeAddress, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Play until cancelled. Raises Superseded, SiteRefused; every other trouble is waited out."""
        try:
            while True:
                ticket = await self.tickets.current()
                for address in ticket.referees:
                    if address not in self._links:
                        self._links[address] = asyncio.create_task(Link(self, address).run())
                await self._until_something_ends()
        finally:
            await _cancel(self._links.values())

    async def _until_something_ends(self) -> None:
        """Wait for a connection that is given up, or until it is time to ask for the list of referees."""
        if not self._links:
            self.watcher.waiting("the site names no referee to play at", self.timing.longest)
            await asyncio.sleep(self.timing.longest)
            return
        done, _ = await asyncio.wait(self._links.values(), timeout=self.tickets.lasts, return_when=asyncio.FIRST_COMPLETED)
        for address, task in list(self._links.items()):
            if task in done:
                del self._links[address]
                task.result()


async def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    waiting = list(tasks)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
