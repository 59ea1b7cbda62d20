"""Frames that chance has made: of messages, inside a session, and of HTTP/2, around it."""

import asyncio
import random
from collections import Counter
from typing import Any

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2, referee_pb2

from referee.engine.cards import WILD, parse_card
from referee.engine.moves import Hit, Meld, Play, Seat
from referee.wire.moves import encode_play
from tests.faults.attacked import Attacked
from tests.faults.http2 import CONTINUATION, END_HEADERS, HEADERS, Connection, frame, request
from tests.faults.players import frame as said
from tests.faults.players import hello
from tests.service.client import order, quick_terms

MESSAGES, NIGHT_OF_MESSAGES = 6_000, 400_000  # frames of messages
FRAMES, NIGHT_OF_FRAMES = 14_000, 600_000  # frames of HTTP/2
WORKERS = 4
AT_ONCE = 8
PING = pb.BotMessage(ping=pb.Ping(id=77))
HASTY = quick_terms(bank=500, cap=100, max_deals=1, max_turns_per_deal=4)
#: for what a session may end that says such things
REASONS = {"FRAME_MALFORMED", "MESSAGE_TOO_LARGE", "FLOODING", "0"}


def true_frames() -> list[bytes]:
    """What honest bots say."""
    draw = game_pb2.Draw(from_discard=True)
    run = Meld((parse_card("R1"), WILD, parse_card("R3")))
    play = encode_play(Play((run, run), (Hit(Seat(1), 0, parse_card("B5")),), parse_card("R7"), Seat(1)))
    return [
        hello(),
        said(PING),
        said(pb.BotMessage(pong=pb.Pong(id=1))),
        said(pb.BotMessage(resign=pb.Resign(game=1))),
        said(pb.BotMessage(nonce_commit=pb.NonceCommit(game=1, commitment=bytes(64)))),
        said(pb.BotMessage(nonce_reveal=pb.NonceReveal(game=1, nonce=bytes(32)))),
        said(pb.BotMessage(answer=pb.Answer(game=1, id=1, draw=draw)), PING),
        said(pb.BotMessage(answer=pb.Answer(game=1, id=2, play=play, note="why not")), PING, PING),
    ]


def spoilt(dice: random.Random, data: bytes) -> bytes:
    """The same with a few bytes changed, gone, or come in addition."""
    body = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(body) + 1)
        match dice.randrange(3):
            case 0:
                body[at : at + 1] = bytes([dice.randrange(256)])
            case 1:
                del body[at : at + dice.randint(1, 4)]
            case _:
                body[at:at] = dice.randbytes(dice.randint(1, 8))
    return bytes(body)


def possible(dice: random.Random) -> bytes:
    """A frame that can be decoded, of messages that make sense at best by chance; some have fields that nobody knows."""

    def number(*likely: int) -> int:
        return dice.choice((*likely, 0, 1, 2, 3, 255, 2**31 - 1, 2**32 - 1))

    def cards() -> list[Any]:
        return [dice.choice((number(), dice.randrange(52))) & 0x7FFFFFFF for _ in range(dice.choice((0, 1, 3, 11, 200)))]

    def play() -> game_pb2.Play:
        lay = [game_pb2.Meld(cards=cards(), meaning=number()) for _ in range(dice.randrange(3))]
        hits = [game_pb2.Hit(owner=number(), meld=number(), card=(cards() or [1])[0]) for _ in range(dice.randrange(3))]
        return game_pb2.Play(lay=lay, hits=hits, discard=(cards() or [2])[0], skip_target=number(), phase=number())

    def message() -> pb.BotMessage:
        game, note = number(1, 2, 3), "\u202e<b>\x00" * dice.choice((0, 0, 1, 400))
        return dice.choice(
            (
                lambda: pb.BotMessage(answer=pb.Answer(game=game, id=number(4, 5), play=play(), note=note)),
                lambda: pb.BotMessage(answer=pb.Answer(game=game, id=number(4, 5), draw=game_pb2.Draw(from_discard=True))),
                lambda: pb.BotMessage(answer=pb.Answer(game=game, id=number(4, 5))),
                lambda: pb.BotMessage(nonce_commit=pb.NonceCommit(game=game, commitment=dice.randbytes(number() % 70))),
                lambda: pb.BotMessage(nonce_reveal=pb.NonceReveal(game=game, nonce=dice.randbytes(number() % 40))),
                lambda: pb.BotMessage(resign=pb.Resign(game=number(77))),
                lambda: pb.BotMessage(hello=pb.Hello(protocol=number(), sdk=note, capacity=number())),
                lambda: pb.BotMessage(ping=pb.Ping(id=number())),
            )
        )()

    unknown = b"\xfa\x07\x03abc" if dice.random() < 0.2 else b""
    return said(*(message() for _ in range(dice.randint(1, 3)))) + unknown


