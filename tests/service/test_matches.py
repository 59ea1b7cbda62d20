"""Ordering matches: what is played, what is refused and why, waves, reconnects, calling off."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine.check import check_log
from referee.engine.errors import CorruptLog
from referee.engine.events import FaultKind, SeatFaulted
from referee.engine.game import Game
from referee.engine.presets import OFFICIAL
from referee.service.game import RunningGame
from referee.service.lobby import Refusal, Started
from referee.service.records import State
from referee.service.referee_api import OUTCOMES, REFUSALS, STATES
from referee.wire.replay import decode_replay
from tests.service.client import House, RawBot, order, quick_terms, reference, until
from tests.service.hours import time_runs_out
from tests.service.player import dull, play_all, play_on

STARTED = referee_pb2.START_OUTCOME_STARTED
REFUSED = referee_pb2.START_OUTCOME_REFUSED


async def two(house: House, capacity: int = 64) -> tuple[RawBot, RawBot]:
    return await house.bot("ann", capacity), await house.bot("bob", capacity)


async def refusal(house: House, ordered: referee_pb2.MatchOrder) -> tuple[str, list[str]]:
    result = (await house.play(ordered))[0]
    assert result.outcome == REFUSED
    assert result.attempt == reference(ordered)
    assert result.text
    return referee_pb2.Refusal.Name(result.refusal).removeprefix("REFUSAL_"), list(result.bots)


async def state(house: House, ordered: referee_pb2.MatchOrder) -> str:
    request = referee_pb2.GetMatchesRequest(attempts=[reference(ordered)])
    (status,) = (await house.control.GetMatches(request)).attempts
    assert status.attempt == reference(ordered)
    return referee_pb2.AttemptState.Name(status.state).removeprefix("ATTEMPT_STATE_")


async def cancel(house: House, ordered: referee_pb2.MatchOrder) -> str:
    request = referee_pb2.CancelMatchesRequest(attempts=[reference(ordered)], text="no longer wanted")
    (status,) = (await house.control.CancelMatches(request)).attempts
    return referee_pb2.AttemptState.Name(status.state).removeprefix("ATTEMPT_STATE_")


def test_every_answer_has_its_value_in_the_schema() -> None:
    assert [OUTCOMES.decode(OUTCOMES.encode(member)) for member in Started] == list(Started)
    assert [REFUSALS.decode(REFUSALS.encode(member)) for member in Refusal] == list(Refusal)
    assert [STATES.decode(STATES.encode(member)) for member in State] == list(State)


async def test_the_same_order_twice_is_played_once(house: House) -> None:
    ann, bob = await two(house)
    ordered = order("ann", "bob")
    assert [result.outcome for result in await house.play(ordered, ordered)] == [
        STARTED,
        referee_pb2.START_OUTCOME_ALREADY_RUNNING,
    ]
    assert await state(house, ordered) == "RUNNING"
    await play_all(ann, bob, games=2)
    assert (await house.play(ordered))[0].outcome == referee_pb2.START_OUTCOME_ALREADY_FINISHED
    assert await state(house, ordered) == "FINISHED"
    watch = await house.watch()
    await watch.acknowledge((await watch.record()).attempt)
    await until(lambda: not house.server.lobby.records)
    assert (await house.play(ordered))[0].outcome == referee_pb2.START_OUTCOME_ALREADY_FINISHED


async def test_absent_bots_are_named(house: House) -> None:
    await house.bot("ann")
    ordered = order("ann", "bob", "cyd")
    assert await refusal(house, ordered) == ("BOTS_ABSENT", ["bob", "cyd"])
    assert await state(house, ordered) == "UNKNOWN"
    await house.bot("bob")
    await house.bot("cyd")
    assert (await house.play(ordered))[0].outcome == STARTED  # the same attempt may be ordered again


async def test_a_bot_of_another_version_is_not_seated(house: House) -> None:
    await house.bot("ann")
    await house.bot("bob", version_id=99)
    assert await refusal(house, order("ann", "bob")) == ("VERSION_CHANGED", ["bob"])


async def test_a_bot_without_room_waits(house: House) -> None:
    await house.bot("ann", capacity=1)
    await house.bot("bob")
    await house.bot("cyd")
    assert (await house.play(order("ann", "bob")))[0].outcome == STARTED
    assert await refusal(house, order("cyd", "ann")) == ("NO_CAPACITY", ["ann"])
    assert (await house.play(order("cyd", "bob")))[0].outcome == STARTED


async def test_a_full_referee_is_busy() -> None:
    async with House(max_games=3) as house:
        await two(house)
        assert (await house.play(order("ann", "bob")))[0].outcome == STARTED
        assert await refusal(house, order("ann", "bob")) == ("REFEREE_BUSY", [])
        sessions = await house.control.ListSessions(referee_pb2.ListSessionsRequest())
        assert sessions.free_games == 1


async def test_a_referee_with_too_many_records_is_busy_until_they_are_taken_home() -> None:
    async with House(max_record_bytes=2 * 64 * 1024 + 1000) as house:  # a match, and not quite another beside its record
        ann, bob = await two(house)
        first = order("ann", "bob")
        await house.play(first)
        await play_all(ann, bob, games=2)
        assert house.server.lobby.records.size > 1000
        assert await refusal(house, order("ann", "bob")) == ("REFEREE_BUSY", [])
        watch = await house.watch()
        await watch.acknowledge((await watch.record()).attempt, referee_pb2.VERDICT_DUPLICATE)
        await until(lambda: not house.server.lobby.records)
        assert (await house.play(order("ann", "bob")))[0].outcome == STARTED


def broken(**changes: Any) -> referee_pb2.MatchOrder:
    ordered = order("ann", "bob")
    for name, value in changes.items():
        if isinstance(value, list):
            ordered.ClearField(name)  # type: ignore[arg-type]  # names of the fields below
            getattr(ordered, name).extend(value)
        else:
            setattr(ordered, name, value)
    return ordered


def ruleset(**changes: Any) -> referee_pb2.MatchOrder:
    ordered = order("ann", "bob")
    for name, value in changes.items():
        setattr(ordered.ruleset, name, value)
    return ordered


@pytest.mark.parametrize(
    "ordered",
    [
        broken(match_id=b"short"),
        broken(attempt=0),
        broken(game_ids=[b"x" * 15, b"y" * 16]),
        broken(game_ids=[b"x" * 16]),
        broken(game_ids=[b"x" * 16, b"x" * 16]),
        broken(bots=[pb.SeatInfo(bot="ann"), pb.SeatInfo(bot="ann")]),
        broken(bots=[pb.SeatInfo(bot="ann"), pb.SeatInfo(bot="")]),
        order("ann"),
        order(*"abcdefg"),
        ruleset(hand_size=0),
        ruleset(advance=0),
        ruleset(advance=77),
        ruleset(hand_size=8, going_out=2),
        order("ann", "bob", terms=quick_terms(max_deals=None)),
        order("ann", "bob", terms=quick_terms(max_turns_per_deal=None)),
        order("ann", "bob", terms=quick_terms(max_deals=5000)),
        order("ann", "bob", terms=quick_terms(bank=0)),
        order("ann", "bob", terms=quick_terms(bank=2**32 - 1)),
        order("ann", "bob", terms=quick_terms(max_faults=0)),
        order("ann", "bob", terms=replace(quick_terms(), first_dealer="seeded"), ruleset=replace(OFFICIAL, players_min=3)),
    ],
)
async def test_an_order_without_sense_is_invalid(house: House, ordered: referee_pb2.MatchOrder) -> None:
    assert await refusal(house, ordered) == ("INVALID_ORDER", [])
    assert house.server.lobby.match_count == 0


async def test_one_bad_order_does_not_spoil_the_batch(house: House) -> None:
    await two(house)
    results = await house.play(broken(attempt=0), order("ann", "bob"), order("ann", "zoe"))
    assert [result.outcome for result in results] == [REFUSED, STARTED, REFUSED]


async def test_a_cancelled_attempt_is_void_for_everybody_and_never_dealt_again(house: House) -> None:
    ann, bob = await two(house)
    watch = await house.watch()
    ordered = order("ann", "bob")
    await house.play(ordered)
    assert await cancel(house, ordered) == "RUNNING"
    for bot in (ann, bob):
        over = (await bot.hear("game_over")).game_over
        assert over.kind == pb.GAME_OVER_KIND_VOID
        assert over.text == "no longer wanted"
    void = (await watch.hear("attempt_void")).attempt_void
    assert void.attempt == reference(ordered)
    assert void.planned
    assert await state(house, ordered) == "CALLED_OFF"
    assert await refusal(house, ordered) == ("CANCELLED", [])
    assert await cancel(house, ordered) == "CALLED_OFF"
    assert house.server.lobby.game_count == 0
    again = order("ann", "bob", match=UUID(bytes=ordered.match_id), attempt=2)
    assert (await house.play(again))[0].outcome == STARTED
    sessions = (await house.control.ListSessions(referee_pb2.ListSessionsRequest())).sessions
    assert {session.bot: session.games for session in sessions} == {"ann": 2, "bob": 2}


async def test_an_attempt_may_be_cancelled_before_it_is_ordered(house: House) -> None:
    await two(house)
    ordered = order("ann", "bob")
    assert await cancel(house, ordered) == "UNKNOWN"
    assert await refusal(house, ordered) == ("CANCELLED", [])


async def test_a_finished_attempt_keeps_its_record_when_it_is_cancelled(house: House) -> None:
    ann, bob = await two(house)
    ordered = order("ann", "bob")
    await house.play(ordered)
    await play_all(ann, bob, games=2)
    assert await cancel(house, ordered) == "FINISHED"
    assert (await (await house.watch()).record()).attempt == reference(ordered)


async def test_a_newer_attempt_replaces_the_older(house: House) -> None:
    ann, _ = await two(house)
    match = uuid4()
    first, second = (order("ann", "bob", match=match, attempt=attempt) for attempt in (1, 2))
    await house.play(first)
    assert (await house.play(second))[0].outcome == STARTED
    assert (await ann.hear("game_over")).game_over.kind == pb.GAME_OVER_KIND_VOID
    assert await state(house, first) == "CALLED_OFF"
    assert await state(house, second) == "RUNNING"
    assert await refusal(house, first) == ("STALE_ATTEMPT", [])


async def test_a_bot_with_little_room_plays_the_games_of_a_match_in_waves(house: House) -> None:
    ann, bob = await house.bot("ann", capacity=1), await house.bot("bob", capacity=64)
    ordered = order("ann", "bob")
    await house.play(ordered)
    assert house.server.lobby.game_count == 1
    listed = (await house.control.ListSessions(referee_pb2.ListSessionsRequest())).sessions
    assert {session.bot: (session.capacity, session.games) for session in listed} == {"ann": (1, 2), "bob": (64, 2)}
    await play_all(ann, bob, games=1)
    assert house.server.lobby.game_count == 1
    assert await state(house, ordered) == "RUNNING"
    await play_all(ann, bob, games=1)
    assert await state(house, ordered) == "FINISHED"
    listed = (await house.control.ListSessions(referee_pb2.ListSessionsRequest())).sessions
    assert [session.games for session in listed] == [0, 0]


async def test_waves_of_a_big_table_fill_what_room_there_is(house: House) -> None:
    names = ["ann", "bob", "cyd", "dan"]
    bots = [await house.bot(name, capacity) for name, capacity in zip(names, (4, 2, 3, 9), strict=True)]
    await house.play(order(*names, terms=quick_terms(max_turns_per_deal=1)))
    assert house.server.lobby.game_count == 2
    await play_all(*bots, games=4)
    assert house.server.lobby.match_count == 0


async def test_a_bot_that_returns_in_time_is_told_everything_and_plays_on(house: House) -> None:
    ann, bob = await two(house, capacity=1)
    ordered = order("ann", "bob")
    await house.play(ordered)
    await dull(ann, (await ann.hear("question")).question)
    question = (await ann.hear("question")).question
    invite = next(message.invite for message in ann.heard if message.WhichOneof("kind") == "invite")
    await ann.close()
    await until(lambda: house.server.lobby.session_count == 1)
    again = await house.bot("ann")
    (told,) = (await again.hear("resync")).resync.games
    invite.game = told.invite.game  # the number of a game belongs to the session
    assert told.invite == invite
    assert told.start.game == told.invite.game
    assert told.question.id == question.id
    assert told.question.view == question.view
    assert told.question.bank_ms <= question.bank_ms
    assert told.events > 0
    await dull(again, told.question)
    await asyncio.gather(play_on(again, 2), play_on(bob, 2))
    record = await (await house.watch()).record()
    replay = decode_replay(record.games[0].replay)
    assert check_log(replay.events).result == replay.result
    assert not any(isinstance(event, SeatFaulted) for event in replay.events)


async def test_a_bot_that_is_not_asked_is_told_no_question_when_it_returns(house: House) -> None:
    first = await two(house)
    await house.play(order("ann", "bob"))
    await asyncio.gather(*(bot.hear("question") for bot in first))
    bob = await house.bot("bob")  # takes over while ann is asked in game 0, and is asked in game 1
    games = (await bob.hear("resync")).resync.games
    assert [game.HasField("question") for game in games] == [False, True]


async def test_a_bot_that_stays_away_forfeits(house: House) -> None:
    ann, bob = await two(house, capacity=1)
    await house.play(order("ann", "bob", terms=quick_terms(bank=80_000)))
    await bob.hear("start")  # else ann would be absent from the beginning, as she is from that of the second game
    await ann.close()
    await until(lambda: house.server.lobby.session_count == 1)
    playing = asyncio.create_task(play_on(bob, 2))
    for _ in range(4):  # three answers, and the share in the second game
        await time_runs_out(house, "ann")
    assert list((await playing)[0].result.places) == [2, 1]
    replay = decode_replay((await (await house.watch()).record()).games[0].replay)
    assert [event.kind for event in replay.events if isinstance(event, SeatFaulted)] == [FaultKind.GONE] * 3


async def test_another_version_of_the_bot_does_not_take_its_seats(house: House) -> None:
    await two(house)
    await house.play(order("ann", "bob"))
    newer = await house.bot("ann", version_id=1234, version="2")
    await newer.send(pb.BotMessage(ping=pb.Ping(id=1)))
    await newer.hear("pong")
    assert "resync" not in {message.WhichOneof("kind") for message in newer.heard}
    listed = (await house.control.ListSessions(referee_pb2.ListSessionsRequest())).sessions
    assert {(session.bot, session.version) for session in listed} == {("ann", "2"), ("bob", "1")}


async def running(house: House, ordered: referee_pb2.MatchOrder) -> RunningGame:
    """The first game of a match, once its cards are dealt."""
    games = house.server.lobby._matches[UUID(bytes=ordered.match_id)].games
    await until(lambda: isinstance(games[0], RunningGame))
    game = games[0]
    assert isinstance(game, RunningGame)
    return game


async def test_a_mistake_of_ours_voids_its_attempt_and_nothing_else(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = await two(house)
    watch = await house.watch()
    good, bad = order("ann", "bob"), order("ann", "bob")
    await house.play(good, bad)
    doomed = (await running(house, bad))._game
    submit = Game.submit

    def faulty(game: Game, *move: Any) -> Any:
        if game is doomed:
            raise CorruptLog("the log does not add up")
        return submit(game, *move)

    monkeypatch.setattr(Game, "submit", faulty)
    over = await play_all(ann, bob, games=4)
    for messages in over:
        kinds = [message.kind for message in messages]
        assert sorted(kinds) == [pb.GAME_OVER_KIND_FINISHED] * 2 + [pb.GAME_OVER_KIND_VOID] * 2
    void = (await watch.hear("attempt_void")).attempt_void
    assert void.attempt == reference(bad)
    assert not void.planned
    assert await state(house, bad) == "VOID"
    assert await state(house, good) == "FINISHED"
    assert (await house.control.GetStatus(referee_pb2.GetStatusRequest())).games == 0


async def test_a_match_that_cannot_even_begin_is_void(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = await two(house)
    watch = await house.watch()
    monkeypatch.setattr("referee.service.match.RunningGame", None)
    ordered = order("ann", "bob")
    await house.play(ordered)
    assert (await watch.hear("attempt_void")).attempt_void.attempt == reference(ordered)  # when both have sent a share
    assert await state(house, ordered) == "VOID"
    monkeypatch.undo()
    await house.play(order("ann", "bob"))
    await play_all(ann, bob, games=4)
    listed = (await house.control.ListSessions(referee_pb2.ListSessionsRequest())).sessions
    assert [session.games for session in listed] == [0, 0]


async def test_many_matches_at_once(house: House) -> None:
    names = [f"bot{index}" for index in range(6)]
    bots = [await house.bot(name, capacity=100) for name in names]
    orders = [order(a, b) for a in names for b in names if a != b]
    assert {result.outcome for result in await house.play(*orders)} == {STARTED}
    await play_all(*bots, games=2 * 2 * 5)
    watch = await house.watch()
    records = [await watch.record() for _ in orders]
    assert {record.attempt.match_id for record in records} == {ordered.match_id for ordered in orders}
    for record in records:
        for game in record.games:
            replay = decode_replay(game.replay)
            assert check_log(replay.events).result == replay.result


async def test_sessions_are_listed_with_what_the_bot_said(house: House) -> None:
    await house.bot("ann", capacity=7, version="1.5", version_id=44)
    (session,) = (await house.control.ListSessions(referee_pb2.ListSessionsRequest())).sessions
    assert (session.bot, session.version, session.version_id) == ("ann", "1.5", 44)
    assert (session.capacity, session.games) == (7, 0)
    assert (session.sdk, session.language) == ("raw/1", "test")
    status = await house.control.GetStatus(referee_pb2.GetStatusRequest())
    assert (status.referee, status.sessions, status.draining) == ("test-referee", 1, False)
    assert status.version


async def test_a_table_that_waits_for_nobody_else(house: House) -> None:
    """A silent bot in one match does not hold up the other matches of its opponents."""
    ann, bob = await two(house)
    await house.bot("mute")
    await house.play(order("mute", "ann"), order("ann", "bob"))
    await asyncio.gather(play_on(ann, 2), play_on(bob, 2))
    assert house.server.lobby.match_count == 1
    assert (await house.control.GetStatus(referee_pb2.GetStatusRequest())).decisions > 0
    assert sum(house.server.meter.faults.values()) == 0  # the silent bot still has time
