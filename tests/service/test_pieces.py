"""Pieces of frames: what is joined must read as if it had been written at once."""

import hashlib

import pytest
from phaseten.v1 import bot_pb2, game_pb2, referee_pb2, replay_pb2

from referee.engine import Game, SeededDecks, Terms
from referee.engine.events import CardDrawn
from referee.engine.observe import public_event
from referee.engine.presets import OFFICIAL
from referee.service import messages
from referee.service.messages import QuestionFrame
from referee.service.pieces import event_pieces, tag, wrapped
from referee.wire.events import encode_event, encode_public_event
from referee.wire.view import encode_view
from tests.players import greedy, play_out


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


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 300, 16_383, 16_384, 2_097_152])
def test_wrapped_bytes_are_a_field_of_any_length(size: int) -> None:
    content = bot_pb2.Superseded(text="x" * size).SerializeToString() if size else b""
    frame = wrapped(
        tag(bot_pb2.ConnectResponse.MESSAGES_FIELD_NUMBER),
        wrapped(tag(bot_pb2.RefereeMessage.SUPERSEDED_FIELD_NUMBER), content),
    )
    (message,) = bot_pb2.ConnectResponse.FromString(frame).messages
    assert len(message.superseded.text) == size
    assert message.WhichOneof("kind") == "superseded"


def test_what_happened_comes_before_the_question() -> None:
    game = Game(OFFICIAL, Terms(), 2, SeededDecks(bytes(64)))
    seat = game.to_move
    assert seat is not None
    asking = QuestionFrame(OFFICIAL.name)
    events = [piece for event in game.log if (piece := event_pieces(OFFICIAL)(event)[0])]
    asking.ask(7, 300, game.view(seat), (60_000.9, 10_000.0, 3.2))
    frame = messages.happened(7, 5, events) + asking.frame()
    told, asked = bot_pb2.ConnectResponse.FromString(frame).messages
    assert (told.events.game, told.events.first, len(told.events.events)) == (7, 5, len(events))
    question = asked.question
    assert (question.game, question.id) == (7, 300)
    assert (question.bank_ms, question.limit_ms, question.round_trip_ms) == (60_000, 10_000, 3)
    assert question.view == encode_view(game.view(seat))


def test_a_question_is_right_after_every_move_of_a_game() -> None:
    """It is one message that is changed in place, so what was in it before must not show."""
    game = Game(OFFICIAL, Terms(max_deals=3), 3, SeededDecks(hashlib.sha512(b"in place").digest()))
    asking = QuestionFrame(OFFICIAL.name)
    stages = set()
    while (seat := game.to_move) is not None:
        view = game.view(seat)
        asked = asking.ask(1, 1, view, (1.0, 1.0, 1.0))
        assert asked.view == encode_view(view)
        assert asking.table(game.public_view()) == asked.view.table
        stages.add(asked.view.table.stage)
        game.submit(seat, greedy(view, OFFICIAL))
    assert stages == {game_pb2.STAGE_DRAW, game_pb2.STAGE_PLAY}
