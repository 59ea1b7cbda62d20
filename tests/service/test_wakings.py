"""A referee's gRPC wakes few threads, unless the environment says otherwise."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from phaseten.v1 import referee_pb2

from referee.service.settings import grpc_variables
from referee.wire.grpc_engine import OLDER_ENGINE
from tests.service.client import PATIENCE, Control, House
from tests.service.test_process import running
from tests.wakings import needs_proc, wakings

VARIABLE = "GRPC_EXPERIMENTS"
CALLS = 300
TOLD = os.environ.get(VARIABLE)


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        *((version, True) for version in ("1.76.0", "1.80.0rc1", "1.85.3")),
        *((version, False) for version in ("1.75.1", "1.86.0", "1.100.0", "2.0.0", "0.80.0", "unknown", "")),
    ],
)
def test_the_engine_is_chosen_where_grpc_is_known_to_have_it(installed: str, chosen: bool) -> None:
    quiet = {"GRPC_VERBOSITY": "NONE"}
    assert grpc_variables({}, installed) == (quiet | {VARIABLE: OLDER_ENGINE} if chosen else quiet)


def test_what_is_installed_is_such_a_version() -> None:
    assert grpc_variables({})[VARIABLE] == OLDER_ENGINE


@pytest.mark.parametrize("given", [None, "", "-event_engine_listener"])
def test_a_referee_chooses_unless_it_is_told_otherwise(given: str | None) -> None:
    env = {name: value for name, value in os.environ.items() if name != VARIABLE}
    program = f"import os, referee.service.__main__; print(os.environ[{VARIABLE!r}])"
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command,
        env=env if given is None else env | {VARIABLE: given},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{OLDER_ENGINE if given is None else given}\n", "")


async def woken(control: Control, process: int) -> int:
    """How often the threads of the present engine were woken in a process by so many calls, one after the other."""
    async with asyncio.timeout(PATIENCE):
        await control.GetStatus(referee_pb2.GetStatusRequest())
        before = wakings(process)
        for _ in range(CALLS):
            await control.GetStatus(referee_pb2.GetStatusRequest())
        return wakings(process) - before


@needs_proc
async def test_calls_wake_no_thread_of_the_present_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    async with running(tmp_path) as referee, referee.channel as channel:
        assert await woken(Control(channel, referee.token), referee.process.pid) < CALLS


@needs_proc
async def test_an_empty_variable_gives_the_present_engine_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    async with running(tmp_path) as referee, referee.channel as channel:
        assert await woken(Control(channel, referee.token), referee.process.pid) >= CALLS


@needs_proc
@pytest.mark.skipif(TOLD not in {None, OLDER_ENGINE}, reason="this test run was told of another engine")
async def test_the_referees_of_these_tests_have_the_engine_that_is_chosen(house: House) -> None:
    assert await woken(house.control, os.getpid()) < CALLS
