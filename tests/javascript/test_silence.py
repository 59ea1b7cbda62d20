"""A sign of life is asked for often while a game runs and rarely while none does, and a silent referee is borne as long."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from phaseten.v1 import bot_pb2 as pb

from tests.javascript.node import Node
from tests.sdk.command import Shell
from tests.sdk.fake_site import fake_site
from tests.sdk.scripted import ScriptedGame, frame
from tests.sdk.test_client import stay_silent
from tests.sdk.tiny_referee import TinyReferee, Visit

PATIENCE = 60
FOR_EVER = 200  # seconds of the bot's clock, which pass in no time
# Loaded before the bot: its clock stands still, and each line on stdin lets as many seconds pass as it says, in one go. What
# the bot does in them is done and printed, and on its way, before the answer.
CLOCK = """
import { createInterface } from "node:readline";
const timers = new Set();
let now = Date.now();
Date.now = () => now;
globalThis.setInterval = (call, pause) => {
  const timer = { call, pause, due: now + pause };
  timers.add(timer);
  return timer;
};
globalThis.clearInterval = (timer) => timers.delete(timer);
createInterface({ input: process.stdin }).on("line", (seconds) => {
  now += 1000 * seconds;
  for (const timer of timers) {
    if (timer.due > now) continue;
    timer.due = now + timer.pause;
    timer.call();
  }
  setImmediate(() => console.log("so much for time"));
});
"""
PASSED = "so much for time\n"


@dataclass(frozen=True, slots=True)
class Running:
    """A bot whose clock is in our hands, and its visits at the referee, in order."""

    process: "subprocess.Popen[str]"
    arrivals: asyncio.Queue[Visit]

    def second(self, seconds: int = 1) -> str:
        """Let a second pass, or several while the bot can do nothing. What it has printed since."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        printed = ""
        while (line := self.process.stdout.readline()) != PASSED:
            printed += line
            assert line, f"the bot has ended: {printed}"
        return printed

    async def visit(self) -> Visit:
        """The next visit; what it says is up to the test."""
        async with asyncio.timeout(PATIENCE):
            return await self.arrivals.get()

    async def pings(self, visit: Visit, seconds: int) -> list[int]:
        """After which seconds the bot asks for a sign of life. It hears the referee all the while."""
        await said(visit)
        found = []
        for second in range(1, seconds + 1):
            self.second()
            found += [second] * (await said(visit)).count("ping")
        return found

    async def bears_silence(self, visit: Visit) -> int | None:
        """After how many seconds without a word it gives the referee up: one more than it bears; it looks every second."""
        await said(visit)
        seconds = range(1, FOR_EVER)
        return next((second for second in seconds if "tiny lost: nothing heard" in self.second()), None)


async def said(visit: Visit) -> list[str | None]:
    """What the bot has said by now. By now it has also heard what it was told before."""
    known = len(visit.heard)
    await visit.say(frame(ping=pb.Ping(id=1)))
    async with asyncio.timeout(PATIENCE):
        await visit.hear("pong")
    return [message.WhichOneof("kind") for message in visit.heard[known:]]


@contextmanager
def started(bot: Node, home: Path, referee: TinyReferee) -> Iterator["subprocess.Popen[str]"]:
    clock = home / "clock.mjs"
    clock.write_text(CLOCK)
    with fake_site() as site:
        referees = [{"id": "tiny", "address": referee.address().target}]
        site.answer("POST /api/v1/sessions", 201, {"ticket": "ticket", "capacity": 8, "referees": referees})
        with subprocess.Popen(
            (bot.node, "--import", clock.as_uri(), *bot.command[1:]),
            env=Shell(home).env(PHASETEN_SERVER=site.url, PHASETEN_TOKEN="phaseten_x"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()


@pytest.fixture
async def running(bot: Node, tmp_path: Path) -> AsyncIterator[Running]:
    arrivals: asyncio.Queue[Visit] = asyncio.Queue()

    async def arrive(visit: Visit) -> None:
        arrivals.put_nowait(visit)
        await stay_silent()

    async with TinyReferee(arrive) as referee:
        with started(bot, tmp_path, referee) as process:
            yield Running(process, arrivals)


async def test_it_asks_for_a_sign_of_life_once_a_minute_and_every_five_seconds_in_a_game(running: Running) -> None:
    script, visit = ScriptedGame(), await running.visit()
    await visit.welcome()
    assert await running.pings(visit, 120) == [60, 120]
    await visit.say(script.opening())
    assert await running.pings(visit, 20) == [5, 10, 15, 20]
    await visit.play(script)
    assert await running.pings(visit, 120) == [60, 120]
    assert script.rejected == []


async def test_it_bears_silence_for_as_much_longer_while_no_game_runs(running: Running) -> None:
    script, visit = ScriptedGame(), await running.visit()
    await visit.welcome()
    assert await running.bears_silence(visit) == 63 + 1
    visit = await running.visit()
    await visit.welcome()
    await visit.say(script.opening())
    assert await running.bears_silence(visit) == 8 + 1
    visit = await running.visit()
    await visit.welcome()
    script.handle = 2
    await visit.say(frame(resync=pb.Resync(games=[script.resync()])))
    await visit.play(script)
    assert await running.bears_silence(visit) == 63 + 1


async def test_a_long_thought_of_its_own_is_no_silence_of_the_referee(running: Running) -> None:
    script, visit = ScriptedGame(), await running.visit()
    await visit.welcome()
    await visit.say(script.opening())
    await said(visit)
    assert "lost" not in running.second(FOR_EVER)
    seconds = range(1, FOR_EVER)  # the last one of the thought may have been silent
    assert next(second for second in seconds if "tiny lost: nothing heard" in running.second()) == 8


async def test_it_does_not_rest_before_it_is_welcomed(running: Running) -> None:
    visit = await running.visit()
    await visit.hear("hello")
    assert await running.bears_silence(visit) == 8 + 1
