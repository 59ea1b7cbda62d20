"""The bot as a process that the kit starts, if its author gives the command."""

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from bots_sdk.errors import WrongInput

GRACE_SECONDS: Final = 5.0
DYING_SECONDS: Final = 1.0
TAIL_BYTES: Final = 2000


class Program:
    """Starts the bot when it is needed, and ends it. What it prints goes to `log`."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        self._command = command
        self._env = env
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._began = 0  # where in the log the last start begins

    async def ensure(self) -> bool:
        """Start it if it does not run; whether that was so. Raises WrongInput if the command or the log cannot be had."""
        if self._process is not None and self._process.poll() is None:
            return False
        try:
            out = self.log.open("ab")
        except OSError as error:
            raise WrongInput(
                f"the bot's output cannot be kept in {self.log}: {error.strerror}. Choose another --log"
            ) from error
        with out:
            self._began = out.seek(0, os.SEEK_END)
            try:
                self._process = self._start(out)
            except OSError as error:
                raise WrongInput(self._unusable(error)) from error
        return True

    def _start(self, out: IO[bytes]) -> "subprocess.Popen[bytes]":
        # Not the loop's own way: some of them fork, which gRPC's threads complain about.
        return subprocess.Popen(  # noqa: S603 - the author's own command
            self._command, env=self._env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )

    def _unusable(self, error: OSError) -> str:
        """Why the command starts nothing, and what its author may have meant."""
        program, *rest = self._command
        text = f"{program} cannot be started: {error.strerror}. After `--` comes the command that starts the bot"
        interpreter = {".py": sys.executable, ".js": "node"}.get(Path(program).suffix)
        if interpreter is not None:
            return f"{text}, such as: -- {shlex.join((interpreter, program, *rest))}"
        return f"{text}: a program on PATH, or the path of one that may be executed"

    async def restart(self) -> None:
        await self.stop()
        await self.ensure()

    async def stop(self) -> None:
        """End it, and what it has started: with a word first, by force after some seconds."""
        process = self._process
        if process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)  # it leads a group of its own
            if await self._ended(GRACE_SECONDS):
                return

    async def _ended(self, within: float) -> bool:
        assert self._process is not None
        try:
            await asyncio.to_thread(self._process.wait, within)
        except subprocess.TimeoutExpired:
            return False
        return True

    async def obituary(self) -> str:
        """How it ended, if it did; else empty."""
        if self._process is None or not await self._ended(DYING_SECONDS):
            return ""
        status = self._process.returncode
        return f"; its process ended {f'by signal {-status}' if status < 0 else f'with status {status}'}"

    def last_words(self, *, of_last_start: bool = False) -> str:
        """The last lines that it has printed, in all or since it was started last."""
        data = self.log.read_bytes() if self.log.exists() else b""
        if of_last_start:
            data = data[self._began :]
        tail = data[-TAIL_BYTES:]
        if len(tail) < len(data):  # nothing but whole lines
            tail = tail.partition(b"\n")[2] or tail
        return tail.decode(errors="replace").strip()
