"""Attempts that come to nothing: what made their cards is shown, whoever listens and whenever."""

import asyncio

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine.shuffle import NO_NONCE, game_context, nonce_commit, server_commit
from referee.service import feed
from referee.service.gathering import Gathering
from referee.service.order import Attempt
from tests.service.client import House, RawBot, RawWatch, new_match, order, reference, until
from tests.service.player import play_all, play_on
from tests.service.test_gathering import NONCES, committed, reveal, sharing


async def call_off(house: House, ordered: referee_pb2.MatchOrder) -> None:
    await house.control.CancelMatches(referee_pb2.CancelMatchesRequest(attempts=[reference(ordered)]))


async def the_void(watch: RawWatch) -> referee_pb2.AttemptVoid:
    return (await watch.hear("attempt_void")).attempt_void


async def openings(watch: RawWatch, count: int) -> dict[bytes, bytes]:
    """Game id -> commitment, as the public heard them."""
    opened = [(await watch.hear("game_opened")).game_opened for _ in range(count)]
    return {game.game_id: game.commitment for game in opened}


def fits(game: referee_pb2.VoidGame, ordered: referee_pb2.MatchOrder) -> bool:
    """Whether the seed is the one that was committed to."""
    named = ordered.match_id if ordered.mirrored else game.game_id
    context = game_context(named, ordered.attempt, len(ordered.bots))
    return server_commit(context, game.server_seed) == game.commitment


async def test_every_game_that_was_announced_shows_seed_and_shares(house: House) -> None:
    ann, bob = await house.bot("ann", capacity=1), await sharing(house, "bob")
    watch = await house.watch()
    await watch.hear("greeting")  # else the first game might be over before anybody watches
    ordered = order("ann", "bob")
    await house.play(ordered)
    invite = await committed(bob, "bob")
    await bob.hear("nonce_commits")
    await reveal(bob, invite.game, NONCES["bob"])
    await asyncio.gather(play_on(ann, 1), play_on(bob, 1))
    commitments = await openings(watch, 2)  # the second game is announced once the first is over
    await committed(bob, "bob")
    (gathering,) = gatherings(house)
    await until(lambda: bool(gathering.shares[0].commitment))
    await call_off(house, ordered)
    void = await the_void(watch)
    assert void.planned
    assert [game.game_id for game in void.games] == list(ordered.game_ids)
    assert {game.game_id: game.commitment for game in void.games} == commitments
    assert all(fits(game, ordered) for game in void.games)
    first, second = void.games
    seats = [[share.nonce for share in game.nonces] for game in (first, second)]
    assert seats == [[NO_NONCE, NONCES["bob"]], [NO_NONCE, NO_NONCE]]  # in the second it had committed, and no more
    context = game_context(second.game_id, 1, 2)
    assert [share.commitment for share in second.nonces] == [nonce_commit(context, 0, NONCES["bob"]), b""]


def gatherings(house: House) -> list[Gathering]:
    """The games that wait for shares."""
    games = [game for match in house.server.lobby._matches.values() for game in match.games.values()]
    return [game for game in games if isinstance(game, Gathering)]


async def test_a_game_that_was_not_announced_has_nothing_to_show(house: House) -> None:
    await house.bot("ann", capacity=1)
    await house.bot("bob")
    watch = await house.watch()
    ordered = order("ann", "bob")
    await house.play(ordered)
    await call_off(house, ordered)
    assert [game.game_id for game in (await the_void(watch)).games] == [ordered.game_ids[0]]


async def test_mirrored_games_show_their_one_seed(house: House) -> None:
    await house.bot("ann")
    await house.bot("bob")
    watch = await house.watch()
    ordered = order("ann", "bob", mirrored=True)
    await house.play(ordered)
    await call_off(house, ordered)
    void = await the_void(watch)
    assert len({game.server_seed for game in void.games}) == 1
    assert [fits(game, ordered) for game in void.games] == [True, True]


async def test_it_is_told_again_until_somebody_knows(house: House) -> None:
    await house.bot("ann")
    await house.bot("bob")
    ordered = order("ann", "bob")
    await house.play(ordered)
    await call_off(house, ordered)  # nobody listens
    first, second = await house.watch(), await house.watch()
    void = await the_void(first)
    assert await the_void(second) == void
    await second.acknowledge(void.attempt)
    await until(lambda: not house.server._feed._voids)
    third = await house.watch()
    await third.hear("running")
    house.server._feed.tell_running()
    await third.hear("running")
    assert not [message for message in third.heard if message.WhichOneof("kind") == "attempt_void"]


async def test_what_nobody_asks_for_is_forgotten_at_a_bound(house: House) -> None:
    for number in range(feed.MOST_VOIDS + 5):
        house.server._feed.void(Attempt(new_match(), number + 1), "", (), planned=True)
    assert len(house.server._feed._voids) == feed.MOST_VOIDS


async def test_a_bot_hears_the_seed_of_a_void_game_too(house: House) -> None:
    ann, bob = await house.bot("ann"), await house.bot("bob")
    ordered = order("ann", "bob")
    await house.play(ordered)
    await asyncio.gather(ann.hear("start"), bob.hear("start"))
    await call_off(house, ordered)
    seeds = [await void_seeds(bot) for bot in (ann, bob)]
    void = await the_void(await house.watch())
    assert seeds[0] == seeds[1] == {game.server_seed for game in void.games}


async def void_seeds(bot: RawBot) -> set[bytes]:
    over = [(await bot.hear("game_over")).game_over for _ in range(2)]
    assert {message.kind for message in over} == {pb.GAME_OVER_KIND_VOID}
    return {message.server_seed for message in over}


async def test_a_finished_match_is_no_void(house: House) -> None:
    ann, bob = await house.bot("ann"), await house.bot("bob")
    ordered = order("ann", "bob")
    await house.play(ordered)
    await play_all(ann, bob, games=2)
    await call_off(house, ordered)
    assert not house.server._feed._voids
