"""Several referees: where a match is played, and where it goes when its referee is lost."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db.models.functions import Now
from django.test import Client
from phaseten.v1 import referee_pb2 as pb

from tests.site.builders import make_bots, queue_match, version_of
from tests.spine.scripted_referee import ScriptedReferee, listening
from tournament_site import control, pipeline
from tournament_site.addresses import Referee
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot
from tournament_site.matches import services
from tournament_site.matches.models import Match
from tournament_site.matches.queries import LEASE

pytestmark = pytest.mark.django_db(transaction=True)

Pool = tuple[ScriptedReferee, ScriptedReferee]


@pytest.fixture
def pool(settings: Any) -> Iterator[Pool]:
    """Two referees, r1 and r2, that start whatever is ordered."""
    with listening() as one, listening() as two:
        both = (one, two)
        addresses = tuple(Referee(f"r{number}", each.address, each.address) for number, each in enumerate(both, 1))
        settings.SITE = replace(settings.SITE, referees=addresses)
        for each in both:
            each.starts_everything()
        yield both


def attend(
    referee: ScriptedReferee, bots: list[Bot], *, room: int, capacity: int = 8, games: int = 0, draining: bool = False
) -> None:
    """Say that bots are connected there, each with `games` running, and that the referee has so much room."""
    infos = [
        pb.SessionInfo(
            bot=bot.slug,
            version="1.0",
            version_id=version_of(bot).pk,
            capacity=capacity,
            games=games,
            credential=bot_services.new_token(bot).id,
        )
        for bot in bots
    ]
    answer = pb.ListSessionsResponse(sessions=infos, free_games=room, draining=draining)
    referee.answers["ListSessions"] = lambda _: answer


def ordered(referee: ScriptedReferee) -> list[UUID]:
    return [UUID(bytes=order.match_id) for request in referee.asked.get("StartMatches", []) for order in request.matches]


def test_the_one_with_the_most_room_of_those_that_all_attend(pool: Pool) -> None:
    ann, bob, cyd = make_bots(3)
    roomy, only_there = queue_match([ann, bob], sort_key=1), queue_match([ann, cyd], sort_key=2)
    attend(pool[0], [ann, bob, cyd], room=10)
    attend(pool[1], [ann, bob], room=50)
    pipeline.dispatch()
    assert (ordered(pool[0]), ordered(pool[1])) == ([only_there], [roomy])


def test_a_bot_plays_no_more_games_in_all_than_it_said(pool: Pool) -> None:
    bots = make_bots(2)
    matches = [queue_match(bots, sort_key=number) for number in range(8)]
    for each in pool:
        attend(each, bots, room=100, capacity=8, games=2)
    pipeline.dispatch()
    # Eight games at once, of which two run at each referee: room for two matches more, wherever they are played.
    assert sorted(ordered(pool[0]) + ordered(pool[1])) == sorted(matches[:2])


def test_one_that_drains_gets_nothing_new(pool: Pool) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    attend(pool[0], bots, room=100, draining=True)
    attend(pool[1], bots, room=4)
    pipeline.dispatch()
    assert (ordered(pool[0]), ordered(pool[1])) == ([], [match_id])


def test_a_match_moves_to_another_when_its_referee_is_lost(pool: Pool) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    attend(pool[0], bots, room=100)
    attend(pool[1], bots, room=50)
    pipeline.dispatch()
    assert ordered(pool[0]) == [match_id]
    for method in ("ListSessions", "GetMatches", "StartMatches"):  # from now on it answers nothing
        pool[0].answers.pop(method, None)
    Match.objects.filter(pk=match_id).update(lease_until=Now() - LEASE - timedelta(seconds=1))
    pipeline.heal()
    Match.objects.filter(pk=match_id).update(not_before=Now())
    pipeline.dispatch()
    assert ordered(pool[1]) == [match_id]
    match = Match.objects.get(pk=match_id)
    assert (match.state, match.referee, match.attempt, match.attempts_counted) == (Match.State.RUNNING, "r2", 2, 1)


def test_a_match_that_its_draining_referee_cut_goes_on_elsewhere_and_is_not_counted(pool: Pool) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    attend(pool[0], bots, room=100)
    pipeline.dispatch()
    # What the collector does with `AttemptVoid.planned`.
    services.call_off(match_id, 1, "the referee is going away")
    attend(pool[0], bots, room=100, draining=True)
    attend(pool[1], bots, room=50)
    Match.objects.filter(pk=match_id).update(not_before=Now())
    pipeline.dispatch()
    match = Match.objects.get(pk=match_id)
    assert (match.referee, match.attempt, match.attempts_counted) == ("r2", 2, 0)


def test_the_owner_and_the_api_see_where_a_bot_is_connected(pool: Pool) -> None:
    (ann,) = make_bots(1)
    for each in pool:
        attend(each, [ann], room=100, capacity=64, games=6)
    pipeline.dispatch()
    assert Client().get(f"/api/v1/bots/{ann.slug}").json()["connection"] == {
        "referees": ["r1", "r2"],
        "games": 12,
        "capacity": 64,
    }
    owner = Client()
    owner.force_login(ann.owner)
    for path in ("/my-bots", f"/my-bots/{ann.slug}"):
        assert "to r1, r2; 12 of 64 games" in owner.get(path).content.decode()


def test_those_that_do_not_answer_keep_nobody_waiting_one_after_the_other(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(control, "PATIENCE", 30.0)
    bots = make_bots(2)
    match_id = queue_match(bots)
    attend(pool[1], bots, room=50)
    both = threading.Barrier(2, timeout=60)
    answer = pool[1].answers["ListSessions"]

    def together(answered: Any) -> Any:
        both.wait()  # each answers only once the other one is asked
        return answered

    pool[0].answers["ListSessions"] = lambda _: together(pb.ListSessionsResponse(free_games=1))
    pool[1].answers["ListSessions"] = lambda request: together(answer(request))
    pipeline.dispatch()
    assert "referee r1" not in caplog.text  # it has answered
    assert ordered(pool[1]) == [match_id]
