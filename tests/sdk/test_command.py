"""`phaseten new` and `phaseten play`, and what wrong input gets."""

import os
import re
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from bots_sdk.cli_new import class_name
from bots_sdk.cli_play import wilson
from referee.engine.check import check_log
from referee.wire.replay import decode_replay
from tests.sdk.command import Shell
from tests.sdk.written import Text

GOOD = [
    "from bots_sdk import Bot, Draw",
    "from bots_sdk.house_bots.habits import lay_and_hit",
    "from bots_sdk.house_bots import GreedyBot",
    "class Mine(GreedyBot):",
    "    pass",
]


def test_help_shows_every_command_and_an_example(shell: Shell) -> None:
    done = shell.phaseten("--help")
    assert done.status == 0
    assert all(f"phaseten {command} " in done.out for command in ("new", "play", "submit", "run"))


def test_without_a_command_the_help_is_shown_and_the_status_is_2(shell: Shell) -> None:
    done = shell.phaseten()
    assert (done.status, done.out) == (2, "")
    assert "phaseten new mybot" in done.err


@pytest.mark.parametrize("command", ["new", "play", "submit", "run"])
def test_every_command_explains_itself(shell: Shell, command: str) -> None:
    done = shell.phaseten(command, "--help")
    assert done.status == 0
    assert len(done.out.splitlines()) > 6


def test_play_prints_a_table_with_error_bars(shell: Shell) -> None:
    done = shell.phaseten("play", "greedy", "random", "--games", "10", "--seed", "s")
    assert (done.status, done.err) == (0, "")
    assert "10 games, 2 seats, rule set official, seed s" in done.out
    rows = [line.split() for line in done.out.splitlines() if line.startswith(("greedy ", "random "))]
    assert [row[0] for row in rows] == ["greedy", "random"]
    assert rows[0][1] == "100.0%"
    assert re.search(r"greedy +100\.0% +\( *72\.2 -100\.0\)", done.out)


def test_play_gives_the_same_table_for_the_same_seed(shell: Shell) -> None:
    tables = [shell.phaseten("play", "denier", "greedy", "blind", "--games", "6", "--seed", "9").out for _ in range(2)]
    without_pace = [re.sub(r" +\d+$", "", table, flags=re.MULTILINE) for table in tables]
    assert without_pace[0] == without_pace[1]


def test_two_bots_of_one_kind_are_told_apart(shell: Shell) -> None:
    done = shell.phaseten("play", "greedy", "greedy", "--games", "2", "--seed", "1")
    assert re.search(r"(?m)^greedy ", done.out)
    assert re.search(r"(?m)^greedy#2 ", done.out)


def test_play_writes_replays_that_stand_up_to_a_check(shell: Shell) -> None:
    done = shell.phaseten("play", "greedy", "blind", "--games", "3", "--seed", "1", "--out", "replays")
    assert done.status == 0
    files = sorted((shell.home / "replays").iterdir())
    assert [file.name for file in files] == ["game-00001.replay", "game-00002.replay", "game-00003.replay"]
    records = [decode_replay(file.read_bytes()) for file in files]
    assert [record.seats[0].bot for record in records] == ["greedy", "blind", "greedy"]  # seats move on
    assert all(check_log(record.events).result == record.result for record in records)


def test_play_shows_what_a_bot_did_wrong(shell: Shell) -> None:
    shell.write(
        "bad.py",
        [
            "from bots_sdk import Bot, Draw, Play",
            "class Bad(Bot):",
            "    def draw(self, view):",
            "        return Draw()",
            "    def play(self, view):",
            "        return Play(discard=view.hand[0], skip_target=0)",
        ],
    )
    done = shell.phaseten("play", "bad.py:Bad", "blind", "--games", "2", "--seed", "1")
    assert done.status == 0
    assert "Bad: illegal move: " in done.err
    assert "  hand: " in done.err
    assert "Further problems are only counted." in done.err
    row = next(line.split() for line in done.out.splitlines() if line.startswith("Bad "))
    assert row[-3:-1] == ["6", "0"]  # three faults a game, no errors


