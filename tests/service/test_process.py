"""The referee as a process: it starts, drains, stops, and says how it is."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.service.server import CannotListen
from tests.certificates import self_signed
from tests.service.client import (
    PATIENCE,
    Control,
    House,
    RawBot,
    RawWatch,
    bot_claims,
    control_claims,
    kinds,
    new_key,
    order,
    public_pem,
    quick_terms,
    reason_of,
    reference,
    signed,
    until,
)
from tests.service.player import play_all, play_on, play_until_closed


@dataclass
class Process:
    """A referee in a process of its own."""

    process: asyncio.subprocess.Process
    key: Any
    ports: dict[str, Any]

    @property
    def channel(self) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(f"127.0.0.1:{self.ports['control']}")

    @property
    def token(self) -> str:
        """A control token."""
        return signed(self.key, control_claims())

    async def bot(self, name: str) -> RawBot:
        options = (("grpc.use_local_subchannel_pool", 1),)
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{self.ports['bots']}", options)
        metadata = (("authorization", f"Bearer {signed(self.key, bot_claims(name))}"),)
        bot = RawBot(channel, channel.stream_stream("/phaseten.v1.BotService/Connect")(metadata=metadata))
        await bot.hello()
        return bot

    async def end(self) -> tuple[int, list[dict[str, Any]]]:
        """Its exit status, and the lines of its log."""
        async with asyncio.timeout(PATIENCE):
            _, log = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, [json.loads(line) for line in log.decode().splitlines()]


@asynccontextmanager
async def running(tmp_path: Path, **settings: str) -> AsyncIterator[Process]:
    key = new_key()
    key_file = tmp_path / "key.pem"
    key_file.write_bytes(public_pem(key))
    given = {
        "ID": "north",
        "TICKET_PUBLIC_KEY_FILE": str(key_file),
        "BIND": "127.0.0.1:0",
        "CONTROL_BIND": "127.0.0.1:0",
    } | settings
    env = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "referee.service",
        env=env | {f"PHASETEN_REFEREE_{name}": value for name, value in given.items()},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        line = json.loads(await asyncio.wait_for(process.stderr.readline(), 60))
        assert line["event"] == "listening"
        yield Process(process, key, line)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_a_referee_that_crashes_leaves_no_image_of_its_memory(tmp_path: Path) -> None:
    async with running(tmp_path) as referee:
        assert psutil.Process(referee.process.pid).rlimit(psutil.RLIMIT_CORE) == (0, 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_an_idle_referee_stops_at_once_and_with_0(tmp_path: Path, number: signal.Signals) -> None:
    async with running(tmp_path, GRACE_SECONDS="3600") as referee:
        ann = await referee.bot("ann")
        referee.process.send_signal(number)
        await ann.hear("drain")
        error = await ann.refused()
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert reason_of(error) == "SHUTTING_DOWN"
        status, log = await referee.end()
        assert status == 0
        assert [line["event"] for line in log][-1] == "stopped"
        await ann.channel.close()


async def test_a_referee_goes_before_others_where_it_may(tmp_path: Path) -> None:
    async with running(tmp_path) as referee:
        mine, its = (os.getpriority(os.PRIO_PROCESS, pid) for pid in (0, referee.process.pid))
        assert its == (-5 if os.geteuid() == 0 else mine)


async def test_running_matches_are_played_to_their_end_and_their_records_taken_home(tmp_path: Path) -> None:
    async with running(tmp_path, GRACE_SECONDS="3600") as referee, referee.channel as channel:
        token = signed(referee.key, control_claims())
        control = Control(channel, token)
        ann, bob = await referee.bot("ann"), await referee.bot("bob")
        await control.StartMatches(referee_pb2.StartMatchesRequest(matches=[order("ann", "bob")]))
        referee.process.send_signal(signal.SIGTERM)
        newcomer = await referee.bot("cyd")
        assert (await newcomer.hear("drain")).drain.grace_ms == 3_600_000
        late = await control.StartMatches(referee_pb2.StartMatchesRequest(matches=[order("ann", "bob")]))
        assert late.results[0].refusal == referee_pb2.REFUSAL_DRAINING
        call: Any = channel.stream_stream("/phaseten.v1.RefereeService/Watch")(
            metadata=(("authorization", f"Bearer {token}"),)
        )
        watch = RawWatch(call)
        await play_all(ann, bob, games=2)
        assert "drain" in kinds(ann.heard)
        record = await watch.record()
        await watch.acknowledge(record.attempt)
        with pytest.raises(EOFError):
            await watch.hear("greeting", where=lambda _: False)
        status, _ = await referee.end()
        assert status == 0
        for bot in (ann, bob, newcomer):
            await bot.channel.close()


async def test_the_grace_is_kept_and_what_still_runs_is_void(tmp_path: Path) -> None:
    async with running(tmp_path, GRACE_SECONDS="0.2") as referee, referee.channel as channel:
        token = signed(referee.key, control_claims())
        ann, bob = await referee.bot("ann"), await referee.bot("bob")
        ordered = order("ann", "bob")
        await Control(channel, token).StartMatches(referee_pb2.StartMatchesRequest(matches=[ordered]))
        call: Any = channel.stream_stream("/phaseten.v1.RefereeService/Watch")(
            metadata=(("authorization", f"Bearer {token}"),)
        )
        watch = RawWatch(call)
        await watch.hear("greeting")
        referee.process.send_signal(signal.SIGTERM)
        assert (await ann.hear("game_over")).game_over.kind == pb.GAME_OVER_KIND_VOID
        assert (await watch.hear("attempt_void")).attempt_void.attempt == reference(ordered)
        await bob.hear("game_over")
        status, log = await referee.end()
        assert status == 0
        assert "match void" in [line["event"] for line in log]
        for bot in (ann, bob):
            await bot.channel.close()


async def test_a_second_signal_cuts_the_grace_short(tmp_path: Path) -> None:
    async with running(tmp_path, GRACE_SECONDS="3600") as referee, referee.channel as channel:
        ann, bob = await referee.bot("ann"), await referee.bot("bob")
        control = Control(channel, signed(referee.key, control_claims()))
        await control.StartMatches(referee_pb2.StartMatchesRequest(matches=[order("ann", "bob")]))
        referee.process.send_signal(signal.SIGTERM)
        await ann.hear("drain")
        referee.process.send_signal(signal.SIGTERM)
        await bob.hear("game_over")
        assert (await referee.end())[0] == 0
        for bot in (ann, bob):
            await bot.channel.close()


async def test_the_log_tells_what_happened_and_no_secret(tmp_path: Path) -> None:
    async with running(tmp_path, LOG_LEVEL="debug", GRACE_SECONDS="0") as referee, referee.channel as channel:
        ann, bob = await referee.bot("ann"), await referee.bot("bob")
        control = Control(channel, signed(referee.key, control_claims()))
        await control.StartMatches(referee_pb2.StartMatchesRequest(matches=[order("ann", "bob")]))
        over = (await asyncio.gather(play_on(ann, 2), play_on(bob, 2)))[0]
        referee.process.send_signal(signal.SIGTERM)
        _, log = await referee.end()
        text = json.dumps(log)
        events = [line["event"] for line in log]
        assert {"session opened", "match started", "match finished", "draining", "stopped"} <= set(events)
        for game in over:
            assert game.server_seed.hex() not in text
        assert "eyJ" not in text  # the beginning of every token
        assert not re.search(r"CARD_|hand", text)
        for bot in (ann, bob):
            await bot.channel.close()


async def test_metrics_are_served_where_they_are_asked_for() -> None:
    async with House(metrics_bind="127.0.0.1:0") as house:
        ann, bob = await house.bot("ann"), await house.bot("bob")
        await house.play(order("ann", "bob", terms=quick_terms(bank=10_000, cap=40)))
        await asyncio.gather(ann.hear("fault"), play_until_finished(bob))
        assert house.server._metrics is not None
        url = f"http://127.0.0.1:{house.server._metrics.port}/metrics"
        page = (await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=PATIENCE).read())).decode()
        values = dict(line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
        assert values["phaseten_referee_sessions"] == "2.0"
        assert float(values['phaseten_referee_faults_total{kind="late"}']) >= 1
        assert float(values["phaseten_referee_decisions_total"]) == house.server.meter.decisions
        assert values['phaseten_referee_decision_seconds_bucket{le="+Inf"}'] == values["phaseten_referee_decisions_total"]


async def play_until_finished(bot: RawBot) -> None:
    await play_on(bot, 2)


async def test_an_address_in_use_is_said_and_exits_with_1(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        key_file = tmp_path / "key.pem"
        key_file.write_bytes(public_pem(new_key()))
        env = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")}
        for name in ("BIND", "CONTROL_BIND", "METRICS_BIND"):
            others = {"BIND": "127.0.0.1:0", "CONTROL_BIND": "127.0.0.1:0"} | {name: address}
            settings = {"ID": "north", "TICKET_PUBLIC_KEY_FILE": str(key_file)} | others
            done = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-m", "referee.service"],
                env=env | {f"PHASETEN_REFEREE_{key}": value for key, value in settings.items()},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert done.returncode == 1, done.stderr
            assert f"cannot listen on {address}" in done.stderr
            assert "Traceback" not in done.stderr


async def test_cannot_listen_is_an_error_of_its_own() -> None:
    async with House() as first:
        second = House(bind=f"127.0.0.1:{first.server.port}")
        with pytest.raises(CannotListen):
            await second.server.start()


async def test_health_says_when_the_referee_goes_away(house: House) -> None:
    check = house.channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    ready, alive = ("", "phaseten.v1.BotService"), ("alive", "phaseten.v1.RefereeService")

    async def serving() -> dict[str, bool]:
        return {
            name: (await check(health_pb2.HealthCheckRequest(service=name))).status == health_pb2.HealthCheckResponse.SERVING
            for name in (*ready, *alive)
        }

    assert await serving() == dict.fromkeys((*ready, *alive), True)
    await house.server.drain(0.0)
    assert await serving() == dict.fromkeys(ready, False) | dict.fromkeys(alive, True)
    assert (await house.control.GetStatus(referee_pb2.GetStatusRequest())).draining


async def test_a_stopped_referee_leaves_no_task_behind() -> None:
    before = asyncio.all_tasks()
    async with House() as house:
        ann = await house.bot("ann")
        await house.watch()
        playing = asyncio.create_task(play_until_closed(ann))
        await house.server.stop()
        await playing
    await until(lambda: not any(map(is_of_the_referee, asyncio.all_tasks() - before)))


def is_of_the_referee(task: asyncio.Task[Any]) -> bool:
    """Whether the code that a task runs is the referee's; the tasks of gRPC itself have none to look at."""
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and "/referee/service/" in code.co_filename


async def test_bots_are_served_in_tls_where_a_certificate_is_given() -> None:
    key, certificate = self_signed()
    from referee.service.settings import Tls

    async with House(tls=Tls(certificate, key)) as house:
        credentials = grpc.ssl_channel_credentials(root_certificates=certificate)
        options = (("grpc.ssl_target_name_override", "localhost"),)
        async with grpc.aio.secure_channel(f"127.0.0.1:{house.server.port}", credentials, options) as channel:
            metadata = (("authorization", f"Bearer {house.ticket('ann')}"),)
            bot = RawBot(channel, channel.stream_stream("/phaseten.v1.BotService/Connect")(metadata=metadata))
            assert (await bot.hello()).referee == "test-referee"
            bot.call.cancel()


async def test_a_referee_whose_port_dies_is_broken_and_says_so() -> None:
    async with House() as house:
        assert not house.server.broken.is_set()
        await house.server._servers[0].stop(None)  # as gRPC does to itself after an error of its own
        async with asyncio.timeout(PATIENCE):
            await house.server.broken.wait()
    stopped = House()
    await stopped.start()
    await stopped.stop()
    assert not stopped.server.broken.is_set()
