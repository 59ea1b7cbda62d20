"""The house: which processes there are, what they are told, and in which order they come and go.

This is the one description of it; `demo.py` starts it, the tests take its environment.
"""

import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local import placement, postgres, probes, valkey
from deploy.local.ports import pick
from deploy.local.preparation import Preparation
from deploy.local.service import Service
from deploy.local.settings import Settings
from deploy.local.state import State

PROJECT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
SITE_PORT, REFEREE_PORT, CONTROL_PORT = 8000, 7010, 7011


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the house listens. `more` are the two ports of each referee after the first."""

    site: int = SITE_PORT
    referee: int = REFEREE_PORT
    control: int = CONTROL_PORT
    more: tuple[tuple[int, int], ...] = ()

    @classmethod
    def free(cls, site: int = SITE_PORT, referees: int = 1, first: int = 0) -> "Ports":
        """The site's port and those of the referees from number `first` on, or others near by where one is taken."""
        found: list[int] = []
        for wanted in (site, *(port for number in range(first, first + referees) for port in _usual(number))):
            found.append(pick(HOST, wanted, found))
        at, bots, control, *rest = found
        return cls(at, bots, control, tuple(zip(rest[::2], rest[1::2], strict=True)))

    @property
    def referees(self) -> dict[str, tuple[int, int]]:
        """Referee id -> its ports for bots and for the site."""
        pairs = ((self.referee, self.control), *self.more)
        return {f"referee-{number}": pair for number, pair in enumerate(pairs, 1)}

    def moved(self, site: int = SITE_PORT) -> list[str]:
        """A sentence for each port that is not the usual one."""
        moves = [(site, self.site, "the site is on")]
        for number, (name, (bots, control)) in enumerate(self.referees.items()):
            which = f" {name}" if self.more else ""
            moves.append((_usual(number)[0], bots, f"bots dial{which}" + (" on" if which else "")))
            moves.append((_usual(number)[1], control, f"the site reaches{which or ' the referee'} on"))
        return [f"port {usual} is taken: {what} {got}" for usual, got, what in moves if usual != got]

    @property
    def site_url(self) -> str:
        return f"http://{HOST}:{self.site}"


def _usual(number: int) -> tuple[int, int]:
    """The usual ports of a referee, counted from 0."""
    return REFEREE_PORT + 2 * number, CONTROL_PORT + 2 * number


@dataclass(frozen=True, slots=True)
class Stores:
    """Where rows and queues are: servers of ours to start, or somebody else's."""

    database_url: str
    redis_url: str
    services: tuple[Service, ...]
    notes: tuple[str, ...] = ()


def stores(settings: Settings, state: State, *postgres_options: str) -> Stores:
    """Find and prepare the servers. Takes a second the first time: initdb. Raises LocalError."""
    env = settings.inherited
    sockets = state.socket_folder()
    services: list[Service] = []
    notes: list[str] = []
    database_url, redis_url = settings.database_url, settings.redis_url
    if database_url is None:
        cluster = placement.place(settings, postgres.find_programs(settings), state.folder("postgres"), sockets)
        postgres.initialise(cluster, env)
        services.append(postgres.service(cluster, env, *postgres_options))
        database_url = cluster.url
        notes += [cluster.note] if cluster.note else []
    if redis_url is None:
        folder = state.folder("valkey")
        valkey.wait_for_last(folder)
        services.append(valkey.service(valkey.find_program(), folder, sockets, env))
        redis_url = valkey.url(sockets)
    return Stores(database_url, redis_url, tuple(services), tuple(notes))


def environment(
    inherited: Mapping[str, str], state: State, ports: Ports, database_url: str, redis_url: str
) -> dict[str, str]:
    """What every process of ours is told. Each reads its own part in its settings file."""
    private, public = state.ticket_keys()
    pool = [f"{name}={HOST}:{control}@{HOST}:{bots}" for name, (bots, control) in ports.referees.items()]
    return dict(inherited) | {
        "DATABASE_URL": database_url,
        "PHASETEN_REDIS_URL": redis_url,
        "PHASETEN_SITE_SECRET_KEY": state.secret("site-secret"),
        "PHASETEN_SITE_TICKET_KEY_FILE": str(private),
        "PHASETEN_SITE_URL": ports.site_url,
        "PHASETEN_SITE_BIND": f"{HOST}:{ports.site}",
        "PHASETEN_SITE_ALLOWED_HOSTS": f"{HOST},localhost",
        "PHASETEN_SITE_DEBUG": "0",
        "PHASETEN_SITE_STATE_DIR": str(state.folder("site")),
        "PHASETEN_SITE_REFEREES": ",".join(pool),
        "PHASETEN_REFEREE_TICKET_PUBLIC_KEY_FILE": str(public),
        "PYTHONUNBUFFERED": "1",
    }


