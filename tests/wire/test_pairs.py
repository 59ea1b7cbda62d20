"""Whatever is encoded decodes to the same value, by way of bytes."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phaseten.v1 import bot_pb2, game_pb2, rules_pb2

from referee.engine.moves import Seat
from referee.engine.view import PublicView, SeatView, Stage
from referee.wire import coarse, events, moves, replay, rules, view
from tests.wire import plain, values


def canonical(message: Any) -> bytes:
    """The bytes of a message as protobuf writes them: fields in the order of their numbers."""
    data: bytes = message.SerializeToString(deterministic=True)
    return data


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
    message = coarse.Answer.FromString(moves.write_answer(7, 9, moves.write_decision(move, note)))
    assert (message.game, message.id, message.note) == (7, 9, note)
    assert moves.read_answer(message) == move


@given(values.small, values.small, values.moves, st.text(max_size=20))
def test_an_answer_is_written_as_protobuf_writes_it(game: int, question: int, move: Any, note: str) -> None:
    written = moves.write_answer(game, question, moves.write_decision(move, note))
    assert written == canonical(plain.answer(game, question, move, note))


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
    assert events.read_public_event(events.encode_public_event(value).SerializeToString()) == value


@given(values.views)
def test_a_view_survives_the_wire(value: Any) -> None:
    assert view.decode_view(again(view.encode_view(value))) == value


@given(values.replays)
def test_a_replay_survives_its_bytes(value: Any) -> None:
    data = replay.encode_replay(value)
    assert replay.decode_replay(data) == value
    assert len(replay.replay_digest(data)) == 32


@given(st.lists(values.tables, min_size=1, max_size=5))
def test_tables_of_a_game_are_written_as_protobuf_writes_them(tables: Any) -> None:
    writer = view.ViewWriter("any")
    for table in tables:
        assert writer.table(table) == canonical(plain.table(table))


@given(values.views)
def test_a_view_is_written_as_protobuf_writes_it(value: Any) -> None:
    assert view.ViewWriter(value.ruleset).view(value) == canonical(plain.view(value))


def test_seats_that_are_not_kept_any_more_are_written_anew() -> None:
    """Many tables whose seats are thrown away at once, so that their places in memory are used again."""
    writer = view.ViewWriter("any")
    for points in range(500):
        seat = SeatView(1, 0, False, points, 10, False, True, 0, False, ())
        table = PublicView(0, 0, Seat(0), None, Stage.DRAW, False, 80, 1, None, (seat, replace(seat, faults=points)))
        assert writer.table(table) == canonical(plain.table(table))


@pytest.mark.parametrize("enum", [rules_pb2, game_pb2, bot_pb2])
def test_every_enum_of_the_schema_begins_with_unspecified(enum: Any) -> None:
    for descriptor in enum.DESCRIPTOR.enum_types_by_name.values():
        assert descriptor.values_by_number[0].name.endswith("_UNSPECIFIED")
