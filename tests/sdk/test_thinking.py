"""A bot that thinks long hears of it, and one that thinks for ever keeps nobody from ending its process."""

import asyncio
import logging
import re
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from bots_sdk.asking import ask
from bots_sdk.author import Crash, call
from bots_sdk.client import Timing
from bots_sdk.games import decode_invite
from bots_sdk.info import GameInfo, TimeLeft
from bots_sdk.local import play_game
from bots_sdk.stopping import Watchdog, run_until_stopped
from referee.engine.moves import Draw
from referee.engine.view import View
from tests.sdk.command import Shell
from tests.sdk.fake_site import FakeSite, fake_site
from tests.sdk.scripted import Recorder, ScriptedGame
from tests.sdk.test_client import client, run_until, stay_awake
from tests.sdk.test_run import ended, offer
from tests.sdk.tiny_referee import Diary, TinyReferee, Visit

SHARED = "All games of this process share one thread"


@pytest.mark.parametrize(("long", "told"), [(0.0, 2), (3600.0, 0)], ids=["too long", "in time"])
async def test_a_long_thought_is_told_once_a_game(long: float, told: int, caplog: pytest.LogCaptureFixture) -> None:
    scripts = [ScriptedGame(handle=number, number=number) for number in (1, 2)]
    diary = Diary()

    async def two_games(visit: Visit) -> None:
        await visit.welcome()
        for script in scripts:
            await visit.say(script.opening())
            await visit.play(script)
        await stay_awake(visit)

    timing = Timing(ping=60.0, silence=60.0, slice=0.0, long=long)  # every decision ends a slice
    async with TinyReferee(two_games) as referee:
        running = client(Recorder, referee.ticket, diary, timing)
        await run_until(running, lambda: diary.lines.count("game over") == 2)
    lines = [record.getMessage() for record in caplog.records if "one decision took" in record.getMessage()]
    assert len(lines) == told
    for script, line in zip(scripts, lines, strict=False):
        text = rf"game {script.game_id}: one decision took \d+\.\d s; its clock allowed 10.0 s, with 60.0 s left"
        assert re.match(text, line)
        assert SHARED in line


class Counting(Watchdog):
    """Counts how often it has looked."""

    looks = 0

    def _look(self, now: float) -> None:
        super()._look(now)
        self.looks += 1


class Ponderer(Recorder):
    """Thinks until a condition holds."""

    def __init__(self, until: Callable[[], bool]) -> None:
        super().__init__()
        self.until = until

    def draw(self, view: View) -> Draw:
        while not self.until():
            pass
        return Draw()


