"""What referees report: leases, commitments, live events and records, over a real stream."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from phaseten.v1 import referee_pb2 as pb
from phaseten.v1.replay_pb2 import SeatNonce

from referee.engine.game import Game
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.shuffle import SeededDecks
from referee.wire.view import encode_table
from tests.site.builders import claim, make_bots, queue_match
from tests.spine.records import replays_of, serialised
from tests.spine.scripted_referee import ScriptedReferee
from tournament_site import live, pipeline
from tournament_site.collector import Watcher
from tournament_site.leagues import audit
from tournament_site.matches import services
from tournament_site.matches.models import Attempt, Match, QuarantinedRecord, Replay
from tournament_site.matches.models import Game as StoredGame
from tournament_site.matches.services import Claimed
from tournament_site.ratings.models import LedgerEntry

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 60.0


def ref(claimed: Claimed, attempt: int | None = None) -> pb.AttemptRef:
    return pb.AttemptRef(match_id=claimed.match_id.bytes, attempt=claimed.attempt if attempt is None else attempt)


@pytest.fixture
def watching(referee: ScriptedReferee, monkeypatch: Any) -> Any:
    """A collector's thread that watches the scripted referee; its wish for work is noted, not sent."""
    asked = threading.Event()
    monkeypatch.setattr("tournament_site.collector.ask_for_work", asked.set)
    watcher = Watcher(settings.SITE.referees[0])
    watcher.start()
    yield asked
    watcher.stop()
    watcher.join(PATIENCE)
    assert not watcher.is_alive()
    connections.close_all()


def say(referee: ScriptedReferee, *messages: pb.WatchMessage) -> None:
    referee.updates.put(pb.WatchResponse(messages=messages))


def until(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def record(claimed: Claimed, data: bytes, parts: int = 1) -> list[pb.WatchMessage]:
    size = -(-len(data) // parts)
    return [
        pb.WatchMessage(
            record=pb.RecordPart(attempt=ref(claimed), part=part, parts=parts, data=data[part * size : (part + 1) * size])
        )
        for part in range(parts)
    ]


def acknowledged(referee: ScriptedReferee) -> Any:
    return referee.acknowledged.get(timeout=PATIENCE)


def test_a_record_in_parts_is_stored_and_acknowledged(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(3), scale="test/3"))
    data = serialised(claimed.match_id, claimed.attempt, replays_of(claimed))
    say(referee, pb.WatchMessage(greeting=pb.WatchGreeting(referee="r", incarnation="i")))
    for message in record(claimed, data, parts=3):
        say(referee, message)
    verdict = acknowledged(referee)
    assert (verdict.attempt, verdict.verdict) == (ref(claimed), pb.VERDICT_STORED)
    assert watching.wait(PATIENCE)
    assert Match.objects.get(pk=claimed.match_id).state == Match.State.FINISHED
    assert Replay.objects.count() == 3
    pipeline.settle()
    assert LedgerEntry.objects.count() == 3
    assert list(audit.problems(settled=True)) == []


def test_a_record_sent_again_is_a_duplicate(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(2)))
    data = serialised(claimed.match_id, claimed.attempt, replays_of(claimed))
    say(referee, *record(claimed, data), *record(claimed, data))
    assert [acknowledged(referee).verdict for _ in range(2)] == [pb.VERDICT_STORED, pb.VERDICT_DUPLICATE]
    assert Attempt.objects.filter(state=Attempt.State.FINISHED).count() == 1


def test_a_late_record_is_stale_and_counts_nowhere(referee: ScriptedReferee, watching: Any) -> None:
    first = claim(queue_match(make_bots(2)))
    data = serialised(first.match_id, first.attempt, replays_of(first))
    services.void_attempt(first.match_id, first.attempt, "its referee was frozen")
    second = claim(first.match_id)
    say(referee, *record(first, data))
    assert acknowledged(referee).verdict == pb.VERDICT_STALE
    assert Match.objects.get(pk=first.match_id).state == Match.State.RUNNING
    assert second.attempt == 2
    assert not Replay.objects.exists()


def test_a_corrupt_record_is_kept_aside_and_played_again(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(2)))
    data = serialised(claimed.match_id, claimed.attempt, replays_of(claimed)[::-1])
    say(referee, *record(claimed, data))
    assert acknowledged(referee).verdict == pb.VERDICT_CORRUPT
    match = Match.objects.get(pk=claimed.match_id)
    assert (match.state, match.attempts_counted) == (Match.State.QUEUED, 1)
    assert QuarantinedRecord.objects.count() == 2
    assert not Replay.objects.exists()


