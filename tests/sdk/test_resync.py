"""After a lost connection: the same games go on in a new session."""

import pytest
from phaseten.v1 import bot_pb2 as pb

from bots_sdk.info import Ending, GameInfo, GameResult
from bots_sdk.watcher import Watcher
from tests.sdk.scripted import (
    WELCOME,
    Recorder,
    ScriptedGame,
    answers,
    frame,
    joined,
    messages,
    play_out,
    read_move,
    session_of,
)


def resync(*games: pb.ResyncGame) -> bytes:
    return joined(WELCOME, frame(resync=pb.Resync(games=games)))


def test_after_a_reconnect_the_same_bot_goes_on() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(lambda: bot)
    session.receive(joined(script.opening(), script.ask()))
    script.take(answers(messages(session))[0])
    heard = script.told
    script.handle = 5  # every session numbers its games anew
    script.ask()  # and this frame is lost
    again = session_of(Recorder, games=session.games)
    again.receive(resync(script.resync()))
    unheard = script.told
    (answer,) = answers(messages(again))
    assert (answer.game, answer.id) == (5, 2)
    script.take(answer)
    play_out(again, script)
    assert len(bot.started) == 1
    assert bot.results[0].ending is Ending.FINISHED
    assert heard < unheard
    assert bot.seen == script.public()[:heard] + script.public()[unheard:]
    assert bot.gaps == 1


def test_where_no_event_was_missed_none_is_said_to_be() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.receive(joined(script.opening(), script.ask()))
    again = session_of(bot, games=session.games)
    again.receive(resync(script.resync()))
    script.take(answers(messages(again))[0])
    play_out(again, script)
    assert bot.gaps == 0
    assert bot.seen == script.public()


def test_a_gap_in_the_numbers_is_told_even_without_a_word_from_the_referee() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.receive(joined(script.opening(), frame(events=script.events())))
    script.ask()
    script.miss()
    script.events()  # lost
    session.receive(script.ask())
    assert bot.gaps == 1


def test_an_answer_that_may_be_lost_is_sent_again_without_asking_the_bot() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.receive(joined(script.opening(), script.ask()))
    (lost,) = answers(messages(session))
    script.handle = 8
    again = session_of(bot, games=session.games)
    again.receive(resync(script.resync()))
    (repeated,) = answers(messages(again))
    assert (repeated.game, repeated.id, read_move(repeated)) == (8, lost.id, read_move(lost))
    assert len(bot.views) == 1
    script.take(repeated)


def test_a_question_that_was_read_but_not_answered_is_asked_again() -> None:
    bot, script = Recorder(), ScriptedGame()
    session = session_of(bot)
    session.accept(joined(script.opening(), script.ask()))  # and then the connection is lost
    again = session_of(bot, games=session.games)
    assert not again.decide()
    again.receive(resync(script.resync()))
    assert len(answers(messages(again))) == 1


def test_a_restarted_process_takes_a_running_game_up() -> None:
    bot, script = Recorder(), ScriptedGame()
    script.ask()
    session = session_of(bot)
    session.receive(resync(script.resync()))
    script.take(answers(messages(session))[0])
    play_out(session, script)
    assert len(bot.started) == 1
    assert bot.gaps == 1
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
