"""A house of its own, every process real, for tests that take processes away while seasons are played."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deploy.local import house
from deploy.local.house import House, Ports
from deploy.local.ports import pick
from deploy.local.settings import Settings
from tests import servers, workers
from tests.servers import Server

# Seconds that a season of the demo may stand still before the test gives up.
STILL = 90.0
SEASONS = "/api/v1/seasons"
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the site is on this machine, whatever a proxy says

NOT_OURS = ("DATABASE_URL", "PHASETEN_")


class WholeHouse:
    """PostgreSQL, Valkey, referees, site, worker, beat, collector and the six house bots of the demo."""

    def __init__(self, run: servers.Run, folder: Path, referees: int, lease: int) -> None:
        self._run = run
        # Houses that are started at once must not look for the same ports. A demo, of which there may be one too, looks from
        # 18200 on and where everybody does, and connections are given ports from 32768 on.
        other = workers.number()
        self.ports = Ports.free(21000 + 200 * other, referees, 100 * (1 + other))
        settings = Settings.from_env()
        inherited = {name: value for name, value in settings.inherited.items() if not name.startswith(NOT_OURS)}
        env = house.environment(inherited, run.state, self.ports, run.env["DATABASE_URL"], run.env["PHASETEN_REDIS_URL"])
        short = {"PHASETEN_SITE_LEASE_SECONDS": str(lease)}
        self.metrics_port = pick(house.HOST, 25000 + 200 * other)
        metrics = {"PHASETEN_SITE_METRICS_BIND": f"{house.HOST}:{self.metrics_port}"}
        self.env: Mapping[str, str] = MappingProxyType(env | short | metrics)
        self.rooms = House(run.state, self.ports, self.env)
        self._logs = folder
        self.servers: dict[str, Server] = {}
        for name, server in (("postgres", run.postgres), ("valkey", run.valkey)):
            assert server is not None
            self.servers[name] = server

    def start(self, *, pages: bool) -> None:
        """Prepare the database and start every process; with the static files if somebody will look at pages."""
        self._run.wait_ready()
        self.command("migrate", "--noinput")
        if pages:
            self.command("collectstatic", "--noinput")
        for service in self.rooms.services():
            self.servers[service.name] = Server(service, self._logs / f"{service.name}.log")
            self.servers[service.name].launch()
        self.command("seed_demo", "--out", str(self._run.state.demo_file))
        self._wait_ready("site")
        for service in self.rooms.bots(self._run.state.demo()):
            self.servers[service.name] = Server(service, self._logs / f"{service.name}.log")
            self.servers[service.name].launch()

    def _wait_ready(self, name: str) -> None:
        if self.servers[name].service.ready is not None:
            self.servers[name].wait_ready()

    def launch(self, name: str) -> None:
        """Start a process that was killed."""
        self.servers[name].launch()
        self._wait_ready(name)

    def command(self, *arguments: str) -> str:
        """Run a management command of the site; returns what it printed. Raises CalledProcessError."""
        done = subprocess.run(
            [sys.executable, "-m", "tournament_site", *arguments],
            env=dict(self.env),
            cwd=house.PROJECT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}\n{self.tails()}"
        return done.stdout

    def metrics(self) -> Mapping[str, float]:
        """What the collector's page says: name and labels, as they stand there -> value."""
        with DIRECT.open(f"http://{house.HOST}:{self.metrics_port}/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}

    def tails(self) -> str:
        """The ends of all logs, for a test that failed."""
        return "\n".join(
            f"--- {name}\n{server.log.read_text(errors='replace')[-1500:]}"
            for name, server in self.servers.items()
            if server.log.exists()
        )

    def seasons(self) -> Sequence[Mapping[str, Any]] | None:
        """The seasons that wait for nobody; None while the site cannot say."""
        must_end = {season["id"] for season in self._run.state.demo()["seasons"] if not season["waits_for_visitor"]}
        try:
            with DIRECT.open(self.ports.site_url + SEASONS, timeout=5) as answer:
                found = json.load(answer)
        except (OSError, ValueError):
            return None
        return [season for season in found if season["id"] in must_end]

    def progress(self) -> Iterator[tuple[int, int]]:
        """(finished matches, all matches) whenever they change, until the seasons are over."""
        last: tuple[int, int] | None = None
        moved = time.monotonic()
        while True:
            self._start_again_what_ended()
            seasons = self.seasons()
            if seasons:
                now = (
                    sum(season["matches"]["finished"] for season in seasons),
                    sum(season["matches"]["scheduled"] for season in seasons),
                )
                if now != last:
                    last, moved = now, time.monotonic()
                    yield now
                if all(season["state"] == "finished" for season in seasons):
                    return
            assert time.monotonic() - moved < STILL, f"no season moved for {STILL} s, at {last}\n{self.tails()}"
            time.sleep(0.1)

    def _start_again_what_ended(self) -> None:
        """What every supervisor does. A Celery worker, for one, ends when Valkey goes away at a bad moment."""
        for server in self.servers.values():
            if server.ended:
                server.launch()

    def stop(self) -> None:
        """Take everything away; PostgreSQL and Valkey go with the run."""
        for name, server in reversed(self.servers.items()):
            if name not in {"postgres", "valkey"}:
                server.kill()


@contextmanager
def whole_house(folder: Path, referees: int = 1, *, pages: bool = False, lease: int = 4) -> Iterator[WholeHouse]:
    """A house below `folder`, running; everything is gone afterwards. Without `pages` its site has the API alone.

    With a short `lease`, in seconds, what would take a minute to heal in earnest takes seconds.
    """
    settings = Settings.from_env()
    run = servers.launch(replace(settings, database_url=None, redis_url=None), folder / "house")
    made = WholeHouse(run, folder, referees, lease)
    try:
        made.start(pages=pages)
        yield made
    finally:
        made.stop()
        run.close()
