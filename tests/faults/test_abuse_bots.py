"""Bots with a ticket that misbehave: they leave, stay silent, answer wrongly, flood, and send what is no message.

Each attack ends with a match between two honest bots, and with nothing of it left in the referee.
"""

import asyncio
import gzip
from collections.abc import Callable

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2, referee_pb2, replay_pb2

from tests.faults import players
from tests.faults.attacked import Attacked
from tests.faults.http2 import FLOW_CONTROL_ERROR, message
from tests.faults.players import Player
from tests.service.client import order, quick_terms, reference

# Not so hasty that an honest bot in this process could be late three times because the process stands still for a while.
HASTY = quick_terms(bank=20_000, cap=1_500, max_deals=1, max_turns_per_deal=4)
FLOOD_PER_SECOND = 10_000  # of the referee's own time; what else is done on the machine does not count
SWALLOWED = 60.0  # seconds within which ten megabytes are sent, refused and hung up on, however busy the machine is
STRAY = pb.BotMessage(answer=pb.Answer(game=5, id=1, draw=game_pb2.Draw()))


async def outcome(referee: Attacked, played: referee_pb2.MatchOrder) -> list[replay_pb2.Replay]:
    """The replays of a match, once its record has come."""
    async with asyncio.timeout(60):
        while not (record := referee.record(played.match_id)):  # noqa: ASYNC110  it comes when it comes
            await asyncio.sleep(0.05)
    return [replay_pb2.Replay.FromString(game.replay) for game in record.games]


# Leaving and answering.


async def leave_again_and_again(referee: Attacked, every: int) -> None:
    """Hang up after every so many messages, and come back at once."""
    name, mate = f"leaver{every}", f"mate{every}"
    honest = await referee.player(mate)
    leaver = await referee.player(name)
    played = order(name, mate, terms=HASTY)
    await referee.play(played)
    while not referee.record(played.match_id):
        # The referee is another process, so there is nothing else to wait on.
        while leaver.took < every and not leaver.closed and not referee.record(played.match_id):  # noqa: ASYNC110  as said
            await asyncio.sleep(0.002)
        leaver.close()
        leaver = await referee.player(name)
    replays = await outcome(referee, played)
    for replay in replays:
        own = [seat.bot for seat in replay.seats].index(name)
        assert not replay.result.forfeits[1 - own]  # nobody else is blamed
    for player in (leaver, honest):
        player.close()


@pytest.mark.timeout(120)
async def test_bots_that_leave_after_every_kth_message(referee: Attacked) -> None:
    async def attack() -> None:
        await asyncio.gather(*(leave_again_and_again(referee, every) for every in (1, 2, 3, 5, 8)))

    await referee.survives(attack)


async def answer_badly(referee: Attacked, make: Callable[[], Player]) -> tuple[str, list[replay_pb2.Replay]]:
    name = make().__class__.__name__.lower()
    bad, good = await referee.player(name, make), await referee.player(f"{name}-mate")
    played = order(name, f"{name}-mate", terms=HASTY)
    await referee.play(played)
    replays = await outcome(referee, played)
    for player in (bad, good):
        player.close()
    return name, replays


#: what becomes of the games of a bot that answers badly: why it forfeits, if it does
FORFEITS = {
    "absent": game_pb2.FORFEIT_CAUSE_NO_SHOW,
    "mute": game_pb2.FORFEIT_CAUSE_FAULTS,
    "late": game_pb2.FORFEIT_CAUSE_FAULTS,
    "twice": game_pb2.FORFEIT_CAUSE_UNSPECIFIED,
    "reversed": game_pb2.FORFEIT_CAUSE_UNSPECIFIED,
    "astray": game_pb2.FORFEIT_CAUSE_FAULTS,
    "babbler": game_pb2.FORFEIT_CAUSE_FAULTS,
}


@pytest.mark.timeout(120)
async def test_bots_that_answer_never_late_twice_and_astray(referee: Attacked) -> None:
    found: dict[str, list[replay_pb2.Replay]] = {}

    async def attack() -> None:
        found.update(await asyncio.gather(*(answer_badly(referee, make) for make in players.KINDS)))

    await referee.survives(attack)
    for name, replays in found.items():
        own = [[seat.bot for seat in replay.seats].index(name) for replay in replays]
        forfeits = [replay.result.forfeits[seat] for replay, seat in zip(replays, own, strict=True)]
        if name == "astray":  # its other game is over, and then there is nothing more to spoil
            assert FORFEITS[name] in forfeits
        else:
            assert set(forfeits) == {FORFEITS[name]}, name
        assert not any(replay.result.forfeits[1 - seat] for replay, seat in zip(replays, own, strict=True))


# Flooding.


FLOOD = 2000  # messages of a session


