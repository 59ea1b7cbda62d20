"""The trial before a bot is submitted, and the screen of `phaseten run`."""

import io
from uuid import UUID

import pytest

from bots_sdk.bot import Bot
from bots_sdk.check import check_bot, format_move
from bots_sdk.cli_run import Screen
from bots_sdk.house_bots import HOUSE_BOTS, GreedyBot
from bots_sdk.info import Ending, GameInfo, GameResult
from referee.engine.cards import SKIP, WILD, parse_card, parse_cards
from referee.engine.events import GameEnd
from referee.engine.game import Result
from referee.engine.moves import Draw, End, Hit, Meld, Move, Play, Seat
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Clock, Terms
from referee.engine.view import View
from referee.wire.replay import SeatInfo


@pytest.mark.parametrize("bot", HOUSE_BOTS.values(), ids=HOUSE_BOTS)
def test_house_bots_pass(bot: type[Bot]) -> None:
    told: list[str] = []
    report = check_bot(bot, told=told.append)
    assert (report.passed, report.problems) == (True, [])
    assert report.games == len(told)
    assert report.decisions > 0


def test_a_bot_is_tried_on_every_seat_of_small_and_larger_tables() -> None:
    told: list[str] = []
    check_bot(GreedyBot, told=told.append)
    assert [line.partition(", place")[0] for line in told] == [
        "game 1: seat 0 of 2",
        "game 2: seat 1 of 2",
        "game 3: seat 0 of 2",
        "game 4: seat 1 of 2",
        "game 5: seat 0 of 4",
        "game 6: seat 1 of 4",
        "game 7: seat 2 of 4",
        "game 8: seat 3 of 4",
    ]


def test_a_bot_that_answers_too_slowly_for_the_clock_is_not_ready() -> None:
    report = check_bot(GreedyBot, clock=Clock(bank_ms=1, increment_ms=0, cap_ms=10_000))
    assert "the clock allows 0.0 s" in report.problems[0]


def test_one_answer_that_takes_too_long_is_named() -> None:
    report = check_bot(GreedyBot, clock=Clock(bank_ms=60_000, increment_ms=0, cap_ms=0))
    assert "0.0 s are allowed" in report.problems[0]


def test_the_same_mistake_is_told_once() -> None:
    class Forgetful(GreedyBot):
        def play(self, view: View) -> Play:
            raise KeyError(view.table.turn)

        def draw(self, view: View) -> Draw:
            raise ValueError(view.table.turn)

    report = check_bot(Forgetful)
    assert len(report.problems) == 2
    assert "ValueError" in report.problems[0]
    assert "KeyError" in report.problems[1]
    assert "bots_sdk/asking.py" not in report.problems[0]


def test_a_bot_that_cannot_be_made_is_not_ready() -> None:
    class Broken(GreedyBot):
        def __init__(self) -> None:
            raise OSError("no model file")

    report = check_bot(Broken)
    assert report.games == 0
    assert "no model file" in report.problems[0]


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Draw(), "draw unseen"),
        (Draw(from_discard=True), "draw the open card"),
        (Play(discard=WILD), "discard W"),
        (Play(), "no discard"),
        (Play(discard=SKIP, skip_target=Seat(2)), "discard S, skip seat 2"),
        (
            Play((Meld(parse_cards("R7 B7 W")), Meld(parse_cards("G1 G1 G1"))), (), parse_card("Y3")),
            "lay R7 B7 W | G1 G1 G1, discard Y3",
        ),
        (
            Play(hits=(Hit(Seat(1), 0, WILD, End.LOW), Hit(Seat(0), 1, parse_card("R2"))), discard=parse_card("B1")),
            "hit W low on meld 0 of seat 1, hit R2 on meld 1 of seat 0, discard B1",
        ),
    ],
)
def test_moves_are_shown_on_one_line(move: Move, text: str) -> None:
    assert format_move(move) == text


# The screen.


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def game_info(*names: str) -> GameInfo:
    table = tuple(SeatInfo(name.lower(), name, "1", 0) for name in names)
    return GameInfo(UUID(int=1), UUID(int=2), 1, OFFICIAL, Terms(), Seat(0), table)


def finished(places: tuple[int, ...], faults: int = 0) -> GameResult:
    seats = len(places)
    result = Result(
        GameEnd.PHASES_DONE, places, (120,) * seats, (9,) * seats, (faults,) + (0,) * (seats - 1), (None,) * seats, 12
    )
    return GameResult(Ending.FINISHED, result)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (finished((1, 2, 3)), "won against Bix, Cid: place 1 of 3, 120 points, 9 phases"),
        (finished((1, 1, 3)), "tied against Bix, Cid: place 1 of 3"),
        (finished((3, 1, 2), faults=2), "lost against Bix, Cid: place 3 of 3, 120 points, 9 phases, 2 faults"),
        (GameResult(Ending.VOID, text="referee lost"), "called off against Bix, Cid: referee lost"),
        (GameResult(Ending.UNKNOWN), "ended while away against Bix, Cid: no reason given"),
    ],
)
def test_every_game_gets_a_line(result: GameResult, text: str) -> None:
    out = io.StringIO()
    screen = Screen(out)
    screen.game_started(game_info("Ann", "Bix", "Cid"))
    screen.game_over(game_info("Ann", "Bix", "Cid"), result)
    (line,) = out.getvalue().splitlines()
    assert text in line
    assert "\r" not in line


def test_a_terminal_has_a_status_line() -> None:
    out = Terminal()
    screen = Screen(out)
    screen.connected("r1", 8)
    screen.game_started(game_info("Ann", "Bix"))
    assert out.getvalue().rpartition("\r")[2] == "\x1b[Kplaying 1 at r1; 0 games played, 0 won, 0 tied. Ctrl-C stops."
    screen.game_over(game_info("Ann", "Bix"), finished((1, 2)))
    assert out.getvalue().rpartition("\r")[2] == "\x1b[Kplaying 0 at r1; 1 games played, 1 won, 0 tied. Ctrl-C stops."
    screen.close()
    assert out.getvalue().endswith("\r\x1b[K")


def test_a_name_cannot_move_the_cursor() -> None:
    out = io.StringIO()
    Screen(out).game_over(game_info("Ann", "B\x1b[2Jix\u202e"), finished((2, 1)))
    assert "lost against B?[2Jix?" in out.getvalue()