@pytest.fixture
def warned(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    with caplog.at_level(logging.WARNING, "phaseten"):
        yield lambda: [record.getMessage() for record in list(caplog.records)]


def asked(bot: Recorder, script: ScriptedGame) -> None:
    info: GameInfo = decode_invite(script.invite())
    answer = call(ask, bot, info, TimeLeft(60_000, 10_000), script.game.view(script.seat))
    assert not isinstance(answer, Crash)


def test_a_thought_that_goes_on_is_told_while_it_does_and_once_a_game(warned: Callable[[], list[str]]) -> None:
    script, other = ScriptedGame(number=1), ScriptedGame(number=2)
    with Counting(still=0.0, look=0.001) as dog:
        asked(Ponderer(lambda: len(warned()) == 1), script)
        before = dog.looks
        asked(Ponderer(lambda: dog.looks > before + 5), script)
        asked(Ponderer(lambda: len(warned()) == 2), other)
    assert [line.split(":")[0] for line in warned()] == [f"game {script.game_id}", f"game {other.game_id}"]
    assert re.search(r"a decision has taken \d+ s so far \(test_thinking\.py, line \d+, in [a-z<>]+\)", warned()[0])
    assert "its clock allowed 10.0 s, with 60.0 s left for the game" in warned()[0]
    assert SHARED in warned()[0]


def test_other_calls_of_the_bots_code_are_watched_too(warned: Callable[[], list[str]]) -> None:
    def hook() -> None:
        while not warned():
            pass

    with Watchdog(still=0.0, look=0.001):
        call(hook)
    assert re.search(r"the bot's code has not returned for \d+ s \(test_thinking\.py, line \d+, in ", warned()[0])


def test_quick_thoughts_and_waiting_are_no_long_thought(warned: Callable[[], list[str]]) -> None:
    script, bot = ScriptedGame(), Recorder()
    with Counting(still=3600.0, look=0.001) as dog:
        while dog.looks < 20:
            asked(bot, script)
        Ponderer(lambda: dog.looks > 40).draw(script.game.view(script.seat))  # nobody has called it for a game
    with Counting(still=0.0, look=0.001) as dog:
        while dog.looks < 20:
            pass
    assert warned() == []


def test_a_bot_that_plays_games_in_its_head_still_thinks_one_thought(warned: Callable[[], list[str]]) -> None:
    class Dreamer(Recorder):
        def draw(self, view: View) -> Draw:
            while not warned():
                play_game([Recorder(), Recorder()], seed=1)
            return Draw()

    script = ScriptedGame()
    with Watchdog(still=0.0, look=0.001):
        asked(Dreamer(), script)
    assert f"game {script.game_id}: a decision has taken" in warned()[0]


def test_the_watchdog_leaves_no_thread() -> None:
    with Watchdog(look=3600.0):
        assert "phaseten-watchdog" in [thread.name for thread in threading.enumerate()]
    assert "phaseten-watchdog" not in [thread.name for thread in threading.enumerate()]


@pytest.fixture
def site() -> Iterator[FakeSite]:
    with fake_site() as made:
        yield made


ENDLESS = {
    "a loop": "while True: pass",
    "a loop that lets nothing through": "exec('while True:\\n try:\\n  while True: pass\\n except BaseException: pass')",
    "a lock": "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
}


@pytest.mark.parametrize(
    ("endless", "stop"),
    [
        ("a loop", signal.SIGINT),
        ("a loop", signal.SIGTERM),
        ("a loop that lets nothing through", signal.SIGINT),
        ("a lock", signal.SIGTERM),
    ],
)
async def test_one_signal_ends_a_bot_that_never_returns(
    shell: Shell, site: FakeSite, endless: str, stop: signal.Signals
) -> None:
    head = ["from bots_sdk import Draw", "from bots_sdk.house_bots import GreedyBot", "class Mine(GreedyBot):"]
    shell.write(
        "mine.py",
        [*head, "    def draw(self, view):", "        print('thinking', flush=True)", f"        {ENDLESS[endless]}"],
    )

    async def one_question(visit: Visit) -> None:
        script = ScriptedGame()
        await visit.welcome()
        await visit.say(script.opening(), script.ask())
        await stay_awake(visit)

    async with TinyReferee(one_question) as referee:
        offer(site, referee)
        env = {"PHASETEN_SERVER": site.url, "PHASETEN_TOKEN": "t"}
        process = await shell.start("bots_sdk.cli", "run", "mine.py", **env)
        assert process.stdout is not None
        async with asyncio.timeout(60):
            while await process.stdout.readline() != b"thinking\n":
                pass
        process.send_signal(stop)
        status, _, err = await ended(process)
    assert status == 128 + stop
    line = err.splitlines()[-1]
    assert line.startswith(f"phaseten: the bot's code has not returned in the 2 s since {stop.name} (")
    assert line.endswith("; the process ends without it")
    assert "(mine.py, line 6, in draw)" in line
    assert "Traceback" not in err


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_is_sent_twice_at_once_is_meant_once(
    stop: signal.Signals, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bots_sdk.stopping.TWICE", 3600.0)
    before, tidied = signal.getsignal(stop), []

    async def main() -> None:
        signal.raise_signal(stop)
        signal.raise_signal(stop)
        try:
            await asyncio.Event().wait()
        finally:
            tidied.append(True)

    with caplog.at_level(logging.INFO, "phaseten"):
        run_until_stopped(main)
    assert tidied == [True]
    assert caplog.messages == ["stopped"]
    assert signal.getsignal(stop) is before


def test_who_is_not_heard_the_first_time_may_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots_sdk.stopping.TWICE", -1.0)

    async def main() -> None:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()

    run_until_stopped(main)