def test_a_running_report_prolongs_leases_and_calls_off_what_does_not_count(referee: ScriptedReferee, watching: Any) -> None:
    alive, gone = claim(queue_match(make_bots(2))), claim(queue_match(make_bots(2)))
    services.void_attempt(gone.match_id, gone.attempt, "lost")
    before = Match.objects.get(pk=alive.match_id).lease_until
    say(referee, pb.WatchMessage(running=pb.RunningAttempts(attempts=[ref(alive), ref(gone)])))
    until(lambda: bool(referee.asked.get("CancelMatches")))
    assert [list(request.attempts) for request in referee.asked["CancelMatches"]] == [[ref(gone)]]
    after = Match.objects.get(pk=alive.match_id).lease_until
    assert before is not None
    assert after is not None
    assert after > before
    assert Attempt.objects.get(match=alive.match_id).confirmed_at is not None


def test_commitments_and_public_events_are_shown_at_once(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(2)))
    game_id, table = claimed.games[0], Game(Ruleset(), Terms(), 2, SeededDecks(bytes(64))).public_view()
    opened = pb.GameOpened(attempt=ref(claimed), game_id=game_id.bytes, game_index=0, commitment=b"c" * 64)
    update = pb.GameUpdate(game_id=game_id.bytes, first=0, table=encode_table(table))
    update.events.add().draw_seen.seat = 1
    say(referee, pb.WatchMessage(game_opened=opened), pb.WatchMessage(game_update=update))
    until(lambda: live.snapshot(game_id) is not None)
    assert bytes(StoredGame.objects.get(pk=game_id).commitment or b"") == b"c" * 64
    shown = live.snapshot(game_id)
    assert shown is not None
    assert (shown.number, shown.table, len(shown.events)) == (0, table, 1)


def test_an_attempt_that_its_referee_gave_up_is_played_again(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(2)))
    say(referee, pb.WatchMessage(attempt_void=pb.AttemptVoid(attempt=ref(claimed), text="a mistake of ours")))
    until(lambda: Match.objects.get(pk=claimed.match_id).state == Match.State.QUEUED)
    assert Attempt.objects.get(match=claimed.match_id).reason == "a mistake of ours"


def seeds() -> set[bytes]:
    """The seeds of all games that show one."""
    return {bytes(seed) for seed in StoredGame.objects.values_list("server_seed", flat=True) if seed is not None}


def test_a_void_attempt_shows_its_seeds_and_is_acknowledged(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(2)))
    games = [
        pb.VoidGame(
            game_id=game.bytes,
            server_seed=bytes([65 + index]) * 64,
            commitment=b"c" * 64,
            nonces=[SeatNonce(nonce=bytes(32))] * 2,
        )
        for index, game in enumerate(claimed.games)
    ]
    void = pb.AttemptVoid(attempt=ref(claimed), text="the referee is going away", planned=True, games=games)
    say(referee, pb.WatchMessage(attempt_void=void), pb.WatchMessage(attempt_void=void))
    assert [acknowledged(referee).attempt for _ in range(2)] == [ref(claimed)] * 2
    assert seeds() == {b"A" * 64, b"B" * 64}
    assert Match.objects.get(pk=claimed.match_id).state == Match.State.QUEUED


@pytest.mark.parametrize("why", ["stale", "corrupt"])
def test_a_record_that_does_not_count_shows_its_seeds(referee: ScriptedReferee, watching: Any, why: str) -> None:
    claimed = claim(queue_match(make_bots(2)))
    replays = replays_of(claimed)
    if why == "stale":
        services.void_attempt(claimed.match_id, claimed.attempt, "its referee was frozen")
    else:
        replays[0] = replace(replays[0], result=replace(replays[0].result, totals=(1, 2)))
    say(referee, *record(claimed, serialised(claimed.match_id, claimed.attempt, replays)))
    assert acknowledged(referee).verdict == (pb.VERDICT_STALE if why == "stale" else pb.VERDICT_CORRUPT)
    until(lambda: seeds() == {replay.server_seed for replay in replays})


def test_a_planned_end_is_not_counted(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(2)))
    for _ in range(4):
        void = pb.AttemptVoid(attempt=ref(claimed), text="the referee is going away", planned=True)
        say(referee, pb.WatchMessage(attempt_void=void))
        until(lambda: Match.objects.filter(state=Match.State.QUEUED).exists())
        claimed = claim(claimed.match_id)
    match = Match.objects.get(pk=claimed.match_id)
    assert (match.state, match.attempt, match.attempts_counted) == (Match.State.RUNNING, 5, 0)


def test_a_stream_that_ends_is_opened_again(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(2)))
    data = serialised(claimed.match_id, claimed.attempt, replays_of(claimed))
    referee.updates.put(None)
    say(referee, *record(claimed, data))
    assert acknowledged(referee).verdict == pb.VERDICT_STORED


def test_nonsense_ends_the_stream_and_nothing_else(referee: ScriptedReferee, watching: Any) -> None:
    claimed = claim(queue_match(make_bots(2)))
    data = serialised(claimed.match_id, claimed.attempt, replays_of(claimed))
    nonsense = pb.WatchMessage(game_opened=pb.GameOpened(attempt=ref(claimed), game_id=b"short"))
    referee.last_words(pb.WatchResponse(messages=[nonsense]))
    say(referee, *record(claimed, data))
    assert acknowledged(referee).verdict == pb.VERDICT_STORED
