"""The conversation with a referee, frame by frame."""

import logging
from collections.abc import Iterable

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from bots_sdk.bot import Bot, maker
from bots_sdk.games import Games
from bots_sdk.house_bots import GreedyBot
from bots_sdk.info import Ending, GameResult, NotARule
from bots_sdk.session import Session
from bots_sdk.watcher import Watcher
from referee.engine.cards import WILD
from referee.engine.errors import Reason
from referee.engine.events import DealOpened, GameEnded
from referee.engine.moves import Draw, Meld, Play
from referee.engine.presets import OFFICIAL
from referee.engine.view import View
from referee.wire.errors import MalformedMessage
from tests.sdk.scripted import (
    Recorder,
    ScriptedGame,
    answers,
    frame,
    joined,
    messages,
    play_out,
    said,
    session_of,
)


class Plain(Bot):
    """As little as a bot can be."""

    def draw(self, view: View) -> Draw:
        return Draw()

    def play(self, view: View) -> Play:
        return Play(discard=view.hand[0])


def test_a_session_begins_with_hello() -> None:
    session = Session(Games(maker(Recorder), Watcher()), 5, sdk="test/1", language="none")
    hello = messages(session)[0].hello
    assert (hello.protocol, hello.capacity, hello.sdk, hello.language) == (1, 5, "test/1", "none")
    assert session.take_frame() is None


def test_a_whole_game_is_played_and_told() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.receive(script.opening())
    play_out(session, script)
    assert script.rejected == []
    assert [info.game_id for info in bot.started] == [script.game_id]
    assert bot.started[0].ruleset == OFFICIAL
    assert [seat.name for seat in bot.started[0].opponents] == ["Bot 1"]
    assert bot.results == [GameResult(Ending.FINISHED, script.game.result, bytes(64))]
    assert session.games.by_id == {}


def test_a_bot_is_told_every_event_once_and_in_order() -> None:
    bot, script = Recorder(), ScriptedGame(seat=1, seats=3)
    session = session_of(bot)
    session.receive(script.opening())
    play_out(session, script)
    assert bot.seen == script.public()
    assert bot.gaps == 0
    assert isinstance(bot.seen[0], DealOpened)
    assert isinstance(bot.seen[-1], GameEnded)


def test_the_view_and_the_time_reach_the_bot() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.receive(joined(script.opening(), script.ask()))
    assert bot.views == [script.game.view(script.seat)]
    assert (bot.time_left.bank_ms, bot.time_left.limit_ms, bot.time_left.round_trip_ms) == (60_000, 10_000, 3)
    assert bot.game is bot.started[0]


def test_every_game_gets_a_bot_of_its_own_and_one_frame_holds_all_answers() -> None:
    made: list[Recorder] = []

    def make() -> Recorder:
        made.append(Recorder())
        return made[-1]

    session = session_of(make)
    scripts = [ScriptedGame(handle=number, number=number) for number in (1, 2, 3)]
    session.receive(joined(*[script.opening() for script in scripts], *[script.ask() for script in scripts]))
    out = session.take_frame()
    assert out is not None
    said_at_once = pb.ConnectRequest.FromString(out).messages
    assert [answer.game for answer in answers(said_at_once)] == [1, 2, 3]
    assert session.take_frame() is None
    assert [bot.started[0].game_id for bot in made] == [script.game_id for script in scripts]
    play_answers(scripts, said_at_once)
    play_out(session, *scripts)
    assert all(bot.results[0].ending is Ending.FINISHED for bot in made)


def play_answers(scripts: list[ScriptedGame], out: Iterable[pb.BotMessage]) -> None:
    for answer in answers(out):
        scripts[answer.game - 1].take(answer)


def test_one_object_may_play_all_games_and_knows_which_one_it_is_asked_about() -> None:
    class Shared(Recorder):
        def draw(self, view: View) -> Draw:
            self.note(str(self.game.game_id.int))
            return Draw()

    session = session_of(Shared())
    scripts = [ScriptedGame(handle=number, number=number) for number in (4, 5)]
    session.receive(joined(*[script.opening() for script in scripts], *[script.ask() for script in scripts]))
    assert [answer.note for answer in answers(messages(session))] == ["4", "5"]


