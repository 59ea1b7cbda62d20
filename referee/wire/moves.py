"""Moves and answers."""

from typing import assert_never

from phaseten.v1 import bot_pb2, game_pb2

from referee.engine.moves import Draw, Hit, Meld, Move, Play, Seat
from referee.wire.cards import (
    decode_card,
    decode_cards,
    decode_optional_card,
    encode_card,
    encode_cards,
    encode_optional_card,
)
from referee.wire.enums import ENDS
from referee.wire.errors import MalformedMessage


def encode_draw(draw: Draw) -> game_pb2.Draw:
    return game_pb2.Draw(from_discard=draw.from_discard)


def decode_draw(message: game_pb2.Draw) -> Draw:
    return Draw(from_discard=message.from_discard)


def _encode_hit(hit: Hit) -> game_pb2.Hit:
    message = game_pb2.Hit(owner=hit.owner, meld=hit.meld, card=encode_card(hit.card), for_wild=hit.for_wild)
    if hit.end is not None:
        message.end = ENDS.encode(hit.end)
    return message


def _decode_hit(message: game_pb2.Hit) -> Hit:
    end = ENDS.decode_optional(message.end)
    return Hit(Seat(message.owner), message.meld, decode_card(message.card), end, message.for_wild)


def encode_play(play: Play) -> game_pb2.Play:
    message = game_pb2.Play(discard=encode_optional_card(play.discard), skip_target=play.skip_target, phase=play.phase)
    if play.lay:
        message.lay.extend([game_pb2.Meld(cards=encode_cards(meld.cards), meaning=meld.meaning) for meld in play.lay])
    if play.hits:
        message.hits.extend([_encode_hit(hit) for hit in play.hits])
    return message


def decode_play(message: game_pb2.Play) -> Play:
    """The value. Raises MalformedMessage for cards and ends that do not exist; rules are the engine's to check."""
    return Play(
        lay=tuple(
            [Meld(decode_cards(meld.cards), meld.meaning if meld.HasField("meaning") else None) for meld in message.lay]
        ),
        hits=tuple([_decode_hit(hit) for hit in message.hits]),
        discard=decode_optional_card(message.discard),
        skip_target=Seat(message.skip_target) if message.HasField("skip_target") else None,
        phase=message.phase if message.HasField("phase") else None,
    )


def encode_answer(game: int, question: int, move: Move, note: str = "") -> bot_pb2.Answer:
    """An answer to question number `question` of the session's game number `game`."""
    match move:
        case Draw():
            return bot_pb2.Answer(game=game, id=question, draw=encode_draw(move), note=note)
        case Play():
            return bot_pb2.Answer(game=game, id=question, play=encode_play(move), note=note)
        case _:
            assert_never(move)


def decode_answer(message: bot_pb2.Answer) -> Move:
    """The move of an answer. Raises MalformedMessage."""
    match message.WhichOneof("decision"):
        case "draw":
            return decode_draw(message.draw)
        case "play":
            return decode_play(message.play)
        case None:
            raise MalformedMessage("the answer holds neither a Draw nor a Play")
        case other:
            assert_never(other)


def encode_rejected(game: int, question: int, reason: int, text: str, instead: Move | None) -> bot_pb2.Rejected:
    """`reason` is a value of the schema's RejectReason; `instead` is what was played, if anything was."""
    message = bot_pb2.Rejected(game=game, id=question, text=text)
    message.reason = reason  # type: ignore[assignment] # the stub wants its own int type
    match instead:
        case None:
            pass
        case Draw():
            message.draw.CopyFrom(encode_draw(instead))
        case Play():
            message.play.CopyFrom(encode_play(instead))
        case _:
            assert_never(instead)
    return message


def decode_instead(message: bot_pb2.Rejected) -> Move | None:
    """What was played instead of a rejected answer. Raises MalformedMessage."""
    match message.WhichOneof("instead"):
        case "draw":
            return decode_draw(message.draw)
        case "play":
            return decode_play(message.play)
        case None:
            return None
        case other:
            assert_never(other)
