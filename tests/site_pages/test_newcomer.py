"""A newcomer types what the README and the pages say, letter by letter."""

import asyncio
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from django.test import Client

from tests.architecture.sources import ROOT
from tests.sdk.command import Shell
from tests.sdk.test_run import Hall, ended
from tests.sdk.tiny_referee import TinyReferee
from tests.sdk.written import Text
from tests.site.builders import PASSWORD
from tournament_site.accounts.models import User
from tournament_site.addresses import Referee
from tournament_site.bots.models import Bot

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


@pytest.fixture
def site(live_server, settings):
    """The address of a site that knows itself by it, on which Ann has an account."""
    settings.SITE = replace(settings.SITE, url=live_server.url)
    User.objects.create_user("ann", "ann@example.org", PASSWORD)
    return live_server.url


def root_readme() -> Text:
    return Text((ROOT / "README.md").read_text())


def sdk_readme() -> Text:
    return Text((files("bots_sdk") / "README.md").read_text())


def start_page() -> Text:
    return Text.of_page(Client().get("/start").content.decode())


def token_page() -> Text:
    client = Client()
    client.force_login(User.objects.get(username="ann"))
    return Text.of_page(client.post("/my-bots", {"name": "Ann's first"}).content.decode())


async def run_as_written(shell: Shell, settings: Any, arguments: list[str], **env: str) -> tuple[int, Hall]:
    """Run a bot until it has played a game at the only referee that the site knows."""
    hall = Hall()
    async with TinyReferee(hall) as referee:
        address = f"127.0.0.1:{referee.port}"
        settings.SITE = replace(settings.SITE, referees=(Referee("tiny", address, address),))
        process = await shell.start("bots_sdk.cli", *arguments, **env)
        over = asyncio.create_task(hall.over.wait())
        gone = asyncio.create_task(process.wait())
        await asyncio.wait((over, gone), timeout=60, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        status, _, err = await ended(process)
        await gone
        assert err == ""
    return status, hall


@pytest.mark.parametrize("read", [root_readme, start_page])
def test_the_four_commands_lead_to_a_bot_that_plays(shell, site, settings, read: Callable[[], Text]):
    text = read()
    for name in ("new", "play"):
        done = shell.phaseten(*text.command(name))
        assert (done.status, done.err) == (0, "")
    submit = [site if word == "http://127.0.0.1:8000" else word for word in text.command("submit")]
    assert site in submit
    done = shell.phaseten(*submit, "--username", "ann", PHASETEN_PASSWORD=PASSWORD)
    assert (done.status, done.err) == (0, "")
    assert Bot.objects.get().name == "My Bot"
    status, hall = asyncio.run(run_as_written(shell, settings, text.command("run")))
    assert status == 0
    assert hall.over.is_set()
    assert hall.script.rejected == []


def test_the_commands_beside_a_token_lead_to_a_bot_that_plays(shell, site, settings):
    text = token_page()
    assert shell.phaseten(*text.command("new")).status == 0
    exports = text.exports()
    assert exports["PHASETEN_SERVER"] == site
    status, hall = asyncio.run(run_as_written(shell, settings, text.command("run"), **exports))
    assert status == 0
    assert hall.over.is_set()


@pytest.mark.parametrize("read", [root_readme, sdk_readme, start_page])
def test_the_bot_that_is_shown_plays(shell, read: Callable[[], Text]):
    shell.write("shown.py", [read().program()])
    done = shell.phaseten("play", "shown.py", "random", "--games", "4", "--seed", "1")
    assert (done.status, done.err) == (0, "")
    assert re.search(r"(?m)^MyBot ", done.out)