def test_a_question_is_answered_once() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    asked = joined(script.opening(), script.ask())
    session.receive(asked)
    assert len(answers(messages(session))) == 1
    session.receive(frame(question=script.open_question()))
    assert said(session) == []
    assert len(bot.views) == 1


def test_a_question_that_was_overtaken_is_not_answered() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    first = joined(script.opening(), script.ask())
    script.game.submit(script.seat, Draw())
    session.accept(first)
    session.accept(script.ask())
    assert session.decide()
    assert not session.decide()
    assert [answer.id for answer in answers(messages(session))] == [2]


def test_a_question_about_an_unknown_game_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    script = ScriptedGame(handle=9)
    session = session_of(Recorder)
    session.receive(script.ask())
    assert said(session) == []
    assert "never named" in caplog.text


def test_pings_are_answered_and_unknown_messages_ignored() -> None:
    session = session_of(Recorder)
    session.receive(
        joined(frame(ping=pb.Ping(id=77)), pb.ConnectResponse(messages=[pb.RefereeMessage()]).SerializeToString())
    )
    session.receive(frame(pong=pb.Pong(id=1)))
    session.receive(frame(nonce_commits=pb.NonceCommits(game=1)))
    assert [message.pong.id for message in messages(session)] == [77]


def test_our_own_pings_have_numbers() -> None:
    session = session_of(Recorder)
    session.ping()
    session.ping()
    assert [message.ping.id for message in messages(session)] == [1, 2]


def test_drain_and_superseded_are_remembered() -> None:
    session = session_of(Recorder)
    assert (session.draining, session.superseded) == (False, None)
    session.receive(frame(drain=pb.Drain(grace_ms=1000)))
    session.receive(frame(superseded=pb.Superseded(text="another one")))
    assert (session.draining, session.superseded) == (True, "another one")


def test_an_illegal_answer_is_told_to_the_bot(caplog: pytest.LogCaptureFixture) -> None:
    class Cheat(Recorder):
        def play(self, view: View) -> Play:
            return Play(lay=(Meld((WILD,) * 3), Meld((WILD,) * 3)), discard=view.hand[0])

    bot, script = Cheat(), ScriptedGame()
    session = session_of(bot)
    session.receive(script.opening())
    play_out(session, script)
    # The third fault forfeits the game.
    assert [rejection.reason for rejection in bot.rejections] == [Reason.CARD_NOT_IN_HAND] * 3
    assert bot.rejections[0].instead == Draw()
    assert "fault 3 of 3 (illegal)" in caplog.text
    assert bot.results[0].place(script.seat) == 2


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (game_pb2.REJECT_REASON_LATE, NotARule.LATE),
        (game_pb2.REJECT_REASON_MALFORMED, NotARule.MALFORMED),
        (game_pb2.REJECT_REASON_UNKNOWN_GAME, NotARule.UNKNOWN_GAME),
        (game_pb2.REJECT_REASON_NOT_A_RUN, Reason.NOT_A_RUN),
        (250, NotARule.OTHER),
    ],
)
def test_reasons_are_values_of_the_sdk(value: int, reason: Reason | NotARule) -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    rejected = pb.Rejected(game=1, id=1, text="no")
    rejected.reason = value  # type: ignore[assignment] # the stub wants its own int type
    session.receive(joined(script.opening(), frame(rejected=rejected)))
    assert [rejection.reason for rejection in bot.rejections] == [reason]
    assert bot.rejections[0].instead is None


def test_a_stale_answer_is_no_news_for_the_bot() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    stale = pb.Rejected(game=1, id=1, reason=game_pb2.REJECT_REASON_STALE)
    session.receive(joined(script.opening(), frame(rejected=stale)))
    assert bot.rejections == []


def test_a_void_game_is_told_as_void() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    over = pb.GameOver(game=1, kind=pb.GAME_OVER_KIND_VOID, text="called off")
    session.receive(joined(script.opening(), script.ask(), frame(game_over=over)))
    assert bot.results == [GameResult(Ending.VOID, None, b"", "called off")]
    assert said(session) == []  # the question went with the game


