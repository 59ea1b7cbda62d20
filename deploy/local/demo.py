"""`dev.py demo`: starts the house, shows the seasons while they are played, stops everything in order."""

import asyncio
import json
import signal
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local import house, screen
from deploy.local.console import Console, plain
from deploy.local.errors import LocalError, ServiceError
from deploy.local.house import House, Ports, Stores
from deploy.local.preparation import Preparation
from deploy.local.screen import Progress
from deploy.local.settings import Settings
from deploy.local.state import State
from deploy.local.supervisor import Happening, Supervisor, log_file

#: seconds without any change in any season after which `--once` gives up
STALLED_AFTER = 120.0
_POLL_INTERVAL = 1.0
#: the site is on this machine, whatever a proxy says
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Options:
    state: Path
    site_port: int
    #: end when the seasons are finished
    once: bool
    #: where to write the outcome
    json: Path | None
    #: show what the services print
    verbose: bool
    #: time.time() of the command's start, before any set-up
    started: float
    #: how many referees play
    referees: int = 1


@dataclass(slots=True)
class _Times:
    """Seconds, as the outcome reports them; None: not reached."""

    setup: float | None = None
    first_match: float | None = None
    season: float | None = None
    #: matches that were finished when we first looked: an earlier start played them
    inherited: int | None = None


def run(options: Options) -> int:
    """The command; returns its exit status."""
    settings = Settings.from_env()
    console = Console(no_color=settings.no_color)
    state = State(options.state)
    try:
        if options.json is not None:
            _check_writable(options.json)
        with state.locked():
            try:
                with console.step("find and prepare PostgreSQL and Valkey"):
                    stores = house.stores(settings, state)
                for note in stores.notes:
                    console.line(f"  {note}")
                return asyncio.run(_Demo(options, console, settings, state, stores).play())
            finally:
                state.remove_temporary_sockets()
    except ServiceError as error:
        _explain(console, state, error)
    except LocalError as error:
        console.warn(f"demo: {error}")
    except KeyboardInterrupt:
        return _INTERRUPTED if options.once else 0
    return 1


