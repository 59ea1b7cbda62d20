"""The web server."""

import uvicorn

# On a stop, an answer in the making gets this long, in seconds.
GRACE = 10


def serve(bind: tuple[str, int]) -> bool:
    """Serve until a signal says stop. False if it could not begin."""
    host, port = bind
    server = uvicorn.Server(
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
