"""The answers of one frame are taken together, stage by stage. Nobody may notice, but by the clock."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2, referee_pb2

from referee.engine.check import check_log
from referee.engine.game import Game
from referee.service import game as running
from referee.service.game import RunningGame
from referee.service.gathering import Gathering
from referee.service.session import UNASKED_BURST, UNASKED_PER_SECOND
from referee.wire.replay import decode_replay
from tests.service.client import House, RawBot, order, quick_terms, reason_of, until
from tests.service.hours import Hours
from tests.service.player import dull_move, play_all

MATCHES = 3  # of two games each


def said(question: pb.Question) -> pb.BotMessage:
    return pb.BotMessage(answer=pb.Answer(game=question.game, id=question.id, **dull_move(question)))


async def questions(bot: RawBot, count: int, stage: int = game_pb2.STAGE_DRAW) -> list[pb.Question]:
    """The next ones at this stage of a turn."""

    def meant(message: pb.RefereeMessage) -> bool:
        return int(message.question.view.table.stage) == stage

    return [(await bot.hear("question", where=meant)).question for _ in range(count)]


async def table(house: House) -> tuple[RawBot, RawBot]:
    """Two bots and six games, in half of which each of them begins."""
    ann, bob = await house.bot("ann"), await house.bot("bob")
    await house.play(*[order("ann", "bob") for _ in range(MATCHES)])
    return ann, bob


async def test_a_frame_of_answers_is_an_answer_to_each_of_its_games(house: House) -> None:
    ann, bob = await table(house)
    for bot, games in ((ann, MATCHES), (bob, 2 * MATCHES)):
        draws = await questions(bot, games)
        await bot.send(*map(said, draws))
        plays = await questions(bot, games, game_pb2.STAGE_PLAY)
        assert [play.game for play in plays] == [draw.game for draw in draws]
        assert all(len(play.view.hand) == 11 and play.view.drawn in play.view.hand for play in plays)
        await bot.send(*map(said, plays))
    watch = await house.watch()
    await play_all(ann, bob, games=2 * MATCHES)
    for _ in range(MATCHES):
        for game in (await watch.record()).games:
            replay = decode_replay(game.replay)
            assert check_log(replay.events).result == replay.result
            assert [answer.event for answer in replay.answers] == sorted({answer.event for answer in replay.answers})


async def test_two_answers_to_one_game_are_taken_one_after_the_other(house: House) -> None:
    """Whoever guesses the number of the next question may say both at once: the first is taken, then the second."""
    ann, bob = await table(house)
    first, second, third = await questions(ann, MATCHES)
    throw = pb.BotMessage(answer=pb.Answer(game=first.game, id=2, play=game_pb2.Play(discard=first.view.hand[0])))
    await ann.send(said(first), said(second), throw, said(third))
    await ann.hear("question", where=lambda told: told.question.game == third.game)
    played = [message.question for message in ann.heard if message.WhichOneof("kind") == "question"]
    assert [(question.game, question.id) for question in played[MATCHES:]] == [
        (first.game, 2),
        (second.game, 2),
        (third.game, 2),
    ]
    await questions(bob, MATCHES + 1)  # those in which it begins, and the one in which ann has thrown a card
    kinds = [message.WhichOneof("kind") for message in ann.unread + ann.heard]
    assert "fault" not in kinds
    assert "rejected" not in kinds


async def test_what_is_said_between_answers_is_heard_between_them(house: House) -> None:
    ann, bob = await table(house)
    draw, *others = await questions(ann, MATCHES)
    await ann.send(said(draw), pb.BotMessage(resign=pb.Resign(game=draw.game)), *map(said, others))
    over = (await bob.hear("game_over")).game_over
    assert over.result.cause == game_pb2.GAME_END_FORFEITS
    told = [event.WhichOneof("kind") for message in bob.heard for event in message.events.events]
    assert told.index("draw_seen") < told.index("seat_forfeited")  # it drew, and then gave up
    await questions(ann, MATCHES, game_pb2.STAGE_PLAY)
    kinds = [message.WhichOneof("kind") for message in ann.unread + ann.heard]
    assert kinds.count("game_over") == 1
    assert "rejected" not in kinds


async def test_wrong_answers_in_a_frame_cost_their_own_games_alone(house: House) -> None:
    ann, _ = await table(house)
    good, illegal, nothing = await questions(ann, MATCHES)
    await ann.send(
        pb.BotMessage(answer=pb.Answer(game=illegal.game, id=illegal.id, play=game_pb2.Play())),
        said(good),
        pb.BotMessage(answer=pb.Answer(game=nothing.game, id=nothing.id)),
    )
    plays = {play.game: play for play in await questions(ann, MATCHES, game_pb2.STAGE_PLAY)}  # two after default moves
    faults = {game: [seat.faults for seat in play.view.table.seats] for game, play in plays.items()}
    assert sum(faults[good.game]) == 0
    assert sum(faults[illegal.game]) == sum(faults[nothing.game]) == 1


async def test_all_answers_of_a_frame_came_at_the_same_time(house: House) -> None:
    hours = Hours(house)
    ann, _ = await table(house)
    draws = await questions(ann, MATCHES)
    hours.step = 5.0
    await ann.send(*map(said, draws))
    plays = await questions(ann, MATCHES, game_pb2.STAGE_PLAY)
    (bank,) = {play.bank_ms for play in plays}
    assert bank < draws[0].bank_ms


async def test_what_we_need_for_a_frame_is_charged_to_nobody(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither to the seats that answered in it, nor to those that are asked next."""
    hours = Hours(house)
    submit = Game.submit

    def slow(game: Game, *move: Any) -> Any:
        hours.time += 20.0
        return submit(game, *move)

    monkeypatch.setattr(Game, "submit", slow)
    ann, bob = await table(house)
    waiting = {question.game for question in await questions(bob, MATCHES)}  # their time runs from the beginning
    asked: list[pb.Question] = []
    for bot in (ann, bob):
        for stage in (game_pb2.STAGE_DRAW, game_pb2.STAGE_PLAY):
            now = await questions(bot, MATCHES, stage)
            await bot.send(*map(said, now))
            asked += now
    assert not waiting & {question.game for question in asked[2 * MATCHES :]}
    assert {question.bank_ms for question in asked} == {quick_terms().clock.bank_ms}


