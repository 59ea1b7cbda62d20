"""Two connections at once: what one has, the other cannot have."""

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from tests.site.builders import REFEREE, claim, finished, make_bots, make_season, play, queue_match
from tournament_site.common.errors import Reason, Refused
from tournament_site.leagues import demo
from tournament_site.leagues import services as league_services
from tournament_site.matches import recording, services
from tournament_site.matches.bundle import Verdict
from tournament_site.matches.models import Attempt, Match
from tournament_site.matches.selection import Assignment
from tournament_site.ratings import services as rating_services
from tournament_site.ratings.models import LedgerEntry, Scale

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls in threads with connections of their own, let go together; what each returned or raised."""
    gate = threading.Barrier(len(calls))
    answers: list[Any] = [None] * len(calls)

    def run(number, call):
        try:
            gate.wait()
            answers[number] = call()
        except Exception as error:
            answers[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number, call)) for number, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_claims_at_once_share_the_queue_out():
    bots = make_bots(2)
    wanted = [Assignment(queue_match(bots), REFEREE) for _ in range(30)]
    answers = at_once(*[lambda: services.claim(wanted)] * 4)
    taken = Counter(claimed.match_id for answer in answers for claimed in answer)
    assert set(taken.values()) == {1}
    left = services.claim(wanted)  # what one call passed over because another held it and then let go
    assert len(taken) + len(left) == 30
    assert Attempt.objects.filter(state=Attempt.State.RUNNING).count() == 30


def test_a_claim_passes_over_what_another_transaction_holds():
    bots = make_bots(2)
    first, second = queue_match(bots), queue_match(bots)
    wanted = [Assignment(first, REFEREE), Assignment(second, REFEREE)]
    with transaction.atomic():
        Match.objects.select_for_update().get(pk=first)
        (answer,) = at_once(lambda: services.claim(wanted))
    assert [claimed.match_id for claimed in answer] == [second]


def test_the_same_record_from_two_collectors_is_stored_once():
    bundle = finished(claim(queue_match(make_bots(2))))
    answers = at_once(*[lambda: recording.record(bundle)] * 4)
    assert Counter(answers) == {Verdict.STORED: 1, Verdict.DUPLICATE: 3}


def test_a_record_and_the_end_of_its_lease_do_not_both_count():
    for _ in range(5):
        claimed = claim(queue_match(make_bots(2)))
        bundle = finished(claimed)
        verdict, voided = at_once(
            partial(recording.record, bundle),
            partial(services.void_attempt, claimed.match_id, claimed.attempt, "its lease ran out"),
        )
        assert (verdict, voided) in {(Verdict.STORED, False), (Verdict.STALE, True)}


def test_ratings_applied_at_once_are_applied_once_and_without_gaps():
    bots = make_bots(2)
    for _ in range(6):
        play(queue_match(bots))
    answers = at_once(*[rating_services.apply] * 3)
    assert sum(answers) == 6
    numbers = list(LedgerEntry.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, 13))
    assert Scale.objects.get().last_number == 12


def test_a_season_started_at_once_by_two_is_started_once():
    season = make_season(make_bots(4), start=False)
    answers = at_once(*[lambda: league_services.start_season(season.pk)] * 2)
    refused = [answer for answer in answers if isinstance(answer, Refused)]
    assert [answer.reason for answer in refused] == [Reason.SEASON_NOT_OPEN]
    assert Match.objects.count() == 6


def test_seasons_of_a_league_that_reopens_started_at_once_open_one():
    league = league_services.create_league("Evergreen", 2, ruleset="official", terms=demo.TERMS, reopens=True)
    bots = make_bots(2, house=True)
    for turn in range(4):
        seasons = [league_services.open_season(league, cycles=1, min_bots=2, max_bots=2) for _ in range(2)]
        for season in seasons:
            for bot in bots:
                league_services.enter(season.pk, bot)
        started = at_once(*[partial(league_services.start_season, season.pk) for season in seasons * 2])
        assert sum(isinstance(answer, Refused) for answer in started) == 2
        assert Counter(league.seasons.values_list("state", flat=True)) == {"OPEN": 1, "RUNNING": 3 * turn + 2}
        league_services.start_season(league.seasons.get(state="OPEN").pk)
        league.seasons.filter(state="OPEN").delete()


def test_the_last_place_of_a_season_is_given_once():
    bots = make_bots(3)
    season = make_season(bots[:1], start=False)
    type(season).objects.filter(pk=season.pk).update(max_bots=2)
    answers = at_once(*[partial(league_services.enter, season.pk, bot) for bot in bots[1:]])
    assert sum(isinstance(answer, Refused) for answer in answers) == 1
    assert season.entries.count() == 2


def test_renewals_in_opposite_orders_do_not_block_each_other():
    bots = make_bots(2)
    pairs = [(claimed.match_id, claimed.attempt) for claimed in (claim(queue_match(bots)) for _ in range(40))]
    answers = at_once(*[lambda: services.renew(pairs), lambda: services.renew(reversed(pairs))] * 3)
    assert answers == [frozenset()] * 6
