"""Pieces of frames: what is joined must read as if it had been written at once."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phaseten.v1 import bot_pb2, game_pb2, referee_pb2, replay_pb2

from referee.engine import Game, SeededDecks, Terms
from referee.engine.events import CardDrawn
from referee.engine.observe import public_event
from referee.engine.presets import OFFICIAL
from referee.service import messages
from referee.service.clock import Charge
from referee.service.messages import QuestionWriter
from referee.service.pieces import answer_piece, event_pieces
from referee.wire.events import encode_event, encode_public_event
from tests.players import greedy, play_out
from tests.wire import plain
from tests.wire.values import seats, small, times


@pytest.fixture(scope="module")
def game() -> Game:
    played = Game(OFFICIAL, Terms(max_deals=4), 4, SeededDecks(hashlib.sha512(b"pieces").digest()))
    play_out(played, greedy)
    return played


def test_events_joined_are_the_list_of_events(game: Game) -> None:
    seen = [public_event(event, OFFICIAL) for event in game.log]
    expected = [encode_public_event(event) for event in seen if event is not None]
    pieces = b"".join(event_pieces(OFFICIAL)(event)[0] for event in game.log)
    assert list(bot_pb2.Events.FromString(pieces).events) == expected
    assert list(referee_pb2.GameUpdate.FromString(pieces).events) == expected
    assert len(expected) > 100


def test_replays_joined_are_the_list_of_events_in_full(game: Game) -> None:
    pieces = b"".join(event_pieces(OFFICIAL)(event)[1] for event in game.log)
    assert list(replay_pb2.Replay.FromString(pieces).events) == [encode_event(event) for event in game.log]


def test_no_public_piece_shows_a_card_drawn_from_the_pile(game: Game) -> None:
    hidden = [event for event in game.log if isinstance(event, CardDrawn) and not event.from_discard]
    assert len({event.card for event in hidden}) > 30
    assert len({event_pieces(OFFICIAL)(event)[0] for event in hidden}) == 4  # one for each seat


def test_what_happened_comes_before_the_question() -> None:
    game = Game(OFFICIAL, Terms(), 2, SeededDecks(bytes(64)))
    seat = game.to_move
    assert seat is not None
    view = game.view(seat)
    events = [piece for event in game.log if (piece := event_pieces(OFFICIAL)(event)[0])]
    writer = QuestionWriter(OFFICIAL.name)
    question = writer.question(7, 300, writer.view(view), (60_000.9, 10_000.0, 3.2))
    frame = messages.happened(7, 5, events) + messages.asked(question)
    told, asked = bot_pb2.ConnectResponse.FromString(frame).messages
    assert (told.events.game, told.events.first, len(told.events.events)) == (7, 5, len(events))
    assert asked.question == bot_pb2.Question(
        game=7, id=300, view=plain.view(view), bank_ms=60_000, limit_ms=10_000, round_trip_ms=3
    )


def test_a_question_is_right_after_every_move_of_a_game() -> None:
    """Bytes of seats are kept from question to question, so what was true before must not show."""
    game = Game(OFFICIAL, Terms(max_deals=3), 3, SeededDecks(hashlib.sha512(b"kept").digest()))
    writer = QuestionWriter(OFFICIAL.name)
    stages = set()
    while (seat := game.to_move) is not None:
        view = game.view(seat)
        question = bot_pb2.Question(game=1, id=1, view=plain.view(view), bank_ms=1, limit_ms=1, round_trip_ms=1)
        for seen in (view, game.view_fields(seat)):
            written = writer.question(1, 1, writer.view(seen), (1.0, 1.0, 1.0))
            assert written == question.SerializeToString(deterministic=True)
        assert writer.table(game.public_view()) == question.view.table.SerializeToString(deterministic=True)
        stages.add(question.view.table.stage)
        game.submit(seat, greedy(view, OFFICIAL))
    assert stages == {game_pb2.STAGE_DRAW, game_pb2.STAGE_PLAY}


@given(small, seats, times, times, times, st.text(max_size=200))
def test_answers_joined_are_the_records_of_a_replay(
    event: int, seat: int, think: int, lag: int, bank: int, note: str
) -> None:
    pieces = answer_piece(event, seat, Charge(think, lag), bank, note) * 2
    record = replay_pb2.AnswerRecord(event=event, seat=seat, think_ms=think, lag_ms=lag, bank_ms=bank, note=note)
    assert list(replay_pb2.Replay.FromString(pieces).answers) == [record, record]
