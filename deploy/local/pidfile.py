"""A server that a killed supervisor left behind is stopping; the next start waits for it."""

import os
import time
from contextlib import suppress
from pathlib import Path


def wait_for_previous(pidfile: Path, seconds: float = 10.0) -> None:
    """Wait until the process named in the file's first line is gone, or the time is over."""
    with suppress(OSError, ValueError, IndexError):
        pid = int(pidfile.read_text().splitlines()[0])
        deadline = time.monotonic() + seconds
        while _alive(pid) and time.monotonic() < deadline:
            time.sleep(0.05)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return False  # somebody else's by now: a server of ours would be ours
    # Dead, but nobody has asked for its status yet: it can sit like that for ever in a container.
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return True
