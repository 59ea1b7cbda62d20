"""What a bot's owner hears of its validation: from `phaseten run` while it plays, from `phaseten validate` at any time."""

import asyncio
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from bots_sdk.bot import maker
from bots_sdk.client import Client, Timing
from bots_sdk.house_bots import GreedyBot
from bots_sdk.store import BotStore, KnownBot
from bots_sdk.tickets import Ticket, Validation, read_ticket
from tests.sdk.command import Shell
from tests.sdk.fake_site import FakeSite, fake_site
from tests.sdk.test_client import run_until, stay
from tests.sdk.test_run import SESSIONS, ended, offer
from tests.sdk.tiny_referee import QUICK, Diary, TinyReferee

BOT, AGAIN = "GET /api/v1/bots/ada", "POST /api/v1/bots/ada/validation"
WAITING = Validation("waiting", "Version 1 waits.")
FAILED = Validation("failed", "It forfeited.", "http://127.0.0.1/matches/1")
PASSED = Validation("passed", "Version 1 is validated.")
MARKS = "\x1b[31m"


@pytest.fixture
def site() -> Iterator[FakeSite]:
    with fake_site() as made:
        yield made


@pytest.fixture
def known(shell: Shell, site: FakeSite) -> Shell:
    """A shell from which a bot was submitted."""
    BotStore(shell.home / "config" / "phaseten").save(KnownBot(site.url, "ada", "Ada", "phaseten_ada", "greedy", "1"))
    return shell


def said(found: Validation | None) -> Any:
    return None if found is None else {"state": found.state, "text": found.text, "match": found.match or None}


@pytest.mark.parametrize("found", [None, WAITING, FAILED, PASSED])
def test_a_ticket_says_how_far_it_is(found: Validation | None) -> None:
    answer = {"ticket": "t", "referees": [], "validation": said(found)}
    assert read_ticket(answer, "http://site", 8).validation == found


def test_a_site_that_says_nothing_of_it_is_fine() -> None:
    assert read_ticket({"ticket": "t", "referees": []}, "http://site", 8).validation is None
    assert read_ticket({"ticket": "t", "referees": [], "validation": "nonsense"}, "http://site", 8).validation is None


class Listener(Diary):
    def validation(self, text: str) -> None:
        self.lines.append(text)


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ([WAITING, WAITING, FAILED], ["Version 1 waits.", "It forfeited. http://127.0.0.1/matches/1"]),
        ([WAITING, PASSED], ["Version 1 waits.", "Version 1 is validated."]),
        ([PASSED], []),
        ([None], []),
    ],
)
async def test_each_news_is_told_once_and_asked_for_while_it_is_awaited(
    states: list[Validation | None], told: list[str]
) -> None:
    left, fetched, diary = list(states), 0, Listener()
    timing = Timing(**{name: getattr(QUICK, name) for name in Timing.__slots__} | {"undecided": 0.02})
    async with TinyReferee(stay) as referee:

        def fetch() -> Ticket:
            nonlocal fetched
            fetched += 1
            validation = left.pop(0) if len(left) > 1 else left[0]
            return Ticket("t", 8, (referee.address(),), validation)

        running = Client(maker(GreedyBot), fetch, 8, diary, timing)
        await run_until(running, lambda: fetched == len(states) and len(diary.lines) > len(told))
        assert [line for line in diary.lines if not line.startswith("connected")] == told
        assert fetched == len(states)  # once it is decided, it is not asked for again


async def test_run_says_what_the_site_says(known: Shell, site: FakeSite) -> None:
    async with TinyReferee(stay) as referee:
        offer(site, referee)
        site.answers[SESSIONS][0][1]["validation"] = said(Validation("waiting", f"Version {MARKS}1 waits."))
        process = await known.start("bots_sdk.cli", "run", "greedy")
        assert process.stdout is not None
        async with asyncio.timeout(60):
            lines = [(await process.stdout.readline()).decode() for _ in range(3)]
        process.send_signal(signal.SIGTERM)
        await ended(process)
    assert "Version ?[31m1 waits." in lines[1]
    assert "connected to referee tiny" in lines[2]


@pytest.mark.parametrize(("found", "status"), [(PASSED, 0), (Validation("exempt", "House."), 0), (WAITING, 1), (FAILED, 1)])
def test_validate_says_how_far_it_is(known: Shell, site: FakeSite, found: Validation, status: int) -> None:
    site.answer(BOT, 200, {"slug": "ada", "validation": said(found)})
    done = known.phaseten("validate")
    assert (done.status, done.err) == (status, "")
    assert done.out.startswith(f"{found.state}: {found.text}")
    assert ("--again" in done.out) == (found is FAILED)
    assert (found.match in done.out) or not found.match


def test_validate_asks_for_another_try(known: Shell, site: FakeSite) -> None:
    site.answer(AGAIN, 200, {"slug": "ada", "validation": said(WAITING)})
    done = known.phaseten("validate", "--again")
    assert (done.status, done.out) == (1, "waiting: Version 1 waits.\n")
    assert [(request.method, request.token) for request in site.asked] == [("POST", "phaseten_ada")]


def test_validate_says_no_plainly(known: Shell, site: FakeSite) -> None:
    site.refuse(AGAIN, 409, "nothing_to_validate", "There is nothing to try again.")
    done = known.phaseten("validate", "--again")
    assert (done.status, done.err) == (1, "phaseten: the site says: There is nothing to try again. (nothing_to_validate)\n")


def test_a_bot_without_a_version_has_nothing_to_show(known: Shell, site: FakeSite) -> None:
    site.answer(BOT, 200, {"slug": "ada", "validation": None})
    assert known.phaseten("validate").out == "ada has no version yet: it has never connected.\n"


def test_the_token_of_the_environment_needs_a_name(shell: Shell, site: FakeSite) -> None:
    done = shell.phaseten("validate", PHASETEN_TOKEN="phaseten_x", PHASETEN_SERVER=site.url)
    assert done.status == 2
    assert "--bot NAME" in done.err
    site.answer(BOT, 200, {"slug": "ada", "validation": said(PASSED)})
    done = shell.phaseten("validate", "--bot", "ada", PHASETEN_TOKEN="phaseten_x", PHASETEN_SERVER=site.url)
    assert done.status == 0
    assert site.asked[0].token == "phaseten_x"


def test_a_site_that_is_none_is_said(known: Shell, site: FakeSite) -> None:
    site.answer(BOT, 200, ["what?"])
    done = known.phaseten("validate")
    assert done.status == 1
    assert "Is the address right?" in done.err
