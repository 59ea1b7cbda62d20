"""The live feed: public events of running games, in Valkey. It may be lost at any time; nothing is decided by it.

A stream of events and the newest table for each game. The stream's ids are the events' numbers, so an event that is
published twice is kept once, and a reader goes on where it stopped. Only public events ever enter Valkey: their type cannot
hold a hidden card.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import redis
from django.conf import settings
from phaseten.v1 import game_pb2

from referee.engine.events import PublicEvent
from referee.engine.view import PublicView
from referee.wire.events import decode_public_event, encode_public_event
from referee.wire.view import decode_table, encode_table

# A game that is silent for so long is over, or its referee is gone.
SECONDS_KEPT = 900
EVENTS_KEPT = 200


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


def publish(client: "redis.Redis", game_id: UUID, first: int, events: Sequence[PublicEvent], table: PublicView) -> None:
    """Adds events, the first of which has number `first`, and makes `table` the newest. Raises redis.RedisError."""
    stream, newest = _keys(game_id)
    pipe = client.pipeline(transaction=False)
    for number, event in enumerate(events, first):
        fields: dict[Any, Any] = {"event": encode_public_event(event).SerializeToString()}
        pipe.xadd(stream, fields, id=f"0-{number + 1}", maxlen=EVENTS_KEPT, approximate=True)
    pipe.set(newest, encode_table(table).SerializeToString(), ex=SECONDS_KEPT)
    pipe.expire(stream, SECONDS_KEPT)
    for answer in pipe.execute(raise_on_error=False):
        # An id that is not greater than the last one is an event told again: it is there already.
        if isinstance(answer, redis.RedisError) and "equal or smaller" not in str(answer):
            raise answer


def forget(client: "redis.Redis", game_ids: Sequence[UUID]) -> None:
    """Drops games that are over. Raises redis.RedisError."""
    if game_ids:
        client.delete(*(key for game_id in game_ids for key in _keys(game_id)))


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
