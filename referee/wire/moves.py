"""Moves and answers.

There is one for every decision. So they are joined from the bytes of their fields (see `fields`), and what is read is looked
up first: most moves draw a card or throw one of fifty.
"""

from functools import lru_cache
from typing import Any, Final, assert_never

from google.protobuf.message import DecodeError
from phaseten.v1 import bot_pb2, game_pb2

from referee.engine.moves import Draw, Hit, Meld, Move, Play, Seat
from referee.wire.cards import decode_card, decode_cards, decode_optional_card, packed_cards
from referee.wire.enums import ENDS
from referee.wire.errors import MalformedMessage
from referee.wire.fields import Heading, IntField

_GAME: Final = IntField(bot_pb2.Answer, "game")
_ID: Final = IntField(bot_pb2.Answer, "id")
_DRAW: Final = Heading(bot_pb2.Answer, "draw")
_PLAY: Final = Heading(bot_pb2.Answer, "play")
_NOTE: Final = Heading(bot_pb2.Answer, "note")

_FROM_DISCARD: Final = IntField(game_pb2.Draw, "from_discard")

_LAY: Final = Heading(game_pb2.Play, "lay")
_HITS: Final = Heading(game_pb2.Play, "hits")
_DISCARD: Final = IntField(game_pb2.Play, "discard", offset=1)
_SKIP_TARGET: Final = IntField(game_pb2.Play, "skip_target")
_PHASE: Final = IntField(game_pb2.Play, "phase")

_CARDS: Final = Heading(game_pb2.Meld, "cards")
_MEANING: Final = IntField(game_pb2.Meld, "meaning")

_OWNER: Final = IntField(game_pb2.Hit, "owner")
_MELD: Final = IntField(game_pb2.Hit, "meld")
_CARD: Final = IntField(game_pb2.Hit, "card", offset=1)
_END: Final = IntField(game_pb2.Hit, "end")
_FOR_WILD: Final = IntField(game_pb2.Hit, "for_wild")

_SHORT: Final = 32  # bytes of a Play; a longer one hardly comes twice, and nobody shall fill our memory with such


# What an author put into a move may be of any type, and is taken as far as it can be written: hence `Any`, which compiled
# code does not check.


def _write_meld(meld: Any) -> bytes:
    return _CARDS.optional(packed_cards(meld.cards)) + _MEANING[meld.meaning]


def _write_hit(hit: Any) -> bytes:
    end = _END[ENDS.encode_optional(hit.end)]
    return b"".join((_OWNER[hit.owner], _MELD[hit.meld], _CARD[hit.card], end, _FOR_WILD[hit.for_wild]))


def _write_play(play: Any) -> bytes:
    """A serialised Play."""
    rest = b"".join((_DISCARD[play.discard], _SKIP_TARGET[play.skip_target], _PHASE[play.phase]))
    if not play.lay and not play.hits:
        return rest
    lay = [_LAY.wrap(_write_meld(meld)) for meld in play.lay]
    return b"".join((*lay, *[_HITS.wrap(_write_hit(hit)) for hit in play.hits], rest))


def write_decision(move: Move, note: str = "") -> bytes:
    """What an Answer holds beside its game and its question.

    Raises TypeError, ValueError, AttributeError or KeyError for a move that holds something else than it should.
    """
    held: Any = move
    match move:
        case Draw():
            decision = _DRAW.wrap(_FROM_DISCARD[held.from_discard])
        case Play():
            decision = _PLAY.wrap(_write_play(held))
        case _:
            assert_never(move)
    return decision + _NOTE.wrap(note.encode()) if note else decision


def write_answer(game: int, question: int, decision: bytes) -> bytes:
    """A serialised Answer to question number `question` of the session's game number `game`; see `write_decision`."""
    return b"".join((_GAME[game], _ID[question], decision))


def encode_play(play: Play) -> game_pb2.Play:
    return game_pb2.Play.FromString(_write_play(play))


def read_answer(message: Any) -> Move:
    """The move of a coarse Answer. Raises MalformedMessage for what cannot be read; rules are the engine's to check."""
    match message.WhichOneof("decision"):
        case "draw":
            return _read_draw(message.draw)
        case "play":
            data = message.play
            return _recall_play(data) if len(data) <= _SHORT else _read_play(data)
        case _:
            raise MalformedMessage("the answer holds neither a Draw nor a Play")


@lru_cache(maxsize=4)
def _read_draw(data: bytes) -> Draw:
    try:
        return _decode_draw(game_pb2.Draw.FromString(data))
    except DecodeError:
        raise MalformedMessage("the Draw cannot be read") from None


def _read_play(data: bytes) -> Play:
    try:
        return _decode_play(game_pb2.Play.FromString(data))
    except DecodeError:
        raise MalformedMessage("the Play cannot be read") from None


_recall_play: Final = lru_cache(maxsize=4096)(_read_play)


def _decode_draw(message: game_pb2.Draw) -> Draw:
    return Draw(from_discard=message.from_discard)


def _decode_play(message: game_pb2.Play) -> Play:
    return Play(
        lay=tuple(
            [Meld(decode_cards(meld.cards), meld.meaning if meld.HasField("meaning") else None) for meld in message.lay]
        ),
        hits=tuple([_decode_hit(hit) for hit in message.hits]),
        discard=decode_optional_card(message.discard),
        skip_target=Seat(message.skip_target) if message.HasField("skip_target") else None,
        phase=message.phase if message.HasField("phase") else None,
    )


def _decode_hit(message: game_pb2.Hit) -> Hit:
    end = ENDS.decode_optional(message.end)
    return Hit(Seat(message.owner), message.meld, decode_card(message.card), end, message.for_wild)


def encode_rejected(game: int, question: int, reason: int, text: str, instead: Move | None) -> bot_pb2.Rejected:
    """`reason` is a value of the schema's RejectReason; `instead` is what was played, if anything was."""
    message = bot_pb2.Rejected(game=game, id=question, text=text)
    message.reason = reason  # type: ignore[assignment] # the stub wants its own int type
    match instead:
        case None:
            pass
        case Draw():
            message.draw.CopyFrom(game_pb2.Draw(from_discard=instead.from_discard))
        case Play():
            message.play.CopyFrom(encode_play(instead))
        case _:
            assert_never(instead)
    return message


def decode_instead(message: bot_pb2.Rejected) -> Move | None:
    """What was played instead of a rejected answer. Raises MalformedMessage."""
    match message.WhichOneof("instead"):
        case "draw":
            return _decode_draw(message.draw)
        case "play":
            return _decode_play(message.play)
        case None:
            return None
        case other:
            assert_never(other)
