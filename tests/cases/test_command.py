"""`phaseten case`: what it prints, and the status it ends with."""

from pathlib import Path

import pytest

from tests.sdk.command import Done, Shell

GOOD = """
title = "Draws"

[[case]]
id = "Q1"
title = "May I draw?"
steps = [{ draw = "stock" }]

[[case]]
id = "Q2"
title = "May I draw twice?"
steps = [{ draw = "stock" }]
[[case.outcome]]
rules = "all"
steps = [{ draw = "stock", reject = "ALREADY_DREW" }]
[[case.outcome]]
rules = "bg*"
options = { lay_extra = false }
steps = [{ draw = "discard", reject = "ALREADY_DREW" }]
"""
BAD = GOOD.replace("ALREADY_DREW", "MUST_DRAW_FIRST", 1)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def case(shell: Shell, *arguments: str, **files: str) -> Done:
    """Run `phaseten case` beside files `NAME.toml`."""
    for name, text in files.items():
        shell.write(f"{name}.toml", text.splitlines())
    return shell.phaseten("case", *arguments)


def test_cases_that_pass_are_counted_and_the_status_is_0(shell: Shell) -> None:
    done = case(shell, "good.toml", good=GOOD)
    assert (done.status, done.out, done.err) == (0, "38 passed, 0 failed\n", "")


def test_every_case_is_named_on_demand(shell: Shell) -> None:
    done = case(shell, "good.toml", "-v", "--rules", "bg", good=GOOD)
    assert done.out.splitlines() == [
        "passed good.toml: Q1 under bg: May I draw?",
        "passed good.toml: Q2 under bg (outcome 1): May I draw twice?",
        "passed good.toml: Q2 under bg with lay_extra = false (outcome 2): May I draw twice?",
        "3 passed, 0 failed",
    ]


def test_a_failure_is_told_with_its_position_and_the_status_is_1(shell: Shell) -> None:
    done = case(shell, "bad.toml", "--rules", "da", bad=BAD)
    assert (done.status, done.err) == (1, "")
    lines = done.out.splitlines()
    assert lines[0] == "FAILED bad.toml: Q2 under da (outcome 1): May I draw twice?"
    assert lines[-1] == "1 passed, 1 failed"
    assert "  step 2: A: draw from stock" in lines
    assert "  > A  phase 1, 0 done, 0 points" in lines
    assert "    expected: refused: MUST_DRAW_FIRST (a turn begins with drawing a card)" in lines
    assert "    came:     refused: ALREADY_DREW (a card was already drawn this turn)" in lines


def test_a_folder_means_its_case_files_and_those_of_its_folders(shell: Shell) -> None:
    (shell.home / "a" / "b").mkdir(parents=True)
    done = case(shell, "a", "--rules", "lt", **{"a/x": GOOD, "a/b/y": GOOD})
    assert (done.status, done.out) == (0, "4 passed, 0 failed\n")


def test_what_cannot_be_used_is_told_and_the_rest_is_run(shell: Shell) -> None:
    broken = GOOD.replace('id = "Q1"', 'id = "Q1"\nposition = { hands = { A = "R7 R7 R7" } }')
    unknown = GOOD.replace("steps", "setps", 1)
    done = case(shell, ".", "--rules", "sv", broken=broken, good=GOOD, notoml="title =", unknown=unknown)
    assert (done.status, done.out) == (2, "3 passed, 0 failed\n")
    told = done.err.splitlines()
    assert told[0] == "phaseten: broken.toml, case Q1: under sv: the position: more copies of R7 than there are"
    assert told[1].startswith("phaseten: notoml.toml: this is not TOML: ")
    assert told[2] == "phaseten: unknown.toml, case Q1: the case has no 'setps'; did you mean 'steps'?"
    assert len(told) == 3


def test_trouble_outweighs_failures(shell: Shell) -> None:
    done = case(shell, ".", bad=BAD, notoml="title =")
    assert done.status == 2
    assert done.out.endswith("33 passed, 5 failed\n")


def test_files_that_cannot_be_read_are_told(shell: Shell) -> None:
    (shell.home / "latin.toml").write_bytes(b'title = "\xe6"')
    done = case(shell, "none.toml", "latin.toml")
    assert (done.status, done.out) == (2, "0 passed, 0 failed\n")
    assert done.err.splitlines() == [
        "phaseten: none.toml: cannot be read: No such file or directory",
        "phaseten: latin.toml: is not UTF-8 text; a case file is TOML",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "which cases? Give a file, or a folder of them"),
        (["."], ". holds no case files (*.toml)"),
        (["x.toml", "--rules", "bgg"], "there is no rule set 'bgg'; there are: official, da"),
        (["--game-move", "3"], "give the replay with --from REPLAY"),
        (["--from", "x.replay"], "which move of the replay? Give --game-move N, or --event N"),
        (["--from", "x.replay", "--event", "3"], "x.replay cannot be read: No such file or directory"),
        (["x.toml", "--from", "x.replay", "--event", "3"], "--from prints a case; to run it, write it to a file"),
    ],
)
def test_wrong_arguments_are_told_with_status_2(shell: Shell, arguments: list[str], told: str) -> None:
    done = shell.phaseten("case", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("phaseten: ")
    assert told in done.err


def test_help_shows_a_case_that_runs(shell: Shell) -> None:
    done = shell.phaseten("case", "--help")
    assert done.status == 0
    _, _, rest = done.out.partition('  title = "Half a phase"')
    text = 'title = "Half a phase"' + rest.partition("referee/cases/README.md")[0]
    assert case(shell, "help.toml", help=text).out == "1 passed, 0 failed\n"


def test_a_case_out_of_a_replay_runs(shell: Shell) -> None:
    assert shell.phaseten("play", "greedy", "denier", "--games", "1", "--seed", "1", "--out", ".").status == 0
    for which in (["--game-move", "40"], ["--event", "60"]):
        printed = shell.phaseten("case", "--from", "game-00001.replay", *which)
        assert (printed.status, printed.err) == (0, "")
        assert case(shell, "quarrel.toml", quarrel=printed.out).out == "1 passed, 0 failed\n"


def test_a_replay_without_that_move_is_told(shell: Shell) -> None:
    assert shell.phaseten("play", "greedy", "denier", "--games", "1", "--seed", "1", "--out", ".").status == 0
    for which, told in (
        (["--game-move", "0"], "this game has the moves 1 to "),
        (["--game-move", "99999"], "so there is no move 99999"),
        (["--event", "0"], "event 0 of this game follows from no move; there are events 0 to "),
        (["--event", "99999"], "event 99999 of this game follows from no move"),
    ):
        done = shell.phaseten("case", "--from", "game-00001.replay", *which)
        assert (done.status, done.out) == (2, "")
        assert told in done.err
    (shell.home / "no.replay").write_text("nothing")
    done = shell.phaseten("case", "--from", "no.replay", "--event", "3")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("phaseten: no.replay: ")
