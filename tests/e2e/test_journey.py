"""The whole way of a newcomer, with a browser and the SDK: sign up, make a bot, connect it, see it play, replay it.

Its first version cannot play: it is told so, and shown where. The next one is validated and plays for ratings.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


    run(Newcomer, version="second")
    """
)
CLUMSY = dedent(
    """
    from bots_sdk import CARDS, Bot, Draw, Play, View, run


    class Clumsy(Bot):
        def draw(self, view: View) -> Draw:
            return Draw()

        def play(self, view: View) -> Play:
            return Play(discard=next(card for card in CARDS if card not in view.hand))


    run(Clumsy, version="first")
    """
)


@pytest.fixture
def house(tmp_path: Path, browser: Any) -> Iterator[WholeHouse]:
    assert browser  # nothing is started for a test that is skipped
    with whole_house(tmp_path, pages=True) as running:
        yield running


@contextmanager
def connected(house: WholeHouse, folder: Path, token: str, code: str) -> Iterator[None]:
    """The newcomer's bot as a process of its own, until it is told to stop."""
    bot = connect(house, folder, token, code)
    try:
        yield
    finally:
        bot.terminate()
        bot.wait(60)
    assert bot.returncode == 0, (folder / "newcomer.log").read_text()


def connect(house: WholeHouse, folder: Path, token: str, code: str) -> "subprocess.Popen[bytes]":
    program = folder / "newcomer.py"
    program.write_text(code)
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
    page.wait_for_url("**/my-bots")
    page.get_by_label("Name").fill("New Comet")
    page.get_by_role("button", name="Make it and show its token").click()
    return str(page.locator("#token-text").inner_text())


def wait_for_a_rated_match(page: Any, url: str) -> None:
    """Looks at the bot's page until it is validated and has a rating, and opens its last match with a score."""
    validated, rated = page.get_by_text("validated", exact=True), page.locator("#rating-numbers")
    for _ in range(120):
        page.goto(url + "/bots/new-comet")
        if validated.count() and rated.count():
            break
        page.wait_for_timeout(500)
    page.locator("tr:has(td.n b)").first.locator("a[id^='match-']").click()
    page.wait_for_url("**/matches/*")
    assert page.get_by_text("Open League, season 1").first.is_visible()


def see_it_fail(page: Any, url: str) -> None:
    """Looks at the own bot's page until its version has failed, and watches the game in which it did."""
    for _ in range(120):
        page.goto(url + "/my-bots/new-comet")
        if page.get_by_role("button", name="Try again").count():
            break
        page.wait_for_timeout(500)
    assert "It forfeited game" in page.locator("#validation").inner_text()
    page.get_by_role("link", name="Watch the replay").click()
    page.wait_for_url("**/games/*")
    settle(page)
    page.keyboard.press("End")
    assert "The game is over" in page.locator("[data-part=caption]").inner_text()


@pytest.mark.timeout(600)
def test_from_sign_up_to_the_replay_of_the_own_game(house: WholeHouse, open_page: Any, tmp_path: Path) -> None:
    url = house.ports.site_url
    page = open_page().page
    token = make_account_and_bot(page, url)
    with connected(house, tmp_path, token, CLUMSY):
        see_it_fail(page, url)
    with connected(house, tmp_path, token, BOT):
        page.goto(url + "/my-bots/new-comet")
        page.get_by_role("button", name="Enter New Comet").click()
        page.get_by_text("New Comet has entered Open League, season 1").wait_for()
        wait_for_a_rated_match(page, url)
        page.locator("main a[href*='/games/']").first.click()
        page.wait_for_url("**/games/*")
        settle(page)
        assert page.get_by_text("New Comet").first.is_visible()
        start = int(page.locator("[data-part=scrubber]").input_value())
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        assert int(page.locator("[data-part=scrubber]").input_value()) == start + 5
        page.keyboard.press("End")
        assert "The game is over" in page.locator("[data-part=caption]").inner_text()
