"""The whole way of a newcomer, with a browser and the SDK: sign up, make a bot, connect it, see it play, replay it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.e2e.pages import settle
from tests.faults.whole_house import WholeHouse, whole_house

BOT = dedent(
    """
    from bots_sdk import Bot, Draw, Play, View, Turn, run


    class Newcomer(Bot):
        def draw(self, view: View) -> Draw:
            return Draw()

        def play(self, view: View) -> Play:
            turn = Turn(view, self.game.ruleset)
            if ways := turn.lays():
                turn.lay(ways[0])
            while hits := turn.hits():
                turn.hit(hits[0])
            return turn.end(max(turn.discards(), default=None))


    run(Newcomer, version="first")
    """
)


@pytest.fixture
def house(tmp_path: Path, browser: Any) -> Iterator[WholeHouse]:
    assert browser  # nothing is started for a test that is skipped
    with whole_house(tmp_path) as running:
        yield running


def connect(house: WholeHouse, folder: Path, token: str) -> "subprocess.Popen[bytes]":
    """The newcomer's bot as a process of its own."""
    program = folder / "newcomer.py"
    program.write_text(BOT)
    env = dict(house.env) | {"PHASETEN_SERVER": house.ports.site_url, "PHASETEN_TOKEN": token}
    with (folder / "newcomer.log").open("wb") as log:
        return subprocess.Popen([sys.executable, str(program)], env=env, stdout=log, stderr=log)


def make_account_and_bot(page: Any, url: str) -> str:
    """Signs up and makes a bot, by hand; returns the token that is shown."""
    page.goto(url)
    page.goto(url + "/sign-up")
    page.get_by_label("User name").fill("newcomer")
    page.get_by_label("Password").fill("a long enough secret")
    page.get_by_role("button", name="Make my account").click()
    page.get_by_label("Name").fill("New Comet")
    page.get_by_role("button", name="Make it and show its token").click()
    return str(page.locator("#token-text").inner_text())


def wait_for_a_finished_match(page: Any, url: str) -> None:
    """Looks at the bot's page until one of its matches has a score, and opens that match."""
    finished = page.locator("tr:has(td.n b):has(a[id^='match-'])")
    for _ in range(120):
        page.goto(url + "/bots/new-comet")
        if finished.count():
            break
        page.wait_for_timeout(500)
    finished.last.locator("a[id^='match-']").click()


@pytest.mark.timeout(300)
def test_from_sign_up_to_the_replay_of_the_own_game(house: WholeHouse, open_page: Any, tmp_path: Path) -> None:
    url = house.ports.site_url
    page = open_page().page
    token = make_account_and_bot(page, url)
    bot = connect(house, tmp_path, token)
    try:
        page.goto(url + "/my-bots/new-comet")
        page.get_by_role("button", name="Enter New Comet").click()
        page.get_by_text("New Comet has entered Open League, season 1").wait_for()
        wait_for_a_finished_match(page, url)
        page.locator("main a[href*='/games/']").first.click()
        settle(page)
        assert page.get_by_text("New Comet").first.is_visible()
        start = int(page.locator("[data-part=scrubber]").input_value())
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        assert int(page.locator("[data-part=scrubber]").input_value()) == start + 5
        page.keyboard.press("End")
        assert "The game is over" in page.locator("[data-part=caption]").inner_text()
    finally:
        bot.terminate()
        bot.wait(10)
    assert bot.returncode == 0, (tmp_path / "newcomer.log").read_text()