def heaps(said: pb.BotMessage) -> list[bytes]:
    """A flood of one message, a hundred in each frame."""
    return [players.frame(*[said] * 100)] * (FLOOD // 100)


@pytest.mark.parametrize(
    "frames",
    [
        heaps(STRAY),
        heaps(pb.BotMessage(ping=pb.Ping(id=1))),
        heaps(pb.BotMessage(resign=pb.Resign(game=3))),
        heaps(pb.BotMessage()),
        [b""] * FLOOD,
        [b"\xfa\x07\x03abc"] * FLOOD,
    ],
    ids=["answers", "pings", "resignations", "nothing", "empty frames", "unknown fields"],
)
@pytest.mark.timeout(120)
async def test_a_flood_of_messages(referee: Attacked, frames: list[bytes]) -> None:
    """Session after session, each of them thrown out."""
    sent, spent = 0, 0.0

    async def attack() -> None:
        nonlocal sent, spent
        start = referee.spent()
        flooder = await referee.player("flooder")
        for said in frames:
            flooder.say(flooder.stream, said)
        sent += FLOOD
        await flooder.until(lambda one: flooder.stream in one.trailers)
        assert flooder.reason(flooder.stream) == "FLOODING"
        flooder.close()
        spent += referee.spent() - start

    await referee.survives(attack, seconds=1.5)
    assert sent / spent > FLOOD_PER_SECOND


class Repeater(Player):
    """Commits to its share of a shuffle again and again, and does not answer."""

    def share(self, invite: pb.Invite) -> list[pb.BotMessage]:
        for said in heaps(super().share(invite)[0]):
            self.say(self.stream, said)
        return []


@pytest.mark.parametrize(
    "mate", [players.Absent, players.Mute], ids=["while shares are waited for", "when a game has begun"]
)
@pytest.mark.timeout(120)
async def test_a_flood_of_shares(referee: Attacked, mate: Callable[[], Player]) -> None:
    async def attack() -> None:
        flooder, other = await referee.player("repeater", Repeater), await referee.player("patient", mate)
        played = order("repeater", "patient", terms=HASTY)
        await referee.play(played)
        await flooder.until(lambda one: one.stream in one.trailers)
        assert flooder.reason(flooder.stream) == "FLOODING"
        await referee.control.CancelMatches(referee_pb2.CancelMatchesRequest(attempts=[reference(played)]))
        for player in (flooder, other):
            player.close()

    await referee.survives(attack, seconds=1.0)


# What is too large, or nothing.


async def refused_for(referee: Attacked, said: bytes, *headers: tuple[str, str]) -> str:
    """Send one gRPC message, head and all, in a session of its own; the reason for which the stream is ended."""
    connection = await referee.dial()
    stream = connection.begin(referee.ticket("giant"), *headers)
    connection.say(stream, players.hello())
    await connection.until(lambda one: one.messages.get(stream))
    await connection.pour(stream, said)
    await connection.until(lambda one: stream in one.trailers)
    reason = connection.reason(stream)
    connection.close()
    return reason


BOMB = gzip.compress(b"\x0a\x00" * 50_000_000, 9)
RESOURCE_EXHAUSTED = "8"  # said by gRPC itself, which reads no further: there is no ErrorInfo


@pytest.mark.parametrize(
    ("said", "headers", "reason"),
    [
        (message(b"\x0a\x00" * 5_000_000), (), RESOURCE_EXHAUSTED),
        (message(b"\x0a\x00" * 40_000), (), "FRAME_TOO_LARGE"),
        (message(b"\x0a\x00" * 8_000), (), "FLOODING"),
        (message(players.frame(pb.BotMessage(answer=pb.Answer(note="x" * 5_000)))), (), "MESSAGE_TOO_LARGE"),
        (message(BOMB, compressed=True), (("grpc-encoding", "gzip"),), RESOURCE_EXHAUSTED),
        (message(b"\x0a\x05\xff\xff\xff\xff\xff"), (), "FRAME_MALFORMED"),
    ],
    ids=["10 MB", "80 kB", "8000 empty messages", "one message of 5 kB", "100 MB in gzip", "nonsense"],
)
async def test_giants_and_bombs(referee: Attacked, said: bytes, headers: tuple[tuple[str, str], ...], reason: str) -> None:
    reasons: list[str] = []

    async def attack() -> None:
        reasons.extend([await refused_for(referee, said, *headers) for _ in range(10)])

    await referee.survives(attack)
    assert set(reasons) == {reason}


@pytest.mark.timeout(400)
async def test_data_that_nobody_has_asked_for(referee: Attacked) -> None:
    """Ten megabytes, whatever the window."""
    codes: list[int | None] = []

    async def attack() -> None:
        for _ in range(5):
            connection, stream = await referee.bot("pusher")
            connection.say(stream, b"\x0a\x00" * 5_000_000)
            await connection.until_closed(SWALLOWED)
            codes.append(connection.goaway[0] if connection.goaway else None)  # the network may swallow the last words

    await referee.survives(attack)
    assert set(codes) <= {FLOW_CONTROL_ERROR, None}
