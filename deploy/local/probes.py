"""Readiness: short questions with a yes or no, asked a few times a second until the answer is yes."""

import http.client
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

_TIMEOUT = 2.0

Probe = Callable[[], bool]


def tcp(host: str, *ports: int) -> Probe:
    """Somebody listens on each of the ports."""

    def ask() -> bool:
        try:
            for port in ports:
                socket.create_connection((host, port), timeout=_TIMEOUT).close()
        except OSError:
            return False
        return True

    return ask


def http_answers(url: str) -> Probe:
    """The URL answers with a status below 500."""
    parts = urlsplit(url)

    def ask() -> bool:
        connection = http.client.HTTPConnection(parts.netloc, timeout=_TIMEOUT)
        try:
            connection.request("GET", parts.path or "/")
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return ask


def command_succeeds(*command: str) -> Probe:
    def ask() -> bool:
        done = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return done.returncode == 0

    return ask


def redis_answers(unix_socket: Path) -> Probe:
    """A Valkey or Redis on that socket answers PING, so it has loaded what it keeps."""

    def ask() -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_TIMEOUT)
            try:
                connection.connect(str(unix_socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    return ask
