"""One child process of the supervisor: its output, its end, and the end of whatever it started."""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from deploy.local.launch import command_of, popen_options
from deploy.local.service import Service

_KEPT_LINES = 30
_LONGEST_LINE = 1 << 20
_LOG_LIMIT = 10 << 20


class ServiceLog:
    """A service's output: to its file, to whoever listens, and its last lines kept for an error message."""

    def __init__(self, path: Path, listen: Callable[[str], None]) -> None:
        if path.exists() and path.stat().st_size > _LOG_LIMIT:
            path.replace(path.with_name(path.name + ".1"))
        self._file: BinaryIO = path.open("ab")
        self._listen = listen
        self._last: deque[str] = deque(maxlen=_KEPT_LINES)

    @property
    def last(self) -> tuple[str, ...]:
        return tuple(self._last)

    def write(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()
        text = line.decode(errors="replace").rstrip()
        self._last.append(text)
        self._listen(text)

    def close(self) -> None:
        self._file.close()


class Child:
    """A running process. Make it with `spawn`, from the main thread."""

    def __init__(self, process: asyncio.subprocess.Process, stop_signal: signal.Signals) -> None:
        self._process = process
        self._stop_signal = stop_signal
        self._pump: asyncio.Task[None] | None = None

    @classmethod
    async def spawn(cls, service: Service, log: ServiceLog) -> "Child":
        """Start the service's process. Raises OSError if that is impossible."""
        # A pipe of our own, because asyncio's are closed by the last grandchild that holds them, and the
        # end of the process would be noticed only then.
        reading, writing = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *command_of(service.command, service.identity, death_signal=service.death_signal, env=service.env),
                stdout=writing,
                stderr=asyncio.subprocess.STDOUT,
                **popen_options(env=service.env, cwd=service.folder),
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        child = cls(process, service.stop_signal)
        child._pump = asyncio.create_task(_pump(reading, log))
        return child

    @property
    def pid(self) -> int:
        return self._process.pid

    async def wait(self) -> int:
        """Its exit status (negative: the signal). Then nothing of its group is left either."""
        status = await self._process.wait()
        self._signal(signal.SIGKILL)  # what it started and left behind
        if self._pump is not None:
            # Somebody in another session may hold the pipe; the rest of the output is not worth a wait.
            await asyncio.wait([self._pump], timeout=1.0)
            self._pump.cancel()
        return status

    def stop(self) -> None:
        self._signal(self._stop_signal)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


async def _pump(descriptor: int, log: ServiceLog) -> None:
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
    )
    rest = b""
    try:
        while chunk := await reader.read(1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                log.write(line)
            if len(rest) > _LONGEST_LINE:
                log.write(rest)
                rest = b""
        if rest:
            log.write(rest)
    finally:
        transport.close()