async def test_an_answer_to_a_question_that_the_same_frame_leads_to_took_no_time(house: House) -> None:
    """The first question of a game follows from the last share in its shuffle; whoever sends both has only guessed."""
    ann, bob = await house.bot("ann"), await house.bot("bob")
    ann.shares = False
    watch = await house.watch()
    await house.play(order("ann", "bob"))
    await bob.hear("invite")
    invited = [(await ann.hear("invite")).invite for _ in range(2)]
    await until(lambda: all(_committed(house, "bob")))
    shares = [pb.BotMessage(nonce_commit=pb.NonceCommit(game=invite.game)) for invite in invited]
    draws = [pb.BotMessage(answer=pb.Answer(game=invite.game, id=1, draw=game_pb2.Draw())) for invite in invited]
    await ann.send(*[message for pair in zip(shares, draws, strict=True) for message in pair])
    play = (await ann.hear("question", where=lambda told: told.question.id == 2)).question
    await ann.send(said(play))
    await play_all(ann, bob, games=2)
    record = await watch.record()
    thought = [answer.think_ms for game in record.games for answer in decode_replay(game.replay).answers]
    assert min(thought) == 0


def _committed(house: House, bot: str) -> list[bool]:
    """Whether this bot has said in each game whether it takes part in the shuffle."""
    (match,) = house.server.lobby._matches.values()
    gatherings = [game for game in match.games.values() if isinstance(game, Gathering)]
    seats = [(game, seat.index) for game in gatherings for seat in game.seats if seat.info.bot == bot]
    return [game._commitments[index] is not None for game, index in seats]


STEPS = ["_read", "_judge", "_publish", "_charge", "_next", "_look", "_ask"]


@pytest.mark.parametrize("place", [0, 1], ids=["before the other game of its match", "after it"])
@pytest.mark.parametrize("step", STEPS)
async def test_a_mistake_at_any_stage_voids_its_attempt_and_nothing_else(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, step: str, place: int
) -> None:
    assert len(running._STAGES) == len(STEPS)
    ann, bob = await house.bot("ann"), await house.bot("bob")
    watch = await house.watch()
    bad, good = order("ann", "bob"), order("ann", "bob")
    await house.play(bad, good)
    for stage in (game_pb2.STAGE_DRAW, game_pb2.STAGE_PLAY):
        await bob.send(*map(said, await questions(bob, 2, stage)))
    draws = await questions(ann, 4)  # now it is ann's turn in all games
    doomed, other = _running(house, bad)[:: 1 - 2 * place]
    monkeypatch.setattr(running, "_STAGES", tuple(_faulty(stage, step, doomed) for stage in running._STAGES))
    await ann.send(*map(said, draws))
    for ended in await play_all(ann, bob, games=4):
        assert sorted(over.kind for over in ended) == [pb.GAME_OVER_KIND_FINISHED] * 2 + [pb.GAME_OVER_KIND_VOID] * 2
    assert (await watch.hear("attempt_void")).attempt_void.attempt.match_id == bad.match_id
    record = await watch.record()
    assert record.attempt.match_id == good.match_id
    assert all(game.over and game._timer is None for game in (doomed, other))
    assert caplog.text.count("match failed") == 1  # and not once more for the other game, which was on its way


def _faulty(stage: Callable[[Any], bool], step: str, doomed: RunningGame) -> Callable[[Any], bool]:
    def staged(game: RunningGame) -> bool:
        if game is doomed and stage.__name__ == step:
            raise RuntimeError(f"something is wrong at {step}")
        return stage(game)

    return staged


def _running(house: House, ordered: referee_pb2.MatchOrder) -> list[RunningGame]:
    games = house.server.lobby._matches[UUID(bytes=ordered.match_id)].games
    return [game for game in games.values() if isinstance(game, RunningGame)]


async def test_answers_before_a_flood_are_taken(house: House) -> None:
    ann, _ = await table(house)
    answers = list(map(said, await questions(ann, MATCHES)))
    nowhere = pb.BotMessage(answer=pb.Answer(game=999, id=1))  # nothing between them that would end the batch
    await ann.send(*answers, *[nowhere] * int(2 * (UNASKED_BURST + UNASKED_PER_SECOND * 2 * MATCHES)))
    assert reason_of(await ann.refused()) == "FLOODING"
    assert house.server.lobby.meter.decisions == MATCHES
