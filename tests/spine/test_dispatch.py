"""From the queue to a referee: who is claimed, what is ordered, and what becomes of each answer."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any
from uuid import UUID

import grpc
import pytest
from django.conf import settings
from phaseten.v1 import referee_pb2 as pb

from tests.site.builders import REFEREE, make_bots, queue_match, version_of
from tests.spine.scripted_referee import ScriptedReferee, listening
from tournament_site import pipeline
from tournament_site.addresses import Referee
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot, Presence
from tournament_site.control import client_of
from tournament_site.matches import queries
from tournament_site.matches.models import Attempt, Match
from tournament_site.matches.referee_client import RefereeRefused
from tournament_site.matches.selection import Candidate

pytestmark = pytest.mark.django_db(transaction=True)


def connect(referee: ScriptedReferee, bots: list[Bot], capacity: int = 8) -> list[str]:
    """Connect bots, each with a token of its own; returns the tokens' ids."""
    tokens = [bot_services.new_token(bot).id for bot in bots]
    versions = [version_of(bot).pk for bot in bots]
    referee.has_sessions(*((bot.slug, token, pk, capacity) for bot, token, pk in zip(bots, tokens, versions, strict=True)))
    return tokens


def state(match_id: UUID) -> tuple[str, int, int]:
    match = Match.objects.get(pk=match_id)
    return match.state, match.attempt, match.attempts_counted


def test_a_match_whose_bots_are_there_is_ordered_once(referee: ScriptedReferee) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    connect(referee, bots)
    referee.starts_everything()
    pipeline.dispatch()
    pipeline.dispatch()
    (request,) = referee.asked["StartMatches"]
    (order,) = request.matches
    assert (UUID(bytes=order.match_id), order.attempt) == (match_id, 1)
    assert [bot.bot for bot in order.bots] == [bot.slug for bot in bots]
    assert order.ruleset.name == "official"
    assert order.terms.clock.bank_ms == 60_000
    assert len({bytes(game) for game in order.game_ids}) == 2
    assert state(match_id) == ("RUNNING", 1, 0)
    assert Attempt.objects.get(match=match_id).confirmed_at is not None
    assert all(token.startswith("Bearer ") for token in referee.tokens)


def test_absent_bots_wait_and_the_others_play_on(referee: ScriptedReferee) -> None:
    bots = make_bots(3)
    waits, plays = queue_match([bots[0], bots[2]], sort_key=1), queue_match(bots[:2], sort_key=2)
    connect(referee, bots[:2])
    referee.starts_everything()
    pipeline.dispatch()
    assert state(waits) == ("QUEUED", 0, 0)
    assert state(plays) == ("RUNNING", 1, 0)


def test_no_bot_gets_more_games_than_it_has_room_for(referee: ScriptedReferee) -> None:
    bots = make_bots(2)
    matches = [queue_match(bots, sort_key=number) for number in range(5)]
    connect(referee, bots, capacity=4)
    referee.starts_everything()
    pipeline.dispatch()
    assert [state(match_id)[0] for match_id in matches] == ["RUNNING", "RUNNING", "QUEUED", "QUEUED", "QUEUED"]


@pytest.mark.parametrize("refusal", ["BOTS_ABSENT", "NO_CAPACITY", "VERSION_CHANGED", "REFEREE_BUSY", "DRAINING"])
def test_a_refused_match_waits_and_nothing_is_counted(referee: ScriptedReferee, refusal: str) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    connect(referee, bots)
    referee.starts_everything(pb.START_OUTCOME_REFUSED, pb.Refusal.Value(f"REFUSAL_{refusal}"))
    pipeline.dispatch()
    assert state(match_id) == ("QUEUED", 1, 0)
    assert Attempt.objects.get(match=match_id).state == Attempt.State.REFUSED


def test_an_order_that_makes_no_sense_is_not_repeated(referee: ScriptedReferee) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    connect(referee, bots)
    referee.starts_everything(pb.START_OUTCOME_REFUSED, pb.REFUSAL_INVALID_ORDER)
    pipeline.dispatch()
    match = Match.objects.get(pk=match_id)
    assert match.state == Match.State.VOID
    assert "as the script says" in match.void_reason


def test_rules_that_nobody_knows_void_their_match_alone(referee: ScriptedReferee) -> None:
    bots = make_bots(2)
    odd, fine = queue_match(bots), queue_match(bots, sort_key=1)
    Match.objects.filter(pk=odd).update(ruleset="of-another-world")
    connect(referee, bots)
    referee.starts_everything()
    pipeline.dispatch()
    assert state(odd)[0] == "VOID"
    assert state(fine)[0] == "RUNNING"


