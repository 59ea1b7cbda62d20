"""The supervisor with real processes."""

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from deploy.local import supervisor as module
from deploy.local.errors import ServiceError
from deploy.local.service import Service
from deploy.local.supervisor import Happening
from tests.deploy.programs import (
    CONFIGURED_WRONGLY,
    CRASHER,
    PARENT,
    SLEEPER,
    STUBBORN,
    alive,
    program,
    watched,
)

PATIENCE = 60.0


async def until(condition) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - some conditions are of other processes
            await asyncio.sleep(0.02)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(module, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(module, "_LONGEST_PAUSE", 0.02)


async def test_services_start_in_order_and_stop_in_reverse(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        await house.supervisor.start(program("first", SLEEPER))
        await house.supervisor.start(program("second", SLEEPER))
        await house.supervisor.stop()
        assert [text.split()[0] for text in house.texts(Happening.STARTED)] == ["first", "second"]
        assert [text.split()[0] for text in house.texts(Happening.STOPPED)] == ["second", "first"]


async def test_named_groups_stop_first(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        await house.supervisor.start(program("a", SLEEPER), program("b", SLEEPER), program("c", SLEEPER))
        await house.supervisor.stop((("b",), ("nobody",)))
        assert [text.split()[0] for text in house.texts(Happening.STOPPED)] == ["b", "c", "a"]


async def test_start_waits_until_the_service_is_ready(tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    source = "import pathlib, sys, time; time.sleep(0.3); pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
    async with watched(tmp_path) as house:
        await house.supervisor.start(program("slow", source, str(sign), ready=sign.exists))
        assert sign.exists()


async def test_a_service_that_is_never_ready_fails_with_its_output(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        deadline = time.monotonic() + PATIENCE

        def never() -> bool:
            """Says so only when the output is there: a Python may take more than a second to start."""
            while ("never", "awake") not in house.output and time.monotonic() < deadline:
                time.sleep(0.02)
            return False

        with pytest.raises(ServiceError, match="never: was not ready within 1 s") as failure:
            await house.supervisor.start(program("never", SLEEPER, ready=never, patience=1.0))
        assert failure.value.log == ("awake",)


async def test_a_killed_service_is_started_again(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        await house.supervisor.start(program("victim", SLEEPER))
        before = house.supervisor.pid("victim")
        assert before is not None
        os.kill(before, signal.SIGKILL)
        await until(lambda: house.supervisor.pid("victim") not in {None, before})
        assert house.texts(Happening.TROUBLE) == ["victim was ended by SIGKILL; starting it again in 0.5 s"]


@pytest.mark.usefixtures("impatient")
async def test_a_service_that_dies_again_and_again_is_given_up(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        with suppress(ServiceError):  # whether it counts as started depends on when we look
            await house.supervisor.start(program("crasher", CRASHER))
        failure = await asyncio.wait_for(house.supervisor.failure(), PATIENCE)
        assert str(failure) == "crasher: ended with status 3, again and again"
        assert len(house.texts(Happening.TROUBLE)) == module.RESTART_LIMIT
        assert failure.log == ("about to fall",) * (module.RESTART_LIMIT + 1)


@pytest.mark.usefixtures("impatient")
async def test_a_healthy_life_forgives_earlier_deaths(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "HEALTHY_AFTER", 0.0)
    async with watched(tmp_path) as house:
        starting = asyncio.create_task(house.supervisor.start(program("crasher", CRASHER)))
        await until(lambda: len(house.texts(Happening.TROUBLE)) > module.RESTART_LIMIT + 1)
        starting.cancel()


async def test_wrong_settings_are_not_tried_twice(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        with pytest.raises(ServiceError, match=r"ended with status 2$") as failure:
            await house.supervisor.start(program("site", CONFIGURED_WRONGLY, ready=lambda: False))
        assert failure.value.log == ("PHASETEN_X is not set",)
        assert house.texts(Happening.TROUBLE) == []


async def test_a_program_that_does_not_exist_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "RESTART_LIMIT", 0)
    absent = Service(name="absent", command=(str(tmp_path / "no-such-program"),))
    async with watched(tmp_path) as house:
        with pytest.raises(ServiceError, match=r"absent: cannot be started: .*no-such-program"):
            await house.supervisor.start(absent)


async def test_one_that_ignores_the_stop_signal_is_killed(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        await house.supervisor.start(program("stubborn", STUBBORN, grace=0.3))
        pid = house.supervisor.pid("stubborn")
        assert pid is not None
        await until(lambda: ("stubborn", "here") in house.output)
        await house.supervisor.stop()
        assert not alive(pid)
        assert house.texts(Happening.TROUBLE) == ["stubborn did not stop within 0 s: killed"]


async def test_grandchildren_go_with_their_parent(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with watched(tmp_path) as house:
        await house.supervisor.start(program("parent", PARENT, str(pids)))
        await until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        grandchild = int(pids.read_text().split()[1])
        assert alive(grandchild)
        await house.supervisor.stop()
        await until(lambda: not alive(grandchild))


async def test_kill_ends_everything_without_asking(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        await house.supervisor.start(program("stubborn", STUBBORN, grace=60.0), program("sleeper", SLEEPER))
        await until(lambda: ("stubborn", "here") in house.output)
        stopping = asyncio.create_task(house.supervisor.stop((("stubborn",),)))
        await until(lambda: ("stubborn", "no") in house.output)
        house.supervisor.kill()
        await asyncio.wait_for(stopping, PATIENCE)
        assert len(house.texts(Happening.STOPPED)) == 2
        assert house.texts(Happening.TROUBLE) == []


async def test_a_service_waiting_for_its_restart_can_be_stopped(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_FIRST_PAUSE", 600)
    monkeypatch.setattr(module, "_LONGEST_PAUSE", 600)
    async with watched(tmp_path) as house:
        starting = asyncio.create_task(house.supervisor.start(program("crasher", CRASHER)))
        await until(lambda: house.texts(Happening.TROUBLE))
        starting.cancel()
        await asyncio.wait_for(house.supervisor.stop(), PATIENCE)
        assert house.texts(Happening.STOPPED)


async def test_a_command_runs_to_its_end(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        await house.supervisor.run(program("once", "print('done')"))
        assert house.output == [("once", "done")]
        assert (tmp_path / "once.log").read_text() == "done\n"


async def test_a_failing_command_says_why(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        with pytest.raises(ServiceError, match="once: ended with status 3") as failure:
            await house.supervisor.run(program("once", CRASHER))
        assert failure.value.log == ("about to fall",)


async def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        with pytest.raises(ServiceError, match="did not end within 0 s"):
            await house.supervisor.run(program("once", SLEEPER, patience=0.3))


@pytest.mark.usefixtures("impatient")
async def test_a_command_is_cut_short_when_a_service_fails_for_good(tmp_path: Path) -> None:
    async with watched(tmp_path) as house:
        with pytest.raises(ServiceError, match="crasher: "):
            await asyncio.gather(
                house.supervisor.start(program("crasher", CRASHER)), house.supervisor.run(program("once", SLEEPER))
            )


async def test_output_is_kept_whatever_it_is(tmp_path: Path) -> None:
    source = "import sys; sys.stdout.buffer.write(b'x' * 3_000_000 + b'\\n\\xff\\xfe\\nlast')"
    async with watched(tmp_path) as house:
        await house.supervisor.run(program("loud", source))
        assert "".join(text for _, text in house.output[:-2]) == "x" * 3_000_000
        assert [text for _, text in house.output[-2:]] == ["��", "last"]


async def test_output_without_an_end_does_not_delay_the_stop(tmp_path: Path) -> None:
    """A grandchild in a session of its own keeps the pipe open."""
    pids = tmp_path / "pids"
    source = PARENT.replace('time.sleep(600)"]', 'time.sleep(600)"], start_new_session=True')
    async with watched(tmp_path) as house:
        await house.supervisor.start(program("parent", source, str(pids)))
        await until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        await asyncio.wait_for(house.supervisor.stop(), PATIENCE)
        grandchild = int(pids.read_text().split()[1])
        assert alive(grandchild)  # out of our reach, as documented
        os.kill(grandchild, signal.SIGKILL)
