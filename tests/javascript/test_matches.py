"""A bot in JavaScript: the whole conformance kit, and matches on a real referee."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from phaseten.v1 import referee_pb2

from bots_sdk.bot import maker
from bots_sdk.client import Client
from bots_sdk.conformance.program import Program
from bots_sdk.conformance.scenarios import SCENARIOS
from bots_sdk.house_bots import GreedyBot
from bots_sdk.tickets import RefereeAddress, Ticket
from referee.engine.ruleset import Clock, Terms
from referee.engine.shuffle import NO_NONCE
from referee.service.settings import Tls
from referee.verify.replays import Known, verify_replay
from referee.wire.replay import decode_replay
from tests.certificates import self_signed
from tests.javascript.conftest import PATIENCE as PATIENCE_OF_TRIAL
from tests.javascript.conftest import Trial
from tests.javascript.node import Node
from tests.sdk.fake_site import FakeSite, fake_site
from tests.sdk.tiny_referee import QUICK, Diary
from tests.service.client import House, order

PATIENCE = 120
TERMS = Terms(clock=Clock(bank_ms=60_000, increment_ms=500, cap_ms=30_000), max_deals=6)
TOKEN = "phaseten_js"


@pytest.mark.timeout(PATIENCE_OF_TRIAL)
def test_it_passes_every_scenario(trial: Trial) -> None:
    done = trial.done.result()
    plain = json.loads((trial.folder / "report.json").read_text())
    words = (trial.folder / "bot.log").read_text()[-3000:]
    assert [each for each in plain["scenarios"] if each["status"] != "passed"] == [], words
    assert (done.status, plain["passed"]) == (0, sum(scenario.usual for scenario in SCENARIOS))
    assert plain["illegal_moves"] == {}
    assert plain["phases_laid"] == list(range(1, 11))
    assert plain["bot"]["language"].startswith("Node v")


@pytest.mark.asyncio(loop_scope="session")
async def test_it_speaks_tls_where_the_site_says_so(bot: Node, tmp_path: Path) -> None:
    key, certificate = self_signed()
    roots = tmp_path / "roots.pem"
    roots.write_bytes(certificate)
    async with House(tls=Tls(certificate, key)) as house:
        with fake_site() as site:
            tickets(site, house, f"https://localhost:{house.server.port}")
            ann = program(bot, site, tmp_path / "bot.log", GRPC_DEFAULT_SSL_ROOTS_FILE_PATH=str(roots))
            await ann.ensure()
            try:
                await attended(house, 1)
            finally:
                await ann.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def house() -> AsyncIterator[House]:
    async with House() as referee:
        yield referee


async def attended(house: House, bots: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            known = await house.control.ListSessions(referee_pb2.ListSessionsRequest())
            if len(known.sessions) == bots:
                return
            await asyncio.sleep(0.05)


def tickets(site: FakeSite, house: House, address: str) -> None:
    referees = [{"id": "house", "address": address}]
    site.answer("POST /api/v1/sessions", 201, {"ticket": house.ticket("ann"), "capacity": 8, "referees": referees})


def program(bot: Node, site: FakeSite, log: Path, **env: str) -> Program:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")}
    return Program(bot.command, kept | {"PHASETEN_SERVER": site.url, "PHASETEN_TOKEN": TOKEN} | env, log)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("seats", [2, 4])
async def test_a_match_on_a_real_referee_is_played_without_a_fault(
    bot: Node, house: House, tmp_path: Path, seats: int
) -> None:
    address = RefereeAddress("house", f"127.0.0.1:{house.server.port}", tls=False)
    names = ["ann", "bob", "cy", "dee"][:seats]

    def rival(name: str) -> Client:
        return Client(maker(GreedyBot), lambda: Ticket(house.ticket(name), 8, (address,)), 8, Diary(), QUICK)

    with fake_site() as site:
        tickets(site, house, address.target)
        ann = program(bot, site, tmp_path / "bot.log")
        rivals = [asyncio.create_task(rival(name).run()) for name in names[1:]]
        await ann.ensure()
        try:
            await attended(house, seats)
            watch = await house.watch()
            await house.play(order(*names, terms=TERMS))
            async with asyncio.timeout(PATIENCE):
                record = await watch.record()
        finally:
            await ann.stop()
            for task in rivals:
                task.cancel()
            await asyncio.wait(rivals)
    assert (site.asked[0].token, site.asked[0].body["version"]) == (TOKEN, "1")
    assert len(record.games) == seats
    for game in record.games:
        replay = decode_replay(game.replay)
        seat = [info.bot for info in replay.seats].index("ann")
        assert replay.result is not None
        assert replay.result.faults == (0,) * seats
        assert replay.result.forfeits == (None,) * seats
        assert replay.nonces[seat].nonce != NO_NONCE
        assert verify_replay(game.replay, Known()).difference is None
