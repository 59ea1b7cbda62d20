"""A house of two servers and a program, for tests that kill its supervisor.

Run as `python -m tests.deploy.small_house STATE`; prints a line of process ids when everything is up, and
stops at SIGTERM.
"""

import asyncio
import signal
import sys
import time
from pathlib import Path

from deploy.local import house
from deploy.local.settings import Settings
from deploy.local.state import State
from deploy.local.supervisor import Supervisor
from tests.deploy.programs import SLEEPER, program


async def keep(state: State, stores: house.Stores) -> None:
    supervisor = Supervisor(state.folder("logs"), lambda *_: None, lambda _, text: print(text, flush=True))
    asked = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asked.set)
    await supervisor.start(*stores.services)
    await supervisor.start(program("sleeper", SLEEPER))
    print("up", *(supervisor.pid(name) for name in supervisor.names), flush=True)
    await asked.wait()
    await supervisor.stop()


def main() -> None:
    state = State(Path(sys.argv[1]))
    started = time.monotonic()
    with state.locked():
        stores = house.stores(Settings.from_env(), state)
        print(*stores.notes, stores.database_url, stores.redis_url, sep="\n", flush=True)
        asyncio.run(keep(state, stores))
        state.remove_temporary_sockets()
    print(f"{time.monotonic() - started:.1f} s")


if __name__ == "__main__":
    main()
