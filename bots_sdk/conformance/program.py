"""The bot as a process that the kit starts, if its author gives the command."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

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

    async def ensure(self) -> bool:
        """Start it if it does not run; whether that was so. Raises OSError if the command cannot be found."""
        if self._process is not None and self._process.poll() is None:
            return False
        with self.log.open("ab") as out:
            # Not the loop's own way: some of them fork, which gRPC's threads complain about.
            self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - see above; the author's own command
                self._command, env=self._env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )
        return True

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

    def last_words(self) -> str:
        """The end of what it has printed."""
        data = self.log.read_bytes()[-TAIL_BYTES:] if self.log.exists() else b""
        return data.decode(errors="replace").strip()
