"""What an author's code may do wrong, and what it costs."""

import pytest

from bots_sdk.author import CRASHES_TO_RESIGN
from bots_sdk.info import Ending
from referee.engine.cards import WILD
from referee.engine.moves import Draw, Meld, Play
from referee.engine.view import View
from tests.sdk.scripted import (
    Recorder,
    ScriptedGame,
    answers,
    joined,
    messages,
    play_out,
    read_move,
    said,
    session_of,
)


class Hopeless(Recorder):
    """Fails at every question."""

    def draw(self, view: View) -> Draw:
        raise ZeroDivisionError("no idea")

    def play(self, view: View) -> Play:
        raise ZeroDivisionError("no idea")


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
        assert not bad.take(answer)  # the default move is legal
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
    assert read_move(answer) == Draw()
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
