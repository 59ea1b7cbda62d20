"""The conversation with a referee, frame by frame."""

import logging

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from bots_sdk.bot import Bot, maker
from bots_sdk.games import CRASHES_TO_RESIGN, Games
from bots_sdk.house_bots import GreedyBot
from bots_sdk.info import Ending, GameInfo, GameResult, NotARule
from bots_sdk.session import Session
from bots_sdk.watcher import Watcher
from referee.engine.cards import WILD
from referee.engine.errors import Reason
from referee.engine.events import DealOpened, GameEnded
from referee.engine.moves import Draw, Meld, Play
from referee.engine.observe import seat_event
from referee.engine.presets import OFFICIAL
from referee.engine.view import View
from referee.wire.moves import decode_answer
from tests.sdk.scripted import (
    WELCOME,
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


class Hopeless(Recorder):
    """Fails at every question."""

    def draw(self, view: View) -> Draw:
        raise ZeroDivisionError("no idea")

    def play(self, view: View) -> Play:
        raise ZeroDivisionError("no idea")


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
    seen = [seat_event(event, script.seat, OFFICIAL) for event in script.game.log]
    assert bot.seen == [event for event in seen if event is not None]
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
    assert [answer.game for answer in answers(out.messages)] == [1, 2, 3]
    assert session.take_frame() is None
    assert [bot.started[0].game_id for bot in made] == [script.game_id for script in scripts]
    play_answers(scripts, out)
    play_out(session, *scripts)
    assert all(bot.results[0].ending is Ending.FINISHED for bot in made)


def play_answers(scripts: list[ScriptedGame], out: pb.ConnectRequest) -> None:
    for answer in answers(out.messages):
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
    session.receive(joined(frame(ping=pb.Ping(id=77)), pb.ConnectResponse(messages=[pb.RefereeMessage()])))
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


# What an author's code may do.


def test_an_error_in_a_bot_costs_one_default_move_and_is_told_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    class Clumsy(Recorder):
        fails = 1

        def draw(self, view: View) -> Draw:
            if self.fails:
                self.fails -= 1
                raise KeyError("my own bug")
            return super().draw(view)

    made: list[Clumsy] = []

    def make() -> Clumsy:
        made.append(Clumsy())
        return made[-1]

    session = session_of(make)
    scripts = [ScriptedGame(handle=number, number=number) for number in (1, 2)]
    session.receive(joined(*[script.opening() for script in scripts]))
    play_out(session, *scripts)
    assert all(script.game.result is not None and script.game.result.faults == (0, 0) for script in scripts)
    assert "Clumsy.draw in game" in caplog.text
    assert 'raise KeyError("my own bug")' in caplog.text
    assert "The default move is played, the game goes on (failure 1 of 10)" in caplog.text
    # The second game failed at the same line: told, but without the traceback.
    assert caplog.text.count("Traceback") == 1
    assert "failed again at" in caplog.text


def test_a_bot_that_fails_all_the_time_gives_that_game_up_and_no_other() -> None:
    made: list[Recorder] = []

    def make() -> Recorder:
        made.append(Hopeless() if not made else Recorder())
        return made[-1]

    session = session_of(make)
    bad, good = ScriptedGame(handle=1, number=1), ScriptedGame(handle=2, number=2)
    session.receive(joined(bad.opening(), good.opening()))
    for _ in range(CRASHES_TO_RESIGN - 1):
        session.receive(bad.ask())
        (answer,) = answers(messages(session))
        assert bad.take(answer) == pb.ConnectResponse()  # the default move is legal
    session.receive(bad.ask())
    last = messages(session)
    assert [message.WhichOneof("kind") for message in last] == ["answer", "resign"]
    assert last[1].resign.game == 1
    bad.take(answers(last)[0])
    # Until the referee has ended the game, it is still answered.
    session.receive(bad.ask())
    assert said(session) == ["answer"]
    play_out(session, good)
    assert made[1].results[0].ending is Ending.FINISHED


@pytest.mark.parametrize(
    "returned",
    [None, "draw", Play(), (), Draw],
    ids=["None", "text", "a Play for a Draw", "a tuple", "the class"],
)
def test_what_is_no_answer_is_an_error_of_the_bot(returned: object, caplog: pytest.LogCaptureFixture) -> None:
    class Odd(Recorder):
        def draw(self, view: View) -> Draw:
            return returned  # type: ignore[return-value] # the mistake under test

    script = ScriptedGame()
    session = session_of(Odd)
    session.receive(joined(script.opening(), script.ask()))
    (answer,) = answers(messages(session))
    assert decode_answer(answer) == Draw()
    assert "draw must return a Draw, not" in caplog.text


@pytest.mark.parametrize(
    "play",
    [
        Play(discard="R7"),  # type: ignore[arg-type] # the mistake under test
        Play(discard=WILD, skip_target=-1),  # type: ignore[arg-type] # the mistake under test
        Play(lay=(None,)),  # type: ignore[arg-type] # the mistake under test
        Play(lay=(Meld((WILD,) * 5000),)),
    ],
    ids=["a text as card", "a seat below zero", "no meld", "larger than a message may be"],
)
def test_a_play_that_cannot_be_sent_is_an_error_of_the_bot(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    class Odd(Recorder):
        def play(self, view: View) -> Play:
            return play

    script = ScriptedGame()
    session = session_of(Odd)
    session.receive(joined(script.opening(), script.ask()))
    script.take(answers(messages(session))[0])
    session.receive(script.ask())
    script.take(answers(messages(session))[0])
    assert script.rejected == []
    assert "Odd.play in game" in caplog.text


@pytest.mark.parametrize("hook", ["game_started", "events", "game_over"])
def test_an_error_in_a_hook_is_told_and_the_game_goes_on(hook: str, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_arguments: object) -> None:
        raise RuntimeError("hook")

    broken.__name__ = hook
    bot_class = type("Hooked", (Recorder,), {hook: broken})
    script = ScriptedGame()
    session = session_of(bot_class)
    session.receive(script.opening())
    play_out(session, script)
    assert script.game.result is not None
    assert f"Hooked.{hook} in game" in caplog.text


def test_a_bot_that_cannot_be_made_gives_the_game_up(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Recorder):
        def __init__(self) -> None:
            raise OSError("no model file")

    script = ScriptedGame(handle=6)
    session = session_of(Broken)
    session.receive(joined(script.opening(), script.ask()))
    found = messages(session)
    assert [message.WhichOneof("kind") for message in found] == ["resign", "answer"]
    assert found[0].resign.game == 6
    assert "no model file" in caplog.text


def test_a_factory_that_makes_no_bot_gives_the_game_up(caplog: pytest.LogCaptureFixture) -> None:
    session = session_of(lambda: "bot")  # type: ignore[arg-type, return-value] # the mistake under test
    session.receive(ScriptedGame().opening())
    assert said(session) == ["resign"]
    assert "a bot was to be made, not 'bot'" in caplog.text


def test_notes_are_cut_between_characters_and_sent_once() -> None:
    class Chatty(Recorder):
        said_it = False

        def draw(self, view: View) -> Draw:
            if not self.said_it:
                self.said_it = True
                self.note("ä" * 400)
            return Draw()

    bot, script = Chatty(), ScriptedGame()
    session = session_of(bot)
    session.receive(joined(script.opening(), script.ask()))
    (first,) = answers(messages(session))
    assert first.note == "ä" * 250
    script.take(first)
    session.receive(script.ask())
    (second,) = answers(messages(session))
    assert second.note == ""


# After a lost connection.


def resync(*games: pb.ResyncGame) -> pb.ConnectResponse:
    return joined(WELCOME, frame(resync=pb.Resync(games=games)))


def test_after_a_reconnect_the_same_bot_goes_on() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(lambda: bot)
    session.receive(joined(script.opening(), script.ask()))
    script.take(answers(messages(session))[0])
    script.handle = 5  # every session numbers its games anew
    asked = script.ask()
    again = session_of(Recorder, games=session.games)
    told = pb.ResyncGame(invite=script.invite(), start=pb.Start(game=5), question=script.open_question())
    again.receive(joined(resync(told), asked))
    (answer,) = answers(messages(again))
    assert (answer.game, answer.id) == (5, 2)
    script.take(answer)
    play_out(again, script)
    assert len(bot.started) == 1
    assert bot.results[0].ending is Ending.FINISHED
    seen = [seat_event(event, script.seat, OFFICIAL) for event in script.game.log]
    assert bot.seen == [event for event in seen if event is not None]


def test_an_answer_that_may_be_lost_is_sent_again_without_asking_the_bot() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.receive(joined(script.opening(), script.ask()))
    (lost,) = answers(messages(session))
    script.handle = 8
    again = session_of(bot, games=session.games)
    again.receive(resync(pb.ResyncGame(invite=script.invite(), start=pb.Start(game=8), question=script.open_question())))
    (repeated,) = answers(messages(again))
    assert (repeated.game, repeated.id, decode_answer(repeated)) == (8, lost.id, decode_answer(lost))
    assert len(bot.views) == 1
    script.take(repeated)


def test_a_question_that_was_read_but_not_answered_is_asked_again() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.accept(joined(script.opening(), script.ask()))  # and then the connection is lost
    again = session_of(bot, games=session.games)
    assert not again.decide()
    again.receive(resync(pb.ResyncGame(invite=script.invite(), start=pb.Start(game=1), question=script.open_question())))
    assert len(answers(messages(again))) == 1


def test_a_restarted_process_takes_a_running_game_up() -> None:
    bot, script = Recorder(), ScriptedGame()
    script.ask()
    session = session_of(bot)
    session.receive(resync(pb.ResyncGame(invite=script.invite(), start=pb.Start(game=1), question=script.open_question())))
    script.take(answers(messages(session))[0])
    play_out(session, script)
    assert len(bot.started) == 1
    assert bot.results[0].ending is Ending.FINISHED


def test_a_handshake_that_was_cut_goes_on_with_start() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.receive(frame(invite=script.invite()))
    again = session_of(bot, games=session.games)
    again.receive(resync(pb.ResyncGame(invite=script.invite())))
    assert bot.started == []
    again.receive(frame(start=pb.Start(game=1)))
    assert len(bot.started) == 1


@pytest.mark.parametrize("sign", ["resync", "invite", "ping"])
def test_games_that_are_gone_after_a_reconnect_are_closed(sign: str) -> None:
    closed: list[GameInfo] = []

    class Watching(Watcher):
        def game_over(self, info: GameInfo, result: GameResult) -> None:
            closed.append(info)

    bot, gone, kept = Recorder(), ScriptedGame(number=1), ScriptedGame(handle=2, number=2)
    session = session_of(bot, Watching())
    session.receive(gone.opening())
    again = session_of(bot, games=session.games)
    match sign:
        case "resync":
            again.receive(frame(resync=pb.Resync(games=[pb.ResyncGame(invite=kept.invite())])))
        case "invite":
            again.receive(kept.opening())
        case _:
            again.receive(frame(ping=pb.Ping(id=1)))
    assert [info.game_id for info in closed] == [gone.game_id]
    assert [result.ending for result in bot.results] == [Ending.UNKNOWN]


def test_a_new_session_without_old_games_closes_none() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.receive(joined(script.opening(), frame(ping=pb.Ping(id=1))))
    assert bot.results == []
    assert len(session.games.by_id) == 1


# Frames.


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
    assert [answer.game for out in frames for answer in answers(out.messages)] == list(range(1, 21))
    assert len(frames) > 4
    assert all(out.ByteSize() <= 2000 for out in frames)


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
