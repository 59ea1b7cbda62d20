"""A referee that says nothing: asked for a sign of life, and given up after a while."""

import asyncio

from phaseten.v1 import bot_pb2 as pb

from bots_sdk.client import Timing
from referee.engine.moves import Draw
from referee.engine.view import View
from tests.sdk.scripted import Recorder, ScriptedGame, frame
from tests.sdk.test_client import client, run_until, stay, stay_awake, stay_silent
from tests.sdk.tiny_referee import Diary, TinyReferee, Visit


async def test_a_silent_referee_is_dialled_again() -> None:
    diary = Diary()

    async def say_nothing_more(visit: Visit) -> None:
        await visit.welcome()
        await stay_silent()

    hasty = Timing(ping=0.05, silence=1.5, rest=0.05, tick=0.3, shortest=0.01, longest=0.05)
    async with TinyReferee(say_nothing_more, stay) as referee:
        running = client(Recorder, referee.ticket, diary, hasty)
        await run_until(running, lambda: diary.lines.count("connected to tiny for 8") == 2)
        pings = [message for message in referee.visits[0].heard if message.WhichOneof("kind") == "ping"]
    assert diary.lines[1].startswith("lost tiny: nothing heard for")
    assert pings == []  # the script read nothing after Hello


async def test_a_referee_that_answers_pings_is_not_silent() -> None:
    diary = Diary()
    hasty = Timing(ping=0.05, silence=1.5, rest=0.05, tick=0.05, shortest=0.01, longest=0.05)
    async with TinyReferee(stay) as referee:
        running = client(Recorder, referee.ticket, diary, hasty)
        await run_until(running, lambda: bool(referee.visits) and len(referee.visits[0].heard) * hasty.ping > hasty.silence)
        assert len(referee.visits) == 1
    assert diary.lines == ["connected to tiny for 8"]


async def test_a_bot_that_waits_asks_rarely_for_a_sign_of_life_and_one_that_plays_often() -> None:
    script, knows, waited = ScriptedGame(seats=3), 0, 0

    async def wait_and_play(visit: Visit) -> None:
        nonlocal knows, waited
        await visit.welcome()
        await visit.say(frame(ping=pb.Ping(id=1)))
        await visit.hear("pong")
        knows = len(visit.heard)  # that it was welcomed; before it may have asked, if that took long
        await asyncio.sleep(20 * often.ping)
        await visit.say(frame(ping=pb.Ping(id=2)))
        await visit.hear("pong")
        waited = len(visit.heard)
        await visit.say(script.opening())
        await stay_awake(visit)

    often = Timing(ping=0.02, silence=60.0, rest=60.0, tick=0.01, shortest=0.01, longest=0.05)
    async with TinyReferee(wait_and_play) as referee:
        running = client(Recorder, referee.ticket, timing=often)
        await run_until(running, lambda: bool(waited) and len(referee.visits[0].heard) > waited + 5)
        kinds = [message.WhichOneof("kind") for message in referee.visits[0].heard]
    assert "ping" not in kinds[knows:waited]
    assert kinds[waited:].count("ping") >= 3


async def test_silence_is_noticed_sooner_by_a_bot_that_plays() -> None:
    script, diary, waited = ScriptedGame(seats=3), Diary(), 0

    async def freeze_twice(visit: Visit) -> None:
        nonlocal waited
        await visit.welcome()
        await asyncio.sleep(2 * hasty.silence)
        waited = len(referee.visits)
        await visit.say(script.opening())
        await stay_silent()

    hasty = Timing(ping=0.05, silence=1.5, rest=60.0, tick=0.3, shortest=0.01, longest=0.05)
    async with TinyReferee(freeze_twice, stay) as referee:
        await run_until(client(Recorder, referee.ticket, diary, hasty), lambda: len(referee.visits) == 2)
    assert waited == 1
    assert any(line.startswith("lost tiny: nothing heard for") for line in diary.lines)


async def test_a_bot_that_thinks_long_does_not_take_its_own_pause_for_the_referees() -> None:
    import time

    class Thinker(Recorder):
        def draw(self, view: View) -> Draw:
            time.sleep(1.8)
            return Draw()

    script, diary = ScriptedGame(terms=None), Diary()
    answered: list[pb.BotMessage] = []

    async def question(visit: Visit) -> None:
        await visit.welcome()
        await visit.say(script.opening(), script.ask())
        answered.append(await visit.hear("answer"))
        await stay(visit)

    hasty = Timing(ping=0.05, silence=1.5, rest=0.05, tick=0.05, shortest=0.01, longest=0.05)
    async with TinyReferee(question) as referee:
        await run_until(client(Thinker, referee.ticket, diary, hasty), lambda: bool(answered))
        assert len(referee.visits) == 1
    assert diary.lines == ["connected to tiny for 8"]