def test_new_makes_a_bot_that_plays(shell: Shell) -> None:
    done = shell.phaseten("new", "my-first_bot")
    assert done.status == 0
    assert "phaseten play my-first_bot/bot.py greedy" in done.out
    assert "MyFirstBot" in (shell.home / "my-first_bot" / "README.md").read_text()
    played = shell.phaseten("play", "my-first_bot/bot.py:MyFirstBot", "random", "--games", "4", "--seed", "1")
    assert (played.status, played.err) == (0, "")
    assert re.search(r"MyFirstBot +100\.0%", played.out)


@pytest.mark.parametrize(
    ("folder", "name"),
    [("mybot", "Mybot"), ("my-first_bot", "MyFirstBot"), ("10th", "Bot10th"), ("...", "Bot"), ("MyBot", "MyBot")],
)
def test_class_names_come_from_folders(folder: str, name: str) -> None:
    assert class_name(folder) == name


def test_new_overwrites_nothing(shell: Shell) -> None:
    (shell.home / "full").mkdir()
    (shell.home / "full" / "bot.py").write_text("mine")
    done = shell.phaseten("new", "full")
    assert done.status == 2
    assert "not an empty folder" in done.err
    assert (shell.home / "full" / "bot.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["play", "greedy"], "2 to 6 bots play at a table, not 1"),
        (["play", *["greedy"] * 7], "2 to 6 bots play at a table, not 7"),
        (["play", "greedy", "nobody"], "there is no house bot 'nobody'. Give a house bot (random, blind, greedy, denier)"),
        (["play", "greedy", ":X"], "names no bot"),
        (["play", "greedy", "none.py:X"], "there is no file none.py"),
        (["play", "greedy", "no.such.module:X"], "there is no module no.such.module"),
        (["play", "greedy", "good.py:Yours"], "good.py has no Yours. Bots in it: Mine."),
        (["play", "greedy", "good.py:Draw"], "Draw is no bot"),
        (["play", "greedy", "two.py"], "two.py has 2 bots: say which as two.py:Class. Bots in it: Mine, Other."),
        (["play", "greedy", "empty.py"], "empty.py has no bots"),
        (["play", "greedy", "abstract.py:Half"], "Half cannot play yet: write its method play"),
        (["play", "greedy", "broken.py:X"], "broken.py cannot be imported"),
        (["play", "greedy", "syntax.py:X"], "SyntaxError"),
        (["play", "greedy", "object.py:bot"], "name a class, not an object"),
        (["play", "greedy", "needy.py:Needy"], "Needy cannot be made: TypeError"),
        (["play", "greedy", "blind", "--games", "0"], "--games must be at least 1"),
        (["play", "greedy", "blind", "--games", "many"], "invalid int value"),
        (["play", "greedy", "blind", "--ruleset", "poker"], "there is no rule set 'poker'. There are: official"),
        (["play", "greedy", "blind", "--out", "good.py/x"], "cannot be made"),
        (["submit", "greedy"], "--name"),
        (["submit", "greedy", "--name", "G"], "which site? Give --server URL, or set PHASETEN_SERVER"),
        (["submit", "greedy", "--name", "G", "--server", "here"], "--server is no address of a site: 'here'"),
        (["run"], "BOT"),
        (["run", "greedy"], "no bot was submitted from here yet. Use `phaseten submit`, or set PHASETEN_TOKEN"),
        (["run", "greedy", "--capacity", "0"], "--capacity must be at least 1"),
        (["dance"], "invalid choice"),
    ],
)
def test_wrong_input_ends_with_2_and_says_what_to_do(shell: Shell, arguments: list[str], text: str) -> None:
    shell.write("good.py", GOOD)
    shell.write("two.py", [*GOOD, "class Other(Mine):", "    pass"])
    shell.write("empty.py", ["x = 1"])
    shell.write("abstract.py", ["from bots_sdk import Bot, Draw", "class Half(Bot):", "    def draw(self, view): ..."])
    shell.write("broken.py", ["import bots_sdk", "1 / 0"])
    shell.write("syntax.py", ["def"])
    shell.write("object.py", [*GOOD, "bot = Mine()"])
    shell.write("needy.py", [*GOOD, "class Needy(Mine):", "    def __init__(self, food): ..."])
    done = shell.phaseten(*arguments)
    assert (done.status, done.out) == (2, "")
    assert text in done.err
    assert "Traceback" not in done.err


