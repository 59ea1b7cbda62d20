"""Which engine of gRPC's our own processes choose. gRPC reads the choice from its environment when it is imported."""

import re
from importlib.metadata import PackageNotFoundError, version
from typing import Final

EXPERIMENTS: Final = "GRPC_EXPERIMENTS"  # the name of the variable
#: Gives gRPC the engine back that it had until 1.78: where the present one wakes threads for every message, it wakes none.
OLDER_ENGINE: Final = "-event_engine_client,-event_engine_listener"
OLDER_ENGINE_KNOWN: Final = ((1, 76), (1, 85))  # versions that were tried; to stderr goes any name that one does not know


def has_older_engine(grpc: str) -> bool:
    """Whether this version of gRPC is known to have the older engine, and both of its names."""
    found = re.match(r"(\d+)\.(\d+)", grpc)
    first, last = OLDER_ENGINE_KNOWN
    return found is not None and first <= (int(found[1]), int(found[2])) <= last


def installed_grpc() -> str:
    """The version of gRPC that would be imported; nothing if nobody wrote it down."""
    try:
        return version("grpcio")
    except PackageNotFoundError:
        return ""
