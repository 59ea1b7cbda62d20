"""Hostile bots: what they send is bounded, and others play on."""

import asyncio
import contextlib

import grpc
import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2, referee_pb2

from referee.service import bot_api, outbox
from referee.service import session as sessions
from referee.service.outbox import Outbox, Pacer
from referee.service.session import (
    ANSWER_SECONDS,
    IDLE_PING_SECONDS,
    PING_SECONDS,
    UNASKED_BURST,
    UNASKED_PER_SECOND,
    Allowance,
    Pulse,
)
from tests.service.client import House, order, quick_terms, reason_of, until
from tests.service.player import play_on, play_until_closed

ANSWER = pb.BotMessage(answer=pb.Answer(game=5, id=1, draw=game_pb2.Draw()))


@pytest.mark.parametrize(
    "message",
    [
        ANSWER,
        pb.BotMessage(ping=pb.Ping(id=1)),
        pb.BotMessage(pong=pb.Pong(id=1)),
        pb.BotMessage(hello=pb.Hello(protocol=1)),
        pb.BotMessage(resign=pb.Resign(game=9)),
        pb.BotMessage(nonce_reveal=pb.NonceReveal(game=9)),
        pb.BotMessage(),
    ],
    ids=["answer", "ping", "pong", "hello", "resign", "nonce", "nothing"],
)
async def test_a_flood_of_anything_ends_the_session(house: House, message: pb.BotMessage) -> None:
    bot = await house.bot("ann")
    await bot.send(*[message] * 400)
    error = await bot.refused()
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(error) == "FLOODING"
    assert len(bot.unread) < 400  # it was not answered to the end
    await house.bot("ann")


async def test_a_flood_of_empty_messages_in_one_frame_ends_the_session(house: House) -> None:
    bot = await house.bot("ann")
    await bot.call.write(b"\x0a\x00" * 32_000)
    assert reason_of(await bot.refused()) == "FLOODING"


async def test_repeated_answers_are_a_flood_too(house: House) -> None:
    ann = await house.bot("ann")
    await house.bot("bob")
    await house.play(order("ann", "bob"))
    question = (await ann.hear("question")).question
    answer = pb.BotMessage(answer=pb.Answer(game=question.game, id=question.id, draw=game_pb2.Draw()))
    await ann.send(*[answer] * 1000)
    assert reason_of(await ann.refused()) == "FLOODING"


async def test_repeated_shares_are_a_flood_too(house: House) -> None:
    """While shares are gathered, and when the game has begun."""
    ann, _ = await house.bot("ann"), await house.bot("bob")
    await house.play(order("ann", "bob"))
    invite = (await ann.hear("invite")).invite
    await ann.send(*[pb.BotMessage(nonce_commit=pb.NonceCommit(game=invite.game))] * 1000)
    assert reason_of(await ann.refused()) == "FLOODING"


@pytest.mark.parametrize("frame", [b"", b"\xfa\x07\x03abc"], ids=["empty", "unknown field"])
async def test_frames_without_messages_are_a_flood_too(house: House, monkeypatch: pytest.MonkeyPatch, frame: bytes) -> None:
    monkeypatch.setattr(sessions, "UNASKED_PER_SECOND", 0.0)  # else who writes slowly enough may go on for ever
    bot = await house.bot("ann")
    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        for _ in range(1000):
            await bot.call.write(frame)
    await bot.refused()  # whoever still writes does not always hear why
    assert house.server.meter.calls == {"FLOODING": 1}


async def test_others_play_on_beside_a_flood(house: House) -> None:
    ann, bob, mad = await house.bot("ann"), await house.bot("bob"), await house.bot("mad")
    await house.play(order("ann", "bob"), order("mad", "ann", terms=quick_terms(bank=50, cap=50)))
    flood = asyncio.create_task(_flood(house))
    await asyncio.gather(play_on(bob, 2), play_on(ann, 4), play_until_closed(mad))
    flood.cancel()
    await asyncio.gather(flood, return_exceptions=True)
    assert house.server.lobby.match_count == 0


async def _flood(house: House) -> None:
    """Session after session of the bot `mad`, each of them thrown out."""
    while True:
        bot = await house.bot("mad")
        try:
            while True:
                await bot.send(*[ANSWER] * 100)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await bot.close()


def test_an_allowance_fills_up_with_time() -> None:
    allowance = Allowance(0.0)
    burst = int(UNASKED_BURST)
    assert all(allowance.take(0.0, 1) for _ in range(burst))
    assert not allowance.take(0.0, 1)
    later = Allowance(0.0)
    taken = sum(later.take(100.0, 4) for _ in range(5000))
    assert taken == burst + 4 * int(UNASKED_PER_SECOND)


