"""Small real programs for the supervisor to keep, and a supervisor to keep them."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from deploy.local.service import Service
from deploy.local.supervisor import Happening, Supervisor

SLEEPER = "import time; print('awake', flush=True); time.sleep(600)"
#: says when it can be asked to stop, and says no; a signal just before a long sleep would be heard after it
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, lambda *_: print("no", flush=True))
print("here", flush=True)
while True:
    time.sleep(0.05)
"""
CRASHER = "import sys; print('about to fall'); sys.exit(3)"
CONFIGURED_WRONGLY = "import sys; print('PHASETEN_X is not set'); sys.exit(2)"
#: starts a child of its own, writes both process ids, and leaves the child alone when it ends
PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""


def program(name: str, source: str, *arguments: str, **fields: Any) -> Service:
    return Service(name=name, command=(sys.executable, "-c", source, *arguments), **fields)


class Watched:
    """A supervisor and everything it said."""

    def __init__(self, logs: Path) -> None:
        self.output: list[tuple[str, str]] = []
        self.news: list[tuple[Happening, str]] = []
        self.supervisor = Supervisor(
            logs,
            lambda name, text: self.output.append((name, text)),
            lambda happening, text: self.news.append((happening, text)),
        )

    def texts(self, happening: Happening) -> list[str]:
        return [text for kind, text in self.news if kind is happening]


@asynccontextmanager
async def watched(logs: Path) -> AsyncIterator[Watched]:
    found = Watched(logs)
    try:
        yield found
    finally:
        found.supervisor.kill()
        await found.supervisor.stop()


def alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and not yet asked for its status does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}
