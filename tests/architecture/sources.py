"""The project's own Python files, as the architecture tests read them."""

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("referee", "bots_sdk", "tournament_site", "deploy")


@dataclass(frozen=True, slots=True)
class Source:
    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def module(self) -> str:
        parts = list(self.path.relative_to(ROOT).with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tracked() -> tuple[Path, ...]:
    """Every file of the checkout that git tracks, or would."""
    listed = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


@cache
def sources() -> tuple[Source, ...]:
    """Python files written by hand: no generated code, no migrations."""
    return tuple(
        Source(path, text, ast.parse(text, filename=str(path)))
        for path in tracked()
        if path.suffix == ".py" and not path.is_relative_to(ROOT / "proto" / "gen") and "migrations" not in path.parts
        for text in [path.read_text()]
    )


def product() -> tuple[Source, ...]:
    """What ships, without its tests; dev.py with it."""
    return tuple(source for source in sources() if source.name.split("/")[0] in PRODUCT or source.name == "dev.py")


def imports(source: Source) -> Iterator[tuple[str, int]]:
    """Each imported module, absolute, with its line. `from a import b` gives a and a.b."""
    package = source.module.split(".")
    if source.path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(source.tree):
        match node:
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = ".".join([*package[: len(package) - level + 1], *([module] if module else [])])
                base = base if level else (module or "")
                yield base, node.lineno
                yield from ((f"{base}.{alias.name}", node.lineno) for alias in names)
            case _:
                pass


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
