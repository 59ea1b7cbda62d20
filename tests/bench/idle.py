"""What a referee carries: thousands of sessions that only wait, and hundreds of games at once (see `_capacity`).

One referee process on real sockets; the guests are raw HTTP/2 connections of other processes, one for each session. They
answer pings, those of HTTP/2 and those of the protocol. The referee has seen some of them before its memory is looked at. A
session's memory is what the process holds more with all of them, at the end of the window. The time that all its threads
spend is sampled every second. A session counts that is open on both sides at the end and has answered all pings it was due.
"""

import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import grpc
import psutil
from phaseten.v1 import referee_pb2

from deploy.local.errors import LocalError
from referee.service.session import IDLE_PING_SECONDS
from tests.bench import _capacity
from tests.bench.wire import _referee, _running
from tests.service.client import bot_claims, new_key, public_pem, signed

Report = Callable[[str, float, str], None]

SPARE_DESCRIPTORS = 200  # of the referee, beside those of its sessions
KIB = 1024


@dataclass(frozen=True, slots=True)
class Plan:
    """So many sessions in so many processes, after so many others; and how long they are looked at, in seconds."""

    sessions: int = 5000
    processes: int = 2
    before: int = 100
    rest: float = 10.0
    seconds: int = 60


def run(report: Report) -> None:
    """Report what an idle session costs, and a game among many."""
    measure(report, Plan())
    _capacity.measure(report, _capacity.Plan())


def measure(report: Report, plan: Plan) -> None:
    """Report what an idle session costs. Raises LocalError where there are too few descriptors."""
    allow_descriptors(plan.sessions + SPARE_DESCRIPTORS)
    key = new_key()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        key_file = Path(folder) / "key.pem"
        key_file.write_bytes(public_pem(key))
        port, control_port, referee = _referee(stack, key_file)
        tickets = [signed(key, bot_claims(f"guest{number}")) for number in range(plan.sessions)]
        first, others = tickets[: plan.before], tickets[plan.before :]
        groups = [Group(stack, port, first)]
        groups[0].enter()
        time.sleep(plan.rest)
        groups += [Group(stack, port, others[number :: plan.processes]) for number in range(plan.processes)]
        held, spent, start = memory(referee), processor_seconds(referee), time.perf_counter()
        for group in groups[1:]:
            group.ask()
        for group in groups[1:]:
            group.hear()
        seconds, used = time.perf_counter() - start, processor_seconds(referee) - spent
        time.sleep(plan.rest)
        percents = processor_percents(referee, plan.seconds)
        due = 1 + plan.seconds // IDLE_PING_SECONDS  # everybody is pinged on arrival too
        pongs = [count for group in groups for count in json.loads(group.answer()) if count >= due]
        report("idle.sessions", min(len(pongs), sessions(control_port)), "")
        report("idle.pings_answered", sum(pongs), "")
        report("idle.kib_per_session", (memory(referee) - held) / len(others) / KIB, "KiB")
    report("idle.cpu_percent_median", median(percents), "%")
    report("idle.cpu_percent_mean", fmean(percents), "%")
    report("idle.connect_per_second", len(others) / seconds, "1/s")
    report("idle.connect_cpu_ms", used / len(others) * 1000, "ms")


class Group:
    """A process with guests. It is ready when this returns, and nobody has come yet."""

    def __init__(self, stack: contextlib.ExitStack, port: int, tickets: list[str]) -> None:
        script = [sys.executable, "-m", "tests.bench._guests"]
        self._process = stack.enter_context(_running(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        self.ask(json.dumps({"port": port, "tickets": tickets}))
        self.hear()

    def enter(self) -> None:
        """Let all guests come; they are here when this returns."""
        self.answer()

    def answer(self) -> str:
        """Say something; what the process answers."""
        self.ask()
        return self.hear()

    def ask(self, line: str = "") -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the guests have failed"
        return line


def sessions(control_port: int) -> int:
    """How many the referee says it has."""
    with grpc.insecure_channel(f"127.0.0.1:{control_port}") as channel:
        status: Any = channel.unary_unary(
            "/phaseten.v1.RefereeService/GetStatus",
            request_serializer=referee_pb2.GetStatusRequest.SerializeToString,
            response_deserializer=referee_pb2.GetStatusResponse.FromString,
        )
        return int(status(referee_pb2.GetStatusRequest()).sessions)


def allow_descriptors(wanted: int) -> None:
    """Let this process and those that it starts open so many. Raises LocalError where the machine does not allow it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = sys.maxsize if hard == resource.RLIM_INFINITY else hard
    if most < wanted:
        raise LocalError(
            f"this needs {wanted} open files, {most} are allowed: raise the hard limit (`ulimit -Hn {wanted}` as root)"
        )
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def memory(process: int) -> int:
    """Bytes that a process holds in memory."""
    return int(psutil.Process(process).memory_info().rss)


def processor_seconds(process: int) -> float:
    """What all threads of a process have used, to the nanosecond: see clock_getcpuclockid(3) for the number of its clock."""
    return time.clock_gettime(~process << 3 | 2)


def processor_percents(process: int, seconds: int) -> list[float]:
    """Its use of a core in percent, for each of so many seconds."""
    percents = []
    at, spent = time.perf_counter(), processor_seconds(process)
    for _ in range(seconds):
        time.sleep(1.0)
        now, total = time.perf_counter(), processor_seconds(process)
        percents.append((total - spent) / (now - at) * 100)
        at, spent = now, total
    return percents
