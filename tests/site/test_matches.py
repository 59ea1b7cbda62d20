"""Claims, leases, fences and counted attempts."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Now

from tests.site.builders import REFEREE, claim, declare, finished, make_bots, queue_match
from tournament_site.bots import services as bot_services
from tournament_site.matches import queries, recording, services
from tournament_site.matches.bundle import Verdict
from tournament_site.matches.models import Attempt, Game, Match, MatchSeat
from tournament_site.matches.selection import Assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def bots():
    return make_bots(2)


def state_of(match_id: UUID) -> str:
    return Match.objects.get(pk=match_id).state


def let_lease_run_out(match_id: UUID, ago: timedelta = timedelta(seconds=1)) -> None:
    Match.objects.filter(pk=match_id).update(lease_until=Now() - ago)


def test_a_claim_opens_an_attempt_with_a_game_for_every_seating(bots):
    match_id = queue_match(bots)
    (claimed,) = services.claim([Assignment(match_id, REFEREE)])
    assert (claimed.attempt, claimed.referee, len(claimed.games)) == (1, REFEREE, 2)
    assert [(seat.bot, seat.bot_name, seat.version) for seat in claimed.seats] == [
        (bot.slug, bot.name, "1.0") for bot in bots
    ]
    match = Match.objects.get(pk=match_id)
    assert (match.state, match.attempt, match.referee) == (Match.State.RUNNING, 1, REFEREE)
    games = Game.objects.filter(attempt__match=match).order_by("index")
    assert [(game.pk, game.index) for game in games] == [(claimed.games[0], 0), (claimed.games[1], 1)]


def test_a_match_is_claimed_once(bots):
    wanted = [Assignment(queue_match(bots), REFEREE)]
    assert len(services.claim(wanted)) == 1
    assert services.claim(wanted) == ()


def test_a_match_waits_for_a_bot_without_a_version(bots):
    match_id = queue_match([bots[0], bot_services.create_bot(bots[1].owner, "Newcomer")])
    assert services.claim([Assignment(match_id, REFEREE)]) == ()
    assert state_of(match_id) == Match.State.QUEUED


def test_a_bot_plays_the_version_that_is_active_when_the_match_is_claimed(bots):
    match_id = queue_match(bots)
    new = declare(bots[0], "2.0")
    assert claim(match_id).seats[0].version == "2.0"
    assert MatchSeat.objects.get(match=match_id, index=0).version == new


def test_seats_with_fixed_versions_stay_as_they_are(bots):
    old = [bot.active_version.pk for bot in bots]
    match_id = uuid4()
    services.create_matches(
        [
            services.NewMatch(
                match_id,
                tuple(bot.pk for bot in bots),
                "test/2",
                0,
                rated=False,
                ruleset="official",
                terms={},
                versions=tuple(old),
            )
        ]
    )
    bot_services.declare_version(bots[0], "2.0")
    assert [seat.version_id for seat in claim(match_id).seats] == old


def test_a_renewed_lease_lasts_from_now(bots):
    claimed = claim(queue_match(bots))
    let_lease_run_out(claimed.match_id)
    assert [item.match_id for item in queries.overdue()] == [claimed.match_id]
    assert services.renew([(claimed.match_id, claimed.attempt)]) == frozenset()
    assert queries.overdue() == ()


def test_a_report_of_an_attempt_that_does_not_count_is_stale(bots):
    claimed = claim(queue_match(bots))
    strangers = {(claimed.match_id, claimed.attempt + 1), (uuid4(), 1)}
    assert services.renew([*strangers, (claimed.match_id, claimed.attempt)]) == strangers


def test_overdue_says_when_two_leases_are_over(bots):
    claimed = claim(queue_match(bots))
    let_lease_run_out(claimed.match_id)
    assert [item.two_leases for item in queries.overdue()] == [False]
    let_lease_run_out(claimed.match_id, queries.LEASE + timedelta(seconds=1))
    assert [item.two_leases for item in queries.overdue()] == [True]


def test_a_refused_start_is_put_back_and_not_counted(bots):
    claimed = claim(queue_match(bots))
    for _ in range(5):
        assert services.put_back(claimed.match_id, claimed.attempt, "a bot is not connected")
        match = Match.objects.get(pk=claimed.match_id)
        assert (match.state, match.attempts_counted) == (Match.State.QUEUED, 0)
        claimed = claim(claimed.match_id)
    assert claimed.attempt == 6
    refused = Attempt.objects.filter(match=claimed.match_id, state=Attempt.State.REFUSED)
    assert refused.count() == 5
    assert not Game.objects.filter(attempt__in=refused).exists()


def test_a_match_that_was_put_back_pauses(bots):
    claimed = claim(queue_match(bots))
    services.put_back(claimed.match_id, claimed.attempt, "no room")
    assert services.claim([Assignment(claimed.match_id, REFEREE)]) == ()
    assert queries.candidates([bot.active_version.pk for bot in bots]) == ()


def test_the_third_spoilt_attempt_voids_the_match_with_its_reason(bots):
    match_id = queue_match(bots)
    for number in (1, 2, 3):
        claimed = claim(match_id)
        assert claimed.attempt == number
        assert services.void_attempt(match_id, number, "the referee died")
    match = Match.objects.get(pk=match_id)
    assert (match.state, match.attempts_counted) == (Match.State.VOID, 3)
    assert match.void_reason == "3 attempts failed: the referee died"
    assert set(Game.objects.filter(attempt__match=match).values_list("state", flat=True)) == {Game.State.VOID}


def test_every_attempt_has_games_of_its_own(bots):
    first = claim(queue_match(bots))
    services.void_attempt(first.match_id, 1, "spoilt")
    assert not set(first.games) & set(claim(first.match_id).games)


def test_a_lost_attempt_counts_only_if_a_referee_said_it_plays_it(bots):
    never, said = claim(queue_match(bots)), claim(queue_match(bots))
    services.confirm([(said.match_id, said.attempt)])
    assert services.lose(never.match_id, never.attempt, "unknown")
    assert services.lose(said.match_id, said.attempt, "unknown")
    counted = dict(Match.objects.values_list("pk", "attempts_counted"))
    assert counted == {never.match_id: 0, said.match_id: 1}


@pytest.mark.parametrize("change", [services.put_back, services.void_attempt, services.lose, services.refuse_for_good])
def test_a_change_of_another_attempt_than_the_running_one_changes_nothing(bots, change):
    claimed = claim(queue_match(bots))
    assert not change(claimed.match_id, claimed.attempt + 1, "who is this?")
    assert not change(uuid4(), 1, "who is this?")
    assert state_of(claimed.match_id) == Match.State.RUNNING
    recording.record(finished(claimed))
    assert not change(claimed.match_id, claimed.attempt, "too late")
    assert state_of(claimed.match_id) == Match.State.FINISHED


def test_an_order_that_makes_no_sense_voids_the_match_at_once(bots):
    claimed = claim(queue_match(bots))
    assert services.refuse_for_good(claimed.match_id, claimed.attempt, "there is no rule set 'x'")
    match = Match.objects.get(pk=claimed.match_id)
    assert (match.state, match.void_reason, match.attempts_counted) == (Match.State.VOID, "there is no rule set 'x'", 0)


def test_only_queued_matches_are_called_off(bots):
    queued, running = queue_match(bots), claim(queue_match(bots)).match_id
    assert services.void_queued([queued, running], "left") == 1
    assert (state_of(queued), state_of(running)) == (Match.State.VOID, Match.State.RUNNING)


def test_candidates_are_those_whose_bots_are_all_present_in_order(bots):
    third = make_bots(1)[0]
    late, early = queue_match(bots, sort_key=2), queue_match(bots, sort_key=1)
    queue_match([bots[0], third])
    present = [bot.active_version.pk for bot in bots]
    found = queries.candidates(present)
    assert [item.match_id for item in found] == [early, late]
    assert found[0].versions == tuple(present)
    assert queries.candidates([]) == ()
    assert len(queries.candidates(present, limit=1)) == 1


def test_the_first_commitment_of_a_game_stays(bots):
    claimed = claim(queue_match(bots))
    game = claimed.games[0]
    services.open_games({game: b"\1" * 64, claimed.games[1]: b"short", uuid4(): b"\1" * 64})
    services.open_games({game: b"\2" * 64})
    assert bytes(Game.objects.get(pk=game).commitment or b"") == b"\1" * 64
    assert Game.objects.get(pk=claimed.games[1]).commitment is None


def test_a_late_record_of_a_void_attempt_is_stale_before_and_after_the_next_claim(bots):
    old = claim(queue_match(bots))
    services.void_attempt(old.match_id, old.attempt, "its lease ran out")
    assert recording.record(finished(old)) is Verdict.STALE
    claim(old.match_id)
    assert recording.record(finished(old)) is Verdict.STALE
    assert state_of(old.match_id) == Match.State.RUNNING


def test_a_record_after_the_lease_but_before_anybody_noticed_counts(bots):
    claimed = claim(queue_match(bots))
    let_lease_run_out(claimed.match_id)
    assert recording.record(finished(claimed)) is Verdict.STORED
