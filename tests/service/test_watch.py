"""Watch streams: what the site sees, and that no record is lost."""

import asyncio

import grpc
import pytest
from phaseten.v1 import game_pb2, referee_pb2

from referee.service import feed, records
from referee.service.gathering import Gathering
from referee.service.order import Attempt
from referee.service.records import Outcomes, Records, State, make_record
from referee.wire.replay import decode_replay
from tests.service.client import House, RawBot, new_match, order, quick_terms, reason_of, reference, until
from tests.service.player import play_all, play_on


async def two(house: House) -> tuple[RawBot, RawBot]:
    return await house.bot("ann"), await house.bot("bob")


async def test_a_stream_begins_with_who_and_what_runs(house: House) -> None:
    await two(house)
    ordered = order("ann", "bob")
    await house.play(ordered)
    watch = await house.watch()
    greeting = (await watch.hear("greeting")).greeting
    assert greeting.referee == "test-referee"
    status = await house.control.GetStatus(referee_pb2.GetStatusRequest())
    assert greeting.incarnation == status.incarnation
    assert list((await watch.hear("running")).running.attempts) == [reference(ordered)]
    opened = [(await watch.hear("game_opened")).game_opened for _ in ordered.game_ids]
    assert [game.game_id for game in opened] == list(ordered.game_ids)
    assert [game.game_index for game in opened] == [0, 1]
    assert all(len(game.commitment) == 64 and game.attempt == reference(ordered) for game in opened)


async def test_what_runs_is_told_again_and_again(house: House) -> None:
    watch = await house.watch()
    await watch.hear("running")
    house.server._feed.tell_running()
    assert list((await watch.hear("running")).running.attempts) == []


async def test_events_come_once_each_and_with_the_table(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "UPDATE_SECONDS", 0.01)
    ann, bob = await two(house)
    watch = await house.watch()
    await watch.hear("greeting")  # who watches later is not told what was before
    ordered = order("ann", "bob")
    await house.play(ordered)
    await play_all(ann, bob, games=2)
    record = await watch.record()
    for game in record.games:
        replay = decode_replay(game.replay)
        updates = [
            message.game_update
            for message in watch.heard
            if message.WhichOneof("kind") == "game_update" and message.game_update.game_id == game.game_id
        ]
        seen = 0
        for update in updates:
            assert update.first == seen
            seen += len(update.events)
        assert seen == len(replay.events) - 1  # the game's start is announced otherwise
        assert updates[-1].table.stage == game_pb2.STAGE_OVER
        assert updates[-1].events[-1].WhichOneof("kind") == "game_ended"
        hidden = [event for update in updates for event in update.events if event.WhichOneof("kind") == "draw_seen"]
        assert hidden
        assert all(event.draw_seen.card == 0 for event in hidden)
    opened = [message.game_opened for message in watch.heard if message.WhichOneof("kind") == "game_opened"]
    commitments = {message.game_id: message.commitment for message in opened}
    for game in record.games:
        assert commitments[game.game_id] == decode_replay(game.replay).commitment


async def test_a_late_watcher_gets_the_table_at_once(house: House) -> None:
    await two(house)
    ordered = order("ann", "bob")
    await house.play(ordered)
    watch = await house.watch()
    update = (await watch.hear("game_update")).game_update
    assert update.game_id == ordered.game_ids[0]
    assert update.table.stage == game_pb2.STAGE_DRAW


async def test_a_record_is_sent_to_each_new_stream_until_it_is_acknowledged(house: House) -> None:
    ann, bob = await two(house)
    ordered = order("ann", "bob")
    await house.play(ordered)
    first, second = await house.watch(), await house.watch()
    await play_all(ann, bob, games=2)
    data = (await first.record()).SerializeToString()
    assert (await second.record()).SerializeToString() == data
    await first.close()
    third = await house.watch()
    assert (await third.record()).SerializeToString() == data
    status = await house.control.GetStatus(referee_pb2.GetStatusRequest())
    assert (status.records, status.record_bytes) == (1, len(data))
    await third.acknowledge(reference(ordered))
    await third.acknowledge(reference(ordered))  # twice changes nothing
    await until(lambda: not len(house.server.lobby.records))
    assert house.server.lobby.records.size == 0
    fourth = await house.watch()
    await fourth.hear("running")
    house.server._feed.tell_running()
    await fourth.hear("running")  # what was kept would have come before
    assert "record" not in {message.WhichOneof("kind") for message in fourth.heard}


