"""Replays: the record of a finished game, and its bytes."""

import hashlib
from dataclasses import dataclass
from uuid import UUID

from google.protobuf.message import DecodeError
from phaseten.v1 import bot_pb2, replay_pb2

from referee.engine.events import Event
from referee.engine.game import Result
from referee.engine.values import quick
from referee.wire.enums import FORFEITS, GAME_ENDS
from referee.wire.errors import MalformedMessage
from referee.wire.events import decode_event, encode_event

FORMAT = 1


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """Who sits on a seat: the bot's short name, its name, the version's label and id."""

    bot: str
    name: str
    version: str
    version_id: int


@dataclass(frozen=True, slots=True)
class SeatNonce:
    """A seat's share of the shuffle: commitment (64 bytes, or none) and nonce (32 bytes, zero if it took no part)."""

    commitment: bytes
    nonce: bytes


@quick
@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """What is known of an answer beside the move; times in milliseconds. `event` indexes the game's log."""

    event: int
    seat: int
    think_ms: int
    lag_ms: int
    bank_ms: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReplayRecord:
    """Everything that checks and shows a finished game. `seats` and `nonces` are by seat; times are Unix milliseconds."""

    match_id: UUID
    attempt: int
    game_id: UUID
    game_index: int
    seats: tuple[SeatInfo, ...]
    server_seed: bytes
    commitment: bytes
    nonces: tuple[SeatNonce, ...]
    events: tuple[Event, ...]
    answers: tuple[AnswerRecord, ...]
    result: Result
    started_ms: int
    ended_ms: int
    referee: str
    mirrored: bool = False


def encode_seat_info(seat: SeatInfo) -> bot_pb2.SeatInfo:
    return bot_pb2.SeatInfo(bot=seat.bot, name=seat.name, version=seat.version, version_id=seat.version_id)


def decode_seat_info(message: bot_pb2.SeatInfo) -> SeatInfo:
    return SeatInfo(message.bot, message.name, message.version, message.version_id)


def encode_result(result: Result) -> bot_pb2.GameResult:
    return bot_pb2.GameResult(
        cause=GAME_ENDS.encode(result.cause),
        places=result.places,
        points=result.totals,
        completed=result.completed,
        faults=result.faults,
        forfeits=[FORFEITS.encode_optional(cause) for cause in result.forfeits],
        deals=result.deals,
    )


def decode_result(message: bot_pb2.GameResult) -> Result:
    """Raises MalformedMessage, also when the lists are of different lengths."""
    seats = len(message.places)
    if any(len(values) != seats for values in (message.points, message.completed, message.faults, message.forfeits)):
        raise MalformedMessage("a result with lists of different lengths")
    return Result(
        cause=GAME_ENDS.decode(message.cause),
        places=tuple(message.places),
        totals=tuple(message.points),
        completed=tuple(message.completed),
        faults=tuple(message.faults),
        forfeits=tuple([FORFEITS.decode_optional(value) for value in message.forfeits]),
        deals=message.deals,
    )


def decode_uuid(value: bytes) -> UUID:
    """Raises MalformedMessage unless there are 16 bytes."""
    if len(value) != 16:
        raise MalformedMessage(f"a UUID has 16 bytes, not {len(value)}")
    return UUID(bytes=value)


def encode_replay(record: ReplayRecord) -> bytes:
    """The bytes of a replay. Made once and kept: protobuf may write equal messages in different ways."""
    return replay_pb2.Replay(
        format=FORMAT,
        match_id=record.match_id.bytes,
        attempt=record.attempt,
        game_id=record.game_id.bytes,
        game_index=record.game_index,
        seats=[encode_seat_info(seat) for seat in record.seats],
        server_seed=record.server_seed,
        commitment=record.commitment,
        nonces=[replay_pb2.SeatNonce(commitment=share.commitment, nonce=share.nonce) for share in record.nonces],
        events=[encode_event(event) for event in record.events],
        answers=[
            replay_pb2.AnswerRecord(
                event=answer.event,
                seat=answer.seat,
                think_ms=answer.think_ms,
                lag_ms=answer.lag_ms,
                bank_ms=answer.bank_ms,
                note=answer.note,
            )
            for answer in record.answers
        ],
        result=encode_result(record.result),
        started_ms=record.started_ms,
        ended_ms=record.ended_ms,
        referee=record.referee,
        mirrored=record.mirrored,
    ).SerializeToString()


def decode_replay(data: bytes) -> ReplayRecord:
    """The record. Raises MalformedMessage for bytes that are no replay, or one of an unknown format."""
    try:
        message = replay_pb2.Replay.FromString(data)
    except DecodeError:
        raise MalformedMessage("these bytes are no replay") from None
    if message.format != FORMAT:
        raise MalformedMessage(f"a replay of format {message.format}; this version reads format {FORMAT}")
    return ReplayRecord(
        match_id=decode_uuid(message.match_id),
        attempt=message.attempt,
        game_id=decode_uuid(message.game_id),
        game_index=message.game_index,
        seats=tuple([decode_seat_info(seat) for seat in message.seats]),
        server_seed=message.server_seed,
        commitment=message.commitment,
        nonces=tuple([SeatNonce(share.commitment, share.nonce) for share in message.nonces]),
        events=tuple([decode_event(event) for event in message.events]),
        answers=tuple(
            [
                AnswerRecord(entry.event, entry.seat, entry.think_ms, entry.lag_ms, entry.bank_ms, entry.note)
                for entry in message.answers
            ]
        ),
        result=decode_result(message.result),
        started_ms=message.started_ms,
        ended_ms=message.ended_ms,
        referee=message.referee,
        mirrored=message.mirrored,
    )


def replay_digest(data: bytes) -> bytes:
    """SHA-256 of a replay's bytes: its name."""
    return hashlib.sha256(data).digest()