def test_a_game_whose_result_makes_no_sense_has_ended_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    over = pb.GameOver(game=1, kind=pb.GAME_OVER_KIND_FINISHED, result=pb.GameResult(cause=999, places=[1]))  # type: ignore[arg-type] # of a later protocol
    session.receive(joined(script.opening(), script.ask(), frame(game_over=over)))
    (told,) = bot.results
    assert (told.ending, told.result) == (Ending.UNKNOWN, None)
    assert "result cannot be understood" in caplog.text
    assert session.games.by_id == {}
    assert said(session) == []


def test_a_game_over_of_an_unknown_game_is_ignored() -> None:
    bot = Recorder()
    session = session_of(bot)
    session.receive(frame(game_over=pb.GameOver(game=3, kind=pb.GAME_OVER_KIND_VOID)))
    assert bot.results == []


def test_a_message_that_makes_no_sense_costs_itself_only(caplog: pytest.LogCaptureFixture) -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    broken = script.invite()
    broken.game_id = b"short"
    outside = script.invite()
    outside.seat = 6
    session.receive(joined(frame(invite=broken), frame(invite=outside), script.opening(), script.ask()))
    assert len(answers(messages(session))) == 1
    assert caplog.text.count("invite cannot be understood") == 2


def test_a_question_with_a_broken_view_is_not_answered(caplog: pytest.LogCaptureFixture) -> None:
    script = ScriptedGame()
    session = session_of(Recorder)
    session.receive(script.opening())
    script.ask()
    question = script.open_question()
    question.view.hand.append(99)  # type: ignore[arg-type] # no card
    session.receive(frame(question=question))
    assert said(session) == []
    assert "cannot be understood" in caplog.text


def test_frames_respect_the_referees_limit() -> None:
    class Chatty(Recorder):
        def draw(self, view: View) -> Draw:
            self.note("x" * 400)
            return Draw()

    session = Session(Games(maker(Chatty), Watcher()), 64)
    session.receive(frame(welcome=pb.Welcome(protocol=1, max_frame_bytes=2000, max_message_bytes=1000)))
    scripts = [ScriptedGame(handle=number, number=number) for number in range(1, 21)]
    session.receive(joined(*[script.opening() for script in scripts], *[script.ask() for script in scripts]))
    frames = []
    while (out := session.take_frame()) is not None:
        frames.append(out)
    assert [answer.game for out in frames for answer in answers(pb.ConnectRequest.FromString(out).messages)] == list(
        range(1, 21)
    )
    assert len(frames) > 4
    assert all(len(out) <= 2000 for out in frames)


def test_the_session_asks_games_in_the_order_of_their_questions() -> None:
    session = session_of(GreedyBot)
    scripts = [ScriptedGame(handle=number, number=number) for number in (3, 1, 2)]
    session.accept(joined(*[script.opening() for script in scripts], *[script.ask() for script in scripts]))
    assert session.has_questions
    assert session.decide()
    assert [answer.game for answer in answers(messages(session))] == [3]
    assert session.decide()
    assert session.decide()
    assert not session.decide()
    assert [answer.game for answer in answers(messages(session))] == [1, 2]
    assert not session.has_questions


@pytest.mark.parametrize(("bot_class", "complaints"), [(Plain, 0), (Recorder, 1)])
def test_events_are_read_only_for_bots_that_listen(
    bot_class: type[Bot], complaints: int, caplog: pytest.LogCaptureFixture
) -> None:
    script = ScriptedGame()
    session = session_of(bot_class)
    unreadable = pb.Events(game=1, events=[game_pb2.PublicEvent()])
    session.receive(joined(script.opening(), frame(events=unreadable)))
    assert sum(record.levelno >= logging.ERROR for record in caplog.records) == complaints


def test_bytes_that_are_no_frame_are_told_apart() -> None:
    script = ScriptedGame()
    session = session_of(Recorder)
    session.receive(script.opening())
    with pytest.raises(MalformedMessage, match="no frame"):
        session.receive(b"\xff")
    session.receive(script.ask())
    assert said(session) == ["answer"]
