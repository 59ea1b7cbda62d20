"""Work that is done once, and again when what it was made from has changed."""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from deploy.local.service import Service


@dataclass(frozen=True, slots=True)
class Preparation:
    """A command and the file that remembers what it was done for; None: do it every time."""

    command: Service
    mark: Path | None
    made_from: tuple[Path, ...]

    @property
    def needed(self) -> bool:
        if self.mark is None:
            return True
        with suppress(OSError):
            return self.mark.read_text() != _digest(self.made_from)
        return True

    def done(self) -> None:
        if self.mark is not None:
            self.mark.write_text(_digest(self.made_from))


def _digest(files: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for file in sorted(files):
        if file.is_file():
            whole.update(f"{file}\0{file.stat().st_size}\0".encode())
            whole.update(file.read_bytes())
    return whole.hexdigest()
