"""Who a program plays as: `phaseten run` says it, guesses nothing, and explains why it was put out."""

import asyncio
import signal
from collections.abc import Iterator

import pytest

from bots_sdk.errors import WrongInput
from bots_sdk.loading import load_bot
from bots_sdk.store import BotStore, KnownBot, choose
from tests.sdk.command import Shell
from tests.sdk.fake_site import FakeSite, fake_site
from tests.sdk.test_client import stay
from tests.sdk.test_run import ended, offer, take_over
from tests.sdk.tiny_referee import TinyReferee

BOT = ["from bots_sdk.house_bots import GreedyBot", "class {}(GreedyBot):", "    version = '7'"]


@pytest.fixture
def site() -> Iterator[FakeSite]:
    with fake_site() as made:
        yield made


def store(shell: Shell) -> BotStore:
    return BotStore(shell.home / "config" / "phaseten")


@pytest.fixture
def mine(shell: Shell, site: FakeSite) -> str:
    """The program of the one bot that was submitted from here; beside it is another file, which never was."""
    for name, kind in (("mine.py", "Mine"), ("other.py", "Other")):
        shell.write(name, [line.format(kind) for line in BOT])
    program = load_bot(str(shell.home / "mine.py")).program
    store(shell).save(KnownBot(site.url, "my-bot", "My Bot", "phaseten_my", program, ""))
    return program


def test_a_file_that_was_not_submitted_plays_as_nobody(shell: Shell, site: FakeSite, mine: str) -> None:
    done = shell.phaseten("run", "other.py")
    assert (done.status, done.out) == (2, "")
    assert f"{shell.home / 'other.py'}:Other was not submitted. Use `phaseten submit`" in done.err
    assert f"  --bot my-bot --server {site.url}  (submitted as {mine})" in done.err
    assert site.asked == []


def test_where_several_were_submitted_none_is_guessed_either(shell: Shell, site: FakeSite, mine: str) -> None:
    store(shell).save(KnownBot(site.url, "second", "Second", "phaseten_second", mine, ""))
    with pytest.raises(WrongInput, match="which bot is this to be"):
        choose(store(shell), server=None, name=None, program=mine)
    with pytest.raises(WrongInput, match=r"elsewhere\.py:X was not submitted"):
        choose(store(shell), server=None, name=None, program="elsewhere.py:X")


def test_who_names_no_program_gets_the_only_bot(shell: Shell, mine: str) -> None:
    assert choose(store(shell), server=None, name=None).slug == "my-bot"


@pytest.mark.parametrize(
    ("arguments", "token", "who"),
    [
        (("mine.py",), "phaseten_my", "My Bot (my-bot), version 7, from {home}/mine.py:Mine, at {url}"),
        (("other.py", "--bot", "my-bot"), "phaseten_my", "My Bot (my-bot), version 7, from {home}/other.py:Other, at {url}"),
        (("mine.py", "--version", "8"), "phaseten_my", "My Bot (my-bot), version 8, from {home}/mine.py:Mine, at {url}"),
        (("other.py",), "phaseten_env", "the bot of PHASETEN_TOKEN, version 7, from {home}/other.py:Other, at {url}"),
    ],
    ids=["the file that was submitted", "a bot that is named", "a version that is named", "a token that is given"],
)
async def test_run_says_first_who_plays(
    shell: Shell, site: FakeSite, mine: str, arguments: tuple[str, ...], token: str, who: str
) -> None:
    env = {"PHASETEN_TOKEN": token, "PHASETEN_SERVER": site.url} if token == "phaseten_env" else {}
    async with TinyReferee(stay) as referee:
        offer(site, referee)
        process = await shell.start("bots_sdk.cli", "run", *arguments, **env)
        assert process.stdout is not None
        async with asyncio.timeout(60):
            first, second = [(await process.stdout.readline()).decode() for _ in range(2)]
        process.send_signal(signal.SIGTERM)
        await ended(process)
    assert who.format(home=shell.home, url=site.url) + "\n" in first
    assert "connected to referee tiny" in second
    assert [request.token for request in site.asked] == [token]


async def test_who_was_superseded_hears_what_happened_and_what_to_do(shell: Shell, site: FakeSite, mine: str) -> None:
    async with TinyReferee(take_over) as referee:
        offer(site, referee)
        status, _, err = await ended(await shell.start("bots_sdk.cli", "run", "mine.py"))
    assert status == 1
    assert "another one connected with the same bot's token" in err
    assert "stop the other one and run this again, or `phaseten submit` a second bot" in err
    assert "Traceback" not in err