async def test_a_record_waits_for_a_watcher(house: House) -> None:
    ann, bob = await two(house)
    orders = [order("ann", "bob") for _ in range(3)]
    await house.play(*orders)
    await play_all(ann, bob, games=6)
    watch = await house.watch()
    got = [(await watch.record()).attempt for _ in orders]
    assert {attempt.match_id for attempt in got} == {ordered.match_id for ordered in orders}


async def test_a_big_record_comes_in_parts(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_record, "__defaults__", (500,))
    ann, bob = await two(house)
    await house.play(order("ann", "bob"))
    await play_all(ann, bob, games=2)
    watch = await house.watch()
    record = await watch.record()
    parts = [message.record for message in watch.heard if message.WhichOneof("kind") == "record"]
    assert [part.part for part in parts] == list(range(parts[0].parts))
    assert len(parts) > 2
    assert all(len(part.data) <= 500 for part in parts)
    assert len(record.games) == 2


@pytest.mark.parametrize(
    "frame", [b"\xff\xff", referee_pb2.WatchRequest(messages=[referee_pb2.Acknowledgement()]).SerializeToString()]
)
async def test_a_malformed_acknowledgement_ends_the_stream(house: House, frame: bytes) -> None:
    watch = await house.watch()
    await watch.hear("greeting")
    await watch.call.write(frame)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await watch.hear("game_opened")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(caught.value) == "REQUEST_MALFORMED"


async def test_a_watcher_that_reads_nothing_is_sent_away(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "MOST_WAITING", 1)
    watch = await house.watch()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await watch.hear("game_opened")
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(caught.value) == "SLOW_READER"


async def test_a_watcher_that_closes_its_side_is_let_go(house: House) -> None:
    watch = await house.watch()
    await watch.hear("greeting")
    await watch.call.done_writing()
    with pytest.raises(EOFError):
        await watch.hear("game_opened")
    assert not house.server._feed.watched


async def test_nothing_is_built_while_nobody_watches(house: House) -> None:
    ann, bob = await two(house)
    await house.play(order("ann", "bob", terms=quick_terms(max_turns_per_deal=200)))
    games = [game for match in house.server.lobby._matches.values() for game in match.games.values()]
    tellings = [game.telling if isinstance(game, Gathering) else game._telling for game in games]
    await asyncio.gather(play_on(ann, 2), play_on(bob, 2))
    assert not house.server._feed._dirty
    assert max(len(telling._events) for telling in tellings) <= 2 * 256  # what everybody was told is forgotten


def attempt(number: int = 1) -> Attempt:
    return Attempt(new_match(), number)


def test_records_are_counted_and_bounded() -> None:
    kept = Records(limit=records.EXPECTED_GAME_BYTES)
    record = make_record(attempt(), ((new_match(), b"x" * 1000),))
    assert kept.room >= 1
    kept.keep(record)
    assert (len(kept), kept.size) == (1, record.size)
    assert kept.room == 0
    assert kept.acknowledge(record.attempt)
    assert not kept.acknowledge(record.attempt)
    assert (len(kept), kept.size) == (0, 0)
    assert kept.get(record.attempt) is None


def test_outcomes_know_the_newest_attempt_of_a_match() -> None:
    outcomes = Outcomes()
    match = new_match()
    assert outcomes.state(Attempt(match, 1)) is State.UNKNOWN
    outcomes.note(Attempt(match, 2), State.RUNNING)
    assert outcomes.newest(match) == 2
    assert outcomes.state(Attempt(match, 1)) is State.CALLED_OFF
    assert outcomes.state(Attempt(match, 3)) is State.UNKNOWN
    outcomes.note(Attempt(match, 1), State.FINISHED)  # too late to matter
    assert outcomes.state(Attempt(match, 2)) is State.RUNNING


def test_outcomes_forget_the_oldest_match_but_never_a_running_one() -> None:
    outcomes = Outcomes(bound=3)
    running, old, *more = (attempt() for _ in range(5))
    outcomes.note(running, State.RUNNING)
    outcomes.note(old, State.FINISHED)
    for later in more:
        outcomes.note(later, State.FINISHED)
    assert outcomes.state(running) is State.RUNNING
    assert outcomes.state(old) is State.UNKNOWN
    assert outcomes.state(more[-1]) is State.FINISHED
