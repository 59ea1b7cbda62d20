"""The browser's verifier, asked from Python: under Node where there is one, in a Chromium otherwise."""

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.replays.browser import PAGE

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MODULES = ROOT / "tournament_site" / "static" / "js" / "verify"


class JavaScript:
    """The verifier's modules in a process of their own. `name` says where they run."""

    def __init__(self, name: str, process: "subprocess.Popen[str]") -> None:
        self.name = name
        self._process = process

    def ask(self, what: str, **arguments: Any) -> Any:
        """The answer of `js/host.js` to a question; bytes are sent as base64. Raises AssertionError with its stack."""
        plain = {name: base64.b64encode(value).decode() if isinstance(value, bytes) else value for name, value in arguments.items()}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"ask": what, **plain}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def verify(self, data: bytes, **known: str) -> dict[str, Any]:
        """The report about a replay. `known`: sha256, commitment, gameId."""
        report = self.ask("verify", data=data, known=known)
        assert isinstance(report, dict)
        return report


def lay_out(folder: Path) -> Path:
    """A copy of the modules that Node and a browser can run."""
    shutil.copytree(MODULES, folder / "verify")
    for file in (HERE / "js").glob("*.js"):
        shutil.copy(file, folder)
    (folder / "package.json").write_text('{"type": "module"}\n')
    (folder / "index.html").write_text(PAGE)
    return folder


@contextmanager
def running(name: str, command: Sequence[str]) -> Iterator[JavaScript]:
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield JavaScript(name, process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)


def in_node(program: str, folder: Path) -> list[str]:
    return [program, str(lay_out(folder) / "node.js")]


def in_browser(program: str, folder: Path) -> list[str]:
    return [sys.executable, "-m", "tests.replays.browser", program, str(lay_out(folder))]
