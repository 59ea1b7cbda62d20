"""How a child process comes to life: in which session, as whom, and how it learns of our death."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ENTER = Path(__file__).with_name("enter.py")


@dataclass(frozen=True, slots=True)
class AsWeAre:
    """The child is who we are."""


@dataclass(frozen=True, slots=True)
class InUserNamespace:
    """Root starts the child in a user namespace that shows uid 0 as 1000. Files on disk stay root's.

    The child can do what root's files allow, and no more: it has no power over other users' files.
    """


@dataclass(frozen=True, slots=True)
class AsUser:
    """Root starts the child as somebody else."""

    uid: int
    gid: int


Identity = AsWeAre | InUserNamespace | AsUser
AS_WE_ARE = AsWeAre()


def command_of(
    command: Sequence[str],
    identity: Identity = AS_WE_ARE,
    *,
    death_signal: signal.Signals = signal.SIGTERM,
    env: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """The command that becomes `command`, as `enter.py` does it.

    On Linux the kernel sends it `death_signal` when the *thread* that started it ends, so start children from the main
    thread. Raises FileNotFoundError if there is no such program on the path of `env`, which is ours if it is None.
    """
    if shutil.which(command[0], path=None if env is None else env.get("PATH", os.defpath)) is None:
        raise FileNotFoundError(2, "no such program", command[0])
    wishes = {
        "user_namespace": isinstance(identity, InUserNamespace),
        "user": (identity.uid, identity.gid) if isinstance(identity, AsUser) else None,
        "death_signal": int(death_signal),
        "parent": os.getpid(),
    }
    return (sys.executable, "-I", "-S", str(_ENTER), json.dumps(wishes), *command)


def popen_options(*, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> dict[str, Any]:
    """Keyword arguments for `subprocess.Popen` and `asyncio.create_subprocess_exec`.

    The child leads a session of its own, so that Ctrl-C reaches us alone and a signal to its group reaches its children too.
    """
    options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "start_new_session": True}
    if env is not None:
        options["env"] = dict(env)
    if cwd is not None:
        options["cwd"] = cwd
    return options


def user_namespace_works(writable: Path, command: tuple[str, ...]) -> bool:
    """Whether root can run `command` in a user namespace and write to `writable` from there."""
    question = ("/bin/sh", "-c", 'test -w "$0" && test -x "$0" && exec "$@"', str(writable), *command)
    return _succeeds(question, InUserNamespace())


def runs_as(identity: AsUser, command: tuple[str, ...]) -> bool:
    """Whether that user can run `command`: it may be out of their sight."""
    return _succeeds(command, identity, cwd="/")


def _succeeds(command: tuple[str, ...], identity: Identity, cwd: str | None = None) -> bool:
    try:
        done = subprocess.run(
            command_of(command, identity),
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
        )
    except OSError:
        return False
    return done.returncode == 0
