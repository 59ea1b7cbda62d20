"""A referee process under attack: what it uses, whether honest bots feel the attack, and whether anything is left of it."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

import grpc
import psutil
from phaseten.v1 import referee_pb2

from referee.service.tickets import key_id
from tests.faults.http2 import Closed, Connection, dialled
from tests.faults.players import Player, hello
from tests.service.client import (
    Control,
    bot_claims,
    control_claims,
    new_key,
    order,
    public_pem,
    quick_terms,
    signed,
)

ROOT = Path(__file__).resolve().parents[2]
ADDED_MS = 250.0  # that an attack may add to the slowest hundredth of the waits of honest bots
TRIES = 4  # of an attack: the machine may be busy with something else
TOLERANCE = 1.05
MIB = 1024 * 1024
ADDED_MEMORY = 16 * MIB  # that an attack may take while it lasts
SAMPLE_SECONDS = 0.005
GIVEN_BACK = 0.9  # of what a process holds that has seen a crowd, it keeps less than this
SETTLED_SECONDS = 60.0
CROWD, COMES = 2000, 5
CROWDED = 60.0
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever a proxy says


@dataclass(frozen=True, slots=True)
class Usage:
    """What the process holds: bytes of memory, open descriptors, tasks of its event loop."""

    memory: int
    descriptors: int
    tasks: int

    def within(self, base: "Usage") -> bool:
        """Whether this is no more than the base line, and a little."""
        mine, its = (self.memory, self.descriptors, self.tasks), (base.memory, base.descriptors, base.tasks)
        return all(now <= before * TOLERANCE for now, before in zip(mine, its, strict=True))


class Wait(NamedTuple):
    """An honest bot had answered at `since` and was asked again at `until`, in seconds of the monotonic clock."""

    since: float
    until: float


def slowest_ms(waits: list[Wait]) -> float:
    """What 99 of 100 waits stayed below; the longest where there are fewer."""
    lengths = sorted(wait.until - wait.since for wait in waits)
    return lengths[len(lengths) * 99 // 100] * 1000.0


class Peak(Thread):
    """Looks again and again at the memory of a process. What it has seen is there when it has been stopped."""

    def __init__(self, process: psutil.Process) -> None:
        super().__init__(daemon=True)
        self.memory = 0
        self._process = process
        self._over = Event()

    def run(self) -> None:
        while not self._over.wait(SAMPLE_SECONDS):
            self.memory = max(self.memory, self._process.memory_info().rss)

    def stop(self) -> None:
        self._over.set()
        self.join()


class Attacked:
    """A referee, the site that orders matches from it and takes records home, and the probe."""

    def __init__(self, process: asyncio.subprocess.Process, key: Any, ports: dict[str, int]) -> None:
        """`log` holds the lines that the process has written."""
        self.key = key
        self.port = ports["bots"]
        self.control_port = ports["control"]
        self.log: list[dict[str, Any]] = []
        self._process = process
        self._metrics = ports["metrics"]
        self._probe: asyncio.subprocess.Process | None = None
        self._base_ms = 0.0
        self._first_memory = 0  # what it kept of the crowd: now and then it keeps a little less

    async def listen(self, stream: asyncio.StreamReader) -> None:
        """Keep the log."""
        while line := await stream.readline():
            self.log.append(json.loads(line))

    # Who comes.

    def ticket(self, bot: str, **changes: Any) -> str:
        return signed(self.key, bot_claims(bot, **changes))

    @property
    def key_id(self) -> str:
        return key_id(self.key.public_key())

    async def dial(self) -> Connection:
        """A connection that has greeted."""
        connection = await Connection.open(self.port)
        connection.greet()
        return connection

    async def bot(self, name: str) -> tuple[Connection, int]:
        """A bot that has been welcomed, and its stream."""
        connection = await self.dial()
        stream = connection.begin(self.ticket(name))
        connection.say(stream, hello())
        await connection.until(lambda one: one.messages.get(stream))
        return connection, stream

    async def player(self, name: str, make: Callable[[], Player] = Player) -> Player:
        """A bot that has been welcomed and plays."""
        player = await dialled(self.port, make)
        await player.enter(self.ticket(name))
        return player

    # The site.

    def open_site(self, channel: grpc.aio.Channel) -> None:
        token = signed(self.key, control_claims())
        self.control = Control(channel, token)
        metadata = (("authorization", f"Bearer {token}"),)
        self._watch: Any = channel.stream_stream(
            "/phaseten.v1.RefereeService/Watch",
            request_serializer=referee_pb2.WatchRequest.SerializeToString,
            response_deserializer=referee_pb2.WatchResponse.FromString,
        )(metadata=metadata)
        self._records: dict[bytes, bytes] = {}
        self._whole: set[bytes] = set()

    def record(self, match: bytes) -> referee_pb2.MatchRecord | None:
        """The record of a match, if it has come."""
        return referee_pb2.MatchRecord.FromString(self._records[match]) if match in self._whole else None

    async def take_home(self) -> None:
        """Acknowledge records as they come, and keep them."""
        async for response in self._watch:
            for part in [message.record for message in response.messages if message.WhichOneof("kind") == "record"]:
                match = part.attempt.match_id
                self._records[match] = self._records.get(match, b"") + part.data
                if part.part + 1 == part.parts:
                    self._whole.add(match)
                    done = referee_pb2.Acknowledgement(attempt=part.attempt, verdict=referee_pb2.VERDICT_STORED)
                    await self._watch.write(referee_pb2.WatchRequest(messages=[done]))

    async def play(self, *orders: referee_pb2.MatchOrder) -> None:
        """Start matches; all of them must start."""
        response = await self.control.StartMatches(referee_pb2.StartMatchesRequest(matches=orders))
        assert all(result.outcome == referee_pb2.START_OUTCOME_STARTED for result in response.results), response

    # Measuring.

    async def metrics(self) -> dict[str, float]:
        """The numbers of the metrics page, by name and labels."""
        url = f"http://127.0.0.1:{self._metrics}/metrics"
        page: bytes = await asyncio.to_thread(lambda: DIRECT.open(url, timeout=30).read())
        lines = (line.rsplit(" ", 1) for line in page.decode().splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in lines}

    def spent(self) -> float:
        """Seconds of a processor that the referee has had so far: less than what a clock shows on a busy machine."""
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system)

    async def usage(self) -> Usage:
        tasks = (await self.metrics())["phaseten_referee_tasks"]
        process = psutil.Process(self._process.pid)
        return Usage(process.memory_info().rss, process.num_fds(), int(tasks))

    async def until(self, fine: Callable[[Usage], bool], seconds: float = SETTLED_SECONDS) -> Usage:
        """Wait for a usage. Raises AssertionError with the last one."""
        end = asyncio.get_running_loop().time() + seconds
        while not fine(usage := await self.usage()):
            assert asyncio.get_running_loop().time() < end, f"{usage} after {seconds} s"
            await asyncio.sleep(0.2)
        return usage

    async def rest(self, full: int) -> None:
        """Wait until the memory that a crowd has left is given back; that may have happened already."""
        self._first_memory = (await self.until(lambda usage: usage.memory < GIVEN_BACK * full)).memory

    async def start_probe(self) -> None:
        tickets = [self.ticket(name) for name in ("probe-a", "probe-b")]
        self._probe = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.faults.probe", cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._probe.stdin is not None
        self._probe.stdin.write(json.dumps({"port": self.port, "tickets": tickets}).encode() + b"\n")
        assert await self._line() == "ready"

    async def stop_probe(self) -> None:
        if self._probe is not None:
            self._probe.kill()
            await self._probe.wait()

    async def _line(self) -> str:
        assert self._probe is not None
        assert self._probe.stdout is not None
        return (await asyncio.wait_for(self._probe.stdout.readline(), CROWDED)).decode().strip()

    async def waits(self) -> list[Wait]:
        """Play a match between the honest bots; all their waits."""
        await self.play(order("probe-a", "probe-b", terms=quick_terms(max_deals=3, max_turns_per_deal=25)))
        waits = [Wait(*wait) for _ in range(2) for wait in json.loads(await self._line())]
        assert len(waits) >= 200
        return waits

    async def settle(self) -> None:
        """Take the base line of waits. The slower of two matches: the machine is not always as quiet."""
        self._base_ms = max([slowest_ms(await self.waits()) for _ in range(2)])

    async def waits_under(self, attack: Callable[[], Awaitable[None]], seconds: float) -> list[Wait]:
        """Attack while honest bots play match after match; their waits while the attack lasted, be it in part."""
        for _ in range(TRIES):  # a short one may be over before anybody has begun to play
            start = time.monotonic()
            task = asyncio.create_task(_attack(attack, start + seconds))
            waits = await self.waits()
            while not task.done():
                waits += await self.waits()
            end = await task
            if under := [wait for wait in waits if wait.until > start and wait.since < end]:
                return under
        raise AssertionError("the attack was always over before anybody played")

    async def check_waits(self, waits: Callable[[], Awaitable[list[Wait]]]) -> None:
        """The honest bots wait hardly longer than before. All that is waited for is measured again if they do."""
        measured: list[float] = []
        while not measured or measured[-1] - self._base_ms >= ADDED_MS:
            assert len(measured) < TRIES, f"honest bots waited {measured} ms, {self._base_ms} before"
            measured.append(slowest_ms(await waits()))

    async def survives(
        self, attack: Callable[[], Awaitable[None]], *, seconds: float = 0.0, added_memory: int = ADDED_MEMORY
    ) -> None:
        """Attack, once or again and again for some seconds, while honest bots play; then see that nothing is left of it.

        All of it is done again if they feel it, up to a few times.
        """
        await self.settle()
        base = await self.usage()
        base = replace(base, memory=max(base.memory, self._first_memory))
        known = len(self.log)
        with self.peak() as peak:
            await self.check_waits(lambda: self.waits_under(attack, seconds))
        added = peak.memory - base.memory
        assert added < added_memory, f"the attack has taken {added / MIB:.0f} MiB"
        await self.check_waits(self.waits)
        await self.until(lambda usage: usage.within(base))
        bugs = [line for line in self.log[known:] if line["level"] == "error"]
        assert not bugs, bugs[:3]

    @contextmanager
    def peak(self) -> Iterator[Peak]:
        peak = Peak(psutil.Process(self._process.pid))
        peak.start()
        try:
            yield peak
        finally:
            peak.stop()


async def _attack(attack: Callable[[], Awaitable[None]], end: float) -> float:
    """Attack at least once and until then; when it was over."""
    await attack()
    while time.monotonic() < end:
        await attack()
    return time.monotonic()


@asynccontextmanager
async def attacked(folder: Path) -> AsyncIterator[Attacked]:
    """A referee that has been in use: a crowd of bots has come and gone, so what allocators keep for the next is there."""
    key = new_key()
    (folder / "key.pem").write_bytes(public_pem(key))
    settings = {
        "ID": "attacked",
        "TICKET_PUBLIC_KEY_FILE": str(folder / "key.pem"),
        "BIND": "127.0.0.1:0",
        "CONTROL_BIND": "127.0.0.1:0",
        "METRICS_BIND": "127.0.0.1:0",
    }
    env = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")}
    env |= {f"PHASETEN_REFEREE_{name}": value for name, value in settings.items()}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "referee.service", cwd=ROOT, env=env, stderr=subprocess.PIPE
    )
    helpers: list[asyncio.Task[None]] = []
    try:
        assert process.stderr is not None
        referee = Attacked(process, key, json.loads(await asyncio.wait_for(process.stderr.readline(), CROWDED)))
        helpers.append(asyncio.create_task(referee.listen(process.stderr)))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{referee.control_port}") as channel:
            referee.open_site(channel)
            helpers.append(asyncio.create_task(referee.take_home()))
            with referee.peak() as peak:
                for _ in range(2):
                    await crowd(referee)
            await referee.rest(peak.memory)
            await referee.start_probe()
            yield referee
            assert process.returncode is None, f"the referee has ended: {referee.log[-5:]}"
            await referee.stop_probe()
    finally:
        for helper in helpers:
            helper.cancel()
        if process.returncode is None:
            process.kill()
        await process.wait()
        await asyncio.gather(*helpers, return_exceptions=True)


async def crowd(referee: Attacked, size: int = CROWD) -> None:
    """So many bots come, a hundred at a time, and go."""
    gate = asyncio.Semaphore(100)

    async def come(number: int) -> Connection:
        async with gate:
            for _ in range(COMES - 1):
                with suppress(Closed):  # it was silent for too long: this process stood still
                    return (await referee.bot(f"guest{number}"))[0]
            return (await referee.bot(f"guest{number}"))[0]

    for connection in await asyncio.gather(*(come(number) for number in range(size))):
        connection.close()
    async with asyncio.timeout(CROWDED):
        while (await referee.metrics())["phaseten_referee_sessions"]:  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(0.1)
