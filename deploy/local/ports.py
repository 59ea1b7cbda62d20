"""Free TCP ports."""

import socket
from collections.abc import Collection


def is_free(host: str, port: int) -> bool:
    """Whether somebody could listen there now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def pick(host: str, wanted: int, taken: Collection[int] = ()) -> int:
    """`wanted` if it is free and not `taken`, else one of the next hundred, else any that is free."""
    for port in range(wanted, min(wanted + 100, 65536)):
        if port not in taken and is_free(host, port):
            return port
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((host, 0))
            port = int(probe.getsockname()[1])
        if port not in taken:
            return port