def _check_writable(file: Path) -> None:
    """Now, and not after the seasons."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("a").close()
    except OSError as error:
        raise LocalError(f"cannot write {file}: {error.strerror}") from error


def _explain(console: Console, state: State, error: ServiceError) -> None:
    console.warn(f"demo: {error}")
    for line in error.log[-20:]:
        console.line(f"  | {plain(line)}")
    console.line(f"  all of its output: {log_file(state.root / 'logs', error.name)}")


class _Demo:
    def __init__(self, options: Options, console: Console, settings: Settings, state: State, stores: Stores) -> None:
        self._options = options
        self._console = console
        self._state = state
        self._stores = stores
        self._ports = Ports.free(options.site_port, options.referees)
        env = house.environment(settings.inherited, state, self._ports, stores.database_url, stores.redis_url)
        state.keep_environment(env)
        self._house = House(state, self._ports, env, own_database=settings.database_url is None)
        self._times = _Times()
        self._bots: tuple[str, ...] = ()
        self._colours: dict[str, int] = {}

    async def play(self) -> int:
        """Run the house until the work is done, somebody asks for the end, or something fails."""
        supervisor = Supervisor(self._state.folder("logs"), self._output, self._news)
        asked = asyncio.Event()

        def interrupt() -> None:
            if asked.is_set():
                self._console.warn("killing everything")
                supervisor.kill()
            asked.set()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, interrupt)
        work = asyncio.create_task(self._work(supervisor))
        ends: list[asyncio.Future[Any]] = [
            work,
            asyncio.create_task(asked.wait()),
            asyncio.create_task(supervisor.failure()),
        ]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            if asked.is_set():
                return _INTERRUPTED if self._options.once else 0
            raise await supervisor.failure()
        finally:
            for end in ends:
                end.cancel()
            asked.set()  # from now on a signal kills
            self._console.finish()
            self._console.line("stopping" if supervisor.names else "nothing to stop")
            *first, last = self._house.stop_order
            await supervisor.stop((*first, (*last, *self._bots)))

    async def _work(self, supervisor: Supervisor) -> int:
        await self._start(supervisor)
        seasons = await self._watch()
        status = await self._report(supervisor, seasons)
        if not self._options.once:
            self._console.line("  the house stays open: Ctrl-C stops it")
            await self._watch(for_ever=True)
        return status

    async def _start(self, supervisor: Supervisor) -> None:
        console, rooms = self._console, self._house
        with console.step("start PostgreSQL and Valkey"):
            await supervisor.start(*self._stores.services)
        needed = [preparation for preparation in rooms.preparations() if preparation.needed]
        if needed:
            with console.step("prepare the site: " + ", ".join(work.command.name for work in needed)):
                await asyncio.gather(*(_prepare(supervisor, work) for work in needed))
        for sentence in self._ports.moved(self._options.site_port):
            console.line(f"  {sentence}")
        services = rooms.services()
        with console.step("start " + ", ".join(service.name for service in services)):
            await asyncio.gather(supervisor.start(*services), supervisor.run(rooms.seed()))
        bots = rooms.bots(self._state.demo())
        with console.step(f"start {len(bots)} house bots"):
            await supervisor.start(*bots)
        self._bots = tuple(bot.name for bot in bots)
        self._times.setup = self._elapsed()
        console.line()
        console.line(f"  {console.painted(self._ports.site_url, 1)}   (Ctrl-C stops everything)")
        if not self._options.once:
            console.line("  one season waits for a bot of yours: see .venv/bin/phaseten --help")
        console.line()

    async def _watch(self, *, for_ever: bool = False) -> Sequence[Progress]:
        """Show the seasons until those that wait for nobody are over. Raises LocalError if nothing moves."""
        must_end = {season["id"] for season in self._state.demo()["seasons"] if not season["waits_for_visitor"]}
        seen: Sequence[Progress] = ()
        moved = time.monotonic()
        while True:
            seasons = await asyncio.to_thread(_seasons, self._ports.site_url)
            if seasons is not None and seasons != seen:
                seen, moved = seasons, time.monotonic()
            if seasons is not None and self._times.inherited is None:
                self._times.inherited = sum(season.finished for season in seen)
            if self._times.first_match is None and any(season.finished for season in seen):
                self._times.first_match = self._elapsed()
            self._console.live(screen.lines(seen))
            ours = [season for season in seen if season.id in must_end]
            if not for_ever and len(ours) == len(must_end) and all(season.over for season in ours):
                self._times.season = self._elapsed() - (self._times.setup or 0.0)
                self._console.finish(screen.lines(seen))
                return ours
            if self._options.once and time.monotonic() - moved > STALLED_AFTER:
                raise LocalError(
                    f"no season moved for {STALLED_AFTER:.0f} s; the services' output is in {self._state.root / 'logs'}"
                )
            await asyncio.sleep(_POLL_INTERVAL)

    async def _report(self, supervisor: Supervisor, seasons: Sequence[Progress]) -> int:
        """Print tables, write the outcome, name a replay; the exit status."""
        file = self._state.root / "outcome.json"
        await supervisor.run(self._house.outcome(file))
        outcome = json.loads(file.read_text())
        times = self._times
        outcome["seconds"] = {
            "setup": _rounded(times.setup),
            "first_match": _rounded(times.first_match),
            "season": _rounded(times.season),
        }
        outcome["site"] = self._ports.site_url
        outcome["decisions_per_second"] = _rounded(_speed(outcome, times))
        if self._options.json is not None:
            self._options.json.write_text(json.dumps(outcome, indent=2) + "\n")
        if outcome["replays"]:
            self._console.line(f"  a replay: {outcome['replays'][0]}")
        void = sum(season.void for season in seasons)
        if void:
            self._console.warn(f"demo: {void} matches are void; the admin pages say why")
        return 1 if void else 0

    def _elapsed(self) -> float:
        return time.time() - self._options.started

    def _output(self, name: str, text: str) -> None:
        if name == "outcome":
            self._console.line(plain(text))
        elif self._options.verbose:
            self._console.service(name, text, self._colours.setdefault(name, len(self._colours)))

    def _news(self, happening: Happening, text: str) -> None:
        if happening is Happening.TROUBLE:
            self._console.warn(f"  {text}")
        elif happening is Happening.STOPPED or self._options.verbose:
            self._console.line(f"  {text}")


async def _prepare(supervisor: Supervisor, work: Preparation) -> None:
    await supervisor.run(work.command)
    work.done()


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 2)


def _speed(outcome: dict[str, Any], times: _Times) -> float | None:
    """Decisions a second while we played; None if an earlier start had played everything."""
    decisions, finished = outcome.pop("decisions"), outcome["matches"]["finished"]
    played = finished - (times.inherited or 0)
    return decisions * played / finished / times.season if played > 0 and times.season else None


def _seasons(site: str) -> Sequence[Progress] | None:
    """What the site's API says of its seasons; None while it does not answer."""
    try:
        with _DIRECT.open(f"{site}/api/v1/seasons", timeout=5) as answer:
            found = json.load(answer)
    except (OSError, ValueError):  # URLError is an OSError
        return None
    return sorted(map(Progress.from_json, found), key=lambda season: season.id)
