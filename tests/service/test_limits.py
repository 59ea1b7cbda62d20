"""How many games a bot gets at once: no more than it and its site said, whatever is ordered."""

import asyncio

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from tests.service.client import House, RawBot, order, quick_terms
from tests.service.player import dull, play_on

STARTED = referee_pb2.START_OUTCOME_STARTED
TERMS = quick_terms(max_turns_per_deal=1)


def playing(house: House, bot: str) -> int:
    """Games that a bot's session plays now."""
    (session,) = (each for each, _ in house.server.lobby.sessions if each.ticket.bot == bot)
    return len(session.seats)


async def test_a_site_that_orders_too_much_does_not_get_a_bot_over_its_limit(house: House) -> None:
    ann, bob = await house.bot("ann", capacity=3), await house.bot("bob", capacity=64)
    results = await house.play(*(order("ann", "bob", terms=TERMS) for _ in range(10)))
    assert [result.outcome == STARTED for result in results] == [True, True] + [False] * 8  # one game waits for its wave
    assert {result.refusal for result in results[2:]} == {referee_pb2.REFUSAL_NO_CAPACITY}
    assert {bot for result in results[2:] for bot in result.bots} == {"ann"}
    most = 0

    async def counting(bot: RawBot, question: pb.Question) -> None:
        nonlocal most
        most = max(most, playing(house, "ann"))
        await dull(bot, question)

    await asyncio.gather(play_on(ann, 4, counting), play_on(bob, 4))
    assert most == 3


async def test_the_tickets_limit_holds_whatever_the_bot_says(house: House) -> None:
    ticket = house.ticket("ann", capacity=2)
    ann = await house.dial(ticket)
    assert (await ann.hello(capacity=64)).capacity == 2
    await house.bot("bob")
    results = await house.play(*(order("ann", "bob", terms=TERMS) for _ in range(2)))
    assert [result.outcome == STARTED for result in results] == [True, False]


async def test_a_bot_that_returns_with_less_room_keeps_its_games_and_gets_no_more(house: House) -> None:
    await house.bot("ann", capacity=4)
    await house.bot("bob")
    await house.play(order("ann", "bob"), order("ann", "bob"))
    again = await house.bot("ann", capacity=1)
    assert len((await again.hear("resync")).resync.games) == 4
    assert playing(house, "ann") == 4
    assert (await house.play(order("ann", "bob")))[0].refusal == referee_pb2.REFUSAL_NO_CAPACITY