async def test_a_bot_that_never_reads_is_let_go(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MAX_UNREAD_BYTES", 100_000)
    monkeypatch.setattr(bot_api, "LAST_WORDS_SECONDS", 0.05)
    bot = await house.bot("ann")
    bot.listening.clear()
    (session, _games) = house.server.lobby.sessions[0]
    frame = pb.ConnectResponse(messages=[pb.RefereeMessage(game_over=pb.GameOver(text="x" * 20_000))]).SerializeToString()
    for _ in range(5_000):  # how much the network takes in between is its own business
        session.push(frame)
        await asyncio.sleep(0)
        if session.ending.done():
            break
    await until(lambda: not house.server.lobby.session_count)
    ended = session.ending.result()
    assert ended is not None
    assert ended.reason.name == "SLOW_READER"
    assert reason_of(await bot.refused()) == "SLOW_READER"


async def test_a_silent_bot_is_let_go_unless_it_has_to_think(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ping comes with the Welcome."""
    async with House() as house:
        ann, bob = await house.bot("ann", capacity=1), await house.bot("bob", capacity=1)
        await house.play(order("ann", "bob"))
        await ann.hear("question")
        monkeypatch.setattr(sessions, "ANSWER_SECONDS", 1)
        error = await bob.refused()
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert reason_of(error) == "SILENT"
        await until(lambda: house.server.lobby.session_count == 1)
        assert house.server.lobby.sessions[0][0].ticket.bot == "ann"


async def test_whoever_says_anything_is_not_silent(house: House) -> None:
    deaf, dumb = await house.bot("deaf"), await house.bot("dumb")
    for _ in range(2 * (ANSWER_SECONDS + 1)):
        await deaf.send(pb.BotMessage(ping=pb.Ping(id=1)))
        await deaf.hear("pong")
        beat(house)
    assert reason_of(await dumb.refused()) == "SILENT"
    assert [session.ticket.bot for session, _ in house.server.lobby.sessions] == ["deaf"]


def beat(house: House) -> Pulse:
    """A beat of the pulse, as if its timer had rung."""
    pulse = house.server._bots._pulse
    assert pulse._timer is not None
    pulse._timer.cancel()
    pulse._beat()
    return pulse


async def test_pings_go_round_and_come_more_often_to_those_who_play(house: House) -> None:
    """Beat by beat, without the timer."""
    players = [await house.bot(f"bot{number}") for number in range(4)]
    await house.play(order("bot0", "bot1"))
    await players[0].hear("invite")
    pinged: dict[str, int] = {}
    for _ in range(IDLE_PING_SECONDS):
        for session, _games in house.server.lobby.sessions:
            session._ping_at = 0.0
        for session in beat(house)._pinged[-1]:
            pinged[session.ticket.bot] = pinged.get(session.ticket.bot, 0) + 1
    often = IDLE_PING_SECONDS // PING_SECONDS
    assert pinged == {"bot0": often, "bot1": often, "bot2": 1, "bot3": 1}


async def test_many_bots_come_and_go(house: House) -> None:
    for _ in range(3):
        bots = await asyncio.gather(*(house.bot(f"bot{number}") for number in range(40)))
        await asyncio.gather(*(bot.close() for bot in bots))
    await until(lambda: not house.server.lobby.session_count)
    assert house.server.lobby._here == {}


# Frames.


class Reader:
    """Takes frames as they are written."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    async def __call__(self, frame: bytes) -> None:
        self.frames.append(frame)
        await asyncio.sleep(0)


def no_overflow() -> None:
    raise AssertionError("nobody reads")


async def test_a_quiet_stream_is_written_to_at_once() -> None:
    reader, box = Reader(), Outbox(Pacer(), 1000, no_overflow)
    box.expect(50)
    pump = asyncio.create_task(box.pump(reader))
    box.push(b"a")
    box.push(b"b")
    await until(lambda: bool(reader.frames))
    assert reader.frames == [b"ab"]  # what was ready together went together
    box.close()
    await pump


async def test_a_busy_stream_gathers_until_its_frame_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "LONGEST_WAIT", 3600.0)
    pacer, reader = Pacer(), Reader()
    pacer.busy = True
    box = Outbox(pacer, 1000, no_overflow)
    box.expect(8)
    pump = asyncio.create_task(box.pump(reader))
    box.push(b"a")
    for _ in range(5):
        await asyncio.sleep(0)
    assert reader.frames == []
    box.push(b"b")
    await until(lambda: bool(reader.frames))
    assert reader.frames == [b"ab"]
    box.push(b"c")
    box.close()
    await pump
    assert reader.frames == [b"ab", b"c"]


async def test_a_busy_stream_does_not_wait_for_ever() -> None:
    pacer, reader = Pacer(), Reader()
    pacer.busy = True
    box = Outbox(pacer, 1000, no_overflow)
    box.expect(64)
    pump = asyncio.create_task(box.pump(reader))
    box.push(b"a")
    await until(lambda: bool(reader.frames))
    box.close()
    await pump


async def test_a_stream_with_few_games_never_waits() -> None:
    pacer, reader = Pacer(), Reader()
    pacer.busy = True
    box = Outbox(pacer, 1000, no_overflow)
    box.expect(3)
    pump = asyncio.create_task(box.pump(reader))
    box.push(b"a")
    await until(lambda: bool(reader.frames))
    box.close()
    await pump


async def test_a_heap_of_messages_is_cut_into_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "FRAME_BYTES", 25)
    reader, box = Reader(), Outbox(Pacer(), 1000, no_overflow)
    for number in range(7):
        box.push(bytes([48 + number]) * 10)
    box.close()
    await box.pump(reader)
    assert [len(frame) for frame in reader.frames] == [30, 30, 10]
    assert b"".join(reader.frames) == b"".join(bytes([48 + number]) * 10 for number in range(7))


def test_the_house_is_busy_when_many_messages_are_written() -> None:
    pacer = Pacer()
    for step in range(30):
        pacer.wrote(1000, 9, step * 0.02)
    assert pacer.busy
    for step in range(30):
        pacer.wrote(1, 9, 10 + step * 0.02)
    assert not pacer.busy


async def test_the_site_sees_the_flood_in_the_status(house: House) -> None:
    bot = await house.bot("ann")
    await bot.send(*[ANSWER] * 400)
    await bot.refused()
    assert house.server.meter.calls == {"FLOODING": 1}
    assert (await house.control.GetStatus(referee_pb2.GetStatusRequest())).sessions == 0
