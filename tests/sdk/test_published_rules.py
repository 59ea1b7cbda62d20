"""Every published rule set over the wire: the referee, the SDK's clients and the house bots, and a record that adds up."""

import asyncio

import pytest

from bots_sdk.house_bots import BlindBot, DenierBot, GreedyBot, RandomBot
from referee.engine.events import GameStarted
from referee.engine.presets import PRESETS
from tests.sdk.test_referee import TERMS, attended, client_of, records, stop
from tests.service.client import House, order
from tournament_site.matches.records import check_replay

BOTS = {"ann": DenierBot, "bob": GreedyBot, "cy": BlindBot, "dee": RandomBot, "eve": GreedyBot, "flo": DenierBot}


@pytest.mark.parametrize("name", PRESETS)
async def test_bots_play_by_the_rules_of_a_name(name: str) -> None:
    rules = PRESETS[name]
    seats = (2, 3 + list(PRESETS).index(name) % 4)  # every number of seats comes up
    async with House() as house:
        tasks = [asyncio.create_task(client_of(house, bot, BOTS[bot]).run()) for bot in list(BOTS)[: seats[1]]]
        await attended(house, seats[1])
        watch = await house.watch()
        for count in seats:
            await house.play(order(*list(BOTS)[:count], terms=TERMS, ruleset=rules))
            for replay in await records(watch):
                started = replay.events[0]
                assert isinstance(started, GameStarted)
                assert (started.ruleset, started.seats) == (rules, count)
                assert replay.result.faults == (0,) * count
                assert len({share.nonce for share in replay.nonces}) == count
                check_replay(replay)
        await stop(*tasks)
