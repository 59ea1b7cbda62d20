"""Fields written by hand are the fields that protobuf reads and writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phaseten.v1 import bot_pb2, game_pb2

from referee.wire import coarse
from referee.wire.fields import Heading, IntField, varint

EDGES = [0, 1, 127, 128, 129, 16_383, 16_384, 2_097_151, 2_097_152, 2**28 - 1, 2**28, 2**32 - 1]


@pytest.mark.parametrize("value", EDGES)
def test_whole_numbers_of_any_length(value: int) -> None:
    assert IntField(bot_pb2.Question, "id")[value] == bot_pb2.Question(id=value).SerializeToString()
    assert IntField(game_pb2.Table, "to_move")[value] == game_pb2.Table(to_move=value).SerializeToString()


@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 20_000), max_size=20))
def test_a_field_says_the_same_the_second_time(values: list[int]) -> None:
    field = IntField(bot_pb2.Question, "id")
    assert [field[value] for value in values + values] == [
        bot_pb2.Question(id=value).SerializeToString() for value in values + values
    ]


def test_none_and_defaults_take_no_room() -> None:
    assert IntField(game_pb2.Table, "turn")[None] == IntField(game_pb2.Table, "turn")[0] == b""
    assert IntField(game_pb2.Table, "tie_break")[False] == b""
    assert IntField(game_pb2.Table, "to_move")[None] == b""
    assert IntField(game_pb2.Table, "discard_top", offset=1)[None] == b""
    assert Heading(game_pb2.View, "ruleset").optional(b"") == b""


@pytest.mark.parametrize("value", [-1, 2**32, 2**70])
def test_what_fits_no_field_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        varint(value)
    with pytest.raises(ValueError, match="does not fit"):
        IntField(bot_pb2.Question, "id")[value]


@pytest.mark.parametrize("value", ["7", b"7", 1.5, (1,)])
def test_what_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        IntField(bot_pb2.Question, "id")[value]  # type: ignore[index] # the mistake under test


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 300, 16_383, 16_384, 2_097_152])
def test_messages_of_any_length_can_be_wrapped(size: int) -> None:
    messages, superseded = Heading(bot_pb2.ConnectResponse, "messages"), Heading(bot_pb2.RefereeMessage, "superseded")
    content = bot_pb2.Superseded(text="x" * size).SerializeToString()
    for _ in range(2):  # remembered or not
        (message,) = bot_pb2.ConnectResponse.FromString(messages.wrap(superseded.wrap(content))).messages
        assert message.superseded.text == "x" * size


def test_coarse_messages_have_the_fields_of_the_schema() -> None:
    for name in ("ConnectRequest", "ConnectResponse", "Answer", "Question", "Table", "View"):
        rough = getattr(coarse, name).DESCRIPTOR
        fine = (getattr(bot_pb2, name, None) or getattr(game_pb2, name)).DESCRIPTOR
        assert {(field.name, field.number) for field in rough.fields} == {
            (field.name, field.number) for field in fine.fields
        }
    assert {
        f"{message.name}.{field.name}"
        for message in coarse.ConnectRequest.DESCRIPTOR.file.message_types_by_name.values()
        for field in message.fields
        if field.type == field.TYPE_BYTES
    } == coarse.PARTS | coarse.PACKED
    assert all(game_pb2.View.DESCRIPTOR.fields_by_name[name.partition(".")[2]].is_packed for name in coarse.PACKED)
