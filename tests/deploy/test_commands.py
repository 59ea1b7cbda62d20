"""dev.py from outside, and its smaller commands."""

import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local import benches, checks
from deploy.local.house import PROJECT


def dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run((sys.executable, str(PROJECT / "dev.py"), *arguments), check=False, capture_output=True, text=True)


def test_alone_it_explains_itself() -> None:
    done = dev()
    assert done.returncode == 0
    for word in ("demo", "test", "check", "bench", "proto", "lock", "--once"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["dance"], "invalid choice: 'dance'"),
        (["demo", "--twice"], "unrecognized arguments: --twice"),
        (["demo", "--port", "many"], "'many' is no port"),
        (["demo", "--port", "70000"], "'70000' is no port"),
        (["check", "harder"], "unrecognized arguments: harder"),
    ],
)
def test_what_it_does_not_understand_ends_it_with_2(arguments: list[str], complaint: str) -> None:
    done = dev(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stdout == ""


def test_a_command_for_a_demo_that_does_not_run_is_told_so(tmp_path: Path) -> None:
    done = dev("manage", "--state", str(tmp_path / "none"), "check")
    assert done.returncode == 1
    assert "no demo runs on" in done.stderr
    assert "python3 dev.py demo" in done.stderr
    assert not (tmp_path / "none").exists()


def test_it_does_not_run_on_an_old_python(tmp_path: Path) -> None:
    """As an old one would see it: the check comes before anything that one cannot read."""
    script = f"import sys, runpy; sys.version_info = (3, 9, 2); runpy.run_path({str(PROJECT / 'dev.py')!r})"
    done = subprocess.run((sys.executable, "-c", script), check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.strip() == "phaseten needs Python 3.11 or later; this is 3.9"


def test_an_unknown_bench_is_named_with_the_known_ones(capsys) -> None:
    assert benches.run(["nonsense"], None) == 2
    assert "there is no nonsense; there are: " in capsys.readouterr().err


def test_a_host_in_a_lock_is_found(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "x.lock").write_text("a==1\n--index-url https" + "://mirror/simple\n")
    monkeypatch.setattr(checks, "PROJECT", tmp_path)
    assert checks._hosts_in_locks() == "requirements/x.lock:2: --index-url https" + "://mirror/simple"


def test_every_check_runs_and_the_failed_ones_show_their_output(capsys, monkeypatch) -> None:
    made = (
        checks.Check("good", (sys.executable, "-c", "print('fine')")),
        checks.Check("bad", (sys.executable, "-c", "print('seven errors'); raise SystemExit(1)")),
        checks.Check("absent", ("no-such-program",)),
        checks.Check("complaining", lambda: "line 3"),
        checks.Check("silent", lambda: ""),
    )
    monkeypatch.setattr(checks, "_checks", lambda: made)
    assert checks.run() == 1
    shown = capsys.readouterr().out
    assert "fine" not in shown
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("  ")] == [
        "ok",
        "failed",
        "failed",
        "failed",
        "ok",
    ]
    for text in ("seven errors", "no-such-program cannot be started", "line 3", "3 of 5 checks failed"):
        assert text in shown


def test_all_checks_passed_is_0(capsys, monkeypatch) -> None:
    monkeypatch.setattr(checks, "_checks", lambda: (checks.Check("silent", lambda: ""),))
    assert checks.run() == 0
    assert "all checks passed" in capsys.readouterr().out
