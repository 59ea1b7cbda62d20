"""The demo from outside: interrupted, killed, and played to its end in the third life of one state directory."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from phaseten.v1.replay_pb2 import Replay

from deploy.local import house
from deploy.local.ports import is_free
from deploy.local.settings import Settings
from deploy.local.state import State
from tests.deploy.programs import alive

START = """
import sys, time
from pathlib import Path
from typing import Any
from deploy.local.demo import Options, run
state, port, once, referees = sys.argv[1:]
outcome = Path(state, "wanted.json") if once == "once" else None
sys.exit(run(Options(Path(state), int(port), once == "once", outcome, False, time.time(), int(referees))))
"""
UP = "Ctrl-C stops everything"
CHILDREN = 5 + 6 + 2  # services, bots, servers


@contextmanager
def demo(state: Path, port: int, mode: str = "", referees: int = 1, **more: str) -> Iterator[subprocess.Popen[str]]:
    env = {
        name: value
        for name, value in Settings.from_env().inherited.items()
        if name != "DATABASE_URL" and not name.startswith("PHASETEN_")
    }
    command = (sys.executable, "-c", START, str(state), str(port), mode, str(referees))
    with subprocess.Popen(
        command, cwd=house.PROJECT, env=env | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def manage(state: Path, *words: str) -> int:
    """Run one of the site's commands in a demo that runs; the exit status."""
    command = (sys.executable, str(house.PROJECT / "dev.py"), "manage", "--state", str(state), *words)
    return subprocess.run(command, check=False, cwd="/", timeout=300).returncode


def read_until(process: subprocess.Popen[str], words: str) -> str:
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if words in line:
            return "".join(lines)
    raise AssertionError(f"the demo ended before it said {words!r}:\n" + "".join(lines))


def children(parent: int) -> list[int]:
    """Its children, theirs, and so on."""
    found: list[int] = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        with suppress(OSError):  # it has ended just now
            for child in map(int, task.read_text().split()):
                found += [child, *children(child)]
    return found


def left_of(pids: list[int]) -> list[int]:
    deadline = time.monotonic() + 60
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [pid for pid in pids if alive(pid)]


