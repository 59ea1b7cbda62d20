"""Whatever is encoded decodes to the same value, by way of bytes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phaseten.v1 import bot_pb2, game_pb2, rules_pb2

from referee.wire import events, moves, replay, rules, view
from tests.wire import values


def again(message: Any) -> Any:
    """The message as the other side gets it."""
    return type(message).FromString(message.SerializeToString())


@given(values.rulesets)
def test_a_rule_set_survives_the_wire(value: Any) -> None:
    assert rules.decode_ruleset(again(rules.encode_ruleset(value))) == value


@given(values.terms)
def test_terms_survive_the_wire(value: Any) -> None:
    assert rules.decode_terms(again(rules.encode_terms(value))) == value


@given(values.moves, st.text(max_size=20))
def test_an_answer_survives_the_wire(move: Any, note: str) -> None:
    message = again(moves.encode_answer(7, 9, move, note))
    assert (message.game, message.id, message.note) == (7, 9, note)
    assert moves.decode_answer(message) == move


@given(st.none() | values.moves)
def test_what_was_played_instead_survives_the_wire(move: Any) -> None:
    message = again(moves.encode_rejected(7, 9, game_pb2.REJECT_REASON_LATE, "too late", move))
    assert (message.game, message.id, message.reason, message.text) == (7, 9, game_pb2.REJECT_REASON_LATE, "too late")
    assert moves.decode_instead(message) == move


@given(values.events)
def test_an_event_survives_the_wire(value: Any) -> None:
    assert events.decode_event(again(events.encode_event(value))) == value


@given(values.public_events)
def test_a_public_event_survives_the_wire(value: Any) -> None:
    assert events.decode_public_event(again(events.encode_public_event(value))) == value


@given(values.views)
def test_a_view_survives_the_wire(value: Any) -> None:
    assert view.decode_view(again(view.encode_view(value))) == value


@given(values.replays)
def test_a_replay_survives_its_bytes(value: Any) -> None:
    data = replay.encode_replay(value)
    assert replay.decode_replay(data) == value
    assert len(replay.replay_digest(data)) == 32


@given(st.lists(values.tables, min_size=1, max_size=5))
def test_a_kept_table_message_equals_a_new_one(tables: Any) -> None:
    keeper = view.TableKeeper()
    for table in tables:
        assert keeper.update(table) == view.encode_table(table)


@pytest.mark.parametrize("enum", [rules_pb2, game_pb2, bot_pb2])
def test_every_enum_of_the_schema_begins_with_unspecified(enum: Any) -> None:
    for descriptor in enum.DESCRIPTOR.enum_types_by_name.values():
        assert descriptor.values_by_number[0].name.endswith("_UNSPECIFIED")
