"""Records come home once, whole, or not at all."""

import hashlib
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from tests.site.builders import claim, finished, make_bots, queue_match
from tournament_site.matches import recording
from tournament_site.matches.bundle import Forfeit, Verdict, index_at, seat_of
from tournament_site.matches.models import Attempt, Game, GameResult, Match, QuarantinedRecord, Replay

pytestmark = pytest.mark.django_db


@pytest.fixture
def claimed():
    return claim(queue_match(make_bots(4), scale="test/4"))


def counts() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (GameResult, Replay, QuarantinedRecord))


def test_a_record_is_stored_whole(claimed):
    bundle = finished(claimed)
    assert recording.record(bundle) is Verdict.STORED
    match = Match.objects.get(pk=claimed.match_id)
    assert (match.state, match.lease_until) == (Match.State.FINISHED, None)
    assert Attempt.objects.get(match=match).state == Attempt.State.FINISHED
    assert counts() == (16, 4, 0)
    replay = Replay.objects.get(pk=claimed.games[0])
    assert bytes(replay.data) == bundle.games[0].replay
    assert replay.sha256 == hashlib.sha256(bundle.games[0].replay).hexdigest()
    assert (replay.size, replay.decisions) == (len(bundle.games[0].replay), 100)


def test_results_follow_the_bots_around_the_table(claimed):
    recording.record(finished(claimed))
    for index, game_id in enumerate(claimed.games):
        results = GameResult.objects.filter(game=game_id)
        assert {result.version_id: (result.seat, result.place) for result in results} == {
            seat.version_id: (seat_of(bot, index, 4), bot + 1) for bot, seat in enumerate(claimed.seats)
        }


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_every_bot_sits_in_every_seat_once(size):
    for bot in range(size):
        assert {seat_of(bot, game, size) for game in range(size)} == set(range(size))
        assert all(index_at(seat_of(bot, game, size), game, size) == bot for game in range(size))


def test_the_same_record_again_is_a_duplicate_and_changes_nothing(claimed):
    bundle = finished(claimed)
    assert [recording.record(bundle) for _ in range(3)] == [Verdict.STORED, Verdict.DUPLICATE, Verdict.DUPLICATE]
    assert counts() == (16, 4, 0)


def test_another_record_of_a_counted_attempt_is_kept_aside_and_the_first_stays(claimed):
    recording.record(finished(claimed))
    other = b"something else"
    forged = finished(claimed, replay=other, sha256=hashlib.sha256(other).digest())
    assert recording.record(forged) is Verdict.CORRUPT
    assert recording.record(forged) is Verdict.CORRUPT
    assert counts() == (16, 4, 4)
    assert Match.objects.get(pk=claimed.match_id).state == Match.State.FINISHED


def test_a_record_of_an_unknown_match_or_attempt_is_stale(claimed):
    bundle = finished(claimed)
    assert recording.record(replace(bundle, match_id=uuid4())) is Verdict.STALE
    assert recording.record(replace(bundle, attempt=2)) is Verdict.STALE
    assert counts() == (0, 0, 0)


def kept_reason() -> str:
    return QuarantinedRecord.objects.order_by("pk")[0].reason


WRONG: dict[str, dict[str, Any]] = {
    "another digest": {"sha256": bytes(32)},
    "no replay": {"replay": b"", "sha256": hashlib.sha256(b"").digest()},
    "says it is game 3": {"index": 3},
    "does not speak of 4 seats": {"places": (1, 2)},
    "impossible places": {"places": (1, 1, 2, 3)},
    "impossible phases": {"phases": (11, 0, 0, 0)},
    "counts below nothing": {"points": (-1, 0, 0, 0)},
    "places a seat that forfeited": {"forfeits": (Forfeit.CLOCK, None, None, None)},
    "those of the attempt": {"game_id": uuid4()},
}


@pytest.mark.parametrize("problem", WRONG)
def test_a_record_that_does_not_add_up_is_kept_aside_and_voids_the_attempt(claimed, problem):
    assert recording.record(finished(claimed, **WRONG[problem])) is Verdict.CORRUPT
    match = Match.objects.get(pk=claimed.match_id)
    assert (match.state, match.attempts_counted) == (Match.State.QUEUED, 1)
    assert counts() == (0, 0, 4)
    assert problem in kept_reason()
    assert set(Game.objects.values_list("state", flat=True)) == {Game.State.VOID}


def test_what_the_fold_found_makes_a_record_corrupt(claimed):
    assert recording.record(finished(claimed), ["game 0: the log ends in another result"]) is Verdict.CORRUPT
    assert "another result" in kept_reason()


def test_a_record_with_too_few_games_is_corrupt(claimed):
    bundle = finished(claimed)
    assert recording.record(replace(bundle, games=bundle.games[:3])) is Verdict.CORRUPT


def test_forfeits_are_kept_beside_the_place(claimed):
    bundle = finished(claimed, forfeits=(None, None, None, Forfeit.NO_SHOW), faults=(0, 1, 0, 3))
    assert recording.record(bundle) is Verdict.STORED
    result = GameResult.objects.get(game=claimed.games[0], seat=3)
    assert (result.forfeit, result.faults, result.place) == (GameResult.Forfeit.NO_SHOW, 3, 4)
