"""Files that hold replays: one, or all games of a match as the referee hands them over."""

from dataclasses import dataclass, replace

from google.protobuf.message import DecodeError
from phaseten.v1 import referee_pb2

from referee.verify.replays import NOTHING_KNOWN, Known
from referee.wire.errors import MalformedMessage
from referee.wire.replay import decode_uuid

REPLAY_BEGINS = b"\x08"  # field 1 of a Replay is a number, of a MatchRecord a message


@dataclass(frozen=True, slots=True)
class Found:
    """A replay in a file. `name` tells the games of a bundle apart; empty for a file that is a replay itself."""

    name: str
    data: bytes
    known: Known


def replays_in(data: bytes, known: Known = NOTHING_KNOWN) -> tuple[Found, ...]:
    """The replays in the bytes of a file, each with what the file says of it beside `known`.

    A bundle is a serialised MatchRecord. Raises MalformedMessage if it is one that cannot be used; everything else is left
    to be found out as a replay.
    """
    if data[:1] == REPLAY_BEGINS or not (bundle := _bundle(data)).games:
        return (Found("", data, known),)
    match_id = decode_uuid(bundle.attempt.match_id)
    found = []
    for index, game in enumerate(bundle.games):
        said = replace(
            known,
            sha256=game.sha256,
            game_id=decode_uuid(game.game_id),
            match_id=match_id,
            attempt=bundle.attempt.attempt,
            index=index,
        )
        found.append(Found(f"game {index}", game.replay, said))
    return tuple(found)


def _bundle(data: bytes) -> referee_pb2.MatchRecord:
    try:
        return referee_pb2.MatchRecord.FromString(data)
    except DecodeError:
        raise MalformedMessage("these bytes are neither a replay nor a bundle of them") from None