@pytest.mark.parametrize("outcome", [pb.START_OUTCOME_ALREADY_RUNNING, pb.START_OUTCOME_ALREADY_FINISHED])
def test_a_match_that_runs_already_stays_running(referee: ScriptedReferee, outcome: Any) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    connect(referee, bots)
    referee.starts_everything(outcome)
    pipeline.dispatch()
    assert state(match_id) == ("RUNNING", 1, 0)


def test_orders_without_an_answer_keep_their_lease(referee: ScriptedReferee) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    connect(referee, bots)
    pipeline.dispatch()  # the script has no answer to StartMatches: UNAVAILABLE
    match = Match.objects.get(pk=match_id)
    assert match.state == Match.State.RUNNING
    assert match.lease_until is not None
    assert Attempt.objects.get(match=match).confirmed_at is None


def test_a_referee_that_is_away_has_no_bots(referee: ScriptedReferee) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    connect(referee, bots)
    pipeline.dispatch()
    assert Presence.objects.filter(referee=REFEREE).count() == 2
    del referee.answers["ListSessions"]
    pipeline.dispatch()
    assert not Presence.objects.filter(referee=REFEREE).exists()
    assert state(match_id)[0] == "RUNNING"


def test_whoever_came_with_a_revoked_token_is_sent_away_every_time(referee: ScriptedReferee) -> None:
    bots = make_bots(2)
    stolen, _ = connect(referee, bots)
    bot_services.new_token(bots[0])  # the owner has another one, which is fine
    bot_services.revoke_token(bots[0], stolen)
    match_id = queue_match(bots)
    referee.starts_everything()
    for _ in range(3):  # it comes back with its ticket, which is good for minutes
        pipeline.dispatch()
    assert [list(request.credentials) for request in referee.asked["CloseSessions"]] == [[stolen]] * 3
    assert state(match_id) == ("QUEUED", 0, 0)
    assert not Presence.objects.filter(version__bot=bots[0]).exists()


def test_a_bot_without_room_does_not_hide_the_others(referee: ScriptedReferee, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = make_bots(3)
    busy = [queue_match(bots[:2], sort_key=number) for number in range(3)]
    free = queue_match(bots[1:], sort_key=9)
    connect(referee, bots)
    sessions = referee.answers["ListSessions"](None)
    sessions.sessions[0].games = sessions.sessions[0].capacity
    referee.answers["ListSessions"] = lambda _: sessions
    referee.starts_everything()
    asked: list[frozenset[int]] = []
    find = queries.candidates

    def candidates(present: Collection[int]) -> tuple[Candidate, ...]:
        asked.append(frozenset(present))
        return find(present)

    monkeypatch.setattr(queries, "candidates", candidates)
    pipeline.dispatch()
    assert asked == [frozenset(version_of(bot).pk for bot in bots[1:])]
    assert [state(match_id)[0] for match_id in (*busy, free)] == ["QUEUED"] * 3 + ["RUNNING"]


def test_a_referee_that_refuses_us_does_not_stop_the_others(
    referee: ScriptedReferee, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    connect(referee, bots)
    referee.starts_everything()
    with listening() as broken:
        broken.refuses_with(grpc.StatusCode.UNAUTHENTICATED)
        pool = (Referee("a-broken-one", broken.address, broken.address), *settings.SITE.referees)
        monkeypatch.setattr(settings, "SITE", replace(settings.SITE, referees=pool))
        pipeline.dispatch()
    assert state(match_id) == ("RUNNING", 1, 0)


def test_a_proxy_is_not_asked_for_a_neighbour(referee: ScriptedReferee, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "grpc_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with client_of(settings.SITE.referees[0]) as client:
        assert client.list_sessions().free_games == 100


def test_what_a_newer_referee_says_is_waited_for_or_refused(referee: ScriptedReferee) -> None:
    bots = make_bots(2)
    match_id = queue_match(bots)
    connect(referee, bots)
    referee.starts_everything(pb.START_OUTCOME_REFUSED, 99)
    pipeline.dispatch()
    assert state(match_id) == ("QUEUED", 1, 0)
    referee.answers["StartMatches"] = lambda request: pb.StartMatchesResponse(
        results=[pb.StartResult(attempt=pb.AttemptRef(match_id=b"short"), outcome=pb.START_OUTCOME_STARTED)]
    )
    Match.objects.update(not_before=Match.objects.get(pk=match_id).queued_at)
    pipeline.dispatch()
    assert state(match_id) == ("RUNNING", 2, 0)  # nobody knows: its lease will tell


def test_a_referee_that_refuses_our_token_is_our_mistake(referee: ScriptedReferee) -> None:
    referee.refuses_with(grpc.StatusCode.UNAUTHENTICATED)
    with (
        client_of(settings.SITE.referees[0]) as client,
        pytest.raises(RefereeRefused, match="UNAUTHENTICATED: the script says no"),
    ):
        client.list_sessions()
