"""The state directory: everything one house keeps, and the lock that makes it the only one there."""

import fcntl
import json
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from deploy.local.errors import LocalError

#: A Unix socket's path may have 108 bytes on Linux and 104 on macOS, its end included.
SOCKET_PATH_LIMIT = 100
_LONGEST_SOCKET_NAME = "/.s.PGSQL.5432.lock"
#: Servers and URLs quote anything else each in their own way, so such a path is not handed to them.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")


class State:
    """Paths below one directory, made on first use with access for their owner only."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.demo_file = self.root / "demo.json"
        self._environment_file = self.root / "environment.json"
        self.replays = self.root / "replays"

    def folder(self, name: str) -> Path:
        path = self.root / name
        for folder in (self.root, path):  # `parents` are made with the usual mode
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return path

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only house on this directory, or raise LocalError. The lock dies with the process."""
        try:
            descriptor = os.open(self.folder(".") / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise LocalError(f"cannot keep state in {self.root}: {error.strerror}") from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
                raise LocalError(
                    f"another house (process {holder}) already runs on {self.root}: "
                    "stop it, or give this one a directory of its own with --state DIR"
                ) from None
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
            yield
        finally:
            os.close(descriptor)

    @property
    def in_use(self) -> bool:
        """Whether a house runs on this directory."""
        try:
            descriptor = os.open(self.root / "lock", os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def keep_environment(self, env: Mapping[str, str]) -> None:
        """Write down what the processes of the house are told of it, for commands beside them; keys are in it."""
        told = {name: value for name, value in env.items() if name == "DATABASE_URL" or name.startswith("PHASETEN_")}
        write_private(self.folder(".") / self._environment_file.name, json.dumps(told, indent=2).encode())

    def environment(self) -> dict[str, str]:
        """What was written down. Raises LocalError while the house has not come so far."""
        try:
            told: dict[str, str] = json.loads(self._environment_file.read_text())
        except (OSError, ValueError) as error:
            raise LocalError(f"the house on {self.root} is not up yet: wait for the address of its site") from error
        return told

    def socket_folder(self) -> Path:
        """A folder for Unix sockets: `run` in here, or a private temporary one if that path is too long.

        The temporary one is written down, so that the next start removes it if this one cannot.
        """
        self.remove_temporary_sockets()
        path = self.root / "run"
        if usable_for_sockets(path):
            return self.folder("run")
        elsewhere = Path(tempfile.mkdtemp(prefix="phaseten-"))
        if not usable_for_sockets(elsewhere):
            elsewhere.rmdir()
            elsewhere = Path(tempfile.mkdtemp(prefix="phaseten-", dir="/tmp"))
        self.folder(".")
        self._socket_pointer.write_text(str(elsewhere))
        return elsewhere

    def remove_temporary_sockets(self) -> None:
        with suppress(OSError):
            shutil.rmtree(self._socket_pointer.read_text())
        self._socket_pointer.unlink(missing_ok=True)

    @property
    def _socket_pointer(self) -> Path:
        return self.root / "sockets-are-in"

    def secret(self, name: str) -> str:
        """A random text, made once and kept."""
        path = self.folder("keys") / name
        if not path.exists():
            write_private(path, secrets.token_urlsafe(48).encode())
        return path.read_text()

    def ticket_keys(self) -> tuple[Path, Path]:
        """The Ed25519 key the site signs tickets with, and the public half for the referee (PEM files)."""
        private, public = (self.folder("keys") / f"ticket-{half}.pem" for half in ("private", "public"))
        if not (private.exists() and public.exists()):
            key = Ed25519PrivateKey.generate()
            write_private(
                private,
                key.private_bytes(
                    serialization.Encoding.PEM,
                    serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption(),
                ),
            )
            write_private(
                public,
                key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
            )
        return private, public

    def demo(self) -> dict[str, Any]:
        """What the seed command wrote: house bots and seasons. Raises LocalError if it is not there."""
        try:
            found: dict[str, Any] = json.loads(self.demo_file.read_text())
        except (OSError, ValueError) as error:
            raise LocalError(f"the seed command left no usable {self.demo_file}: {error}") from error
        return found


def usable_for_sockets(folder: Path) -> bool:
    path = str(folder)
    return len(os.fsencode(path + _LONGEST_SOCKET_NAME)) <= SOCKET_PATH_LIMIT and bool(_PLAIN_PATH.fullmatch(path))


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    unfinished.replace(path)
