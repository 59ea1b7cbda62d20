"""`phaseten-referee`: runs a referee until it is told to stop, or says how a running one is."""

import argparse
import asyncio
import contextlib
import os
import resource
import signal
import sys
from collections.abc import Sequence
from typing import Final

import uvloop

from referee.service.settings import Settings, SettingsError, control_address, grpc_variables

# gRPC reads them when it is imported, which the settings do not do.
os.environ.update(grpc_variables(os.environ))

from referee.service import log, status
from referee.service.journal import CannotKeep
from referee.service.memory import collect_rarely
from referee.service.server import MAX_CONNECTIONS, CannotListen, RefereeServer

PRECEDENCE: Final = -5  # as `nice` counts
DESCRIPTORS: Final = MAX_CONNECTIONS + 200  # one for each bot, and some for everything else

events = log.EventLog(__name__)


def _take_precedence() -> None:
    """Go before what shares the machine, where that is allowed: this process keeps the clocks of all others."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, PRECEDENCE)


def _take_descriptors() -> int:
    """Raise the limit of open files to what all bots together need, as far as that is allowed; what it is then.

    The usual one is good for a thousand bots. Whoever came after them would not even hear why nobody answers.
    """
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (sys.maxsize if limit == resource.RLIM_INFINITY else limit for limit in limits)
    wanted = min(DESCRIPTORS, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, limits[1]))
    return max(soft, wanted)


def _leave_no_core() -> None:
    """A process that crashes leaves no image of its memory on a disk: hands and seeds are in it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


async def _serve(settings: Settings) -> bool:
    """Run until the first signal, then drain; a second signal cuts that short. False if a port died before."""
    loop = asyncio.get_running_loop()
    stop, hurry = asyncio.Event(), asyncio.Event()

    def ask() -> None:
        (hurry if stop.is_set() else stop).set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ask)
    allowed = _take_descriptors()
    server = RefereeServer(settings)
    await server.start()
    if allowed < DESCRIPTORS:
        events.warning("too few descriptors for all bots", allowed=allowed, wanted=DESCRIPTORS)
    collect_rarely()
    reasons = [asyncio.create_task(event.wait()) for event in (stop, server.broken)]
    await asyncio.wait(reasons, return_when=asyncio.FIRST_COMPLETED)
    for reason in reasons:
        reason.cancel()
    if stop.is_set():
        await server.drain(settings.grace, hurry)
    await server.stop()
    return stop.is_set()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, `serve` if none is named; the exit status, 2 for wrong input or settings."""
    try:
        parser = argparse.ArgumentParser(
            prog="phaseten-referee", description="The referee: bots dial in, and it plays their games."
        )
        commands = parser.add_subparsers(title="commands", metavar="COMMAND")
        serve = commands.add_parser("serve", help="run a referee until it is told to stop; done if no command is named")
        serve.set_defaults(handler=_run)
        status.add(commands, control_address(os.environ))
        chosen = parser.parse_args(arguments)
        return int(getattr(chosen, "handler", _run)(chosen))
    except SettingsError as error:
        for problem in error.problems:
            sys.stderr.write(f"phaseten-referee: {problem}\n")
        return 2


def _run(_chosen: argparse.Namespace) -> int:
    """Read the settings and serve. 0 after a stop that was asked for, 1 without ports or journal. Raises SettingsError."""
    settings = Settings.from_env(os.environ)
    log.configure(settings.log_level)
    _leave_no_core()
    _take_precedence()
    try:
        return 0 if uvloop.run(_serve(settings)) else 1
    except (CannotListen, CannotKeep) as problem:
        sys.stderr.write(f"phaseten-referee: {problem}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
