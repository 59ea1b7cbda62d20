"""Puts the referee together, and takes it down in order."""

import asyncio
import secrets
import time
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from phaseten.v1 import referee_pb2

from referee.service import bot_api, referee_api
from referee.service.bot_api import BotApi
from referee.service.clock import BEAT_MS, RefereeTime, monotonic_ms
from referee.service.containment import contained_call
from referee.service.errors import CallReason
from referee.service.feed import RUNNING_SECONDS, Feed
from referee.service.house import House
from referee.service.interceptor import Guard, Methods, Options, make_server
from referee.service.journal import Journal
from referee.service.lobby import Lobby
from referee.service.log import EventLog
from referee.service.memory import GIVE_BACK_SECONDS, give_back
from referee.service.meter import Meter
from referee.service.metrics import MetricsPage, RefereeCollector
from referee.service.order import Attempt
from referee.service.records import Outcomes, Records
from referee.service.referee_api import RefereeApi
from referee.service.session import MAX_FRAME_BYTES
from referee.service.settings import Settings
from referee.service.tickets import bearer

MAX_CONNECTIONS: Final = 6000  # of bots
# Frames a little above the limit are read, so that the sender hears from us what was wrong with them.
BOT_OPTIONS: Final = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_concurrent_streams", 8),
    ("grpc.max_allowed_incoming_connections", MAX_CONNECTIONS),
    ("grpc.max_receive_message_length", 2 * MAX_FRAME_BYTES),
    ("grpc.max_metadata_size", 8192),
    ("grpc.absolute_max_metadata_size", 16384),
    ("grpc.server_handshake_timeout_ms", 5000),
    # A peer that froze is noticed after these two, or after a minute without the second; one that plays, sooner, by pings of
    # our own. Thousands that wait are asked all the time, so to ask twice as often costs a hundredth of a core and more.
    ("grpc.keepalive_time_ms", 20000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.ping_timeout_ms", 5000),
    ("grpc.http2.min_ping_interval_without_data_ms", 15000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_ping_strikes", 3),
    ("grpc.server.max_pending_requests", 10000),
    ("grpc.server.max_pending_requests_hard_limit", 20000),
    # Whoever connects and opens no stream does not stay, and who had one stays two rounds at most. The timer runs for
    # all others too, and costs as much as keepalive does.
    ("grpc.max_connection_idle_ms", 20000),
    # A stream takes in no more than a frame ahead of us. To measure the network for a better window costs a ping a message.
    ("grpc.http2.lookahead_bytes", MAX_FRAME_BYTES),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.enable_channelz", 0),
)
CONTROL_OPTIONS: Final = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    ("grpc.max_send_message_length", 16 * 1024 * 1024),
    ("grpc.keepalive_time_ms", 10000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.ping_timeout_ms", 5000),
    ("grpc.http2.min_ping_interval_without_data_ms", 5000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.enable_channelz", 0),
)
# Services of the health check: those that are served while new matches are taken, and those that are served to the end.
READY: Final = ("", bot_api.SERVICE)
ALIVE: Final = ("alive", referee_api.SERVICE)
STOP_SECONDS: Final = 1.0
POLL_SECONDS: Final = 0.05

log = EventLog(__name__)


class CannotListen(Exception):
    """An address that the process cannot listen on."""


class RefereeServer:
    """A referee process: both ports, and everything behind them. Make it inside a running event loop."""

    def __init__(self, settings: Settings) -> None:
        """Raises CannotKeep for a journal that cannot be used."""
        self._settings = settings
        self._release = release = version("phaseten")
        self.meter = Meter()
        self.time = RefereeTime()
        greeting = referee_pb2.WatchGreeting(referee=settings.referee, incarnation=secrets.token_hex(8))
        records = Records(settings.max_record_bytes)
        self._feed = Feed(records, greeting, self._running)
        self._journal = Journal(settings.journal, settings.referee)
        named = f"{settings.referee} {release}"
        house = House(named, self.time, self._feed, self.meter, asyncio.get_running_loop(), self._journal)
        self.lobby = Lobby(house, records, Outcomes(), settings.max_games)
        self.lobby.recall(self._journal.leftovers())
        self._bots = BotApi(self.lobby, settings.keys, settings.referee)
        self._control = RefereeApi(self.lobby, self.meter, self.time, greeting, release)
        self._health = health.aio.HealthServicer()
        self._servers: list[grpc.aio.Server] = []
        self._housekeeping: list[asyncio.Task[None]] = []
        self._metrics: MetricsPage | None = None
        self._stopping = False
        self.broken = asyncio.Event()  # a port is dead, by no will of ours: the process is of no use any more
        self.port = self.control_port = 0

    async def start(self) -> None:
        """Listen. Raises CannotListen."""
        settings = self._settings
        bots = self._server(self._bots.handlers(), bot_api.SERVICE, Guard(self.meter), BOT_OPTIONS)
        admit = Guard(self.meter, lambda token: settings.keys.control(bearer(token)), referee_api.OPEN_TO_ALL)
        control = self._server(self._control.handlers(), referee_api.SERVICE, admit, CONTROL_OPTIONS)
        self.port = _listen(bots, settings.bind, settings)
        self.control_port = _listen(control, settings.control_bind, None)
        if settings.metrics_bind is not None:
            try:
                self._metrics = MetricsPage(settings.metrics_bind, self._figures())
            except OSError as problem:
                raise CannotListen(f"cannot listen on {settings.metrics_bind}: {problem}") from problem
        for server in self._servers:
            await server.start()
        await self._set_health(health_pb2.HealthCheckResponse.SERVING, *READY, *ALIVE)
        chores = (self._beat(), self._tell_running(), self._give_back())
        self._housekeeping = [asyncio.create_task(chore) for chore in chores]
        self._housekeeping += [asyncio.create_task(self._mind(server)) for server in self._servers]
        metrics = self._metrics.port if self._metrics is not None else None
        log.info("listening", bots=self.port, control=self.control_port, metrics=metrics)

    async def drain(self, grace: float, hurry: asyncio.Event | None = None) -> None:
        """Take no new matches and wait until nothing is left to do, at most `grace` seconds or until `hurry` is set."""
        log.info("draining", grace_seconds=grace, matches=self.lobby.match_count, records=len(self.lobby.records))
        self.lobby.drain(int(grace * 1000))
        await self._set_health(health_pb2.HealthCheckResponse.NOT_SERVING, *READY)
        end = time.monotonic() + grace
        while (self.lobby.match_count or len(self.lobby.records)) and time.monotonic() < end:
            if hurry is not None and hurry.is_set():
                return
            await asyncio.sleep(POLL_SECONDS)

    async def stop(self) -> None:
        """Call off what is still running, say goodbye, and stop listening."""
        self._stopping = True
        self.lobby.void_all("the referee is going away")
        for session, _ in self.lobby.sessions:
            session.end(CallReason.SHUTTING_DOWN)
        self._feed.close()
        await asyncio.gather(*(server.stop(STOP_SECONDS) for server in self._servers))
        for task in self._housekeeping:
            task.cancel()
        await asyncio.gather(*self._housekeeping, return_exceptions=True)
        if self._metrics is not None:
            await asyncio.to_thread(self._metrics.close)
        self._journal.close()
        log.info("stopped", records_lost=len(self.lobby.records))

    def _server(self, handlers: Methods, service: str, guard: Guard, options: Options) -> grpc.aio.Server:
        server = make_server(guard, options)
        server.add_registered_method_handlers(service, handlers)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        names = (service, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
        self._servers.append(server)
        return server

    async def _set_health(self, status: Any, *names: str) -> None:
        for name in names:
            await self._health.set(name, status)

    def _running(self) -> Iterable[Attempt]:
        return self.lobby.running()

    def _figures(self) -> RefereeCollector:
        return RefereeCollector(self._settings.referee, self._release, self.lobby, self.time, self._bots.pacer)

    async def _mind(self, server: grpc.aio.Server) -> None:
        """Wait until a port is closed, by us or by an error inside gRPC."""

        async def failed(error: Exception) -> bool:
            log.bug("a port is dead", error)
            return False

        await contained_call(failed, (), server.wait_for_termination())
        if not self._stopping:
            self.broken.set()

    async def _beat(self) -> None:
        while True:
            asked = monotonic_ms()
            await asyncio.sleep(BEAT_MS / 1000.0)
            self.time.beat()
            self.meter.loop_lag_ms.note(max(0.0, monotonic_ms() - asked - BEAT_MS))

    async def _tell_running(self) -> None:
        while True:
            await asyncio.sleep(RUNNING_SECONDS)
            self._feed.tell_running()
            self.lobby.tidy()

    async def _give_back(self) -> None:
        while True:
            await asyncio.sleep(GIVE_BACK_SECONDS)
            give_back()


def _listen(server: grpc.aio.Server, address: str, settings: Settings | None) -> int:
    tls = settings.tls if settings is not None else None
    try:
        if tls is None:
            port = server.add_insecure_port(address)
        else:
            credentials = grpc.ssl_server_credentials([(tls.key, tls.certificate)])
            port = server.add_secure_port(address, credentials)
    except RuntimeError as problem:
        raise CannotListen(f"cannot listen on {address}: {problem}") from problem
    return port
