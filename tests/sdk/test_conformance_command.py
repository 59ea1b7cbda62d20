"""`phaseten check`: the command, its report, and what wrong input gets."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bots_sdk.conformance.report import Outcome, Report, Status, lines_of, summary
from bots_sdk.conformance.scenarios import SCENARIOS
from tests.sdk.command import Shell

README = Path(__file__).parents[2] / "bots_sdk" / "README.md"
BLIND = ("--", sys.executable, "-m", "bots_sdk.house_bots", "blind")


def outcome(status: Status = Status.PASSED, **more: str) -> Outcome:
    return Outcome("pong", "answers pings with their ids", status, 0.25, **more)  # type: ignore[arg-type]  # by name


def test_a_bot_is_started_tried_and_stopped(shell: Shell) -> None:
    only = ("--only", "hello", "--only", "rules-official", "--only", "resync-asked")
    done = shell.phaseten("check", "--server", *only, "--json", "report.json", "--log", "bot.log", *BLIND)
    assert (done.status, done.err) == (0, "")
    assert "\nok              rules-official         plays by the official rules\n" in done.out
    assert done.out.splitlines()[-1] == "3 passed, 0 failed"
    report = json.loads((shell.home / "report.json").read_text())
    assert (report["passed"], report["failed"], report["not_applicable"]) == (3, 0, 0)
    assert [scenario["name"] for scenario in report["scenarios"]] == ["hello", "rules-official", "resync-asked"]
    assert report["bot"]["version"] == "blind-1"
    assert report["answers"] > 0
    assert report["illegal_moves"] == {}
    assert "connected to referee script" in (shell.home / "bot.log").read_text()


def test_a_bot_that_ends_before_it_comes_is_quoted(shell: Shell) -> None:
    program = "import sys; print('no model file'); sys.exit(7)"
    done = shell.phaseten("check", "--server", "--only", "hello", "--", sys.executable, "-c", program)
    assert done.status == 1
    assert "no bot came; its process ended with status 7" in done.out
    printed = done.out.partition("The last of what the bot printed")[2]
    assert printed.count("no model file") == 1
    assert done.out.splitlines()[-1] == "0 passed, 1 failed"


def test_a_run_that_is_stopped_passes_nothing_and_leaves_no_bot_behind(shell: Shell) -> None:
    log = shell.home / "bot.log"
    with subprocess.Popen(
        (sys.executable, "-m", "bots_sdk.cli", "check", "--server", "--log", str(log), *BLIND),
        cwd=shell.home,
        env=shell.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        while not running.stdout.readline().startswith("ok"):
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "stopped" in err
    assert "passed" not in out
    assert "INFO    stopped" in log.read_text()  # the bot's own last word


def test_a_bot_in_python_is_tried_without_a_network(shell: Shell) -> None:
    done = shell.phaseten("check", "greedy")
    assert (done.status, done.err) == (0, "")
    assert "greedy (version 1) passed: 8 games" in done.out
    shell.write(
        "bad.py",
        [
            "from bots_sdk import Draw, Play",
            "from bots_sdk.house_bots import BlindBot",
            "class Bad(BlindBot):",
            "    def play(self, view):",
            "        return Play()",
        ],
    )
    done = shell.phaseten("check", "bad.py")
    assert done.status == 1
    assert "a turn ends with a discard" in done.err


def test_scenarios_are_listed(shell: Shell) -> None:
    done = shell.phaseten("check", "--list")
    assert done.status == 0
    assert [line.split()[0] for line in done.out.splitlines()] == [scenario.name for scenario in SCENARIOS]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "name one bot in Python, or use --server"),
        (("greedy", "blind"), "name one bot in Python"),
        (("greedy", "--only", "pong"), "name one bot in Python"),
        (("--server", "--only", "dance"), "there is no scenario 'dance'"),
        (("--server", "--listen", "here"), "--listen takes HOST:PORT"),
        (("--server", "--listen", "127.0.0.1:x"), "--listen takes HOST:PORT"),
        (("--server", "--listen", "127.0.0.1:65534"), "the highest port is 65533"),
        (("--server", "--json", "away/report.json"), "away/report.json cannot be written"),
        (("--server", "--log", "away/bot.log", *BLIND), "cannot be kept in away/bot.log: No such file or directory"),
        (("--server", "--", "./no-such-program"), "./no-such-program cannot be started: No such file or directory"),
        (("--server", "--", "bot.py", "fast"), f"such as: -- {sys.executable} bot.py fast"),
        (("--server", "--", "./main.js"), "such as: -- node ./main.js"),
    ],
)
def test_wrong_input_is_explained(shell: Shell, arguments: tuple[str, ...], text: str) -> None:
    done = shell.phaseten("check", *arguments)
    assert done.status == 2
    assert text in done.err
    assert "Traceback" not in done.err


def test_a_port_that_is_taken_is_named(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = shell.phaseten("check", "--server", "--listen", address)
    assert done.status == 2
    assert f"cannot listen at {address}" in done.err
    assert "Choose another --listen" in done.err


def test_a_failure_says_what_was_expected_what_came_and_what_to_do() -> None:
    lines = list(lines_of(outcome(Status.FAILED, expected="a Pong", came="none", advice="answer pings")))
    assert lines[0].split() == ["FAILED", "pong", "answers", "pings", "with", "their", "ids"]
    assert [line.split(maxsplit=1) for line in lines[1:3]] == [["expected", "a Pong"], ["came", "none"]]
    assert lines[3].split(maxsplit=2) == ["to", "do", "answer pings"]


def test_the_last_line_counts() -> None:
    outcomes = [outcome(), outcome(Status.FAILED), outcome(Status.NOT_APPLICABLE), outcome()]
    report = Report(games=3, outcomes=outcomes, untried=5, answers=9, slowest_ms=41.6, laid={2, 1}, illegal={"NOT_LAID": 2})
    assert list(summary(report)) == [
        "3 games, 9 answers, the slowest after 42 ms; phases laid: 1, 2",
        "illegal moves: 2 x hitting needs the own phase on the table (NOT_LAID)",
        "1 not applicable",
        "5 not tried: a bot has to come and say Hello first",
        "2 passed, 1 failed",
    ]
    assert not report.passed


def test_every_field_of_the_report_is_in_the_manual() -> None:
    text = README.read_text()
    plain = Report(outcomes=[outcome()]).plain()
    names = {*plain, *plain["bot"], *plain["scenarios"][0]}
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_every_scenario_is_in_the_manual() -> None:
    text = README.read_text()
    assert [scenario.name for scenario in SCENARIOS if f"`{scenario.name}`" not in text] == []