@pytest.fixture(scope="module")
def state(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("demo")
    return folder / "the state"


@pytest.fixture(scope="module")
def taken() -> Iterator[int]:
    """A port on which somebody else listens already, and nobody on the next one: none that connections are given."""
    port = next(port for port in range(18600, 18900, 2) if is_free(house.HOST, port) and is_free(house.HOST, port + 1))
    with socket.socket() as holder:
        holder.bind((house.HOST, port))
        holder.listen()
        yield port


@pytest.mark.timeout(600)  # three starts and two seasons, on whatever machine this is
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
def test_interrupted_then_killed_then_played_to_the_end(state: Path, taken: int) -> None:
    with demo(state, taken) as process:
        said = read_until(process, UP)
        assert f"port {taken} is taken: the site is on {taken + 1}" in said
        pids = children(process.pid)
        process.send_signal(signal.SIGINT)
        said = read_until(process, "postgres stopped")
        assert process.wait(120) == 0
        order = [line.split(" stopped in")[0].strip() for line in said.splitlines() if " stopped in" in line]
        assert set(order[:2]) == {"worker", "beat"}
        assert order[2] == "referee"
        assert order[-2:] == ["valkey", "postgres"]
        assert left_of(pids) == []

    with demo(state, taken) as process:
        read_until(process, "matches")
        pids = children(process.pid)
        assert len(pids) >= CHILDREN
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert left_of(pids) == []

    with demo(state, taken, "once") as process:
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(120) == 0, said
    outcome = json.loads((state / "wanted.json").read_text())
    check_outcome(outcome, said)

    with demo(state, taken, "once") as process:  # there is nothing left to play: the same once more
        assert process.stdout is not None
        assert process.wait(120) == 0, process.stdout.read()
    again = json.loads((state / "wanted.json").read_text())
    assert again["decisions_per_second"] is None
    for part in ("seasons", "bots", "matches", "games", "ratings"):
        assert again[part] == outcome[part]


def check_outcome(outcome: dict[str, Any], said: str) -> None:
    """As the manual promises it."""
    assert {season["table_size"] for season in outcome["seasons"]} == {2, 4}
    assert len(outcome["bots"]) == 6
    matches = outcome["matches"]
    assert (matches["finished"], matches["void"]) == (matches["scheduled"], 0)
    assert outcome["games"] == len(outcome["replays"]) == len(set(outcome["replays"]))
    for path in outcome["replays"]:
        replay = Replay.FromString(Path(path).read_bytes())
        assert replay.ByteSize() > 0
    for season in outcome["seasons"]:
        assert season["name"] in said
        assert [row["rank"] for row in season["table"]] == sorted(row["rank"] for row in season["table"])
        for row in season["table"]:
            assert row["name"] in said
    assert f"a replay: {outcome['replays'][0]}" in said
    assert set(outcome["seconds"]) == {"setup", "first_match", "season"}
    assert outcome["decisions_per_second"] > 0
    assert outcome["site"].startswith(f"http://{house.HOST}:")
    assert set(outcome) == {
        *("seasons", "bots", "matches", "games", "replays", "ratings"),
        *("seconds", "decisions_per_second", "site"),
    }
    assert {rating["games"] for rating in outcome["ratings"]} == {
        row["games"] for season in outcome["seasons"] for row in season["table"]
    }


def test_a_broken_house_ends_with_a_reason(tmp_path: Path) -> None:
    """PostgreSQL's data directory was made by another version."""
    data = tmp_path / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("9")
    with demo(tmp_path, 18200, "once") as process:
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(120) == 1
    assert "demo: " in said
    assert "was made by PostgreSQL 9" in said
    assert "Traceback" not in said


def test_an_outcome_that_cannot_be_written_is_known_before_the_seasons(tmp_path: Path) -> None:
    (tmp_path / "wanted.json").mkdir()
    with demo(tmp_path, 18200, "once") as process:
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(120) == 1
    assert said == f"demo: cannot write {tmp_path}/wanted.json: Is a directory\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
def test_a_house_with_two_referees(tmp_path: Path) -> None:
    with demo(tmp_path, 18500, referees=2) as process:
        said = read_until(process, UP)
        assert "start referee, referee-2, site, worker, beat, collector" in said
        assert len(children(process.pid)) >= CHILDREN + 1  # a worker has children too
        assert manage(tmp_path, "createsuperuser", "--noinput", "--username", "root", "--email", "root@example.org") == 0
        assert manage(tmp_path, "audit") == 0
        assert manage(tmp_path, "start_season", "987654") == 1  # there is none
        process.send_signal(signal.SIGINT)
        said = read_until(process, "postgres stopped")
        assert process.wait(120) == 0
    order = [line.split(" stopped in")[0].strip() for line in said.splitlines() if " stopped in" in line]
    assert set(order[:2]) == {"worker", "beat"}
    assert set(order[2:4]) == {"referee", "referee-2"}


def test_two_houses_do_not_share_a_state(tmp_path: Path) -> None:
    with State(tmp_path).locked(), demo(tmp_path, 18300) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(120) == 1
    assert f"another house (process {os.getpid()}) already runs on {tmp_path}" in said


def test_a_service_that_dies_for_good_is_shown_with_its_last_words(tmp_path: Path) -> None:
    """A site that is told nonsense refuses to start and says why; the demo repeats it and ends with 1."""
    with demo(tmp_path, 18400, "once", PHASETEN_REFEREE_GRACE_SECONDS="soon") as process:
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(120) == 1
    assert "demo: referee: ended with status 2" in said
    assert "PHASETEN_REFEREE_GRACE_SECONDS must be a number of seconds" in said
    assert "postgres stopped" in said
