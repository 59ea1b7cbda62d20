"""Messages that make no sense raise MalformedMessage and nothing else."""

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from phaseten.v1 import bot_pb2, cards_pb2, game_pb2, replay_pb2, rules_pb2

from referee.engine.ruleset import Ruleset, Terms
from referee.wire import cards, coarse, enums, events, moves, replay, rules, view
from referee.wire.errors import MalformedMessage


def set_raw(message: Any, field: str, value: int) -> Any:
    setattr(message, field, value)
    return message


@pytest.mark.parametrize("value", [-1, 0, 51, 2**31 - 1])
def test_only_one_to_fifty_are_cards(value: int) -> None:
    with pytest.raises(MalformedMessage, match=f"{value} is no card"):
        cards.decode_card(value)
    with pytest.raises(MalformedMessage, match=f"{value} is no card"):
        cards.decode_cards([1, value])


def test_an_unknown_member_is_named_with_its_enum() -> None:
    with pytest.raises(MalformedMessage, match="99 is no MeldKind"):
        enums.MELD_KINDS.decode(99)


def played(play: game_pb2.Play) -> Any:
    return coarse.Answer(play=play.SerializeToString())


CASES: list[tuple[Callable[[Any], Any], Any]] = [
    (moves.read_answer, coarse.Answer(game=1, id=1)),
    (moves.read_answer, coarse.Answer(draw=b"\xff")),
    (moves.read_answer, coarse.Answer(play=b"\x18")),
    (moves.read_answer, coarse.Answer(play=b"\xff" * 100)),
    (moves.read_answer, played(game_pb2.Play(hits=[game_pb2.Hit(owner=0, meld=0)]))),
    (moves.read_answer, played(set_raw(game_pb2.Play(), "discard", 77))),
    (moves.read_answer, played(game_pb2.Play(lay=[game_pb2.Meld(cards=[cards_pb2.CARD_UNSPECIFIED])]))),
    (events.decode_event, game_pb2.Event()),
    (events.decode_public_event, game_pb2.PublicEvent()),
    (events.decode_event, game_pb2.Event(card_discarded=game_pb2.CardDiscarded(seat=1))),
    (events.decode_event, game_pb2.Event(game_ended=game_pb2.GameEnded(places=[1, 2]))),
    (rules.decode_ruleset, rules_pb2.Ruleset(name="official")),
    (rules.decode_terms, rules_pb2.Terms()),
    (view.decode_view, game_pb2.View()),
    (view.read_view, coarse.View(table=coarse.Table(stage=game_pb2.STAGE_DRAW, seats=[b"\xff"]))),
    (events.read_public_event, b"\xff"),
    (events.read_public_event, b""),
    (replay.decode_result, bot_pb2.GameResult(cause=game_pb2.GAME_END_FORFEITS, places=[1, 2], points=[3])),
    (replay.decode_uuid, b"short"),
    (replay.decode_replay, b"\xff\xff"),
    (replay.decode_replay, replay_pb2.Replay(format=2).SerializeToString()),
]


@pytest.mark.parametrize(("decode", "message"), CASES)
def test_nonsense_is_malformed(decode: Callable[[Any], Any], message: Any) -> None:
    with pytest.raises(MalformedMessage):
        decode(message)


@given(st.binary(max_size=300))
def test_random_bytes_are_a_frame_or_no_frame_but_never_break_a_decoder(data: bytes) -> None:
    try:
        frame = coarse.ConnectRequest.FromString(data)
    except DecodeError:
        return
    for message in frame.messages:
        if message.WhichOneof("kind") == "answer":
            try:
                moves.read_answer(message.answer)
            except MalformedMessage:
                continue


def test_defaults_have_messages() -> None:
    assert rules.decode_ruleset(rules.encode_ruleset(Ruleset())) == Ruleset()
    assert rules.decode_terms(rules.encode_terms(Terms())) == Terms()
