"""The folder that `phaseten new --language javascript` writes."""

import json
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from bots_sdk.cli_new import JAVASCRIPT, PROTO, PYTHON
from tests.sdk.command import Shell

ROOT = Path(__file__).parents[2]
TEMPLATE = Path(str(files("bots_sdk"))) / "templates" / "javascript"


def files_in(folder: Path) -> list[str]:
    """The files in a folder and those below it, without packages that somebody has installed there."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(name.as_posix() for name in names if "node_modules" not in name.parts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shell = Shell(tmp_path)
    done = shell.phaseten("new", "my-bot", "--language", "javascript")
    assert (done.status, done.err) == (0, "")
    assert "npm ci --ignore-scripts --prefix my-bot" in done.out
    assert "check --server -- node my-bot/main.js" in done.out
    return tmp_path / "my-bot"


def test_the_schema_is_copied_as_it_is(folder: Path) -> None:
    copied = sorted(
        path.relative_to(folder / "proto").as_posix() for path in (folder / "proto").rglob("*") if path.is_file()
    )
    assert copied == sorted(PROTO)
    for name in PROTO:
        assert (folder / "proto" / name).read_bytes() == (ROOT / "proto" / name).read_bytes()


def test_a_wheel_has_the_schema_where_the_command_looks_for_it() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    parts = {name.partition("/")[0] for name in PROTO}
    assert wheel["force-include"] == {f"proto/{part}": f"bots_sdk/templates/proto/{part}" for part in parts}


def test_what_the_schema_imports_is_there(folder: Path) -> None:
    for name in PROTO:
        imported = re.findall(r'(?m)^import "(.*)";$', (folder / "proto" / name).read_text())
        assert set(imported) <= set(PROTO)


def test_the_readme_names_what_is_there_and_how_to_check_the_cards(folder: Path) -> None:
    named = re.findall(r"(?m)^\| `([\w./]+)` \|", (folder / "README.md").read_text())
    assert "proto/SHUFFLE.md" in named
    assert [name for name in named if not (folder / name).exists()] == []


def test_everything_of_the_template_is_written_under_the_new_name(folder: Path) -> None:
    assert files_in(TEMPLATE) == sorted(JAVASCRIPT)
    assert files_in(folder) == sorted((*JAVASCRIPT, *(f"proto/{name}" for name in PROTO)))
    assert "export class MyBot " in (folder / "bot.js").read_text()
    assert json.loads((folder / "package.json").read_text())["name"] == "mybot"
    assert json.loads((folder / "package-lock.json").read_text())["name"] == "mybot"


def test_packages_are_named_exactly_and_no_host_is() -> None:
    package = json.loads((TEMPLATE / "package.json").read_text())
    text = (TEMPLATE / "package-lock.json").read_text()
    lock = json.loads(text)["packages"]
    assert "://" not in text
    assert lock[""]["dependencies"] == package["dependencies"]
    assert lock[""]["engines"] == package["engines"]
    for name, version in package["dependencies"].items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
        assert lock[f"node_modules/{name}"]["version"] == version
    for name, entry in lock.items():
        assert not name or entry["integrity"].startswith("sha512-")
        assert "resolved" not in entry


def test_nothing_but_node_and_the_named_packages_is_imported() -> None:
    known = json.loads((TEMPLATE / "package.json").read_text())["dependencies"]
    for name in JAVASCRIPT:
        for module in (
            re.findall(r'(?m)^import\b[^;]*"(.+)";$', (TEMPLATE / name).read_text()) if name.endswith(".js") else ()
        ):
            own = module.startswith("./") and (TEMPLATE / name).parent.joinpath(module).is_file()
            assert own or module in known or module.startswith("node:"), f"{name} imports {module}"


def test_a_bot_in_python_is_what_is_written_if_nothing_is_said(tmp_path: Path) -> None:
    Shell(tmp_path).phaseten("new", "mine")
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == sorted(PYTHON)


def test_other_languages_are_not_known(tmp_path: Path) -> None:
    done = Shell(tmp_path).phaseten("new", "mine", "--language", "cobol")
    assert done.status == 2
    assert "invalid choice" in done.err
