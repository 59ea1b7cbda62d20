"""The command line as a process of its own, with a home folder of its own."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs commands in `home`, with nothing of the environment that would change what they do."""

    home: Path

    def env(self, **more: str) -> dict[str, str]:
        ours = ("PHASETEN_", "XDG_", "GRPC_VERBOSITY", "GRPC_EXPERIMENTS")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return kept | {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config"), "PYTHONUNBUFFERED": "1"} | more

    def phaseten(self, *arguments: str, **env: str) -> Done:
        """Run `phaseten ...` to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "bots_sdk.cli", *arguments],
            cwd=self.home,
            env=self.env(**env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    async def start(self, module: str, *arguments: str, **env: str) -> asyncio.subprocess.Process:
        """Start `python -m module ...`; whoever calls ends it."""
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            module,
            *arguments,
            cwd=self.home,
            env=self.env(**env),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    def write(self, name: str, lines: Sequence[str]) -> Path:
        path = self.home / name
        path.write_text("\n".join(lines) + "\n")
        return path
