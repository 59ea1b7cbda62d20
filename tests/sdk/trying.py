"""The conformance kit on a bot in this process; and on crooked ones, several at once, each in a process of its own."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from functools import lru_cache

import pytest

from bots_sdk import client as client_module
from bots_sdk.bot import maker
from bots_sdk.client import OPTIONS, Client, Tickets
from bots_sdk.conformance.patience import Patience
from bots_sdk.conformance.report import Outcome, Report, Status
from bots_sdk.conformance.run import run
from bots_sdk.conformance.scenarios import SCENARIOS, Scenario
from bots_sdk.conformance.site import TICKET, TOKEN, Site
from bots_sdk.conformance.stage import FIRST, Stage
from bots_sdk.errors import Superseded
from bots_sdk.http import Site as SiteClient
from bots_sdk.tickets import RefereeAddress, Ticket, fetch_ticket
from tests.sdk.crooked import CROOKED, Crooked
from tests.sdk.tiny_referee import Diary

PATIENCE = Patience(
    first=5.0,
    connect=5.0,
    hello=2.0,
    share=2.0,
    answer=3.0,
    pong=2.0,
    silence=8.0,
    quiet=0.05,
    pause=0.3,
    away=2.0,
    stopped=3.0,
    ping=0.2,
    hammering=2.0,  # on a busy machine the most impatient bot dials less often than on an idle one
)
# Nobody waits in vain for a bot without a bend, so that a busy machine may take its time over it; what no such bot does is
# not watched for long.
GENEROUS = replace(
    PATIENCE,
    first=30.0,
    connect=30.0,
    hello=10.0,
    share=10.0,
    answer=10.0,
    pong=10.0,
    silence=30.0,
    away=0.8,
    stopped=0.6,
    ping=1.0,
    hammering=10.0,
)
GAMES = {"phases", *(each.name for each in SCENARIOS if each.name.startswith("rules-"))}
WAITS = {"silence", "slow-referee", "redial", "superseded"}


def scenarios_for(kind: Crooked) -> tuple[Scenario, ...]:
    """All but what takes long: whole games where games are what is bent, all the rest where it is not."""
    if kind.tried:
        return tuple(each for each in SCENARIOS if each.name in kind.tried)
    fails = set(kind.fails)
    wanted = {each.name for each in SCENARIOS} - WAITS
    wanted = (GAMES | {"ticket", "hello", "answers"}) & wanted if fails & GAMES else wanted - GAMES
    return tuple(each for each in SCENARIOS if each.name in wanted | fails)


@contextlib.asynccontextmanager
async def playing(kind: Crooked, site: Site) -> AsyncIterator[None]:
    """A bot that is started again whenever it dies of its own mistakes."""

    def fetch() -> Ticket:
        if not kind.asks_site:
            return Ticket(TICKET, kind.capacity, (RefereeAddress(FIRST, f"127.0.0.1:{site.referees[FIRST]}", tls=False),))
        return kind.ticket(fetch_ticket(SiteClient(site.url, TOKEN), kind.version, kind.capacity))

    async def live() -> None:
        while True:
            bot = Client(maker(kind.bot), fetch, kind.capacity, Diary(), kind.timing)
            try:
                await bot.run()
            except Superseded:
                return
            except (AssertionError, ConnectionAbortedError, ValueError):
                await asyncio.sleep(0.05)

    life = asyncio.create_task(live())
    try:
        yield
    finally:
        life.cancel()
        await asyncio.wait([life])
    if not life.cancelled():
        await life  # it died of a mistake that was not meant


async def tried(kind: Crooked, scenarios: tuple[Scenario, ...]) -> Report:
    stage = Stage(Site("127.0.0.1", 0), replace(PATIENCE if kind.fails else GENEROUS, pause=kind.pause))
    async with stage, playing(kind, stage.site):
        return await run(stage, scenarios, lambda _outcome: None)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the kit has said of a bot: names of scenarios that failed, and those of them that it said too little of."""

    failed: list[str]
    unexplained: list[str]


def verdict_on(name: str, everything: bool) -> Verdict:
    """Try a kind of crooked bot in this process, which does nothing else meanwhile: the SDK is bent as the kind wants it."""
    kind = CROOKED[name]
    with pytest.MonkeyPatch.context() as bent:
        bent.setattr(client_module, "Session", kind.session)
        if kind.options:
            bent.setattr(client_module, "OPTIONS", tuple((dict(OPTIONS) | kind.options).items()))
        if kind.keeps_tickets:
            bent.setattr(Tickets, "refused", lambda *_: None)
        report = _runner().run(tried(kind, SCENARIOS if everything and not kind.tried else scenarios_for(kind)))
    failed = [outcome for outcome in report.outcomes if outcome.status is Status.FAILED]
    return Verdict([each.name for each in failed], [each.name for each in failed if not _explained(each)])


def _explained(outcome: Outcome) -> bool:
    return all((outcome.expected, outcome.came, outcome.advice))


@lru_cache(maxsize=1)
def _runner() -> asyncio.Runner:
    """One loop for all bots of a process: gRPC still has words for a loop after it was closed."""
    return asyncio.Runner()
