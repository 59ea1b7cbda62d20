"""The web server: uvicorn, with an end that does not wait for pages that never end."""

from collections.abc import Callable
from types import FrameType

import uvicorn

# An answer in the making gets this long, in seconds.
GRACE = 10


class Closing:
    """A bell that rings when the server is to stop, so that live pages can end their streams."""

    def __init__(self) -> None:
        self.rung = False
        self._listeners: set[Callable[[], None]] = set()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when the server is to stop, from the event loop's thread. Returns what undoes it."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def ring(self) -> None:
        self.rung = True
        for listener in tuple(self._listeners):
            listener()


closing = Closing()


class Server(uvicorn.Server):
    """Rings the bell before uvicorn begins to wait for open answers."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        closing.ring()
        super().handle_exit(sig, frame)


def serve(bind: tuple[str, int]) -> bool:
    """Serve until a signal says stop. False if it could not begin."""
    host, port = bind
    server = Server(
        uvicorn.Config(
            "tournament_site.asgi:application",
            host=host,
            port=port,
            loop="uvloop",
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,  # Django's
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
        )
    )
    server.run()
    return server.started
