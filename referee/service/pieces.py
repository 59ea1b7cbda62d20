"""Pieces of frames and replays. Protobuf messages that are written one after the other are one message: lists are joined,
so a list can be kept as the bytes of its items, and most events of a game are among a few hundred that were written before.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from phaseten.v1 import bot_pb2, referee_pb2, replay_pb2

from referee.engine.events import CardDiscarded, CardDrawn, CardHit, Event, SkipPlayed, TurnSkipped
from referee.engine.observe import public_event
from referee.engine.ruleset import Ruleset
from referee.service.clock import Charge
from referee.wire.events import encode_event, encode_public_event
from referee.wire.fields import Heading, IntField

EventPieces = Callable[[Event], tuple[bytes, bytes]]

# Events that come again and again, alike to the last bit, and what makes one of them up.
_COMMON: Final[dict[Any, Callable[[Event], Any]]] = {
    kind: attrgetter("__class__", *[field.name for field in fields(kind)])
    for kind in (CardDrawn, CardDiscarded, CardHit, SkipPlayed, TurnSkipped)
}
# The bytes of an event stand in the messages of seats and of watchers alike.
assert bot_pb2.Events.EVENTS_FIELD_NUMBER == referee_pb2.GameUpdate.EVENTS_FIELD_NUMBER

_ANSWERS: Final = Heading(replay_pb2.Replay, "answers")
_EVENT: Final = IntField(replay_pb2.AnswerRecord, "event")
_SEAT: Final = IntField(replay_pb2.AnswerRecord, "seat")
_THINK: Final = IntField(replay_pb2.AnswerRecord, "think_ms")
_LAG: Final = IntField(replay_pb2.AnswerRecord, "lag_ms")
_BANK: Final = IntField(replay_pb2.AnswerRecord, "bank_ms")
_NOTE: Final = Heading(replay_pb2.AnswerRecord, "note")


@lru_cache(maxsize=8)
def event_pieces(ruleset: Ruleset) -> EventPieces:
    """A function from an event to two pieces: its public side, as a list of one event, and the event in full.

    The first has no bytes for what seats are told otherwise; the second, hidden cards included, is a replay of nothing but
    this event.
    """

    def encoded(event: Event) -> tuple[bytes, bytes]:
        seen = public_event(event, ruleset)
        public = b"" if seen is None else bot_pb2.Events(events=[encode_public_event(seen)]).SerializeToString()
        return public, replay_pb2.Replay(events=[encode_event(event)]).SerializeToString()

    remembered: dict[Any, tuple[bytes, bytes]] = {}  # some ten thousand at most: cards, seats and melds are few

    def of(event: Event) -> tuple[bytes, bytes]:
        made_of = _COMMON.get(type(event))
        if made_of is None:
            return encoded(event)
        key = made_of(event)
        pieces = remembered.get(key)
        if pieces is None:
            pieces = remembered[key] = encoded(event)
        return pieces

    return of


def answer_piece(event: int, seat: int, charge: Charge, bank: int, note: str) -> bytes:
    """A replay of nothing but the record of one answer; what the numbers mean says `wire.replay.AnswerRecord`."""
    think, lag = charge
    record = b"".join((_EVENT[event], _SEAT[seat], _THINK[think], _LAG[lag], _BANK[bank]))
    if note:
        record += _NOTE.wrap(note.encode())
    return _ANSWERS[len(record)] + record
