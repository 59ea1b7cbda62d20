"""The spine with nothing scripted: a real referee plays with real bots, and the site dispatches, collects and settles."""

import itertools
import json
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as django_settings
from django.core import serializers
from django.db import connections

from bots_sdk.house_bots import BlindBot, GreedyBot
from referee.engine.apply import apply
from referee.engine.cards import CARDS
from referee.engine.events import GameStarted
from referee.engine.moves import Draw, Play
from referee.engine.state import State
from referee.engine.view import View
from referee.service import feed
from referee.verify.seeds import key_of
from referee.wire.replay import ReplayRecord, decode_replay
from tests.service.test_canary import found, hand_spellings, spellings
from tests.site.builders import make_bot, make_bots, make_user, queue_match
from tests.spine.real_referee import RealReferee, playing
from tournament_site import live, pipeline
from tournament_site.bots import queries, services
from tournament_site.bots.models import Bot
from tournament_site.collector import Watcher
from tournament_site.leagues import audit
from tournament_site.matches.models import Game, Match, Replay

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def referee(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealReferee]:
    """A real referee, watched by a collector's thread."""
    monkeypatch.setattr("tournament_site.collector.ask_for_work", lambda: None)
    with playing(settings) as real:
        watcher = Watcher(django_settings.SITE.referees[0])
        watcher.start()
        yield real
        watcher.stop()
        watcher.join(10)
        connections.close_all()


def tick_until(true: Callable[[], bool]) -> None:
    """What beat and worker do, again and again, until something is so."""
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        pipeline.heal()
        pipeline.settle()
        pipeline.dispatch()
        time.sleep(0.05)


class Clumsy(BlindBot):
    """Throws cards that it has not got."""

    def play(self, view: View) -> Play:
        return Play(discard=next(card for card in CARDS if card not in view.hand))


def newcomer(name: str) -> Bot:
    bot = make_bot(make_user(name), name.title(), version=None)
    services.declare_version(bot, "1.0")
    return bot


def test_a_newcomer_is_validated_and_then_plays_for_ratings(referee: RealReferee) -> None:
    (house,) = make_bots(1, house=True)
    bot = newcomer("newcomer")
    rated = queue_match([bot, house])
    referee.connect(house, GreedyBot)
    referee.connect(bot, GreedyBot)
    tick_until(lambda: Match.objects.get(pk=rated).state == Match.State.FINISHED)
    assert queries.validations([bot.pk])[bot.pk].done
    decided = Match.objects.exclude(pk=rated).get()
    assert (decided.state, decided.rated) == (Match.State.FINISHED, False)
    assert decided.finished_at is not None
    started = Match.objects.get(pk=rated).started_at
    assert started is not None
    assert decided.finished_at < started
    pipeline.settle()
    assert list(audit.problems(settled=True)) == []


def test_one_that_cannot_play_is_told_so_and_its_rated_matches_wait(referee: RealReferee) -> None:
    (house,) = make_bots(1, house=True)
    bot = newcomer("clumsy")
    rated = queue_match([bot, house])
    referee.connect(house, GreedyBot)
    referee.connect(bot, Clumsy)
    tick_until(lambda: queries.validations([bot.pk])[bot.pk].state is queries.ValidationState.FAILED)
    assert "it made too many faults" in queries.validations([bot.pk])[bot.pk].text
    assert Match.objects.get(pk=rated).state == Match.State.QUEUED


LIVE = b"phaseten:live:"


class Onlookers:
    """Now and then bots that draw give way to somebody who looks at everything that is shown, in a thread of his own."""

    def __init__(self, match: UUID) -> None:
        self.seen: list[bytes] = []
        self.live = 0  # how often they have seen a game that runs
        self._match = match
        self._draws = itertools.count(1)
        self._pool = ThreadPoolExecutor(1)

    def bot(self) -> GreedyBot:
        """A bot that waits for them."""
        onlookers = self

        class Watched(GreedyBot):
            def draw(self, view: View) -> Draw:
                if next(onlookers._draws) % 10 == 0:
                    onlookers._pool.submit(onlookers._look).result()
                return super().draw(view)

        return Watched()

    def close(self) -> None:
        self._pool.submit(connections.close_all).result()
        self._pool.shutdown()

    def _look(self) -> None:
        if Match.objects.get(pk=self._match).state != Match.State.RUNNING:
            return
        deadline = time.monotonic() + 5.0  # for the collector to publish what it has been told
        while LIVE not in (shown := everything_in_valkey()) and not self.live and time.monotonic() < deadline:
            time.sleep(0.02)
        self.live += LIVE in shown
        self.seen += [shown, serializers.serialize("json", [*Game.objects.all(), *Match.objects.all()]).encode()]


def everything_in_valkey() -> bytes:
    """Keys and values, of whatever kind they are."""
    parts: list[bytes] = []
    with live.connect() as client:
        for key in client.scan_iter("*", count=1000):
            kind = client.type(key)
            value = client.xrange(key) if kind == b"stream" else client.get(key) if kind == b"string" else client.dump(key)
            parts += [key, *flattened(value)]
    return b"\0".join(parts)


def flattened(value: Any) -> Iterator[bytes]:
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, dict):
        yield from flattened([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for part in value:
            yield from flattened(part)


def hands_of(replay: ReplayRecord) -> set[tuple[Any, ...]]:
    """Every hand of more than five cards that was held at some time."""
    started = replay.events[0]
    assert isinstance(started, GameStarted)
    state = State.new(started.ruleset, started.terms, started.seats)
    hands: set[tuple[Any, ...]] = set()
    for event in replay.events[1:]:
        apply(state, event)
        hands |= {tuple(sorted(hand)) for hand in state.hands if len(hand) > 5}
    return hands


def test_no_secret_reaches_valkey_rows_or_logs_before_its_time(
    referee: RealReferee, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "UPDATE_SECONDS", 0.02)
    caplog.set_level(logging.DEBUG)
    bots = make_bots(2)
    match = queue_match(bots)
    onlookers = Onlookers(match)
    for bot in bots:
        referee.connect(bot, onlookers.bot)
    tick_until(lambda: Match.objects.get(pk=match).state == Match.State.FINISHED)
    onlookers.close()
    replays = [decode_replay(bytes(row.data)) for row in Replay.objects.all()]
    assert onlookers.live >= 5
    everywhere = b"".join(
        (
            *onlookers.seen,
            caplog.text.encode(),
            json.dumps([record.__dict__ for record in caplog.records], default=str).encode(),
        )
    )
    for replay in replays:
        hidden = [spelt for secret in (replay.server_seed, key_of(replay)) for spelt in spellings(secret)]
        hands = [spelt for hand in hands_of(replay) for spelt in hand_spellings(hand)]
        assert len(hands) > 100
        assert found([*hidden, *hands], everywhere) == []
