"""How many decisions a second a whole referee carries, beside a bare gRPC ping-pong of the same messages.

One referee process, eight sessions of the SDK in two processes, 64 two-seat games each: 256 games at once, records taken
home as they come. The bots lay, hit and throw like the greedy ones but spend no time on the open card. The ping-pong is
grpc.aio too, one message a frame, 64 streams on one connection. Beside both, 64 sessions with one game each, where nothing
can be gathered; a ping-pong whose streams have a connection each, as those sessions do; one with the engine of gRPC that our
processes choose, where a bare one has gRPC's own choice; and what a decision costs without a network (see `_core` and
`_parts`). Rounds of all take turns: a busy machine bears on all alike.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

import grpc
from phaseten.v1 import referee_pb2

from referee.engine import OFFICIAL, Game, SeededDecks, Terms
from referee.service.messages import QuestionWriter
from referee.service.settings import grpc_variables
from referee.wire.moves import write_answer, write_decision
from referee.wire.replay import SeatInfo, encode_seat_info
from referee.wire.rules import encode_ruleset, encode_terms
from tests.bench._core import Cost, measure
from tests.bench._parts import Parts, measure_parts
from tests.players import greedy
from tests.service.client import bot_claims, control_claims, new_key, public_pem, signed, version_id

Report = Callable[[str, float, str], None]

ROUNDS = 3
PROCESSES = 2
PING_PONG_WARM_UP = 1.0
PING_PONG_SECONDS = 3.0
PATIENCE = 30.0
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Rate:
    """What one window showed: a rate, and processor microseconds of both sides for each decision."""

    per_second: float
    server_us: float
    client_us: float


@dataclass(frozen=True, slots=True)
class Crowd:
    """Who plays in a round: so many bots, each at so many games at once; and how long it is looked at, in seconds."""

    bots: int
    capacity: int
    warm_up: float
    seconds: float

    @property
    def names(self) -> list[str]:
        return [f"bot{number}" for number in range(self.bots)]

    def pairs(self) -> list[tuple[str, str]]:
        """Matches that give every bot as many games as it can play: each match has two, one for each seating."""
        names = self.names
        if self.capacity == 1:  # the second game waits for the end of the first
            return list(zip(names[::2], names[1::2], strict=True))
        pairs: list[tuple[str, str]] = []
        step = 1
        while len(pairs) < self.capacity * self.bots // 4:
            pairs += [(name, names[(number + step) % self.bots]) for number, name in enumerate(names)]
            step = step % (self.bots // 2 - 1) + 1
        return pairs


MANY_GAMES = Crowd(bots=8, capacity=64, warm_up=3.0, seconds=6.0)
ONE_GAME = Crowd(bots=64, capacity=1, warm_up=1.0, seconds=3.0)


def run(report: Report) -> None:
    """Report rates, their ratios, and what a decision costs each side."""
    sizes = _sizes()
    ours: list[Rate] = []
    bare: list[Rate] = []
    single: list[Rate] = []
    apart: list[Rate] = []
    alike: list[Rate] = []
    apart_alike: list[Rate] = []
    costs: list[Cost] = []
    parts: list[Parts] = []
    chosen = grpc_variables(os.environ).get("GRPC_EXPERIMENTS", "")
    for _ in range(ROUNDS):
        ours.append(asyncio.run(_referee_round(MANY_GAMES)))
        bare.append(_ping_pong_round(*sizes))
        single.append(asyncio.run(_referee_round(ONE_GAME)))
        apart.append(_ping_pong_round(*sizes, connections=ONE_GAME.bots))
        alike.append(_ping_pong_round(*sizes, engine=chosen))
        apart_alike.append(_ping_pong_round(*sizes, connections=ONE_GAME.bots, engine=chosen))
        costs.append(measure())
        parts.append(measure_parts())
    report("wire.decisions_per_second", median(rate.per_second for rate in ours), "1/s")
    report("wire.ping_pong_per_second", median(rate.per_second for rate in bare), "1/s")
    report("wire.ratio_to_ping_pong", _ratio(ours, bare), "")
    report("wire.ratio_to_ping_pong_same_engine", _ratio(ours, alike), "")
    report("wire.ratio_one_game", _ratio(single, bare), "")
    report("wire.ratio_one_game_same_connections", _ratio(single, apart), "")
    report("wire.ratio_one_game_same_connections_and_engine", _ratio(single, apart_alike), "")
    report("wire.referee_cpu_us", median(rate.server_us for rate in ours), "us")
    report("wire.bots_cpu_us", median(rate.client_us for rate in ours), "us")
    report("wire.ping_pong_cpu_us", median(rate.server_us for rate in bare), "us")
    report("wire.ping_pong_client_cpu_us", median(rate.client_us for rate in bare), "us")
    report("wire.core_microseconds", median(cost.core_us for cost in costs), "us")
    report("wire.engine_microseconds", median(part.engine_us for part in parts), "us")
    report("wire.views_microseconds", median(part.views_us for part in parts), "us")
    report("wire.protobuf_microseconds", median(part.protobuf_us for part in parts), "us")
    transport = [rate.server_us - cost.core_us for rate, cost in zip(ours, costs, strict=True)]
    report("wire.grpc_microseconds", median(transport), "us")  # the referee's, and what the kernel does for it
    report("wire.sdk_microseconds", median(cost.sdk_us for cost in costs), "us")


def _ratio(ours: list[Rate], bare: list[Rate]) -> float:
    return median(mine.per_second / other.per_second for mine, other in zip(ours, bare, strict=True))


def _sizes() -> tuple[int, int]:
    """Mean bytes of a question and of an answer in a game of greedy bots."""
    writer = QuestionWriter(OFFICIAL.name)
    asked: list[int] = []
    answered: list[int] = []
    game = Game(OFFICIAL, Terms(), 2, SeededDecks(bytes(64)))
    while (seat := game.to_move) is not None:
        asked.append(len(writer.question(1, len(asked), writer.view(game.view_fields(seat)), (60_000, 10_000, 3))))
        move = greedy(game.view(seat), OFFICIAL)
        answered.append(len(write_answer(1, len(asked), write_decision(move))))
        game.submit(seat, move)
    return sum(asked) // len(asked), sum(answered) // len(answered)


# One round with a referee.


class Site:
    """Orders matches so that every bot always plays as many games as it can, and takes the records home."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._channel = channel
        self._pairs: dict[bytes, tuple[str, str]] = {}

    async def call(self, name: str, request: Any, response: Any) -> Any:
        method: Any = self._channel.unary_unary(
            f"/phaseten.v1.RefereeService/{name}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=response.FromString,
        )
        return await method(request, metadata=self._metadata)

    async def decisions(self) -> int:
        status = await self.call("GetStatus", referee_pb2.GetStatusRequest(), referee_pb2.GetStatusResponse)
        return int(status.decisions)

    async def wait_for_bots(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                with contextlib.suppress(grpc.aio.AioRpcError):
                    listed = await self.call(
                        "ListSessions", referee_pb2.ListSessionsRequest(), referee_pb2.ListSessionsResponse
                    )
                    if len(listed.sessions) == count:
                        return
                await asyncio.sleep(0.05)

    async def order(self, pairs: list[tuple[str, str]]) -> None:
        orders = []
        for pair in pairs:
            match_id = uuid4().bytes
            self._pairs[match_id] = pair
            orders.append(
                referee_pb2.MatchOrder(
                    match_id=match_id,
                    attempt=1,
                    ruleset=encode_ruleset(OFFICIAL),
                    terms=encode_terms(Terms()),
                    bots=[encode_seat_info(SeatInfo(bot, bot, "1", version_id(bot))) for bot in pair],
                    game_ids=[uuid4().bytes for _ in pair],
                )
            )
        answer = await self.call(
            "StartMatches", referee_pb2.StartMatchesRequest(matches=orders), referee_pb2.StartMatchesResponse
        )
        assert all(result.outcome == referee_pb2.START_OUTCOME_STARTED for result in answer.results), answer

    def watch(self) -> Any:
        """A new call of Watch."""
        return self._channel.stream_stream(
            "/phaseten.v1.RefereeService/Watch",
            request_serializer=referee_pb2.WatchRequest.SerializeToString,
            response_deserializer=referee_pb2.WatchResponse.FromString,
        )(metadata=self._metadata)

    async def keep_busy(self) -> None:
        """Acknowledge records, and order another match for each."""
        watch = self.watch()
        async for frame in watch:
            done = [message.record.attempt for message in frame.messages if message.WhichOneof("kind") == "record"]
            if done:
                acknowledgements = [
                    referee_pb2.Acknowledgement(attempt=attempt, verdict=referee_pb2.VERDICT_STORED) for attempt in done
                ]
                await watch.write(referee_pb2.WatchRequest(messages=acknowledgements))
                await self.order([self._pairs.pop(attempt.match_id) for attempt in done])


async def _referee_round(crowd: Crowd) -> Rate:
    key = new_key()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        key_file = Path(folder) / "key.pem"
        key_file.write_bytes(public_pem(key))
        port, control_port, referee = _referee(stack, key_file)
        tickets = [signed(key, bot_claims(bot, capacity=crowd.capacity)) for bot in crowd.names]
        bots = [_bots(stack, port, crowd.capacity, tickets[number::PROCESSES]) for number in range(PROCESSES)]
        async with grpc.aio.insecure_channel(
            f"127.0.0.1:{control_port}", (("grpc.max_receive_message_length", 16 * 1024 * 1024),)
        ) as channel:
            site = Site(channel, signed(key, control_claims()))
            await site.wait_for_bots(crowd.bots)
            busy = asyncio.create_task(site.keep_busy())
            await site.order(crowd.pairs())
            await asyncio.sleep(crowd.warm_up)
            before, start, spent = await site.decisions(), time.perf_counter(), _cpu([referee]) + _cpu(bots)
            await asyncio.sleep(crowd.seconds)
            after, end, total = await site.decisions(), time.perf_counter(), _cpu([referee]) + _cpu(bots)
            if busy.done():
                busy.result()
            busy.cancel()
    decisions = after - before
    return Rate(decisions / (end - start), (total[0] - spent[0]) / decisions * 1e6, (total[1] - spent[1]) / decisions * 1e6)


def _cpu(processes: list[int]) -> tuple[float]:
    """Processor seconds that these processes have used."""
    ticks = 0
    for process in processes:
        # The second field is the name in brackets; user and system time are the 14th and 15th, see proc(5).
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return (ticks / os.sysconf("SC_CLK_TCK"),)


def _referee(stack: contextlib.ExitStack, key_file: Path) -> tuple[int, int, int]:
    """Start a referee; its ports for bots and for the site, and its process."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")}
    env |= {
        "PHASETEN_REFEREE_ID": "bench",
        "PHASETEN_REFEREE_TICKET_PUBLIC_KEY_FILE": str(key_file),
        "PHASETEN_REFEREE_BIND": "127.0.0.1:0",
        "PHASETEN_REFEREE_CONTROL_BIND": "127.0.0.1:0",
        "PHASETEN_REFEREE_JOURNAL_FILE": str(key_file.with_name("journal")),
    }
    process = stack.enter_context(_running([sys.executable, "-m", "referee.service"], env=env, stderr=subprocess.PIPE))
    assert process.stderr is not None
    ports = json.loads(process.stderr.readline())
    stack.enter_context(_drained(process))
    return ports["bots"], ports["control"], process.pid


@contextlib.contextmanager
def _drained(process: "subprocess.Popen[str]") -> Iterator[None]:
    """Let what a process logs go to nowhere, in a process of its own, so that it never waits for a reader."""
    sink = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        sink.kill()
        sink.wait()


def _bots(stack: contextlib.ExitStack, port: int, capacity: int, tickets: list[str]) -> int:
    process = stack.enter_context(_running([sys.executable, "-m", "tests.bench._bots"], stdin=subprocess.PIPE))
    assert process.stdin is not None
    json.dump({"target": f"127.0.0.1:{port}", "capacity": capacity, "tickets": tickets}, process.stdin)
    process.stdin.close()
    return process.pid


@contextlib.contextmanager
def _running(command: list[str], **options: Any) -> "Iterator[subprocess.Popen[str]]":
    with subprocess.Popen(command, cwd=ROOT, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


# One round of ping-pong.


def _ping_pong_round(question_bytes: int, answer_bytes: int, connections: int = 1, engine: str = "") -> Rate:
    """`engine` is for GRPC_EXPERIMENTS; by itself gRPC has the one that it comes with."""
    env = {**os.environ, "GRPC_EXPERIMENTS": engine}
    script = [sys.executable, "-m", "tests.bench._ping_pong"]
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(_running([*script, "server"], env=env, stdout=subprocess.PIPE))
        assert server.stdout is not None
        whole = (int(server.stdout.readline()), connections, question_bytes, answer_bytes)
        arguments = map(str, (*whole, PING_PONG_WARM_UP, PING_PONG_SECONDS))
        client = stack.enter_context(_running([*script, "client", *arguments], env=env, stdout=subprocess.PIPE))
        assert client.stdout is not None
        assert client.stdout.readline() == "begin\n"
        spent = _cpu([server.pid]) + _cpu([client.pid])
        count, seconds = client.stdout.readline().split()
        total = _cpu([server.pid]) + _cpu([client.pid])
    trips = int(count)
    return Rate(trips / float(seconds), (total[0] - spent[0]) / trips * 1e6, (total[1] - spent[1]) / trips * 1e6)
