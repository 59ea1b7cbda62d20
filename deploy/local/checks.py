"""`dev.py check`: everything a tool can say about the source. All steps run; the failed ones show their output."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.local import house
from deploy.local.console import Console
from deploy.local.house import PROJECT, Ports
from deploy.local.settings import Settings
from deploy.local.state import State

_PACKAGES = ("referee", "bots_sdk", "tournament_site", "deploy", "dev.py", "tests")
_LINT_IMPORTS = "import sys; from importlinter.cli import lint_imports_command as run; sys.argv = ['lint-imports']; run()"


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    #: a command, or a function that answers with complaints
    work: tuple[str, ...] | Callable[[], str]
    folder: Path = PROJECT


class _Failed(Exception):
    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output


def run() -> int:
    """Run all checks; 1 if any failed."""
    settings = Settings.from_env()
    console = Console(no_color=settings.no_color)
    failed: list[tuple[Check, str]] = []
    with tempfile.TemporaryDirectory(prefix="phaseten-") as folder:
        env = _environment(settings, Path(folder))
        for check in _checks():
            try:
                with console.step(check.name):
                    _perform(check, env)
            except _Failed as failure:
                failed.append((check, failure.output))
    for check, output in failed:
        console.line()
        console.warn(f"-- {check.name} " + "-" * 40)
        console.line(output.rstrip())
    console.line()
    console.line(f"{len(failed)} of {len(_checks())} checks failed" if failed else "all checks passed")
    return 1 if failed else 0


def _checks() -> tuple[Check, ...]:
    python = sys.executable
    proto = PROJECT / "proto"
    buf = str(Path(python).with_name("buf"))
    return (
        Check("ruff format", (python, "-m", "ruff", "format", "--check", ".")),
        Check("ruff lint", (python, "-m", "ruff", "check", ".")),
        Check("types (mypy, strict)", (python, "-m", "mypy", *_PACKAGES)),
        Check("import contracts", (python, "-c", _LINT_IMPORTS)),
        Check("generated code is fresh", (python, str(proto / "generate.py"), "--check")),
        Check("schema: buf lint", (buf, "lint"), proto),
        Check("schema: buf breaking", (buf, "breaking", "--against", "baseline.binpb"), proto),
        Check(
            "migrations are complete",
            (python, "-m", "tournament_site", "makemigrations", "--check", "--dry-run"),
        ),
        Check("locks name no hosts", _hosts_in_locks),
    )


def _perform(check: Check, env: Mapping[str, str]) -> None:
    if callable(check.work):
        complaints = check.work()
        if complaints:
            raise _Failed(complaints)
        return
    try:
        done = subprocess.run(
            check.work,
            check=False,
            cwd=check.folder,
            env=dict(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise _Failed(f"{check.work[0]} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        words = ["python" if word == sys.executable else word for word in check.work]
        raise _Failed(f"$ {' '.join(words)}\n{done.stdout}")


def _environment(settings: Settings, folder: Path) -> dict[str, str]:
    """Settings the site accepts. No server listens there, and none is needed."""
    state = State(folder)
    nowhere = folder / "nowhere"
    return house.environment(
        settings.inherited,
        state,
        Ports(),
        f"postgres://postgres@/phaseten?host={nowhere}",
        f"unix://{nowhere}/valkey.sock?db=0",
    )


def _hosts_in_locks() -> str:
    return "\n".join(
        f"{lock.relative_to(PROJECT)}:{number}: {line.strip()}"
        for lock in sorted((PROJECT / "requirements").glob("*.lock"))
        for number, line in enumerate(lock.read_text().splitlines(), start=1)
        if "://" in line
    )
