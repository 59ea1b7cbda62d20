"""The referee's own delays: while its event loop stands still nobody's clock runs, however many games wait (I8).

The loop really stands still. Apart from that no time goes by, so that a slow machine takes none of anybody's.
"""

import asyncio
from collections.abc import Iterator

import pytest
from phaseten.v1 import bot_pb2 as pb

from referee.engine.events import SeatFaulted, SeatForfeited
from referee.service import gathering
from referee.service.clock import LONGEST_GAP_MS
from referee.wire.replay import ReplayRecord, decode_replay
from tests.service.client import House, RawBot, kinds, order, quick_terms
from tests.service.hours import Hours
from tests.service.player import dull, play_all, play_on
from tests.service.test_gathering import NONCES, committed, reveal, sharing

CAP = 500  # milliseconds for an answer: less than any stall below, and more than three of them together may cost
STALL = 1.2


async def the_replays(house: House, matches: int) -> list[ReplayRecord]:
    watch = await house.watch()
    return [decode_replay(game.replay) for _ in range(matches) for game in (await watch.record()).games]


def blamed(replay: ReplayRecord) -> list[object]:
    return [event for event in replay.events if isinstance(event, SeatFaulted | SeatForfeited)]


async def test_a_stall_costs_nobody_anything_while_several_games_wait(house: House) -> None:
    hours = Hours(house)
    ann, bob = await house.bot("ann"), await house.bot("bob")
    terms = quick_terms(bank=10_000, cap=CAP)
    await house.play(*(order("ann", "bob", terms=terms) for _ in range(4)))
    asked = [(bot, (await bot.hear("question")).question) for bot in (ann, bob) for _ in range(4)]  # in all eight games
    hours.stand_still(STALL)
    for bot, question in asked:
        await dull(bot, question)
    await play_all(ann, bob, games=8)
    for replay in await the_replays(house, 4):
        assert blamed(replay) == []
        assert max(answer.think_ms for answer in replay.answers) == LONGEST_GAP_MS


async def test_stall_after_stall_costs_nobody_anything(house: House) -> None:
    hours = Hours(house)
    ann, bob = await house.bot("ann"), await house.bot("bob")
    await house.play(order("ann", "bob", terms=quick_terms(bank=10_000, cap=CAP, max_turns_per_deal=20)))
    stalls = 0

    async def shaken(bot: RawBot, question: pb.Question) -> None:
        nonlocal stalls
        if question.game == 1 and question.id in {1, 8, 21}:  # the other game waits as well
            stalls += 1
            hours.stand_still((CAP + 2 * LONGEST_GAP_MS) / 1000)
        await dull(bot, question)

    await asyncio.gather(play_on(ann, 2, shaken), play_on(bob, 2, shaken))
    assert (stalls, house.server.time.stalled) == (3, 3 * (CAP + LONGEST_GAP_MS))
    assert [blamed(replay) for replay in await the_replays(house, 1)] == [[], []]


async def test_who_is_really_late_is_late_beside_a_stall(house: House) -> None:
    """Time stands still for the stall and no longer."""
    hours = Hours(house)
    ann, bob = await house.bot("ann", capacity=1), await house.bot("bob", capacity=1)
    await house.play(order("ann", "bob", terms=quick_terms(bank=10_000, cap=CAP)))
    question = (await ann.hear("question")).question
    hours.stand_still(STALL)
    hours.pass_by(CAP - LONGEST_GAP_MS - 1)
    await ann.send(pb.BotMessage(ping=pb.Ping(id=1)))
    await ann.hear("pong")
    assert "rejected" not in kinds(ann.heard)
    hours.pass_by(1)
    assert (await ann.hear("rejected")).rejected.id == question.id
    assert house.server.time.stalled == 1000 * STALL - LONGEST_GAP_MS
    await play_all(ann, bob)


@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(gathering, "SHARE_SECONDS", CAP / 1000)
    return iter(())


@pytest.mark.usefixtures("short_patience")
async def test_a_stall_during_the_handshake_is_nobodys_silence(house: House) -> None:
    hours = Hours(house)
    ann, bob = await house.bot("ann", capacity=1), await sharing(house, "bob")
    await house.play(order("ann", "bob"))
    invite = (await bob.hear("invite")).invite
    hours.stand_still(STALL)
    bob.unread.insert(0, bob.heard.pop())
    assert (await committed(bob, "bob")).game == invite.game
    await bob.hear("nonce_commits")
    hours.stand_still(STALL)
    await reveal(bob, invite.game, NONCES["bob"])
    assert NONCES["bob"] in (await bob.hear("start")).start.nonces
    assert NONCES["bob"] in (await ann.hear("start")).start.nonces
