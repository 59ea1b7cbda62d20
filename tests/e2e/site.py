"""A site of its own for the browser: a database, filled by a child process, and the real server beside it."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests import servers

HOST = "127.0.0.1"
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Site:
    """A running site. `made` is what `make_season` says it made."""

    url: str
    made: Mapping[str, Any]
    env: Mapping[str, str]


@contextmanager
def running_site(folder: Path, name: str, *arguments: str) -> Iterator[Site]:
    """Make database `name`, fill it by `make_season` with `arguments`, collect the static files, serve."""
    with reserved_port() as port:
        env = environment(folder, name, port)
        create_database(os.environ["DATABASE_URL"], name)
        command(env, "-m", "tournament_site", "migrate", "--verbosity", "0")
        command(env, "-m", "tournament_site", "collectstatic", "--noinput", "--verbosity", "0")
        made = json.loads(command(env, "-m", "tests.e2e.make_season", *arguments))
        with (folder / "site.log").open("wb") as log:
            process = subprocess.Popen([sys.executable, "-m", "tournament_site", "serve"], env=env, stdout=log, stderr=log)
        try:
            wait_ready(process, f"{env['PHASETEN_SITE_URL']}/readyz", folder / "site.log")
            yield Site(env["PHASETEN_SITE_URL"], made, env)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def environment(folder: Path, name: str, port: int) -> dict[str, str]:
    servers.current()  # ready from here on
    parts = urlsplit(os.environ["DATABASE_URL"])
    return {
        **os.environ,
        "DATABASE_URL": urlunsplit(parts._replace(path=f"/{name}")),
        "PHASETEN_SITE_URL": f"http://{HOST}:{port}",
        "PHASETEN_SITE_BIND": f"{HOST}:{port}",
        "PHASETEN_SITE_ALLOWED_HOSTS": HOST,
        "PHASETEN_SITE_DEBUG": "0",
        "PHASETEN_SITE_STATE_DIR": str(folder),
    }


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port for a server that is started later. Until then, and after, the system gives it to nobody else.

    On Linux a server may listen there all the same, since nobody does who holds it; elsewhere it cannot be held.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind((HOST, 0))
        port = int(holder.getsockname()[1])
        if not sys.platform.startswith("linux"):
            holder.close()
        yield port


def create_database(url: str, name: str) -> None:
    with psycopg.connect(urlunsplit(urlsplit(url)._replace(path="/postgres")), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connection.execute(f'CREATE DATABASE "{name}"')


def command(env: Mapping[str, str], *arguments: str) -> str:
    """Run a Python command; what it wrote. Raises RuntimeError with its errors."""
    done = subprocess.run([sys.executable, *arguments], env=dict(env), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""


def wait_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                if answer.status == 200:
                    return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the site does not start:\n{log.read_text()[-4000:]}")
