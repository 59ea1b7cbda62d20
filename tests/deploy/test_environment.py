"""Making the virtual environment: once, again after an interruption, and with clear words when it cannot be."""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.local import environment
from deploy.local.console import Console
from deploy.local.environment import Wanted, ensure, python_of
from deploy.local.errors import LocalError


def wheel(folder: Path, name: str, version: str) -> str:
    """A package made by hand, and the pin that installs it without a network."""
    file = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}.py", f"VERSION = {version!r}\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return f"{name} @ {file.as_uri()} \\\n    --hash=sha256:{digest}\n"


def version_of(folder: Path, module: str) -> str:
    done = subprocess.run(
        (str(python_of(folder)), "-c", f"import {module}; print({module}.VERSION)"),
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def run(wanted: Wanted) -> str:
    """What the screen shows."""
    out = io.StringIO()
    assert ensure(wanted, Console(out)) == python_of(wanted.folder)
    return out.getvalue()


def test_an_environment_from_its_making_to_its_repair(tmp_path: Path) -> None:
    """One test, because each new environment takes seconds."""
    base = tmp_path / "a folder with spaces"
    base.mkdir()
    small, large = base / "small.lock", base / "large.lock"
    small.write_text("# made by hand\n" + wheel(tmp_path, "alpha", "1.0"))
    large.write_text(small.read_text() + wheel(tmp_path, "beta", "1.0"))
    wanted = Wanted(base / ".venv", (large,))

    assert "install 2 locked packages" in run(wanted)
    assert (version_of(wanted.folder, "alpha"), version_of(wanted.folder, "beta")) == ("1.0", "1.0")

    assert run(wanted) == ""
    assert run(replace(wanted, locks=(small,))) == "", "the larger lock holds the smaller one"

    small.write_text(wheel(tmp_path, "alpha", "2.0"))
    said = run(replace(wanted, locks=(small,)))
    assert "install 1 locked packages" in said
    assert "make" not in said
    assert version_of(wanted.folder, "alpha") == "2.0"

    (wanted.folder / "phaseten-set-up-begun").touch()
    said = run(replace(wanted, locks=(small,)))
    assert ".venv is made anew: its set-up was interrupted" in said
    assert version_of(wanted.folder, "alpha") == "2.0"

    elsewhere = base / "moved"
    wanted.folder.rename(elsewhere)
    said = run(Wanted(elsewhere, (small,)))
    assert f"moved is made anew: it was moved here from {wanted.folder}" in said
    assert version_of(elsewhere, "alpha") == "2.0"


def test_the_next_set_up_waits_for_what_a_killed_one_left_at_work(tmp_path: Path) -> None:
    """A child that inherited the lock keeps it, and a second set-up says that it waits."""
    holder = "import sys; print('held', flush=True); sys.stdin.read()"
    with environment.alone(tmp_path, Console(io.StringIO())):
        child = subprocess.Popen(
            (sys.executable, "-c", holder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
        )
        assert child.stdout is not None
        child.stdout.readline()

    class Screen(io.StringIO):
        """Who held the lock lets go when it is read here that somebody waits."""

        def write(self, text: str) -> int:
            if "waiting" in text:
                assert child.stdin is not None
                child.stdin.close()
            return super().write(text)

    out = Screen()
    with environment.alone(tmp_path, Console(out)):
        assert child.wait() == 0
    assert out.getvalue() == "  another set-up is at work here: waiting for it\n"


def test_a_package_that_is_not_what_was_locked_is_refused(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    lock.write_text(wheel(tmp_path, "alpha", "1.0"))
    with zipfile.ZipFile(tmp_path / "alpha-1.0-py3-none-any.whl", "a") as archive:
        archive.writestr("more.py", "")
    with pytest.raises(LocalError, match=r"(?s)pip cannot install the locked packages.*HASH"):
        run(Wanted(tmp_path / ".venv", (lock,)))
    assert (tmp_path / ".venv" / "phaseten-set-up-begun").exists(), "the next run begins anew"


def test_a_python_without_pip_and_ensurepip_is_told_what_is_missing(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(environment, "_our_pip", lambda: False)
    monkeypatch.setattr(environment, "find_spec", lambda name: None if name == "ensurepip" else object())
    with pytest.raises(LocalError, match="apt-get install python3-venv"):
        run(Wanted(tmp_path / ".venv", ()))
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("#!/bin/sh\nexit 1\n", "its Python does not start"),
        ("#!/bin/sh\necho 3.10.4\n", "it is for Python 3.10.4, and this is 3."),
        (None, "its Python does not start"),
    ],
)
def test_an_environment_that_cannot_be_used_says_why(tmp_path: Path, content: str | None, reason: str) -> None:
    python = python_of(tmp_path)
    python.parent.mkdir()
    if content is not None:
        python.write_text(content)
        python.chmod(0o755)
    assert environment._complaint(tmp_path).startswith(reason)


def test_nobody_saws_off_the_branch_he_sits_on(tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / ".venv"
    folder.mkdir()
    (folder / "phaseten-set-up-begun").touch()
    monkeypatch.setattr(sys, "prefix", str(folder))
    with pytest.raises(LocalError, match="with the system's python3"):
        run(Wanted(folder, ()))
    assert folder.exists()


def test_a_damaged_stamp_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "phaseten-installed.json").write_text("{")
    assert environment._installed(tmp_path) == {}
    (tmp_path / "phaseten-installed.json").write_text(json.dumps({"x.lock": "1"}))
    assert environment._installed(tmp_path) == {"x.lock": "1"}
    shutil.rmtree(tmp_path)
    assert environment._installed(tmp_path) == {}
