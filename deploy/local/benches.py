"""`dev.py bench`: runs the files of tests/bench and prints what they measure."""

import importlib.util
import json
import sys
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader
from pathlib import Path

from deploy.local.errors import LocalError

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = _ROOT / "tests" / "bench"
_USAGE = 2


def refused(names: Sequence[str]) -> bool:
    """Whether one of these is no bench; says so."""
    known = _known()
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.stderr.write(f"dev.py bench: there is no {', '.join(unknown)}; there are: {', '.join(known) or 'none'}\n")
    return bool(unknown)


def run(names: Sequence[str], file: Path | None) -> int:
    """Measure these (all if empty) and print `name value unit` lines; the exit status."""
    if refused(names):
        return _USAGE
    known = _known()
    if not known:
        raise LocalError(f"there is nothing to measure in {_FOLDER}")
    figures: dict[str, float] = {}

    def report(name: str, value: float, unit: str) -> None:
        figures[name] = value
        print(f"{name} {value:.6g} {unit}", flush=True)

    if str(_ROOT) not in sys.path:
        sys.path.insert(0, str(_ROOT))
    report("bench.compiled", float(_compiled()), "")
    for name in names or known:
        importlib.import_module(f"tests.bench.{name}").run(report)
    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


def _known() -> list[str]:
    return sorted(path.stem for path in _FOLDER.glob("*.py") if not path.stem.startswith("_"))


def _compiled() -> bool:
    """Whether it is the compiled product that is measured."""
    found = importlib.util.find_spec("referee.engine.game")
    return found is not None and found.loader.__class__ is ExtensionFileLoader
