"""What the screen shows, with and without a terminal."""

import io

import pytest

from deploy.local.console import Console
from deploy.local.screen import Progress, lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(raw: str) -> list[str]:
    """The lines a terminal shows after this output; it knows "up n lines" and "erase from here"."""
    screen: list[str] = []
    row = 0
    for part in raw.replace("\033[", "\0\033[").split("\0"):
        text = part
        if part.startswith("\033["):
            end = next(i for i, letter in enumerate(part) if letter.isalpha())
            argument, command, text = part[2:end], part[end], part[end + 1 :]
            if command == "A":
                row -= int(argument)
            elif command == "J":
                del screen[row:]
        for number, line in enumerate(text.replace("\r", "").split("\n")):
            row += 1 if number else 0
            screen.extend([""] * (row + 1 - len(screen)))
            screen[row] += line
    return [line for line in screen if line]


def test_lines_stay_above_the_live_ones() -> None:
    out = Terminal()
    console = Console(out, no_color=True)
    console.live(["season 1: 1/10", "season 2: 0/5"])
    console.line("a referee was started again")
    console.live(["season 1: 2/10", "season 2: 1/5"])
    assert shown(out.getvalue()) == ["a referee was started again", "season 1: 2/10", "season 2: 1/5"]


def test_live_lines_stay_when_they_are_finished() -> None:
    out = Terminal()
    console = Console(out, no_color=True)
    console.live(["9/10"])
    console.finish(["10/10"])
    console.line("done")
    assert shown(out.getvalue()) == ["10/10", "done"]


def test_without_a_terminal_there_is_no_control_character() -> None:
    out = io.StringIO()
    console = Console(out)
    with console.step("think"):
        console.warn("hm")
    console.live(["1/10"])
    console.live(["2/10"])  # too soon to print it
    console.finish(["10/10"])
    assert "\033" not in out.getvalue()
    assert [line.split()[0] for line in out.getvalue().splitlines()] == ["hm", "ok", "1/10", "10/10"]


def test_colour_is_left_out_on_request() -> None:
    out = Terminal()
    Console(out, no_color=True).service("referee", "hello", 0)
    assert out.getvalue() == "referee      | hello\n"
    out = Terminal()
    Console(out).service("referee", "hello", 0)
    assert out.getvalue() == "\033[36mreferee     \033[0m | hello\n"


def test_a_failed_step_says_so_and_passes_the_error_on() -> None:
    out = io.StringIO()
    with pytest.raises(ValueError, match="no"), Console(out).step("think"):
        raise ValueError("no")
    assert out.getvalue().split()[0] == "failed"


def test_a_season_is_a_line_with_a_bar() -> None:
    season = Progress.from_json(
        {
            "id": 3,
            "name": "Demo of two",
            "state": "running",
            "matches": {"scheduled": 30, "finished": 14, "void": 1},
        }
    )
    assert lines([season]) == ["  Demo of two  [############............] 15/30 matches  running, 1 void"]
    assert not season.over


def test_what_other_people_wrote_cannot_command_the_terminal() -> None:
    season = Progress.from_json(
        {
            "id": 1,
            "name": "\033[2Jgone\u202e",
            "state": "open",
            "matches": {"scheduled": 0, "finished": 0, "void": 0},
        }
    )
    assert season.name == "?[2Jgone?"
    out = io.StringIO()
    Console(out).service("bot", "bell \a and \033]0;title", 1)
    assert out.getvalue() == "bot          | bell ? and ?]0;title\n"


class Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_nobody_reading_is_no_reason_to_end() -> None:
    console = Console(Closed())
    console.line("hello")
    console.live(["1/10"])
    console.finish(["10/10"])


def test_names_line_up_and_an_empty_season_has_an_empty_bar() -> None:
    short, long = lines([Progress(1, "a", "open", 0, 0, 0), Progress(2, "longer", "finished", 2, 2, 0)])
    assert short.index("[") == long.index("[")
    assert "[" + "." * 24 + "] 0/0" in short
    assert "[" + "#" * 24 + "] 2/2" in long
