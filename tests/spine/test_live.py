"""The live feed keeps every event once, and may be away."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from referee.engine.events import DrawSeen, PublicEvent
from referee.engine.game import Game
from referee.engine.moves import Seat
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.shuffle import SeededDecks
from referee.engine.view import PublicView
from tournament_site import live
from tournament_site.addresses import Valkey


@pytest.fixture
def feed() -> Iterator[live.Feed]:
    with live.Feed() as made:
        yield made


@pytest.fixture
def table() -> PublicView:
    return Game(Ruleset(), Terms(), 2, SeededDecks(bytes(64))).public_view()


EVENTS: tuple[PublicEvent, ...] = tuple(DrawSeen(Seat(number % 2), None) for number in range(6))


def test_what_was_published_is_shown(feed: live.Feed, table: PublicView) -> None:
    game = uuid.uuid4()
    assert live.snapshot(game) is None
    feed.publish(game, 0, EVENTS[:2], table)
    later = table._replace(turn=9)
    feed.publish(game, 2, EVENTS[2:5], later)
    assert live.snapshot(game) == live.LiveGame(0, later, EVENTS[:5])
    feed.forget([game])
    assert live.snapshot(game) is None


def test_events_told_again_are_kept_once(feed: live.Feed, table: PublicView) -> None:
    game = uuid.uuid4()
    feed.publish(game, 0, EVENTS[:4], table)
    feed.publish(game, 0, EVENTS[:4], table)
    feed.publish(game, 2, EVENTS[2:6], table)
    assert live.snapshot(game) == live.LiveGame(0, table, EVENTS)


def test_only_the_last_events_are_kept(feed: live.Feed, table: PublicView) -> None:
    game = uuid.uuid4()
    for start in range(0, 1200, 6):
        feed.publish(game, start, EVENTS, table)
    shown = live.snapshot(game)
    assert shown is not None
    assert len(shown.events) == live.EVENTS_KEPT
    assert shown.number == 1200 - live.EVENTS_KEPT
    with live.connect() as client:
        assert all(client.ttl(key) > 0 for key in live._keys(game))


def test_a_page_can_do_without_the_feed(settings: Any, table: PublicView) -> None:
    nowhere = "unix:///nonexistent/valkey.sock?db=0"
    settings.SITE = replace(settings.SITE, valkey=Valkey(nowhere, nowhere))
    assert live.snapshot(uuid.uuid4()) is None
    with live.Feed() as away:
        away.publish(uuid.uuid4(), 0, EVENTS, table)
        away.forget([uuid.uuid4()])


def test_a_feed_that_is_away_is_left_alone_for_a_while(
    settings: Any, table: PublicView, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SECONDS_AWAY", 600.0)
    nowhere = "unix:///nonexistent/valkey.sock?db=0"
    settings.SITE = replace(settings.SITE, valkey=Valkey(nowhere, nowhere))
    with live.Feed() as away:
        for _ in range(20):
            away.publish(uuid.uuid4(), 0, EVENTS, table)
    assert len([record for record in caplog.records if "the live feed is away" in record.message]) == 1
