"""Pieces of frames. Protobuf messages that are written one after the other are one message: lists are joined, so a list
can be kept as the bytes of its items, and most events of a game are among a few hundred that were written before.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from phaseten.v1 import bot_pb2, referee_pb2, replay_pb2

from referee.engine.events import CardDiscarded, CardDrawn, CardHit, Event, SkipPlayed, TurnSkipped
from referee.engine.observe import public_event
from referee.engine.ruleset import Ruleset
from referee.wire.events import encode_event, encode_public_event

EventBytes = Callable[[Event], bytes]

# Events that come again and again, alike to the last bit.
_COMMON: Final = frozenset({CardDrawn, CardDiscarded, CardHit, SkipPlayed, TurnSkipped})
_LENGTH_DELIMITED: Final = 2
# The bytes of an event stand in the messages of seats and of watchers alike.
assert bot_pb2.Events.EVENTS_FIELD_NUMBER == referee_pb2.GameUpdate.EVENTS_FIELD_NUMBER


def _replayed(event: Event) -> bytes:
    return replay_pb2.Replay(events=[encode_event(event)]).SerializeToString()


_remembered: Final = lru_cache(maxsize=8192)(_replayed)


def replay_bytes(event: Event) -> bytes:
    """The event in full, hidden cards included, as a replay of nothing but this event."""
    return _remembered(event) if type(event) in _COMMON else _replayed(event)


@lru_cache(maxsize=8)
def public_bytes(ruleset: Ruleset) -> EventBytes:
    """A function from an event to its public side, a list of one event; no bytes for what it is told otherwise."""

    def encoded(event: Event) -> bytes:
        seen = public_event(event, ruleset)
        return b"" if seen is None else bot_pb2.Events(events=[encode_public_event(seen)]).SerializeToString()

    remembered = lru_cache(maxsize=4096)(encoded)

    def of(event: Event) -> bytes:
        return remembered(event) if type(event) in _COMMON else encoded(event)

    return of


def tag(field: int) -> bytes:
    """What stands before the length of a message in a field whose number is below 16."""
    return bytes([field << 3 | _LENGTH_DELIMITED])


def wrapped(before: bytes, content: bytes) -> bytes:
    """A field with this message; `before` is its `tag`."""
    size = len(content)
    if size < 0x80:
        return b"%b%c%b" % (before, size, content)
    length = b""
    while size >= 0x80:
        length += b"%c" % (size & 0x7F | 0x80)
        size >>= 7
    return b"%b%b%c%b" % (before, length, size, content)
