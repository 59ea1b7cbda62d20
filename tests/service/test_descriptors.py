"""How many files a referee may open, which says how many bots it can hold. Shells usually give a program far too few."""

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from referee.service.__main__ import DESCRIPTORS
from tests.service.client import new_key, public_pem


@contextlib.contextmanager
def referee(folder: Path, limits: str) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """A referee whose shell said `ulimit` before; its process, and what it logged until it was stopped."""
    (folder / "key.pem").write_bytes(public_pem(new_key()))
    env = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")} | {
        "PHASETEN_REFEREE_ID": "small",
        "PHASETEN_REFEREE_TICKET_PUBLIC_KEY_FILE": str(folder / "key.pem"),
        "PHASETEN_REFEREE_BIND": "127.0.0.1:0",
        "PHASETEN_REFEREE_CONTROL_BIND": "127.0.0.1:0",
    }
    command = ["sh", "-c", f'{limits} && exec "$0" -m referee.service', sys.executable]
    log: list[dict[str, Any]] = []
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            log.append(json.loads(process.stderr.readline()))
            yield process.pid, log
        finally:
            process.terminate()
            log += [json.loads(line) for line in process.stderr]


def test_a_referee_takes_what_its_bots_need(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with referee(tmp_path, "ulimit -Sn 256") as (process, log):
        soft, still = psutil.Process(process).rlimit(psutil.RLIMIT_NOFILE)
    assert soft == (DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard))
    assert still == hard
    warned = [line for line in log if line["level"] == "warning"]
    assert len(warned) == (soft < DESCRIPTORS)


def test_where_it_may_not_it_says_so(tmp_path: Path) -> None:
    with referee(tmp_path, "ulimit -Sn 256 && ulimit -Hn 512") as (process, log):
        assert psutil.Process(process).rlimit(psutil.RLIMIT_NOFILE) == (512, 512)
    warned = [line for line in log if line["level"] == "warning"]
    assert [(line["event"], line["allowed"], line["wanted"]) for line in warned] == [
        ("too few descriptors for all bots", 512, DESCRIPTORS)
    ]
