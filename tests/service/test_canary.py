"""Seed, key, deck and hands are in no public byte, no log line, no metric and nobody else's frames while a game is played.

The deck is marked: the referee's seed is one that the test knows, so that whatever may not be seen can be looked for, in
every spelling in which it might slip out.
"""

import asyncio
import base64
import contextlib
import io
import json
import logging
import secrets
import urllib.request
from collections.abc import Iterator, Sequence

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine.cards import Card, full_deck
from referee.engine.game import Game
from referee.engine.shuffle import SeededDecks, match_key
from referee.service.game import RunningGame
from referee.service.log import JsonLines
from referee.wire.cards import packed_cards
from referee.wire.replay import decode_replay
from tests.service.client import PATIENCE, House, RawBot, RawWatch, order, quick_terms, until
from tests.service.player import dull, play_on

SEED = bytes(range(0x80, 0xC0))  # 64 bytes that appear nowhere else
TERMS = quick_terms(max_deals=2, max_turns_per_deal=12)


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every game is dealt from the seed that is looked for."""
    draw = secrets.token_bytes
    monkeypatch.setattr(secrets, "token_bytes", lambda size=None: SEED if size == len(SEED) else draw(size))


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """All that the process logs, down to the smallest thing, as it would write it."""
    written, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(written), root.level
    handler.setFormatter(JsonLines())
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(level)


def spellings(secret: bytes) -> list[bytes]:
    """The ways in which bytes are written down."""
    listed = json.dumps(list(secret))
    return [
        secret,
        secret.hex().encode(),
        base64.b64encode(secret),
        base64.urlsafe_b64encode(secret).rstrip(b"="),
        listed.encode(),
        listed.replace(" ", "").encode(),
        repr(secret)[2:-1].encode(),
    ]


def hand_spellings(hand: Sequence[Card]) -> list[bytes]:
    """The ways in which a hand could be written down, sorted as in a view."""
    kinds = sorted(hand)
    numbers, words = [int(card) for card in kinds], [str(card) for card in kinds]
    return [
        packed_cards(kinds),
        json.dumps(numbers).encode(),
        json.dumps(numbers).replace(" ", "").encode(),
        ", ".join(map(repr, kinds)).encode(),
        ", ".join(words).encode(),
        " ".join(words).encode(),
    ]


def found(hidden: Sequence[bytes], where: bytes) -> list[bytes]:
    return [secret for secret in hidden if secret in where]


class Lookout:
    """Collects what may not hold a secret, and the secrets, while games are played."""

    def __init__(self, house: House, watch: RawWatch) -> None:
        self.house = house
        self.watch = watch
        self.seen: list[bytes] = []
        self.hands: dict[str, set[tuple[Card, ...]]] = {"ann": set(), "bob": set()}
        self.keys: set[bytes] = set()

    def note(self) -> None:
        """The hands of this moment, and the keys of the games."""
        for match in self.house.server.lobby._matches.values():
            for game in match.games.values():
                if isinstance(game, RunningGame):
                    nonces = tuple(share.nonce for share in game._gathering.shares)
                    self.keys.add(match_key(game._gathering.context, SEED, nonces))
                    for seat, hand in zip(game.seats, game._game.state.hands, strict=True):
                        if len(hand) > 5:  # shorter ones are in bytes of any kind by chance
                            self.hands[seat.info.bot].add(tuple(sorted(hand)))

    async def look_around(self) -> None:
        """Everything that strangers, or the site, are told beside the record."""
        control = self.house.control
        self.seen.append((await control.ListSessions(referee_pb2.ListSessionsRequest())).SerializeToString())
        self.seen.append((await control.GetStatus(referee_pb2.GetStatusRequest())).SerializeToString())
        page = self.house.server._metrics
        assert page is not None
        url = f"http://127.0.0.1:{page.port}/metrics"
        self.seen.append(await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=PATIENCE).read()))

    async def reply(self, bot: RawBot, question: pb.Question) -> None:
        """Look, then make a dull move."""
        self.note()
        if question.id % 7 == 0:
            await self.look_around()
        await dull(bot, question)


def frames(bot: RawBot, until_over: bool) -> bytes:
    """What a bot heard; without the ends of its games, which show the seed."""
    heard = [message for message in (*bot.heard, *bot.unread) if not until_over or message.WhichOneof("kind") != "game_over"]
    return b"".join(message.SerializeToString() for message in heard)


def public(watch: RawWatch) -> bytes:
    """What the public is shown: all of the watch stream but records and void games."""
    hidden = {"record", "attempt_void"}
    told = [message for message in (*watch.heard, *watch.unread) if message.WhichOneof("kind") not in hidden]
    return b"".join(message.SerializeToString() for message in told)


@pytest.mark.usefixtures("marked")
async def test_no_secret_is_told_before_its_time(log: io.StringIO) -> None:
    async with House(metrics_bind="127.0.0.1:0") as house:
        ann, bob = await house.bot("ann"), await house.bot("bob")
        watch = await house.watch()
        lookout = Lookout(house, watch)
        await house.play(order("ann", "bob", terms=TERMS))
        await asyncio.gather(play_on(ann, 2, lookout.reply), play_on(bob, 2, lookout.reply))
        record = await watch.record()
        await lookout.look_around()
        everywhere = public(watch) + b"".join(lookout.seen) + log.getvalue().encode()
        check(lookout, everywhere, {"ann": frames(ann, until_over=True), "bob": frames(bob, until_over=True)})
        replays = [decode_replay(game.replay) for game in record.games]
        assert {replay.server_seed for replay in replays} == {SEED}


def check(lookout: Lookout, everywhere: bytes, told: dict[str, bytes]) -> None:
    assert len(lookout.keys) == 2
    assert min(len(hands) for hands in lookout.hands.values()) > 10
    stocks = [packed_cards(SeededDecks(key)(0, full_deck())[21:33]) for key in lookout.keys]  # the next cards to be drawn
    hidden = [spelt for secret in (SEED, *lookout.keys, *stocks) for spelt in spellings(secret)]
    assert found(hidden, everywhere + told["ann"] + told["bob"]) == []
    for bot, other in (("ann", "bob"), ("bob", "ann")):
        own = [hand_spellings(hand) for hand in lookout.hands[bot]]
        assert sum(bool(found(spelt, told[bot])) for spelt in own) > 10  # its own hand a bot is told, in one of these ways
        for spelt in own:
            assert found(spelt, everywhere + told[other]) == []


@pytest.mark.usefixtures("marked")
async def test_a_mistake_of_ours_does_not_write_it_down(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback shows lines of code, and no value of a variable."""
    async with House() as house:
        ann, bob = await house.bot("ann"), await house.bot("bob")

        def fails(self: Game, *_: object) -> None:
            raise RuntimeError("something broke")

        monkeypatch.setattr(Game, "submit", fails)
        await house.play(order("ann", "bob", terms=TERMS))
        question = (await ann.hear("question")).question
        lookout = Lookout(house, await house.watch())
        lookout.note()
        await dull(ann, question)
        await until(lambda: "match failed" in log.getvalue())
        text = log.getvalue().encode()
        assert b"something broke" in text
        hidden = [spelt for secret in (SEED, *lookout.keys) for spelt in spellings(secret)]
        hands = [spelt for hands in lookout.hands.values() for hand in hands for spelt in hand_spellings(hand)]
        assert lookout.keys
        assert found([*hidden, *hands], text) == []
        with contextlib.suppress(TimeoutError):
            await bob.close()


async def test_a_ticket_is_in_no_line(log: io.StringIO, house: House) -> None:
    ticket = house.ticket("ann")
    bot = await house.dial(ticket)
    await bot.hello()
    await (await house.dial(ticket + "x")).refused()
    assert "session opened" in log.getvalue()
    for part in ticket.split("."):
        assert part not in log.getvalue()