def test_an_error_on_import_is_shown_with_the_authors_line(shell: Shell) -> None:
    shell.write("broken.py", ["import bots_sdk", "1 / 0"])
    done = shell.phaseten("play", "greedy", "broken.py:X")
    assert 'broken.py", line 2' in done.err
    assert "ZeroDivisionError: division by zero" in done.err
    assert "bots_sdk/loading.py" not in done.err


def test_a_bot_may_import_the_files_beside_it(shell: Shell) -> None:
    folder = shell.home / "deep"
    folder.mkdir()
    (folder / "helper.py").write_text("from bots_sdk.house_bots import BlindBot\n")
    (folder / "bot.py").write_text("from helper import BlindBot\nclass Mine(BlindBot):\n    pass\n")
    done = shell.phaseten("play", "deep/bot.py", "random", "--games", "2", "--seed", "1")
    assert (done.status, done.err) == (0, "")


def test_a_bot_may_be_in_a_module_of_the_current_folder(shell: Shell) -> None:
    shell.write("good.py", GOOD)
    done = shell.phaseten("play", "good:Mine", "random", "--games", "2", "--seed", "1")
    assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    # From the formula in Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (89, 100, 0.8137, 0.9375)],
)
def test_error_bars_are_wilsons(wins: float, games: int, low: float, high: float) -> None:
    assert list(wilson(wins, games)) == pytest.approx([low, high], abs=1e-4)


@pytest.mark.parametrize("where", ["readme", "help"])
def test_the_commands_for_a_first_bot_work_as_written(shell: Shell, where: str) -> None:
    readme = (files("bots_sdk") / "README.md").read_text()
    text = Text(readme if where == "readme" else shell.phaseten("--help").out)
    for name in ("new", "play"):
        done = shell.phaseten(*text.command(name))
        assert (done.status, done.err) == (0, "")
    # That the other two find the bot in the same file is shown where there is a site.
    assert text.command("submit")[1] == text.command("run")[1] == text.command("play")[1]


def test_a_new_folder_explains_itself(shell: Shell) -> None:
    shell.phaseten("new", "mine")
    inside = Shell(shell.home / "mine")
    text = Text((inside.home / "README.md").read_text())
    done = inside.phaseten(*text.command("play"))
    assert (done.status, done.err) == (0, "")
    assert text.command("submit")[1] == text.command("run")[1] == text.command("play")[1]


def test_advice_repeats_the_command_as_it_was_called(shell: Shell) -> None:
    script = Path(sys.executable).with_name("phaseten")
    for path, folder, called in ((os.defpath, "one", str(script)), (str(script.parent), "two words", "phaseten")):
        run = [str(script), "new", folder]
        done = subprocess.run(run, cwd=shell.home, env=shell.env(PATH=path), capture_output=True, text=True, check=True)
        assert f"\n  {called} play {shlex.quote(folder + '/bot.py')} greedy\n" in done.stdout


def test_the_bot_in_the_readme_plays_well(shell: Shell) -> None:
    shell.write("readme.py", [Text((files("bots_sdk") / "README.md").read_text()).program()])
    done = shell.phaseten("play", "readme.py:MyBot", "random", "--games", "4", "--seed", "1")
    assert (done.status, done.err) == (0, "")
    assert re.search(r"MyBot +100\.0%", done.out)
