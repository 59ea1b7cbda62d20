"""The handshake of a game on real sockets: commitments, reveals, and those who stay silent."""

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine.events import ForfeitCause
from referee.engine.shuffle import NO_NONCE, game_context, nonce_commit
from referee.service import gathering
from referee.wire.replay import ReplayRecord, decode_replay
from tests.service.client import House, RawBot, RawWatch, order, reference
from tests.service.hours import time_runs_out
from tests.service.player import play_all, play_on

NONCES = {"ann": bytes([0xA1]) * 32, "bob": bytes([0xB0]) * 32}


async def sharing(house: House, name: str) -> RawBot:
    """A bot that says nothing about shuffles unless the test does."""
    bot = await house.dial(house.ticket(name))
    bot.shares = False
    await bot.hello()
    return bot


async def committed(bot: RawBot, name: str, **changes: object) -> pb.Invite:
    """Hear the next invitation and commit to the bot's nonce."""
    invite = (await bot.hear("invite")).invite
    context = game_context(invite.game_id, invite.attempt, len(invite.table))
    commitment = changes.get("commitment", nonce_commit(context, invite.seat, NONCES[name]))
    assert isinstance(commitment, bytes)
    await bot.send(pb.BotMessage(nonce_commit=pb.NonceCommit(game=invite.game, commitment=commitment)))
    return invite


async def reveal(bot: RawBot, game: int, nonce: bytes) -> None:
    await bot.send(pb.BotMessage(nonce_reveal=pb.NonceReveal(game=game, nonce=nonce)))


async def replays(watch: RawWatch) -> list[ReplayRecord]:
    record = await watch.record()
    return [decode_replay(game.replay) for game in record.games]


async def test_shares_are_committed_to_then_shown_then_mixed(house: House) -> None:
    ann, bob = await sharing(house, "ann"), await sharing(house, "bob")
    watch = await house.watch()
    await house.play(order("ann", "bob"))
    both = [[await committed(bot, name) for _ in range(2)] for bot, name in ((ann, "ann"), (bob, "bob"))]
    for invites in zip(*both, strict=True):
        told = [(await bot.hear("nonce_commits")).nonce_commits for bot in (ann, bob)]
        assert [message.game for message in told] == [invite.game for invite in invites]
        assert told[0].commitments == told[1].commitments
        assert len(set(told[0].commitments)) == 2
    for invites in zip(*both, strict=True):
        for bot, invite, name in zip((ann, bob), invites, NONCES, strict=True):
            await reveal(bot, invite.game, NONCES[name])
        by_seat = [NONCES[seat.bot] for seat in invites[0].table]
        assert [list((await bot.hear("start")).start.nonces) for bot in (ann, bob)] == [by_seat] * 2
    for bot in (ann, bob):
        bot.unread[:0] = [message for message in bot.heard if message.WhichOneof("kind") == "question"]
    await play_all(ann, bob, games=2)
    for replay in await replays(watch):
        context = game_context(replay.game_id.bytes, replay.attempt, 2)
        for seat, share in enumerate(replay.nonces):
            assert share.nonce == NONCES[replay.seats[seat].bot]
            assert share.commitment == nonce_commit(context, seat, share.nonce)


async def test_the_public_sees_the_commitment_before_any_share(house: House) -> None:
    ann = await sharing(house, "ann")
    await sharing(house, "bob")
    watch = await house.watch()
    await house.play(order("ann", "bob"))
    opened = [(await watch.hear("game_opened")).game_opened for _ in range(2)]
    invite = (await ann.hear("invite")).invite
    assert invite.commitment in [game.commitment for game in opened if game.game_id == invite.game_id]
    late = await house.watch()  # who comes while shares are gathered sees it too
    assert (await late.hear("game_opened")).game_opened in opened


@pytest.mark.parametrize("silent", ["at all", "when it should reveal", "with another nonce"])
async def test_who_gives_no_share_has_forfeited(house: House, silent: str) -> None:
    ann = await house.bot("ann")
    bob = await sharing(house, "bob")
    watch = await house.watch()
    await house.play(order("ann", "bob"))
    if silent != "at all":
        for game in [(await committed(bob, "bob")).game for _ in range(2)]:
            await bob.hear("nonce_commits")
            if silent == "with another nonce":
                await reveal(bob, game, b"?" * 32)
        await bob.send(pb.BotMessage(ping=pb.Ping(id=1)))
        await bob.hear("pong")  # whatever it said was heard
    await time_runs_out(house, "bob", "bob")
    over = await play_on(ann, 2)
    assert {message.kind for message in over} == {pb.GAME_OVER_KIND_FINISHED}
    for replay in await replays(watch):
        seat = [info.bot for info in replay.seats].index("bob")
        assert replay.result is not None
        assert replay.result.forfeits[seat] is ForfeitCause.NO_SHOW
        assert replay.result.places[seat] == 2
        assert replay.nonces[seat].nonce == NO_NONCE
        assert bool(replay.nonces[seat].commitment) == (silent != "at all")


