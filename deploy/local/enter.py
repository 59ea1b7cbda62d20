"""What a child does before it becomes the program it was started for: `python -I -S enter.py WISHES PROGRAM [ARGUMENT...]`.

It is a program of its own and not a `preexec_fn`, because between fork and exec of a process that has other threads (gRPC's,
for one) no Python can run safely: such children die of a broken lock or a segmentation fault now and then. It imports
nothing but the standard library.
"""

import ctypes
import json
import os
import signal
import sys
from typing import Any

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER = 0x10000000
#: what uid 0 looks like from inside the namespace: PostgreSQL refuses 0 and takes anything else
_INSIDE_ID = 1000
CANNOT_ENTER = 126  # the exit statuses that shells have for it
NO_PROGRAM = 127


def main(arguments: list[str]) -> int:
    """Fulfil the wishes (a JSON object, see `launch.command_of`) and become the program; returns only if that fails."""
    wishes, command = json.loads(arguments[0]), arguments[1:]
    for number in (signal.SIGPIPE, getattr(signal, "SIGXFSZ", signal.SIGPIPE)):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them, and what is ignored stays so
    try:
        _become(wishes)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error}", file=sys.stderr)
        return CANNOT_ENTER
    # Last, because a change of identity clears it.
    _ask_for_death_signal(wishes["death_signal"], wishes["parent"])
    try:
        os.execvp(command[0], command)  # noqa: S606  no shell, on purpose
    except OSError as error:
        print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr)
        return NO_PROGRAM


def _become(wishes: dict[str, Any]) -> None:
    if wishes["user_namespace"]:
        _enter_user_namespace()
    if wishes["user"] is not None:
        uid, gid = wishes["user"]
        os.setgroups(())
        os.setgid(gid)
        os.setuid(uid)


def _ask_for_death_signal(death_signal: int, parent: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent:  # it died before that: no signal will come
        os._exit(1)


def _enter_user_namespace() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare") or libc.unshare(_CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "user namespaces are refused")
    for name, text in (
        ("setgroups", b"deny"),
        ("uid_map", b"%d 0 1" % _INSIDE_ID),
        ("gid_map", b"%d 0 1" % _INSIDE_ID),
    ):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(descriptor, text)
        os.close(descriptor)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
