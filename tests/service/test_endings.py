"""Games that ended while a bot's connection was broken: it hears of them when it comes back, for a minute."""

import asyncio

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.service import endings
from referee.service.endings import KEPT_MS, KEPT_OF_BOT, Ending, Endings
from referee.wire.replay import SeatInfo, decode_replay, encode_result
from tests.service.client import House, RawBot, new_match, order, reference
from tests.service.player import play_on

ANN = SeatInfo("ann", "Ann", "1", 7)


async def ended(bot: RawBot) -> list[pb.GameOver]:
    """What a bot that comes back is told of games that are over."""
    return list((await bot.hear("resync")).resync.ended)


async def test_a_bot_that_comes_back_is_told_how_its_games_ended(house: House) -> None:
    ann, bob = await house.bot("ann"), await house.bot("bob")
    await house.play(order("ann", "bob"))
    await asyncio.gather(play_on(ann, 2), play_on(bob, 2))
    again = await house.bot("ann")
    told = {over.game_id: over for over in await ended(again)}
    record = await (await house.watch()).record()
    for game in record.games:
        replay, over = decode_replay(game.replay), told.pop(game.game_id)
        assert over.kind == pb.GAME_OVER_KIND_FINISHED
        assert replay.result is not None
        assert over.result == encode_result(replay.result)
        assert over.server_seed == replay.server_seed
    assert told == {}


async def test_void_games_are_told_too_and_running_ones_go_on(house: House) -> None:
    await house.bot("ann")
    await house.bot("bob")
    called_off, goes_on = order("ann", "bob"), order("ann", "bob")
    await house.play(called_off, goes_on)
    attempts = [reference(called_off)]
    await house.control.CancelMatches(referee_pb2.CancelMatchesRequest(attempts=attempts, text="no longer wanted"))
    again = await house.bot("ann")
    resync = (await again.hear("resync")).resync
    assert [over.game_id for over in resync.ended] == list(called_off.game_ids)
    assert {(over.kind, over.text) for over in resync.ended} == {(pb.GAME_OVER_KIND_VOID, "no longer wanted")}
    assert [told.invite.game_id for told in resync.games] == list(goes_on.game_ids)


async def test_who_has_nothing_to_hear_hears_nothing(house: House) -> None:
    ann, bob = await house.bot("ann"), await house.bot("bob")
    await house.play(order("ann", "bob"))
    await asyncio.gather(play_on(ann, 2), play_on(bob, 2))
    for bot in (await house.bot("cyd"), await house.bot("ann", version_id=99)):  # another bot, another version
        await bot.send(pb.BotMessage(ping=pb.Ping(id=1)))
        await bot.hear("pong")
        assert "resync" not in {message.WhichOneof("kind") for message in bot.heard}


def an_ending() -> Ending:
    return Ending(new_match(), None, b"", "called off")


def test_they_are_told_for_a_minute_and_then_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(endings, "monotonic_ms", lambda: now)
    kept = Endings()
    kept.note((ANN,), an_ending())
    now += KEPT_MS - 1
    kept.note((ANN,), an_ending())
    kept.forget()
    assert len(kept.of("ann", 7)) == 2
    now += 2
    assert len(kept.of("ann", 7)) == 1
    now += KEPT_MS
    kept.forget()
    assert kept._by_bot == {}


def test_of_a_busy_bot_the_last_ones_are_kept() -> None:
    kept = Endings()
    made = [an_ending() for _ in range(KEPT_OF_BOT + 5)]
    for ending in made:
        kept.note((ANN,), ending)
    assert [over.game_id for over in kept.of("ann", 7)] == [ending.game.bytes for ending in made[5:]]
