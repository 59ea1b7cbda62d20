"""The live feed: public events of running games, in Valkey. It may be lost at any time; nothing is decided by it.

A stream of events and the newest table for each game. The stream's ids are the events' numbers, so an event that is
published twice is kept once, and a reader goes on where it stopped. Only public events ever enter Valkey: their type cannot
hold a hidden card.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

import redis
from django.conf import settings
from phaseten.v1 import game_pb2

from referee.engine.events import PublicEvent
from referee.engine.view import PublicView
from referee.wire.events import decode_public_event, encode_public_event
from referee.wire.view import decode_table, encode_table

log = logging.getLogger(__name__)

# A game that is silent for so long is over, or its referee is gone.
SECONDS_KEPT = 900
EVENTS_KEPT = 200
# Valkey is not asked again for so long after it was away.
SECONDS_AWAY = 5.0


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A running game as the public sees it: the last events, of which the first has number `number`, and the table."""

    number: int
    table: PublicView
    events: tuple[PublicEvent, ...]


def connect() -> "redis.Redis":
    """A client of the live feed. Losable data is not worth waiting for: half a second, no second try."""
    return redis.Redis.from_url(settings.SITE.valkey.client, socket_timeout=0.5, socket_connect_timeout=0.5, retry=None)


def _keys(game_id: UUID) -> tuple[str, str]:
    return f"phaseten:live:{game_id}:events", f"phaseten:live:{game_id}:table"


class Feed:
    """Writes the feed. While Valkey is away it drops what it is given, and tries again every few seconds.

    The collector must not wait for it: results go through the same hands as what is shown.
    """

    def __init__(self) -> None:
        self._client = connect()
        self._away_until = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def publish(self, game_id: UUID, first: int, events: Sequence[PublicEvent], table: PublicView) -> None:
        """Adds events, the first of which has number `first`, and makes `table` the newest."""
        stream, newest = _keys(game_id)
        pipe = self._client.pipeline(transaction=False)
        for number, event in enumerate(events, first):
            fields: dict[Any, Any] = {"event": encode_public_event(event).SerializeToString()}
            pipe.xadd(stream, fields, id=f"0-{number + 1}", maxlen=EVENTS_KEPT, approximate=False)
        pipe.set(newest, encode_table(table).SerializeToString(), ex=SECONDS_KEPT)
        pipe.expire(stream, SECONDS_KEPT)
        # An id that is not greater than the last one is an event told again: its refusal is as it should be.
        self._unless_away(lambda: pipe.execute(raise_on_error=False))

    def forget(self, game_ids: Sequence[UUID]) -> None:
        """Drops games that are over."""
        keys = [key for game_id in game_ids for key in _keys(game_id)]
        if keys:
            self._unless_away(lambda: self._client.delete(*keys))

    def _unless_away(self, act: Callable[[], object]) -> None:
        if time.monotonic() < self._away_until:
            return
        try:
            act()
        except redis.RedisError as error:
            self._away_until = time.monotonic() + SECONDS_AWAY
            log.warning("the live feed is away: %s", error)


def snapshot(game_id: UUID) -> LiveGame | None:
    """The game as last published, or None if nothing is known of it, the feed being away included."""
    stream, newest = _keys(game_id)
    try:
        with connect() as client:
            entries: Any = client.xrevrange(stream, count=EVENTS_KEPT)
            table: Any = client.get(newest)
    except redis.RedisError:
        return None
    if table is None or not entries:
        return None
    entries.reverse()
    first = int(entries[0][0].split(b"-")[1]) - 1
    events = tuple(decode_public_event(game_pb2.PublicEvent.FromString(fields[b"event"])) for _, fields in entries)
    return LiveGame(first, decode_table(game_pb2.Table.FromString(table)), events)
