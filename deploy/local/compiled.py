"""The product with its busiest modules compiled (see `deploy/wheel.py`), made from the sources as they are."""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from deploy.local.console import Console
from deploy.local.environment import alone
from deploy.local.errors import LocalError
from deploy.local.settings import Settings

_FOLDER = ".compiled"
_STAMP = "sources.sha256"
#: what the wheel is made of, and what makes it
_SOURCES = ("referee", "bots_sdk", "tournament_site", "proto", "deploy/wheel.py", "pyproject.toml", "requirements/dev.lock")


def obstacle() -> str:
    """Why nothing can be compiled here; empty if it can."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler}); on Debian, as root: apt-get install gcc"
    headers = Path(sysconfig.get_paths()["include"]) / "Python.h"
    return "" if headers.exists() else f"there is no {headers}; on Debian, as root: apt-get install python3-dev"


def ensure(root: Path, console: Console) -> Path:
    """The folder to import the compiled product from. Takes a minute where a source has changed. Raises LocalError."""
    folder = root / _FOLDER
    lock = root / f"{_FOLDER}-lock"  # its own: who compiles keeps nobody from anything else
    lock.mkdir(exist_ok=True)
    with alone(lock, console):
        digest = _digest(root)
        stamp = folder / _STAMP
        if not stamp.exists() or stamp.read_text() != digest:
            why = obstacle()
            if why:
                raise LocalError(f"the product cannot be compiled: {why}")
            with console.step("compile the busiest modules; it takes a minute"):
                _build(root, folder)
            stamp.write_text(digest)
    return folder


def environment(root: Path, folder: Path) -> dict[str, str]:
    """That of a process which imports the compiled product from `folder`, and everything else from `root`."""
    paths = os.pathsep.join((str(folder), str(root)))
    # Safe: where it is started from does not come first.
    return {**Settings.from_env().inherited, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}


def _build(root: Path, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=f"{_FOLDER}-", dir=root) as made:
        done = subprocess.run(
            (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", made),
            cwd=root,
            env={**Settings.from_env().inherited, "HATCH_BUILD_HOOKS_ENABLE": "1"},
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        if done.returncode != 0:
            raise LocalError(f"the compiled wheel cannot be built:\n{done.stdout.strip()}")
        whole = Path(made) / "whole"
        for wheel in Path(made).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(whole)
        if folder.exists():
            folder.rename(Path(made) / "before")  # whoever runs from it runs from nothing else meanwhile
        whole.rename(folder)


def _digest(root: Path) -> str:
    """Of this Python, and of everything that goes into the wheel."""
    known = hashlib.sha256(sys.version.encode())
    for source in _SOURCES:
        for file in _files(root / source):
            data = file.read_bytes()
            known.update(f"{file.relative_to(root)} {len(data)}\n".encode())
            known.update(data)
    return known.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for file in sorted(path.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            yield file
