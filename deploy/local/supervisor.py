"""Starts services in order, restarts those that die, and stops them in order.

Written for one machine and one person. Production has systemd or Kubernetes for this.
"""

import asyncio
import re
import signal
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from deploy.local.errors import ServiceError
from deploy.local.process import Child, ServiceLog
from deploy.local.service import Service

#: so many deaths in a row, each within HEALTHY_AFTER seconds of its start, and we give up
RESTART_LIMIT = 5
HEALTHY_AFTER = 30.0
#: the exit status of a process that will not start with these settings: no use to try again
REFUSES_SETTINGS = 2
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_PROBE_INTERVAL = 0.05


class Happening(Enum):
    """Kinds of news about a service."""

    STARTED = "started"
    DONE = "done"
    TROUBLE = "trouble"
    STOPPED = "stopped"


Listener = Callable[[str, str], None]
T = TypeVar("T")


@dataclass(slots=True)
class _Kept:
    """A service we keep running."""

    service: Service
    log: ServiceLog
    child: Child | None = None
    task: asyncio.Task[None] | None = None
    stopping: bool = False
    #: how it died last, if it ever did
    ending: str = ""


class Supervisor:
    """Keeps services alive between `start` and `stop`. One event loop, in the main thread."""

    def __init__(self, logs: Path, output: Listener, event: Callable[[Happening, str], None]) -> None:
        """`output(name, line)` hears what services print, `event(kind, text)` what happens to them."""
        self._logs = logs
        self._output = output
        self._event = event
        self._kept: dict[str, _Kept] = {}
        self._once: set[Child] = set()
        self._killed = False
        self._failure: asyncio.Future[ServiceError] = asyncio.get_running_loop().create_future()

    @property
    def names(self) -> tuple[str, ...]:
        """Services in the order of their start."""
        return tuple(self._kept)

    def pid(self, name: str) -> int | None:
        """The process that runs a service now."""
        child = self._kept[name].child
        return child.pid if child else None

    async def failure(self) -> ServiceError:
        """Wait until a service died for good."""
        return await asyncio.shield(self._failure)

    async def start(self, *services: Service) -> None:
        """Start these together and wait until all are ready. Raises ServiceError."""
        for service in services:
            kept = self._kept[service.name] = _Kept(service, self._log(service))
            kept.task = asyncio.create_task(self._keep(kept))
        await self._unless_failed(self._all_ready(services))

    async def run(self, service: Service) -> None:
        """Run a command to its end. Raises ServiceError if it fails."""
        log = self._log(service)
        started = time.monotonic()
        try:
            child = await Child.spawn(service, log)
        except OSError as error:
            raise ServiceError(service.name, f"cannot be started: {error}") from error
        self._once.add(child)
        try:
            status = await self._unless_failed(asyncio.wait_for(child.wait(), service.patience))
        except TimeoutError:
            raise ServiceError(service.name, f"did not end within {service.patience:.0f} s", log.last) from None
        finally:
            child.kill()
            await child.wait()
            self._once.discard(child)
            log.close()
        if status != 0:
            raise ServiceError(service.name, _ending(status), log.last)
        self._event(Happening.DONE, f"{service.name} done in {time.monotonic() - started:.1f} s")

    async def stop(self, groups: Iterable[Sequence[str]] = ()) -> None:
        """Stop everything: first the named groups, one after the other, then the rest, last started first."""
        for child in self._once:
            child.stop()
        named = [[name for name in group if name in self._kept] for group in groups]
        left = [name for name in reversed(self.names) if not any(name in group for group in named)]
        for group in (*named, *([name] for name in left)):
            await asyncio.gather(*(self._stop(self._kept[name]) for name in group))

    def kill(self) -> None:
        """End everything at once, without asking. `stop` then returns soon."""
        self._killed = True
        for kept in self._kept.values():
            kept.stopping = True  # so that none is started again
        for child in self._children():
            child.kill()

    def _children(self) -> list[Child]:
        return [*self._once, *(kept.child for kept in self._kept.values() if kept.child)]

    def _log(self, service: Service) -> ServiceLog:
        return ServiceLog(log_file(self._logs, service.name), lambda text: self._output(service.name, text))

    async def _unless_failed(self, wanted: Coroutine[Any, Any, T]) -> T:
        """The result of `wanted`, or the failure of any service if that comes first."""
        task = asyncio.create_task(wanted)
        try:
            either: list[asyncio.Future[Any]] = [task, self._failure]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._failure.done() and not task.done():
                raise self._failure.result()
            return await task
        finally:
            task.cancel()

    async def _all_ready(self, services: Sequence[Service]) -> None:
        await asyncio.gather(*(self._ready(self._kept[service.name]) for service in services))

    async def _ready(self, kept: _Kept) -> None:
        service = kept.service
        started = time.monotonic()
        while not await self._probe(kept):
            if time.monotonic() - started > service.patience:
                ending = f", and {kept.ending}" if kept.ending else ""
                raise ServiceError(service.name, f"was not ready within {service.patience:.0f} s{ending}", kept.log.last)
            await asyncio.sleep(_PROBE_INTERVAL)
        self._event(Happening.STARTED, f"{service.name} started in {time.monotonic() - started:.1f} s")

    async def _probe(self, kept: _Kept) -> bool:
        child = kept.child
        if child is None:
            return False
        ready = kept.service.ready is None or await asyncio.to_thread(kept.service.ready)
        return ready and kept.child is child  # not somebody else on its port while it is being restarted

    async def _keep(self, kept: _Kept) -> None:
        """Run a service until it is told to stop or dies too often."""
        deaths = 0
        while True:
            started = time.monotonic()
            status = await self._run_once(kept)
            if kept.stopping:
                return
            deaths = 1 if time.monotonic() - started >= HEALTHY_AFTER else deaths + 1
            reason = _ending(status) if isinstance(status, int) else f"cannot be started: {status}"
            kept.ending = reason
            if status == REFUSES_SETTINGS or deaths > RESTART_LIMIT:
                again = "" if status == REFUSES_SETTINGS else ", again and again"
                self._give_up(ServiceError(kept.service.name, reason + again, kept.log.last))
                return
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (deaths - 1))
            self._event(Happening.TROUBLE, f"{kept.service.name} {reason}; starting it again in {pause:g} s")
            await asyncio.sleep(pause)

    async def _run_once(self, kept: _Kept) -> int | OSError:
        try:
            kept.child = await Child.spawn(kept.service, kept.log)
        except OSError as error:
            return error
        if kept.stopping:  # told while it was being started
            kept.child.kill()
        status = await kept.child.wait()
        kept.child = None
        return status

    def _give_up(self, error: ServiceError) -> None:
        if not self._failure.done():
            self._failure.set_result(error)

    async def _stop(self, kept: _Kept) -> None:
        started = time.monotonic()
        kept.stopping = True
        assert kept.task is not None
        if kept.child is None:
            kept.task.cancel()  # it sleeps before a restart, or has given up
        elif self._killed:
            kept.child.kill()
        else:
            kept.child.stop()
        _, running = await asyncio.wait([kept.task], timeout=kept.service.grace)
        if running and kept.child is not None:
            self._event(Happening.TROUBLE, f"{kept.service.name} did not stop within {kept.service.grace:.0f} s: killed")
            kept.child.kill()
            await asyncio.wait([kept.task])
        kept.log.close()
        self._event(Happening.STOPPED, f"{kept.service.name} stopped in {time.monotonic() - started:.1f} s")


def log_file(folder: Path, name: str) -> Path:
    """Where a service's output goes; its name may be a bot's."""
    return folder / (re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() + ".log")


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    return f"was ended by {signal.Signals(-status).name}"
