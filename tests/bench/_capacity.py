"""How many games a referee plays at once without missing a clock, and what each of them holds in memory.

One referee process, 30 sessions of the SDK in two processes. The bots are those of the wire bench, and answer at once; the
clocks are those of ordinary terms. Every match that ends is replaced by another, and its record is kept here: when all is
over, the clock of every answer is looked at. A match whose first game is over waits for the second, hence more matches than
would do are ordered, a part of them every second; games are counted every second, and the smallest number is reported.

Before the games begin, a few are played to their end, so that what the process needs for the first ones is there already.
A game's memory is what the process holds more while they run, shared among the games that run at that moment. The games are
of every age. What is put down to them are also the records on their way, and what the allocators keep.

`stalled_ms` is what the event loop of the referee stood still and charged to nobody; `overslept_ms`, the most that the bench
itself woke up late, tells whether that was the machine.
"""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import grpc
import psutil
from phaseten.v1 import game_pb2, referee_pb2, replay_pb2

from tests.bench.wire import PROCESSES, Site, _bots, _referee
from tests.service.client import bot_claims, control_claims, new_key, public_pem, signed

Report = Callable[[str, float, str], None]

KIB = 1024
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Plan:
    """So many bots, which meet in so many circles: in the n-th each plays the n-th after it. Times are in seconds."""

    bots: int = 30
    circles: int = 12
    between: float = 1.0  # the circles
    rest: float = 3.0
    seconds: int = 40

    @property
    def names(self) -> list[str]:
        return [f"bot{number}" for number in range(self.bots)]

    @property
    def capacity(self) -> int:
        """Games of one bot at once: a match has two, and a bot is in two matches of each circle."""
        return 4 * self.circles

    def pairs(self, circle: int) -> list[tuple[str, str]]:
        """The matches of one circle."""
        names = self.names
        return [(name, names[(number + circle) % self.bots]) for number, name in enumerate(names)]


class Series(Site):
    """Keeps the records, and orders another match for each while it goes `on`."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        super().__init__(channel, token)
        self.records: list[bytes] = []
        self.on = False

    async def take_home(self) -> None:
        watch = self.watch()
        async for frame in watch:
            parts = [message.record for message in frame.messages if message.WhichOneof("kind") == "record"]
            if parts:
                assert all(part.parts == 1 for part in parts), "a record of two games fits a message"
                self.records += [part.data for part in parts]
                stored = referee_pb2.VERDICT_STORED
                done = [referee_pb2.Acknowledgement(attempt=part.attempt, verdict=stored) for part in parts]
                await watch.write(referee_pb2.WatchRequest(messages=done))
                ended = [self._pairs.pop(part.attempt.match_id) for part in parts]
                if self.on:
                    await self.order(ended)

    async def status(self) -> referee_pb2.GetStatusResponse:
        answer: referee_pb2.GetStatusResponse = await self.call(
            "GetStatus", referee_pb2.GetStatusRequest(), referee_pb2.GetStatusResponse
        )
        return answer

    async def finished(self) -> None:
        """Wait until nothing runs and every record is here."""
        async with asyncio.timeout(PATIENCE):
            while (status := await self.status()).games or status.matches or status.records:  # noqa: ASYNC110  nothing tells of it
                await asyncio.sleep(0.1)


@dataclass(frozen=True, slots=True)
class Load:
    """One look at the referee: games that run, and bytes that it holds."""

    games: int
    memory: int


def measure(report: Report, plan: Plan) -> None:
    """Report games, clocks and memory."""
    asyncio.run(_measure(report, plan))


async def _measure(report: Report, plan: Plan) -> None:
    key = new_key()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        key_file = Path(folder) / "key.pem"
        key_file.write_bytes(public_pem(key))
        port, control_port, referee = _referee(stack, key_file)
        tickets = [signed(key, bot_claims(bot, capacity=plan.capacity)) for bot in plan.names]
        for number in range(PROCESSES):
            _bots(stack, port, plan.capacity, tickets[number::PROCESSES])
        async with grpc.aio.insecure_channel(
            f"127.0.0.1:{control_port}", (("grpc.max_receive_message_length", 16 * 1024 * 1024),)
        ) as channel:
            site = Series(channel, signed(key, control_claims()))
            await site.wait_for_bots(plan.bots)
            playing = asyncio.create_task(_play(report, plan, site, referee))
            home = asyncio.create_task(site.take_home())
            done, _ = await asyncio.wait({playing, home}, return_when=asyncio.FIRST_COMPLETED)
            playing.cancel()
            home.cancel()
            for task in done:
                task.result()
            assert playing in done, "the referee has closed the watch stream"


async def _play(report: Report, plan: Plan, site: Series, referee: int) -> None:
    await site.order(plan.pairs(1))
    await site.finished()
    await asyncio.sleep(plan.rest)
    site.records.clear()
    before, stalled = _memory(referee), (await site.status()).stalled_ms
    site.on = True
    for circle in range(1, plan.circles + 1):
        await site.order(plan.pairs(circle))
        await asyncio.sleep(plan.between)
    loads: list[Load] = []
    slept = 0.0
    for _ in range(plan.seconds):
        start = time.monotonic()
        await asyncio.sleep(1.0)
        slept = max(slept, time.monotonic() - start - 1.0)
        loads.append(Load((await site.status()).games, _memory(referee)))
    site.on = False
    await site.finished()
    report("capacity.games", min(load.games for load in loads), "")
    report("capacity.kib_per_game", median((load.memory - before) / load.games for load in loads) / KIB, "KiB")
    report("capacity.kib_per_game_most", max((load.memory - before) / load.games for load in loads) / KIB, "KiB")
    report("capacity.stalled_ms", (await site.status()).stalled_ms - stalled, "ms")
    report("capacity.overslept_ms", slept * 1000, "ms")
    _report_clocks(report, site.records)


def _memory(process: int) -> int:
    return int(psutil.Process(process).memory_info().rss)


def _report_clocks(report: Report, records: list[bytes]) -> None:
    late = answers = longest = 0
    lowest: list[int] = []
    for replay in _replays(records):
        late += sum(_is_late(event) for event in replay.events)
        answers += len(replay.answers)
        longest = max(longest, *(answer.think_ms + answer.lag_ms for answer in replay.answers))
        lowest.append(min(answer.bank_ms for answer in replay.answers))
    report("capacity.answers", answers, "")
    report("capacity.late_answers", late, "")
    report("capacity.longest_answer_ms", longest, "ms")
    report("capacity.lowest_bank_ms", min(lowest), "ms")


def _is_late(event: game_pb2.Event) -> bool:
    fault = event.seat_faulted
    return event.WhichOneof("kind") == "seat_faulted" and fault.kind in {game_pb2.FAULT_KIND_LATE, game_pb2.FAULT_KIND_GONE}


def _replays(records: list[bytes]) -> Iterator[replay_pb2.Replay]:
    for record in records:
        for game in referee_pb2.MatchRecord.FromString(record).games:
            yield replay_pb2.Replay.FromString(game.replay)
