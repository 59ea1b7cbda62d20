"""Leases that ran out: nothing is put back before its referee was asked, and only our own failures are counted."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db.models.functions import Now
from phaseten.v1 import referee_pb2 as pb

from tests.site.builders import REFEREE, claim, make_bots, queue_match
from tests.spine.scripted_referee import ScriptedReferee, listening
from tournament_site import pipeline
from tournament_site.addresses import Referee
from tournament_site.matches import services
from tournament_site.matches.models import Match
from tournament_site.matches.queries import LEASE
from tournament_site.matches.services import Claimed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def running() -> Claimed:
    """A match whose referee said that it plays it."""
    claimed = claim(queue_match(make_bots(2)))
    services.confirm([(claimed.match_id, claimed.attempt)])
    return claimed


def late(match_id: UUID, by: timedelta = timedelta(seconds=1)) -> None:
    Match.objects.filter(pk=match_id).update(lease_until=Now() - by)


def state(match_id: UUID) -> tuple[str, int]:
    match = Match.objects.get(pk=match_id)
    return match.state, match.attempts_counted


def test_a_lease_that_is_not_over_is_nobodys_business(referee: ScriptedReferee, running: Claimed) -> None:
    pipeline.heal()
    assert "GetMatches" not in referee.asked
    assert state(running.match_id) == ("RUNNING", 0)


@pytest.mark.parametrize("known", [pb.ATTEMPT_STATE_RUNNING, pb.ATTEMPT_STATE_FINISHED])
def test_what_its_referee_still_has_lives_on(referee: ScriptedReferee, running: Claimed, known: int) -> None:
    late(running.match_id)
    referee.knows(known)
    pipeline.heal()
    assert state(running.match_id) == ("RUNNING", 0)
    assert not Match.objects.filter(pk=running.match_id, lease_until__lt=Now()).exists()


def test_what_its_referee_lost_is_played_again_and_counted(referee: ScriptedReferee, running: Claimed) -> None:
    late(running.match_id)
    referee.knows(pb.ATTEMPT_STATE_UNKNOWN)
    pipeline.heal()
    assert state(running.match_id) == ("QUEUED", 1)


def test_what_never_began_is_not_counted(referee: ScriptedReferee) -> None:
    claimed = claim(queue_match(make_bots(2)))
    late(claimed.match_id)
    referee.knows(pb.ATTEMPT_STATE_UNKNOWN)
    pipeline.heal()
    assert state(claimed.match_id) == ("QUEUED", 0)


def test_what_its_referee_gave_up_is_counted(referee: ScriptedReferee, running: Claimed) -> None:
    late(running.match_id)
    referee.knows(pb.ATTEMPT_STATE_VOID)
    pipeline.heal()
    assert state(running.match_id) == ("QUEUED", 1)


def test_what_its_referee_called_off_is_not_counted(referee: ScriptedReferee, running: Claimed) -> None:
    """Also where the lease is over before the referee could tell of it, as while it is started anew."""
    late(running.match_id)
    referee.knows(pb.ATTEMPT_STATE_CALLED_OFF)
    pipeline.heal()
    assert state(running.match_id) == ("QUEUED", 0)


def test_a_referee_that_cannot_be_asked_is_waited_for(referee: ScriptedReferee, running: Claimed) -> None:
    late(running.match_id)
    pipeline.heal()  # the script has no answer to GetMatches: UNAVAILABLE
    assert state(running.match_id) == ("RUNNING", 0)
    late(running.match_id, LEASE + timedelta(seconds=1))
    pipeline.heal()
    assert state(running.match_id) == ("QUEUED", 1)
    assert referee.asked["GetMatches"]


def test_every_referee_is_asked_about_its_own_matches_and_those_of_one_that_is_away_move(
    referee: ScriptedReferee, settings: Any
) -> None:
    matches = []
    for name in (REFEREE, "away", "no longer ours"):
        claimed = claim(queue_match(make_bots(2)), name)
        services.confirm([(claimed.match_id, claimed.attempt)])
        late(claimed.match_id, LEASE + timedelta(seconds=1))
        matches.append(claimed.match_id)
    with listening() as away:
        pool = (Referee("away", away.address, away.address), *settings.SITE.referees)
        settings.SITE = replace(settings.SITE, referees=pool)
        referee.knows(pb.ATTEMPT_STATE_RUNNING)
        pipeline.heal()
        asked = [[ref.match_id for ref in script.asked["GetMatches"][0].attempts] for script in (referee, away)]
    assert asked == [[matches[0].bytes], [matches[1].bytes]]
    assert [state(match_id) for match_id in matches] == [("RUNNING", 0), ("QUEUED", 1), ("QUEUED", 1)]


def test_the_third_loss_voids_the_match(referee: ScriptedReferee, running: Claimed) -> None:
    referee.knows(pb.ATTEMPT_STATE_UNKNOWN)
    for count in (1, 2):
        late(running.match_id)
        pipeline.heal()
        assert state(running.match_id) == ("QUEUED", count)
        again = claim(running.match_id)
        services.confirm([(again.match_id, again.attempt)])
    late(running.match_id)
    pipeline.heal()
    assert state(running.match_id) == ("VOID", 3)
    assert "its referee knows nothing of it" in Match.objects.get(pk=running.match_id).void_reason
