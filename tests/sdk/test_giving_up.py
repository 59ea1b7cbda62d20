"""Games that a bot loses before their end: given up at the tenth error, here as at a referee, and told with the cause."""

import io
import logging
from collections.abc import Callable

import pytest

from bots_sdk.author import CRASHES_TO_RESIGN
from bots_sdk.cli_run import Screen
from bots_sdk.house_bots import GreedyBot
from bots_sdk.info import Ending, GameResult
from bots_sdk.local import TroubleKind, play_game
from bots_sdk.watcher import Watcher
from referee.engine.check import check_log
from referee.engine.events import ForfeitCause, GameEnd
from referee.engine.game import Result
from referee.engine.moves import Draw
from referee.engine.view import View
from referee.verify.replays import verify_replay
from tests.sdk.command import Shell
from tests.sdk.scripted import Recorder
from tests.sdk.test_author_errors import Hopeless
from tests.sdk.test_check import game_info


def failing(times: int) -> Recorder:
    """A bot that fails so often, and then never again."""
    left = times

    class Failing(Recorder):
        def draw(self, view: View) -> Draw:
            nonlocal left
            if left:
                left -= 1
                raise ZeroDivisionError("no idea")
            return super().draw(view)

    return Failing()


def test_a_local_game_is_given_up_at_the_tenth_error() -> None:
    played = play_game([Hopeless(), GreedyBot()], seed=1)
    assert len(played.troubles) == played.tallies[0].decisions == CRASHES_TO_RESIGN
    assert {trouble.kind for trouble in played.troubles} == {TroubleKind.CRASH}
    assert "failed 10 times in this game: the game is given up" in played.troubles[-1].text
    assert played.result.cause is GameEnd.FORFEITS
    assert played.result.forfeits == (ForfeitCause.RESIGNED, None)
    assert (played.result.places, played.result.faults) == ((2, 1), (0, 0))
    assert check_log(played.game.log).result == played.result
    assert verify_replay(played.replay()).verdict == "fine"


def test_nine_errors_are_forgiven_in_each_game() -> None:
    played = play_game([failing(CRASHES_TO_RESIGN - 1), GreedyBot()], seed=1)
    assert len(played.troubles) == CRASHES_TO_RESIGN - 1
    assert played.result.forfeits == (None, None)


def test_the_others_play_on_without_the_one_that_gave_up() -> None:
    hopeless = Hopeless()
    played = play_game([GreedyBot(), hopeless, GreedyBot()], seed=1)
    assert played.result.forfeits == (None, ForfeitCause.RESIGNED, None)
    assert played.result.places[1] == 3
    assert played.result.cause is not GameEnd.FORFEITS
    assert len(hopeless.results) == 1


def test_an_error_in_a_hook_counts_here_as_little_as_there() -> None:
    class Hooked(GreedyBot):
        def events(self, _info: object, _events: object) -> None:
            raise LookupError("events")

    played = play_game([Hooked(), GreedyBot()], seed=1)
    assert len(played.troubles) > CRASHES_TO_RESIGN
    assert played.result.forfeits == (None, None)


def test_play_says_how_many_games_were_lost_so(shell: Shell) -> None:
    head = ["from bots_sdk import Draw, Play", "from bots_sdk.house_bots import GreedyBot"]
    fails = ["class Fails(GreedyBot):", "    def draw(self, view):", "        raise KeyError(1)"]
    cheats = ["class Cheats(GreedyBot):", "    def play(self, view):", "        return Play(discard=None)"]
    shell.write("bad.py", [*head, *fails, *cheats])
    done = shell.phaseten("play", "bad.py:Fails", "bad.py:Cheats", "greedy", "--games", "2", "--seed", "1")
    assert done.status == 0
    assert "\nFails forfeited 2 of 2 games (it gave the game up: 2)\n" in done.out
    assert "\nCheats forfeited 2 of 2 games (too many faults: 2)\n" in done.out
    assert "greedy forfeited" not in done.out


def lost(cause: ForfeitCause | None) -> GameResult:
    result = Result(GameEnd.FORFEITS, (2, 1), (0, 0), (1, 1), (0, 0), (cause, None), 2)
    return GameResult(Ending.FINISHED, result)


WORDS = {
    ForfeitCause.CLOCK: "its time ran out",
    ForfeitCause.FAULTS: "too many faults",
    ForfeitCause.RESIGNED: "it gave the game up",
    ForfeitCause.NO_SHOW: "it was not there at the start",
}


@pytest.mark.parametrize("cause", ForfeitCause)
def test_run_says_why_a_game_was_forfeited(cause: ForfeitCause) -> None:
    out = io.StringIO()
    Screen(out).game_over(game_info("Ann", "Bix"), lost(cause))
    assert f"lost against Bix: place 2 of 2, 0 points, 1 phases; forfeited: {WORDS[cause]}\n" in out.getvalue()


def test_a_game_that_somebody_else_forfeited_is_just_won() -> None:
    out = io.StringIO()
    result = Result(GameEnd.FORFEITS, (1, 2), (0, 0), (1, 1), (0, 0), (None, ForfeitCause.CLOCK), 2)
    Screen(out).game_over(game_info("Ann", "Bix"), GameResult(Ending.FINISHED, result))
    assert out.getvalue().endswith("won against Bix: place 1 of 2, 0 points, 1 phases\n")


@pytest.mark.parametrize(("make", "told"), [(lambda: lost(ForfeitCause.CLOCK), True), (lambda: lost(None), False)])
def test_a_program_of_its_own_logs_it(make: Callable[[], GameResult], told: bool, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "phaseten"):
        Watcher().game_over(game_info("Ann", "Bix"), make())
    assert ("forfeited: its time ran out" in caplog.text) == told
    assert bool(caplog.records) == told
