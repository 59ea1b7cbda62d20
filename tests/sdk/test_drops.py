"""The SDK and the real referee on a wire that is cut: after every single frame of a game, one run for each.

Whatever frame is the last one to arrive, and whether it arrives or not: the bot comes back within its clock, is told what
it must know, and the game ends with no fault of anybody.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest
import pytest_asyncio
from phaseten.v1 import referee_pb2

from bots_sdk.bot import maker
from bots_sdk.client import Client
from bots_sdk.house_bots import GreedyBot
from bots_sdk.info import Ending, GameInfo, GameResult
from bots_sdk.tickets import RefereeAddress, Ticket
from referee.engine.events import PublicEvent
from referee.engine.moves import Draw, Play
from referee.engine.observe import public_event
from referee.engine.ruleset import Terms
from referee.engine.view import View
from referee.wire.replay import ReplayRecord
from tests.sdk.cutting import Wire
from tests.sdk.test_client import until
from tests.sdk.test_referee import client_of, records, stop
from tests.sdk.tiny_referee import QUICK, Diary
from tests.service.client import RULES, House, order, quick_terms

PATIENCE = 60
CALM = replace(QUICK, ping=5.0, rest=5.0)  # pongs are frames too: what lies between two cuts is not to hang on the clock
TERMS = quick_terms(bank=60_000, cap=30_000, max_turns_per_deal=3)  # the clock would take long to say what was lost


@pytest_asyncio.fixture
async def house() -> AsyncIterator[House]:
    async with House() as referee:
        yield referee


@dataclass
class Heard:
    """What a bot was told of one game."""

    started: int = 0
    asked: list[View] = field(default_factory=list)
    events: list[PublicEvent] = field(default_factory=list)
    gaps: int = 0
    over: list[GameResult] = field(default_factory=list)


class Notes(GreedyBot):
    """Plays, and writes down by game what it is told."""

    heard: dict[UUID, Heard]

    @property
    def page(self) -> Heard:
        return self.heard.setdefault(self.game.game_id, Heard())

    def draw(self, view: View) -> Draw:
        self.page.asked.append(view)
        return super().draw(view)

    def play(self, view: View) -> Play:
        self.page.asked.append(view)
        return super().play(view)

    def game_started(self, info: GameInfo) -> None:
        self.heard.setdefault(info.game_id, Heard()).started += 1

    def events(self, info: GameInfo, events: tuple[PublicEvent, ...]) -> None:
        self.heard[info.game_id].events.extend(events)

    def events_missed(self, info: GameInfo) -> None:
        self.heard[info.game_id].gaps += 1

    def game_over(self, info: GameInfo, result: GameResult) -> None:
        self.heard[info.game_id].over.append(result)


async def ordered(house: House, terms: Terms) -> None:
    """Order a match as soon as both bots are there."""
    async with asyncio.timeout(PATIENCE):
        while True:
            result = (await house.play(order("ann", "bob", terms=terms)))[0]
            if result.outcome == referee_pb2.START_OUTCOME_STARTED:
                return
            assert result.refusal == referee_pb2.REFUSAL_BOTS_ABSENT
            await asyncio.sleep(0.005)


async def play_on(house: House, wire: Wire, terms: Terms = TERMS) -> tuple[list[ReplayRecord], dict[UUID, Heard]]:
    """A match over a wire: its replays, and what ann heard of each game."""

    class Ann(Notes):
        heard = {}

    address = RefereeAddress("house", f"127.0.0.1:{wire.listens_on}", tls=False)
    ann = Client(maker(Ann), lambda: Ticket(house.ticket("ann"), 8, (address,)), 8, Diary(), CALM)
    task = asyncio.create_task(ann.run())
    watch = await house.watch()
    await ordered(house, terms)
    replays = await records(watch)
    await watch.acknowledge(referee_pb2.AttemptRef(match_id=replays[0].match_id.bytes, attempt=replays[0].attempt))
    async with asyncio.timeout(PATIENCE):
        await until(lambda: sum(len(page.over) for page in Ann.heard.values()) == len(replays))
    await stop(task)
    await watch.close()
    return replays, Ann.heard


def seen_by_all(replay: ReplayRecord) -> list[PublicEvent]:
    seen = (public_event(event, RULES) for event in replay.events)
    return [event for event in seen if event is not None]


def check(replay: ReplayRecord, page: Heard, seat: int) -> None:
    assert replay.result.faults == (0, 0)
    assert replay.result.forfeits == (None, None)
    answers = [answer for answer in replay.answers if answer.seat == seat]
    assert page.started == 1
    assert len(page.asked) == len(answers)  # every decision was the bot's own, and was made once
    assert len(page.over) == 1
    assert page.over[0].ending is Ending.FINISHED  # also if the frame that told it was lost
    assert page.over[0].result == replay.result
    assert page.over[0].server_seed == replay.server_seed
    assert page.over[0].shuffle_problem == ""
    missing = iter(seen_by_all(replay))
    assert all(any(event == other for other in missing) for event in page.events)  # in order, none twice
    if not page.gaps and len(page.events) < len(seen_by_all(replay)):
        assert page.events == seen_by_all(replay)[: len(page.events)]  # the last ones were in the frame that was lost


def check_all(replays: list[ReplayRecord], heard: dict[UUID, Heard]) -> None:
    assert set(heard) == {replay.game_id for replay in replays}
    for replay in replays:
        seat = [info.bot for info in replay.seats].index("ann")
        check(replay, heard[replay.game_id], seat)


@pytest.mark.parametrize("eat", [False, True], ids=["after", "instead of"])
async def test_the_connection_may_break_at_every_frame(house: House, eat: bool) -> None:
    bob = asyncio.create_task(client_of(house, "bob", GreedyBot).run())
    runs = 0
    while True:
        runs += 1
        async with Wire(house.server.port, cut_at=runs, eat=eat) as wire:
            check_all(*await play_on(house, wire))
            if not wire.cuts:  # the whole match passed before the cut
                break
    await stop(bob)
    print(f"{runs - 1} cuts")
    assert runs > 10


async def test_two_bots_on_bad_wires_play_a_long_game_to_its_end(house: House) -> None:
    """Neither connection lives longer than eight frames: one reconnect after the other in one match, at whatever moment."""
    terms = quick_terms(bank=60_000, cap=30_000, max_deals=8, max_turns_per_deal=30)
    async with (
        Wire(house.server.port, cut_at=8, every=8) as bad,
        Wire(house.server.port, cut_at=5, every=8, eat=True) as worse,
    ):
        address = RefereeAddress("house", f"127.0.0.1:{worse.listens_on}", tls=False)
        bob = Client(maker(GreedyBot), lambda: Ticket(house.ticket("bob"), 8, (address,)), 8, Diary(), CALM)
        task = asyncio.create_task(bob.run())
        check_all(*await play_on(house, bad, terms))
        await stop(task)
        assert bad.cuts > 5
        assert worse.cuts > 5