class House:
    """The processes of one house, as values."""

    def __init__(self, state: State, ports: Ports, env: Mapping[str, str], *, own_database: bool = True) -> None:
        self._state = state
        self._own_database = own_database
        self._ports = ports
        self.env = env

    def preparations(self) -> tuple[Preparation, ...]:
        """What to do before the services start; all of it may be done at the same time."""
        site = PROJECT / "tournament_site"
        lock = PROJECT / "requirements" / "server.lock"
        return (
            Preparation(
                self._site_command("migrate", "migrate", "--noinput"),
                # somebody else's database may change without us
                self._state.folder("postgres") / "migrated" if self._own_database else None,
                (lock, *site.rglob("migrations/*.py")),
            ),
            Preparation(
                self._site_command("static", "collectstatic", "--noinput"),
                self._state.folder("site") / "collected",
                (lock, site / "settings.py", *site.rglob("static/**/*"), *site.rglob("storage.py")),
            ),
        )

    def services(self) -> tuple[Service, ...]:
        ports = self._ports
        celery = ("-m", "celery", "-A", "tournament_site")
        schedule = self._state.folder("beat") / "schedule"
        return (
            *self._referees(),
            self._python(
                *("site", "-m", "tournament_site", "serve"),
                ready=probes.http_answers(f"{ports.site_url}/api/v1/seasons"),
            ),
            self._python("worker", *celery, "worker", "-c", "2", "--loglevel", "INFO"),
            self._python(
                *("beat", *celery, "beat", "--schedule", str(schedule), "--loglevel", "INFO"),
                death_signal=signal.SIGTERM,  # its schedule is a file
            ),
            self._python("collector", "-m", "tournament_site", "collect"),
        )

    def _referees(self) -> tuple[Service, ...]:
        journals = self._state.folder("referees")
        return tuple(
            self._python(
                *(_service_of(name), "-m", "referee.service"),
                ready=probes.tcp(HOST, bots, control),
                grace=15.0,  # it lets running matches go on for a while
                PHASETEN_REFEREE_ID=name,
                PHASETEN_REFEREE_BIND=f"{HOST}:{bots}",
                PHASETEN_REFEREE_CONTROL_BIND=f"{HOST}:{control}",
                PHASETEN_REFEREE_JOURNAL_FILE=str(journals / f"{name}.journal"),
            )
            for name, (bots, control) in self._ports.referees.items()
        )

    @property
    def stop_order(self) -> tuple[tuple[str, ...], ...]:
        """Nothing new is begun, the referees finish what they can and their records are collected, then the rest."""
        return (("worker", "beat"), tuple(map(_service_of, self._ports.referees)), ("collector", "site"))

    def seed(self) -> Service:
        """Makes owner, house bots and seasons, once, and writes down what to run."""
        return self._site_command("seed", "seed_demo", "--out", str(self._state.demo_file))

    def bots(self, demo: Mapping[str, Any]) -> tuple[Service, ...]:
        """A process for each house bot the seed command wrote down."""
        return tuple(
            self._python(
                *(bot["name"], "-m", "bots_sdk.house_bots", bot["kind"]),
                PHASETEN_SERVER=self._ports.site_url,
                PHASETEN_TOKEN=bot["token"],
            )
            for bot in demo["bots"]
        )

    def outcome(self, file: Path) -> Service:
        """Prints the final tables, writes the outcome and exports the replays."""
        return self._site_command(*("outcome", "outcome", "--json", str(file), "--replays", str(self._state.replays)))

    def _site_command(self, name: str, *arguments: str) -> Service:
        return self._python(name, "-m", "tournament_site", *arguments, patience=120.0)

    def _python(
        self,
        name: str,
        *arguments: str,
        ready: probes.Probe | None = None,
        patience: float = 60.0,
        grace: float = 8.0,
        death_signal: signal.Signals = signal.SIGKILL,
        **more: str,
    ) -> Service:
        """A Python process of ours. If we are killed so is it at once: it has to survive that anyway."""
        return Service(
            name=name,
            death_signal=death_signal,
            command=(sys.executable, *arguments),
            env={**self.env, **more},
            folder=PROJECT,
            ready=ready,
            patience=patience,
            grace=grace,
        )


def _service_of(referee: str) -> str:
    """The name of a referee's process: where there is one only, it is `referee`."""
    return "referee" if referee == "referee-1" else referee
