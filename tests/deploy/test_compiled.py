"""The compiled product does what the Python files do: a good part of the suite, run again with the wheel that is built."""

import importlib
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from deploy import wheel
from deploy.local import benches, compiled
from deploy.local.console import Console
from deploy.local.errors import LocalError
from deploy.local.house import PROJECT
from deploy.local.settings import Settings

#: Rules, messages, games, sessions and the SDK; without the tests of mistakes, which put functions of their own in the place
#: of ours: compiled code does not look for any.
AGAIN = (
    "tests/engine",
    "tests/wire",
    *(f"tests/service/test_{name}.py" for name in ("batch", "clock", "gathering", "matches", "pieces", "play", "void")),
    *(f"tests/sdk/test_{name}.py" for name in ("author_errors", "house_bots", "local", "resync", "session", "thinking")),
)
PATIENCE = 1200  # a minute to compile and one or two to run, on two cores that the rest of the suite keeps busy


@pytest.fixture(scope="module")
def folder() -> Path:
    """The compiled product as it is now."""
    why = compiled.obstacle()
    if why:
        if Settings.from_env().require_compiler:
            pytest.fail(why)
        pytest.skip(why)
    return compiled.ensure(PROJECT, Console(sys.stderr))


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, *arguments),
        cwd=PROJECT,
        env=compiled.environment(PROJECT, folder),
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@pytest.mark.timeout(2 * PATIENCE)
def test_it_passes_the_tests_of_the_python_files(folder: Path, tmp_path: Path) -> None:
    where = ("-o", "pythonpath=", "--import-mode=append", "--basetemp", str(tmp_path / "again"))
    options = ("-q", "-p", "no:cacheprovider", *where, "-k", "not mistake")
    proven = "import sys, pytest, referee.engine.game as game; assert game.__file__.endswith('.so'); sys.exit(pytest.main())"
    done = run(folder, "-c", proven, *options, *AGAIN)
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr[-2_000:]
    assert " passed" in done.stdout


@pytest.mark.timeout(2 * PATIENCE)
def test_all_that_should_be_compiled_is_what_a_process_imports(folder: Path) -> None:
    script = f"import importlib\nfor name in {wheel.NAMES}: print(importlib.import_module(name).__file__)"
    done = run(folder, "-c", script)
    assert done.stderr == ""
    places = done.stdout.splitlines()
    assert len(places) == len(wheel.NAMES)
    assert all(place.startswith(f"{folder}/") and place.endswith(".so") for place in places), places
    whole = run(folder, "-c", "import deploy, tournament_site, tests; print(deploy.__file__, tournament_site.__file__)")
    assert whole.stdout.split() == [f"{PROJECT}/deploy/__init__.py", f"{folder}/tournament_site/__init__.py"]


@pytest.mark.timeout(2 * PATIENCE)
def test_it_is_made_once_for_the_same_sources(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr(compiled, "_build", lambda *_: pytest.fail("nothing has changed"))
    assert compiled.ensure(PROJECT, Console(sys.stderr)) == folder
    monkeypatch.setattr(compiled, "_digest", lambda _: "that of other sources")
    with pytest.raises(pytest.fail.Exception, match="nothing has changed"):
        compiled.ensure(PROJECT, Console(sys.stderr))


def test_every_source_counts(tmp_path: Path) -> None:
    (tmp_path / "referee").mkdir()
    (tmp_path / "referee" / "one.py").write_text("1")
    seen = {compiled._digest(tmp_path)}
    for change in ("referee/one.py", "referee/two.py", "deploy/wheel.py", "pyproject.toml", "proto/phaseten/v1/x.proto"):
        (tmp_path / change).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / change).write_text("2")
        seen.add(compiled._digest(tmp_path))
    assert len(seen) == 6
    (tmp_path / "referee" / "__pycache__").mkdir()
    (tmp_path / "referee" / "__pycache__" / "one.pyc").write_text("3")
    assert compiled._digest(tmp_path) in seen


def test_what_does_not_compile_is_told_with_the_compilers_words(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'nothing'\n")
    with pytest.raises(LocalError, match=r"(?s)the compiled wheel cannot be built:\n.*version"):
        compiled._build(tmp_path, tmp_path / ".compiled")
    assert [file.name for file in tmp_path.iterdir()] == ["pyproject.toml"]


def test_without_a_compiler_it_says_what_to_install(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _: "/no/such/cc -pthread")
    assert compiled.obstacle() == "there is no C compiler (/no/such/cc); on Debian, as root: apt-get install gcc"
    with pytest.raises(LocalError, match="the product cannot be compiled: there is no C compiler"):
        compiled.ensure(tmp_path, Console(sys.stderr))
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _: sys.executable)
    monkeypatch.setattr(sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    assert compiled.obstacle() == f"there is no {tmp_path}/Python.h; on Debian, as root: apt-get install python3-dev"


def test_a_bench_says_what_it_measures(monkeypatch, capsys, tmp_path: Path) -> None:
    (tmp_path / "nothing.py").write_text("")
    monkeypatch.setattr(benches, "_FOLDER", tmp_path)
    monkeypatch.setattr(importlib, "import_module", lambda _: type("Bench", (), {"run": lambda _: None}))
    assert benches.run([], None) == 0
    assert capsys.readouterr().out == "bench.compiled 0 \n"
