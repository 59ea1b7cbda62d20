"""The conformance kit on bots that are fine, and on bots that do one thing wrong: it must name that one thing."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from importlib.resources import files
from multiprocessing import get_context
from typing import Any

import grpc.aio
import pytest

from bots_sdk import client as client_module
from bots_sdk.bot import Bot
from bots_sdk.conformance.beginning import DECLINES, TAKES_PART
from bots_sdk.conformance.report import Report, Status, lines_of
from bots_sdk.conformance.returning import UNASKED
from bots_sdk.conformance.run import run
from bots_sdk.conformance.scenarios import BY_NAME, SCENARIOS
from bots_sdk.conformance.site import PATH, TICKET, TOKEN, Site
from bots_sdk.conformance.stage import FIRST, Stage
from bots_sdk.errors import SiteRefused
from bots_sdk.house_bots import HOUSE_BOTS
from bots_sdk.http import Site as SiteClient
from bots_sdk.loading import load_bot
from bots_sdk.session import SDK
from deploy.local.ports import is_free
from tests.sdk.bent import Declines
from tests.sdk.crooked import CROOKED, QUICK, Crooked
from tests.sdk.trying import GAMES, PATIENCE, Verdict, tried, verdict_on

AT_ONCE = 6
# gRPC still has words for a loop after it was closed, so all of these tests share one.
one_loop = pytest.mark.asyncio(loop_scope="session")
ONE_GAME = Crooked((), capacity=1)


def failed(report: Report) -> list[str]:
    return [outcome.name for outcome in report.outcomes if outcome.status is Status.FAILED]


def complaints(report: Report) -> list[str]:
    return [line for outcome in report.outcomes if outcome.status is not Status.PASSED for line in lines_of(outcome)]


def notes(report: Report, name: str) -> tuple[str, ...]:
    (found,) = (outcome.notes for outcome in report.outcomes if outcome.name == name)
    return found


@one_loop
async def test_the_sdk_and_its_template_pass_every_scenario() -> None:
    template = files("bots_sdk") / "templates" / "python" / "bot.py"
    bot = load_bot(str(template)).source
    assert isinstance(bot, type)
    report = await tried(Crooked((), bot=bot), SCENARIOS)
    assert complaints(report) == []
    assert (report.sdk, report.capacity, report.version) == (SDK, 8, "1")
    assert (report.illegal, report.laid) == ({}, set(range(1, 11)))
    assert len(report.outcomes) == len(SCENARIOS)
    assert notes(report, "handshake") == (TAKES_PART,)
    assert notes(report, "silence") == ()


@one_loop
async def test_a_bot_that_only_listens_is_told_that_it_should_ask() -> None:
    listens = Crooked((), timing=replace(QUICK, ping=600.0, rest=600.0))
    report = await tried(listens, (BY_NAME["hello"], BY_NAME["silence"]))
    assert complaints(report) == []
    assert notes(report, "silence") == (UNASKED,)


@one_loop
@pytest.mark.nightly
@pytest.mark.parametrize("bot", HOUSE_BOTS.values(), ids=HOUSE_BOTS)
async def test_house_bots_play_by_all_rules(bot: type[Bot], nightly: bool) -> None:
    names = GAMES if nightly else GAMES - {"rules-published"}  # those are played in many other tests
    report = await tried(Crooked((), bot=bot), tuple(each for each in SCENARIOS if each.name in names))
    assert complaints(report) == []
    assert report.illegal == {}


@one_loop
async def test_a_bot_that_plays_one_game_at_a_time_and_knows_no_site_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "Session", Declines)
    report = await tried(replace(ONE_GAME, asks_site=False), tuple(each for each in SCENARIOS if each.name not in GAMES))
    skipped = [outcome.name for outcome in report.outcomes if outcome.status is Status.NOT_APPLICABLE]
    assert skipped == ["ticket", "false-commitment", "many-games", "two-referees", "refused-ticket"]
    assert failed(report) == []
    assert notes(report, "handshake") == (DECLINES,)


@one_loop
async def test_without_a_bot_nothing_is_passed() -> None:
    stage = Stage(Site("127.0.0.1", 0), replace(PATIENCE, first=0.1, connect=0.1))
    async with stage:
        report = await run(stage, SCENARIOS, lambda _outcome: None)
    assert [outcome.status for outcome in report.outcomes] == [Status.FAILED]
    assert report.untried == len(SCENARIOS) - 1
    assert not report.passed


def ask(site: Site, path: str) -> None:
    with contextlib.suppress(SiteRefused):
        SiteClient(site.url, TOKEN).post(path, {"version": "1"})


async def dial(site: Site, *, ticket: str, frame: bytes = b"") -> None:
    address = f"127.0.0.1:{site.referees[FIRST]}"
    async with grpc.aio.insecure_channel(address) as channel:
        method: Any = channel.stream_stream("/phaseten.v1.BotService/Connect")
        call = method(metadata=(("authorization", f"Bearer {ticket}"),))
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            if frame:
                await call.write(frame)
            await call.read()


@one_loop
@pytest.mark.parametrize(
    ("does", "hello", "came", "advice"),
    [
        (lambda _: asyncio.sleep(0), 0, "the site was asked for nothing", "PHASETEN_SERVER and PHASETEN_TOKEN"),
        (lambda site: asyncio.to_thread(ask, site, "login"), 0, "it asked the site for POST /api/v1/login", f"POST {PATH}"),
        (
            lambda site: asyncio.to_thread(ask, site, "sessions"),
            0,
            "a ticket and then opened no stream",
            "BotService.Connect",
        ),
        (lambda site: dial(site, ticket="made up"), 0, "with 'made up'", "authorization: Bearer TICKET"),
        (lambda site: dial(site, ticket=TICKET), 0.2, "none came in time", "send Hello"),
        (
            lambda site: dial(site, ticket=TICKET, frame=b"\xff"),
            10,
            "a frame that is no phaseten.v1.ConnectRequest",
            "send Hello",
        ),
    ],
    ids=["nothing", "wrong-path", "ticket-only", "wrong-ticket", "no-hello", "garbage"],
)
async def test_who_never_comes_in_is_told_what_is_missing(
    does: Callable[[Site], Coroutine[None, None, None]], hello: float, came: str, advice: str
) -> None:
    """Whoever opens a stream is waited for; whoever does not has done all it does before."""
    stage = Stage(Site("127.0.0.1", 0), replace(PATIENCE, first=30.0 if hello else 0.1, hello=hello))
    async with stage:
        bot = asyncio.create_task(does(stage.site))
        if not hello:
            await bot
        report = await run(stage, [BY_NAME[name] for name in ("hello", "handshake", "pong")], lambda _outcome: None)
        await bot
    (outcome,) = report.outcomes
    assert (outcome.status, report.untried) == (Status.FAILED, 2)
    assert came in outcome.came
    assert advice in outcome.advice


@one_loop
async def test_ports_that_are_named_are_those_of_the_site_and_the_next_two() -> None:
    free = (port for port in range(19_100, 19_400, 3) if all(is_free("127.0.0.1", port + more) for more in range(3)))
    port = next(free)  # of those that connections are not given
    async with Stage(Site("127.0.0.1", port), PATIENCE) as stage:
        assert (stage.site.port, *stage.site.referees.values()) == (port, port + 1, port + 2)


@pytest.fixture(scope="module", autouse=True)
def verdicts(request: pytest.FixtureRequest, nightly: bool) -> Iterator[dict[str, Future[Verdict]]]:
    """Of all kinds that are to be tried, several at once: mostly the kit waits for what a bot will not do."""
    chosen = [name for name in CROOKED if any(item.name.endswith(f"[{name}]") for item in request.session.items)]
    with ProcessPoolExecutor(AT_ONCE, mp_context=get_context("spawn")) as pool:
        yield {name: pool.submit(verdict_on, name, nightly) for name in chosen}
        pool.shutdown(cancel_futures=True)


@pytest.mark.nightly
@pytest.mark.parametrize("name", CROOKED)
def test_a_crooked_bot_fails_where_it_is_crooked_and_nowhere_else(name: str, verdicts: dict[str, Future[Verdict]]) -> None:
    verdict = verdicts[name].result()
    assert verdict.failed == list(CROOKED[name].fails)
    assert verdict.unexplained == []