async def test_who_resigns_before_the_first_card_is_not_waited_for(house: House) -> None:
    ann, bob = await house.bot("ann"), await sharing(house, "bob")
    await house.play(order("ann", "bob"))
    for _ in range(2):
        invite = (await bob.hear("invite")).invite
        await bob.send(pb.BotMessage(resign=pb.Resign(game=invite.game)))
    over = await play_on(ann, 2)
    assert all(list(message.result.places) in ([1, 2], [2, 1]) for message in over)


@pytest.mark.parametrize("stage", ["invited", "committed", "shown"])
async def test_a_bot_that_comes_back_during_the_handshake_goes_on_with_it(house: House, stage: str) -> None:
    ann, bob = await house.bot("ann", capacity=1), await sharing(house, "bob")
    watch = await house.watch()
    await house.play(order("ann", "bob"))
    if stage == "invited":
        await bob.hear("invite")
    else:
        await committed(bob, "bob")
    if stage == "shown":
        await bob.hear("nonce_commits")
    await bob.close()
    again = await house.dial(house.ticket("bob"))
    again.shares = False
    await again.hello(capacity=1)
    told = (await again.hear("resync")).resync.games[0]
    assert not told.HasField("start")
    context = game_context(told.invite.game_id, told.invite.attempt, 2)
    share = nonce_commit(context, told.invite.seat, NONCES["bob"])
    await again.send(pb.BotMessage(nonce_commit=pb.NonceCommit(game=told.invite.game, commitment=share)))
    await again.hear("nonce_commits")
    await reveal(again, told.invite.game, NONCES["bob"])
    assert NONCES["bob"] in (await again.hear("start")).start.nonces
    again.shares = True
    await play_all(ann, again, games=1)
    await play_all(ann, again, games=1)
    for replay in await replays(watch):
        assert replay.result is not None
        assert set(replay.result.forfeits) == {None}


async def test_a_commitment_cannot_be_changed(house: House) -> None:
    ann, bob = await sharing(house, "ann"), await sharing(house, "bob")
    await house.play(order("ann", "bob"))
    invite = await committed(ann, "ann")
    await ann.send(pb.BotMessage(nonce_commit=pb.NonceCommit(game=invite.game, commitment=b"x" * 64)))
    await committed(bob, "bob")
    shown = list((await bob.hear("nonce_commits")).nonce_commits.commitments)
    context = game_context(invite.game_id, invite.attempt, 2)
    assert shown[invite.seat] == nonce_commit(context, invite.seat, NONCES["ann"])
    assert b"x" * 64 not in shown


async def test_a_mirrored_match_asks_for_no_shares(house: House) -> None:
    ann, bob = await sharing(house, "ann"), await sharing(house, "bob")
    watch = await house.watch()
    await house.play(order("ann", "bob", mirrored=True))
    assert set((await ann.hear("start")).start.nonces) == {NO_NONCE}
    await play_all(ann, bob, games=2)
    decks = [[event for event in replay.events if type(event).__name__ == "DealStarted"] for replay in await replays(watch)]
    assert decks[0][0] == decks[1][0]


async def test_an_attempt_called_off_while_shares_are_gathered_is_void(house: House) -> None:
    ann, _ = await sharing(house, "ann"), await sharing(house, "bob")
    ordered = order("ann", "bob")
    await house.play(ordered)
    await ann.hear("invite")
    await house.control.CancelMatches(referee_pb2.CancelMatchesRequest(attempts=[reference(ordered)]))
    over = (await ann.hear("game_over")).game_over
    assert over.kind == pb.GAME_OVER_KIND_VOID
    assert len(over.server_seed) == 64


async def test_a_game_that_nobody_came_to_is_void(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "SHARE_SECONDS", 0.1)
    ann, bob = await sharing(house, "ann"), await sharing(house, "bob")
    watch = await house.watch()
    ordered = order("ann", "bob")
    await house.play(ordered)
    await committed(ann, "ann")  # and then it is silent like the other one
    void = (await watch.hear("attempt_void")).attempt_void
    assert (void.attempt, void.planned) == (reference(ordered), False)
    assert "handshake" in void.text
    for bot in (ann, bob):
        assert (await bot.hear("game_over")).game_over.kind == pb.GAME_OVER_KIND_VOID
