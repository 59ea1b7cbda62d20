"""The SDK and the real referee, over a real socket: whole matches, and a bot that comes back in the middle."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest_asyncio
from phaseten.v1 import referee_pb2

from bots_sdk.bot import BotSource, maker
from bots_sdk.client import Client
from bots_sdk.house_bots import BlindBot, DenierBot, GreedyBot, RandomBot
from bots_sdk.info import GameInfo, GameResult
from bots_sdk.local import _Player, _Table
from bots_sdk.tickets import RefereeAddress, Ticket
from referee.engine.events import DrawSeen, GameEnded, PublicEvent
from referee.engine.game import Game
from referee.engine.moves import Draw, Seat
from referee.engine.ruleset import Clock, Terms
from referee.engine.shuffle import SeededDecks, game_context, match_key
from referee.engine.view import View
from referee.wire.replay import ReplayRecord, decode_replay
from tests.sdk.test_client import until
from tests.sdk.tiny_referee import QUICK, Diary
from tests.service.client import RULES, House, RawWatch, order

PATIENCE = 120
TERMS = Terms(clock=Clock(bank_ms=60_000, increment_ms=500, cap_ms=30_000), max_deals=4)


@pytest_asyncio.fixture
async def house() -> AsyncIterator[House]:
    referee = House()
    await referee.start()
    yield referee
    await referee.stop()


def client_of(house: House, name: str, source: BotSource, diary: Diary | None = None) -> Client:
    address = RefereeAddress("house", f"127.0.0.1:{house.server.port}", tls=False)
    return Client(maker(source), lambda: Ticket(house.ticket(name), 8, (address,)), 8, diary or Diary(), QUICK)


async def attended(house: House, bots: int) -> None:
    """Wait until so many bots are connected."""
    async with asyncio.timeout(PATIENCE):
        while True:
            known = await house.control.ListSessions(referee_pb2.ListSessionsRequest())
            if len(known.sessions) == bots:
                return
            await asyncio.sleep(0.01)


async def records(watch: RawWatch) -> list[ReplayRecord]:
    async with asyncio.timeout(PATIENCE):
        record = await watch.record()
    return [decode_replay(game.replay) for game in record.games]


async def stop(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def test_a_match_between_four_bots_is_played_without_a_fault(house: House) -> None:
    over: list[tuple[GameInfo, GameResult]] = []

    class Watched(DenierBot):
        def game_over(self, info: GameInfo, result: GameResult) -> None:
            over.append((info, result))

    sources = {"ann": Watched, "bob": GreedyBot, "cy": BlindBot, "dee": RandomBot}
    tasks = [asyncio.create_task(client_of(house, name, source).run()) for name, source in sources.items()]
    await attended(house, 4)
    watch = await house.watch()
    await house.play(order(*sources, terms=TERMS))
    replays = await records(watch)
    async with asyncio.timeout(PATIENCE):
        await until(lambda: len(over) == 4)
    await stop(*tasks)
    assert [replay.result.faults for replay in replays] == [(0, 0, 0, 0)] * 4
    by_game = {replay.game_id: replay for replay in replays}
    assert {info.seat for info, _ in over} == {0, 1, 2, 3}
    for info, result in over:
        replay = by_game[info.game_id]
        assert result.result == replay.result
        assert result.server_seed == replay.server_seed
        assert info.table == replay.seats


class Listener(DenierBot):
    """Plays, and writes down by game and seat what it is told."""

    heard: dict[tuple[UUID, int], list[PublicEvent]]

    def events(self, info: GameInfo, events: tuple[PublicEvent, ...]) -> None:
        self.heard.setdefault((info.game_id, info.seat), []).extend(events)
        super().events(info, events)


async def test_a_local_game_tells_a_bot_what_the_referee_tells_it(house: House) -> None:
    class Remote(Listener):
        heard = {}

    class Local(Listener):
        heard = {}

    tasks = [asyncio.create_task(client_of(house, name, Remote).run()) for name in ("ann", "bob")]
    await attended(house, 2)
    watch = await house.watch()
    await house.play(order("ann", "bob", terms=TERMS))
    replays = await records(watch)
    async with asyncio.timeout(PATIENCE):
        await until(lambda: sum(isinstance(events[-1], GameEnded) for events in Remote.heard.values()) == 4)
    await stop(*tasks)
    for replay in replays:
        context = game_context(replay.game_id.bytes, replay.attempt, 2)
        key = match_key(context, replay.server_seed, tuple(nonce.nonce for nonce in replay.nonces))
        infos = [GameInfo(replay.game_id, replay.match_id, 1, RULES, TERMS, Seat(seat), replay.seats) for seat in (0, 1)]
        game = Game(RULES, TERMS, 2, SeededDecks(key))
        assert _Table(game, [_Player(Local(), info) for info in infos]).play() == replay.result
    assert Local.heard == Remote.heard
    drawn = [event.card for events in Local.heard.values() for event in events if isinstance(event, DrawSeen)]
    assert {card is None for card in drawn} == {True, False}


async def test_a_bot_that_comes_back_goes_on_without_a_fault(house: House) -> None:
    asked = 0
    moved_on = asyncio.Event()

    class Counting(GreedyBot):
        def draw(self, view: View) -> Draw:
            nonlocal asked
            asked += 1
            if asked == 5:
                moved_on.set()
            return super().draw(view)

    opponent = asyncio.create_task(client_of(house, "bob", BlindBot).run())
    first = asyncio.create_task(client_of(house, "ann", Counting).run())
    await attended(house, 2)
    watch = await house.watch()
    await house.play(order("ann", "bob", terms=TERMS))
    async with asyncio.timeout(PATIENCE):
        await moved_on.wait()
    await stop(first)  # the process is gone, and with it all that it knew
    second_diary = Diary()
    taken_up: list[UUID] = []

    class Late(GreedyBot):
        def events_missed(self, info: GameInfo) -> None:
            taken_up.append(info.game_id)

    second = asyncio.create_task(client_of(house, "ann", Late, second_diary).run())
    replays = await records(watch)
    async with asyncio.timeout(PATIENCE):
        await until(lambda: second_diary.lines.count("game over") == 2)
    await stop(opponent, second)
    assert [replay.result.faults for replay in replays] == [(0, 0)] * 2
    assert len(taken_up) == len(set(taken_up)) > 0


async def test_a_second_process_of_the_same_bot_takes_over(house: House) -> None:
    diary = Diary()
    first = asyncio.create_task(client_of(house, "ann", GreedyBot).run())
    await attended(house, 1)
    second = asyncio.create_task(client_of(house, "ann", GreedyBot, diary).run())
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait([first])
    assert "took over" in str(first.exception())
    async with asyncio.timeout(PATIENCE):
        await until(lambda: bool(diary.lines))
    assert not second.done()
    await stop(second)
    assert diary.lines == ["connected to test-referee for 8"]
