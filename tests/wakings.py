"""How often the threads of gRPC's present engine were woken in a process: hardly ever, where the older one is at work."""

import sys
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")


def wakings(process: int) -> int:
    """How often they went to sleep again, all together; see proc(5). Both engines have these threads."""
    threads = [task for task in Path(f"/proc/{process}/task").iterdir() if (task / "comm").read_text() == "event_engine\n"]
    assert threads
    lines = [line.split() for task in threads for line in (task / "status").read_text().splitlines()]
    return sum(int(words[1]) for words in lines if words[0] == "voluntary_ctxt_switches:")
