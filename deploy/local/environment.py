"""Makes a virtual environment from hashed locks. Standard library only: it runs before there is one.

A file in the environment says what was installed; another one says that an installation was begun. So an
interrupted set-up is noticed and begun anew, and a finished one costs nothing.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from deploy.local.console import Console
from deploy.local.errors import LocalError

_STAMP = "phaseten-installed.json"
_BEGUN = "phaseten-set-up-begun"
_INSTALL = ("--disable-pip-version-check", "install", "--quiet", "--no-deps")
#: the first pip that can install into another environment (`--python`)
_ABLE_PIP = (22, 3)
#: A pin and its hashes begin at the left margin.
_PIN = re.compile(r"^(?=[A-Za-z0-9])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """An environment, and what is to be in it."""

    folder: Path
    locks: tuple[Path, ...]
    #: install this project too, editable; needs hatchling and editables in the locks
    project: Path | None = None


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def ensure(wanted: Wanted, console: Console) -> Path:
    """The environment's Python, after whatever had to be made or installed. Raises LocalError.

    Quick if nothing changed: one start of that Python. Two callers at a time wait for each other.
    """
    wanted.folder.parent.mkdir(parents=True, exist_ok=True)
    with alone(wanted.folder.parent, console):
        complaint = _complaint(wanted.folder)
        if complaint:
            if wanted.folder.exists():
                _refuse_to_saw(wanted.folder, complaint)
                console.line(f"  {wanted.folder.name} is made anew: {complaint}")
            with console.step(f"make {wanted.folder.name}"):
                _make(wanted.folder)
        _install(wanted, console)
    return python_of(wanted.folder)


def _complaint(folder: Path) -> str:
    """Why the environment cannot be used as it is; empty if it can."""
    if not folder.exists():
        return "there is none"
    if (folder / _BEGUN).exists():
        return "its set-up was interrupted"
    place = _installed(folder).get("place", str(folder))
    if place != str(folder):
        return f"it was moved here from {place}"
    version = _version(folder)
    if version is None:
        return "its Python does not start"
    ours = _dotted(sys.version_info[:2])
    return "" if version.startswith(f"{ours}.") else f"it is for Python {version}, and this is {ours}"


def _refuse_to_saw(folder: Path, complaint: str) -> None:
    """Nobody removes the environment whose Python runs this very program."""
    if Path(sys.prefix).resolve() == folder.resolve():
        raise LocalError(
            f"{folder.name} has to be made anew ({complaint}): run this with the system's python3, not with {sys.executable}"
        )


def _make(folder: Path) -> None:
    """Without pip: the one that is here can install into it, and giving it its own takes seconds."""
    if find_spec("venv") is None or (not _our_pip() and find_spec("ensurepip") is None):
        raise LocalError(
            "this Python cannot make virtual environments: it has no pip and no ensurepip. On Debian and "
            "Ubuntu, as root: apt-get install python3-venv"
        )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / _BEGUN).touch()
    _command((sys.executable, "-m", "venv", "--without-pip", str(folder)), f"cannot make {folder}")


def _our_pip() -> bool:
    """Whether the Python that runs this has a pip that can install for another."""
    try:
        numbers = metadata.version("pip").split(".")
        return (int(numbers[0]), int(numbers[1])) >= _ABLE_PIP
    except (metadata.PackageNotFoundError, ValueError, IndexError):
        return False


def _pip(folder: Path) -> tuple[str, ...]:
    """The command that installs into the environment."""
    python = str(python_of(folder))
    if _our_pip() and Path(sys.prefix).resolve() != folder.resolve():
        return (sys.executable, "-m", "pip", "--python", python)
    if subprocess.run((python, "-c", "import pip"), check=False, stderr=subprocess.DEVNULL).returncode != 0:
        _command((python, "-m", "ensurepip"), "cannot install pip (on Debian: apt-get install python3-venv)")
    return (python, "-m", "pip")


def _install(wanted: Wanted, console: Console) -> None:
    """Install what the stamp does not name, then write the stamp."""
    place = {"place": str(wanted.folder), "python": _version(wanted.folder) or ""}
    installed = _installed(wanted.folder)
    if not installed.items() >= place.items():
        installed = {}  # by another Python, or none
    stale = [lock for lock in wanted.locks if installed.get(lock.name) != _digest(lock)]
    project = {} if wanted.project is None else {"project": _digest(wanted.project / "pyproject.toml")}
    if not stale and installed.items() >= project.items():
        return
    (wanted.folder / _BEGUN).touch()
    pip = (*_pip(wanted.folder), *_INSTALL)
    if stale:
        pins = [pin for lock in stale for pin in _pins(lock)]
        with console.step(f"install {len(pins)} locked packages into {wanted.folder.name}"):
            _install_pins(wanted.folder, pip, pins)
    if wanted.project is not None:
        with console.step("install phaseten itself, editable"):
            options = ("--no-build-isolation", "--no-index", "--editable", str(wanted.project))
            _command((*pip, *options), "cannot install the project")
    stamp = installed | place | project | _covered(stale)
    (wanted.folder / _STAMP).write_text(json.dumps(stamp, indent=1))
    (wanted.folder / _BEGUN).unlink()


def _covered(locks: Sequence[Path]) -> dict[str, str]:
    """These locks, and those beside them that ask for nothing more (server.lock within dev.lock)."""
    names = {_name(pin) for lock in locks for pin in _pins(lock)}
    beside = {other for lock in locks for other in lock.parent.glob("*.lock")}
    return {lock.name: _digest(lock) for lock in beside if {_name(pin) for pin in _pins(lock)} <= names}


def _pins(lock: Path) -> list[str]:
    return [block for block in _PIN.split(lock.read_text()) if block and block[0].isalnum()]


def _install_pins(folder: Path, pip: Sequence[str], pins: Sequence[str]) -> None:
    """Two pips at once, each with half of the pins: reading, hashing and compiling keep one core busy.

    The locks are complete, so nothing is resolved and the halves cannot disagree. If one fails (two may step
    on each other's toes), a single pip does it again, and its word counts.
    """
    files = []
    for number in range(2):
        half = folder / f"half-{number}.lock"
        half.write_text("".join(pins[number::2]))
        files.append(half)
    whole = folder / "whole.lock"
    whole.write_text("".join(pins))
    command = (*pip, "--require-hashes", "-r")
    with _ended(
        [
            subprocess.Popen(
                (*command, str(half)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                close_fds=False,  # it holds the lock too
            )
            for half in files
        ]
    ) as halves:
        fine = [half.wait() == 0 for half in halves]
    if not all(fine):
        _command((*command, str(whole)), "pip cannot install the locked packages")
    for file in (*files, whole):
        file.unlink()


@contextmanager
def _ended(processes: list[subprocess.Popen[bytes]]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """None of them outlives the block, however it ends."""
    try:
        yield processes
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def _command(command: Sequence[str], complaint: str) -> None:
    done = subprocess.run(
        command,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        close_fds=False,  # it holds the lock too
    )
    if done.returncode != 0:
        raise LocalError(f"{complaint}:\n{done.stdout.strip()}")


def _name(pin: str) -> str:
    """Package, version and marker of a pin, without its hashes."""
    return pin.splitlines()[0].rstrip(" \\")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _installed(folder: Path) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads((folder / _STAMP).read_text())
    except (OSError, ValueError):
        return {}
    return found


def _version(folder: Path) -> str | None:
    """The full version of the environment's Python; None if it does not start."""
    question = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
    try:
        done = subprocess.run((str(python_of(folder)), "-c", question), check=False, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _dotted(numbers: Sequence[object]) -> str:
    return ".".join(map(str, numbers))


@contextmanager
def alone(folder: Path, console: Console) -> Iterator[None]:
    """One set-up in a folder at a time.

    Our children inherit the lock: if we are killed, it is free when the last of them has stopped writing.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            console.line("  another set-up is at work here: waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
