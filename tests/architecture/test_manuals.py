"""What the READMEs tell people to type is there: every command, and every option of it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, tracked

#: how each program is started by the Python of this checkout
PROGRAMS = {
    "phaseten": ("-m", "bots_sdk.cli"),
    "phaseten-referee": ("-m", "referee.service"),
    "phaseten-site": ("-m", "tournament_site"),
    "dev.py": ("dev.py",),
}
HANDED_ON = {("dev.py", "test"), ("dev.py", "nightly")}  # their options are pytest's
CODE = re.compile(r"```.*?\n(?P<fenced>.*?)```|^ {4}(?P<indented>[^\n]*)$|`(?P<inline>[^`]+)`", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?<![\w./-])(?:python3 |\.venv/bin/)?(phaseten(?:-referee|-site)?|dev\.py)(?= |$)")
MANUALS = tuple(path for path in tracked() if path.suffix == ".md" and "vendor" not in path.parts)


def lines_of_code(text: str) -> Iterator[str]:
    """What is set as code: blocks line by line, words within a sentence without their line breaks."""
    for found in CODE.finditer(text):
        block = found["fenced"] or found["indented"]
        yield from block.splitlines() if block else [" ".join((found["inline"] or "").split())]


def calls(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every call of a program of ours, with the words behind its name; what is only explained beside it is left out."""
    for line in lines_of_code(text):
        found = CALL.search(line)
        if found:
            rest = re.split(r" #|\s{2,}|\s\|", line[found.end() :], maxsplit=1)[0]
            yield found[1], tuple(rest.split(" -- ")[0].split())


@cache
def help_of(program: str, *command: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")} | {"COLUMNS": "200"}
    asked = (sys.executable, *PROGRAMS[program], *command, "help" if program == "phaseten-site" else "--help")
    done = subprocess.run(asked, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def has_word(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


@pytest.mark.parametrize("path", MANUALS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_command_of_a_manual_exists(path: Path) -> None:
    for program, words in calls(path.read_text()):
        command = words[0] if words and re.fullmatch(r"[a-z_]+", words[0]) else None
        if command not in {None, "help"}:
            assert has_word(command, help_of(program)), f"{program} has no command {command}"
        if (program, command) == ("dev.py", "bench"):
            assert [name for name in words[1:] if not (ROOT / "tests" / "bench" / f"{name}.py").exists()] == []
        if (program, command) in HANDED_ON or program == "phaseten-site":
            continue
        told = help_of(program, command) if command else help_of(program)
        for option in (re.sub(r"[\[\]]", "", word) for word in words):
            assert not option.startswith("--") or has_word(option, told), f"{program} {command} has no {option}"


def test_calls_are_found_where_they_are_written() -> None:
    text = (
        "Run `phaseten new\nmybot`, then:\n\n    phaseten-site migrate | collectstatic\n    phaseten-referee     runs\n"
        "    .venv/bin/phaseten check --server -- node x --y\n\n"
        "```\npython3 dev.py demo --once     the same\n```\n`phaseten` alone, phaseten play in prose, and `my-phaseten x`.\n"
    )
    assert list(calls(text)) == [
        ("phaseten", ("new", "mybot")),
        ("phaseten-site", ("migrate",)),
        ("phaseten-referee", ()),
        ("phaseten", ("check", "--server")),
        ("dev.py", ("demo", "--once")),
        ("phaseten", ()),
    ]


def test_the_manuals_name_every_command() -> None:
    known = {(program, words[0]) for path in MANUALS for program, words in calls(path.read_text()) if words}
    for program in ("phaseten", "dev.py"):
        usage = re.findall(r"(?m)^ {4}([a-z]+) ", help_of(program))
        assert usage
        assert [name for name in usage if (program, name) not in known] == []