async def say_nonsense(referee: Attacked, dice: random.Random, name: str, count: int) -> Counter[str]:
    """Session after session, a few frames in each, the last of them spoilt; how they ended."""
    ticket, truth, ends = referee.ticket(name), true_frames(), Counter[str]()
    connection = await referee.dial()
    for _ in range(count // AT_ONCE):
        stream = connection.begin(ticket)
        connection.say(stream, hello())
        for _ in range(AT_ONCE - 1):
            connection.say(stream, possible(dice))
        connection.say(stream, spoilt(dice, dice.choice(truth)))
        connection.finish(stream)
        await connection.until(lambda one, stream=stream: stream in one.trailers)  # type: ignore[misc]  # bound at once
        ends[connection.reason(stream)] += 1
        connection.forget(stream)
    connection.close()
    return ends


async def keep_playing(referee: Attacked) -> None:
    """Games for the talkers, so that some of what they say is an answer. It does not matter which of them can begin."""
    while True:
        orders = [order(f"fuzz{number}", f"fuzz{number + 1}", terms=HASTY) for number in range(0, WORKERS, 2)]
        await referee.control.StartMatches(referee_pb2.StartMatchesRequest(matches=orders))
        await asyncio.sleep(0.1)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_messages_made_by_chance(referee: Attacked, nightly: bool) -> None:
    count = NIGHT_OF_MESSAGES if nightly else MESSAGES
    ends = Counter[str]()
    dice = random.Random(f"messages {nightly}")

    async def attack() -> None:
        games = asyncio.create_task(keep_playing(referee))
        parts = (say_nonsense(referee, dice, f"fuzz{number}", count // WORKERS) for number in range(WORKERS))
        for part in await asyncio.gather(*parts):
            ends.update(part)
        games.cancel()

    await referee.survives(attack)
    assert set(ends) <= REASONS, ends
    assert ends["FRAME_MALFORMED"] > ends.total() // 10
    assert ends["0"] > 0


def http2_nonsense(dice: random.Random) -> bytes:
    """A frame that may be anything: of any kind, on any stream, and as long as it says or not."""
    kind = dice.choice((*range(12), HEADERS, CONTINUATION))
    payload = dice.randbytes(dice.choice((0, 1, 4, 5, 6, 8, 30, 200)))
    if kind == HEADERS and dice.random() < 0.5:
        payload = spoilt(dice, request("nonsense"))
    made = frame(
        kind, dice.randrange(256) if dice.random() < 0.5 else END_HEADERS, dice.choice((0, 1, 3, 5, 2, 2**31 - 1)), payload
    )
    return made if dice.random() < 0.9 else spoilt(dice, made)


async def frame_nonsense(referee: Attacked, dice: random.Random, count: int) -> None:
    """Connection after connection, a few frames in each."""
    for _ in range(count // AT_ONCE):
        connection = await Connection.open(referee.port)
        if dice.random() < 0.9:
            connection.greet()
        connection.send(b"".join(http2_nonsense(dice) for _ in range(AT_ONCE)))
        connection.hang_up()
        await connection.until_closed()


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_http2_made_by_chance(referee: Attacked, nightly: bool) -> None:
    count = NIGHT_OF_FRAMES if nightly else FRAMES
    dice = random.Random(f"frames {nightly}")

    async def attack() -> None:
        await asyncio.gather(*(frame_nonsense(referee, dice, count // WORKERS) for _ in range(WORKERS)))

    await referee.survives(attack)
