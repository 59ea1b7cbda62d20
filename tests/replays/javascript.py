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

import pytest

from deploy.local.settings import Settings
from tests.e2e.conftest import find_browser

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
        plain = {
            name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for name, value in arguments.items()
        }
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
    (folder / "index.html").write_text("<!doctype html><title>host</title>")
    return folder


@contextmanager
def running(name: str, command: Sequence[str]) -> Iterator[JavaScript]:
    """Its input is closed at the end, and then it ends by itself."""
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield JavaScript(name, process)


def in_node(program: str, folder: Path) -> list[str]:
    return [program, str(lay_out(folder) / "node.js")]


def in_browser(program: str, folder: Path) -> list[str]:
    return [sys.executable, "-m", "tests.replays.browser", program, str(lay_out(folder))]


@pytest.fixture(scope="session")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JavaScript]:
    """Node's, or a browser's where there is no Node; without both the tests are skipped, or fail where they must not be."""
    folder = tmp_path_factory.mktemp("javascript") / "modules"
    node = shutil.which("node")
    if node:
        command = in_node(node, folder)
    else:
        pytest.importorskip("playwright.sync_api", reason="neither Node nor the browser tests' driver is here")
        command = in_browser(find_browser(Settings.from_env()), folder)
    with running("node" if node else "browser", command) as process:
        yield process
