"""`dev.py bench`: runs the files of tests/bench and prints what they measure."""

import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from deploy.local.errors import LocalError

_FOLDER = Path(__file__).resolve().parents[2] / "tests" / "bench"
_USAGE = 2


def run(names: Sequence[str], file: Path | None) -> int:
    """Measure these (all if empty) and print `name value unit` lines; the exit status."""
    known = sorted(path.stem for path in _FOLDER.glob("*.py") if not path.stem.startswith("_"))
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.stderr.write(f"dev.py bench: there is no {', '.join(unknown)}; there are: {', '.join(known) or 'none'}\n")
        return _USAGE
    if not known:
        raise LocalError(f"there is nothing to measure in {_FOLDER}")
    figures: dict[str, float] = {}

    def report(name: str, value: float, unit: str) -> None:
        figures[name] = value
        print(f"{name} {value:.6g} {unit}", flush=True)

    sys.path.insert(0, str(_FOLDER.parents[1]))
    for name in names or known:
        importlib.import_module(f"tests.bench.{name}").run(report)
    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n")
    return 0
