"""The PostgreSQL and Valkey of a test run (a pytest plugin), and handles to kill and restart servers.

Django's settings are read before any conftest.py, so this is loaded with `-p tests.servers` and acts earlier
still. What the environment already names is used as it is. The servers die with pytest, also if it is killed.
"""

import atexit
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.local import house, placement, postgres, valkey
from deploy.local.launch import AsUser, command_of, popen_options
from deploy.local.postgres import Cluster
from deploy.local.service import Service
from deploy.local.settings import Settings
from deploy.local.state import State

_HOME = house.PROJECT / ".phaseten" / "tests"
_BROWSER_TESTS = house.PROJECT / "tests" / "e2e"
#: after a kill, PostgreSQL refuses to start until the last of its old processes is gone
_PATIENCE = 60.0
_SET_BY_US = "TESTS_SERVERS_SET"  # names of variables
_run: "Run | None" = None


class Server:
    """A server process in our hands. Start it from the main thread: it dies with the thread that started it."""

    def __init__(self, service: Service, log: Path) -> None:
        self.service = service
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def ended(self) -> bool:
        """Whether it was started and ended by itself."""
        return self._process is not None and self._process.poll() is not None

    def launch(self) -> None:
        """Start the process; `wait_ready` tells when it can be used."""
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                command_of(
                    self.service.command,
                    self.service.identity,
                    death_signal=self.service.death_signal,
                    env=self.service.env,
                ),
                stdout=output,
                stderr=output,
                **popen_options(env=self.service.env, cwd=self.service.folder),
            )

    def wait_ready(self) -> None:
        """Wait until it answers, and start it again while it refuses. Raises RuntimeError with its output."""
        deadline = time.monotonic() + _PATIENCE
        assert self._process is not None
        assert self.service.ready is not None
        while not self.service.ready():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.service.name} does not start:\n{self.log.read_text()[-2000:]}")
            if self._process.poll() is not None:
                time.sleep(0.1)
                self.launch()
            time.sleep(0.01)

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.launch()
        self.wait_ready()

    def stop(self) -> None:
        """Stop it in order."""
        self._end(self.service.stop_signal)

    def kill(self) -> None:
        """SIGKILL: as if the machine had taken it away."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def freeze(self) -> None:
        """SIGSTOP: it is there and does not answer, until `thaw`."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        self._signal(number)
        try:
            self._process.wait(self.service.grace + _PATIENCE)  # a busy machine needs longer, and to kill it proves less
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()
        self._process = None

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


@dataclass(slots=True)
class Run:
    """Servers below one folder, and the environment that names them. `close` stops them and removes it all."""

    folder: Path
    state: State
    env: Mapping[str, str]
    #: None: the environment named one that is not ours
    postgres: Server | None
    valkey: Server | None
    cluster: Cluster | None

    def wait_ready(self) -> None:
        for server in (self.postgres, self.valkey):
            if server is not None:
                server.wait_ready()

    def close(self) -> None:
        for server in (self.postgres, self.valkey):
            if server is not None:
                server.stop()
        if self.cluster is not None:
            placement.discard(self.cluster)
        self.state.remove_temporary_sockets()
        shutil.rmtree(self.folder, ignore_errors=True)


def current() -> Run:
    """The servers of this test run, ready."""
    assert _run is not None, "pytest runs without -p tests.servers"
    _run.wait_ready()
    return _run


def launch(settings: Settings, folder: Path) -> Run:
    """Launch the servers that `settings` does not name, below `folder`; a pair for a test of its own, too."""
    state = State(folder)
    sockets = state.socket_folder()
    servers: dict[str, Server] = {}
    cluster = None
    database_url, redis_url = settings.database_url, settings.redis_url
    if redis_url is None:
        service = valkey.service(valkey.find_program(), state.folder("valkey"), sockets, settings.inherited)
        servers["valkey"] = Server(service, folder / "valkey.log")
        redis_url = valkey.url(sockets)
    if database_url is None:
        with _prepared() as home:
            cluster = _cluster(settings, state, sockets, home)
        service = postgres.service(cluster, settings.inherited, *postgres.FAST)
        servers["postgres"] = Server(service, folder / "postgres.log")
        database_url = cluster.url
    for server in servers.values():
        server.launch()
    with _prepared() as home:  # keys once for all runs: making them costs an import of the cryptography
        env = house.environment({}, home, house.Ports(), database_url, redis_url)
    env |= {
        "PHASETEN_SITE_STATE_DIR": str(state.folder("site")),
        "PHASETEN_SITE_DEBUG": "1",  # static files from where they are written
    }
    return Run(folder, state, env, servers.get("postgres"), servers.get("valkey"), cluster)


@contextmanager
def _prepared() -> Iterator[State]:
    """What test runs share, for one of them at a time."""
    state = State(_HOME)
    descriptor = os.open(state.folder(".") / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield state
    finally:
        os.close(descriptor)


def _cluster(settings: Settings, state: State, sockets: Path, home: State) -> Cluster:
    """An empty cluster: a copy of one made by an earlier run, which is five times faster than initdb."""
    programs = postgres.find_programs(settings)
    cluster = placement.place(settings, programs, state.folder("postgres"), sockets)
    if isinstance(cluster.identity, AsUser):  # lives elsewhere, belongs to somebody else
        postgres.initialise(cluster, settings.inherited)
        return cluster
    name = f"postgres-{postgres.version(programs)}"
    template = placement.place(settings, programs, home.folder(name), sockets)
    postgres.initialise(template, settings.inherited)
    subprocess.run(["cp", "-a", str(template.data), str(cluster.data)], check=True)
    return cluster


def _new_folder() -> tuple[Path, int]:
    """A folder for this run, with a lock that lasts as long as we; those of dead runs are removed."""
    with _prepared() as home:
        runs = home.folder("runs")
        for old in runs.iterdir():
            try:
                descriptor = os.open(old, os.O_RDONLY)
            except FileNotFoundError:  # a run that ends removes its own without waiting for us
                continue
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                State(old).remove_temporary_sockets()
                shutil.rmtree(old, ignore_errors=True)
            os.close(descriptor)
        folder = Path(tempfile.mkdtemp(dir=runs))
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return folder, descriptor


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, None, None]:
    """Before pytest-django reads the settings."""
    global _run  # noqa: PLW0603 - a plugin has one run
    for name in os.environ.pop(_SET_BY_US, "").split():
        os.environ.pop(name, None)  # a process that shares the tests with others has servers of its own
    folder, _ = _new_folder()
    _run = launch(Settings.from_env(), folder)
    atexit.register(pytest_unconfigure)  # where pytest ends before it began
    ours = {name: value for name, value in _run.env.items() if name not in os.environ}
    os.environ.update(ours)
    os.environ[_SET_BY_US] = " ".join(ours)
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: their driver keeps an event loop running in this thread, and no other can run then."""
    items.sort(key=lambda item: _BROWSER_TESTS in item.path.parents)


def pytest_collection_finish() -> None:
    if _run is not None:
        _run.wait_ready()


def pytest_unconfigure() -> None:
    global _run  # noqa: PLW0603 - a plugin has one run
    if _run is not None:
        _run.close()
        _run = None
