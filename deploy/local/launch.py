"""How a child process comes to life: in which session, as whom, and how it learns of our death.

Everything here happens between fork and exec of the child, so it uses nothing but system calls.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER = 0x10000000
#: what uid 0 looks like from inside the namespace: PostgreSQL refuses 0 and takes anything else
_INSIDE_ID = 1000


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


def popen_options(
    identity: Identity = AS_WE_ARE,
    *,
    death_signal: signal.Signals = signal.SIGTERM,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> dict[str, Any]:
    """Keyword arguments for `subprocess.Popen` and `asyncio.create_subprocess_exec`.

    The child leads a session of its own, so that Ctrl-C reaches us alone and a signal to its group reaches
    its children too. On Linux the kernel sends it `death_signal` when the *thread* that started it ends,
    so start children from the main thread.
    """
    options: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "start_new_session": True,
        "preexec_fn": _preparation(identity, death_signal, os.getpid()),
    }
    if env is not None:
        options["env"] = dict(env)
    if cwd is not None:
        options["cwd"] = cwd
    if isinstance(identity, AsUser):
        options |= {"user": identity.uid, "group": identity.gid, "extra_groups": ()}
    return options


def user_namespace_works(writable: Path, command: tuple[str, ...]) -> bool:
    """Whether root can run `command` in a user namespace and write to `writable` from there."""

    def prepare() -> None:
        _enter_user_namespace()
        if not os.access(writable, os.W_OK | os.X_OK):
            raise PermissionError(writable)

    return _runs(command, preexec_fn=prepare)


def runs_as(identity: AsUser, command: tuple[str, ...]) -> bool:
    """Whether that user can run `command`: it may be out of their sight."""
    return _runs(command, user=identity.uid, group=identity.gid, extra_groups=(), cwd="/")


def _runs(command: tuple[str, ...], **options: Any) -> bool:
    try:
        done = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **options,
        )
    except (OSError, subprocess.SubprocessError):  # the second: preexec_fn raised
        return False
    return done.returncode == 0


def _preparation(identity: Identity, death_signal: signal.Signals, parent: int) -> Callable[[], None]:
    def prepare() -> None:
        match identity:
            case InUserNamespace():
                _enter_user_namespace()
            case AsWeAre() | AsUser():
                pass  # Popen itself changes the user, before it calls us
            case _:
                assert_never(identity)
        # Last, because a change of identity clears it.
        _ask_for_death_signal(death_signal, parent)

    return prepare


def _ask_for_death_signal(death_signal: signal.Signals, parent: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != parent:  # we died between fork and prctl: no signal will come
        os._exit(1)


def _enter_user_namespace() -> None:
    if _LIBC.unshare(_CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "user namespaces are refused")
    for name, text in (
        ("setgroups", b"deny"),
        ("uid_map", b"%d 0 1" % _INSIDE_ID),
        ("gid_map", b"%d 0 1" % _INSIDE_ID),
    ):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(descriptor, text)
        os.close(descriptor)
