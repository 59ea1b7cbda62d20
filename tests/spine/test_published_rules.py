"""A league plays by the rule set that it names: what is ordered, and what is taken home and rated."""

import pytest

from referee.engine.presets import PRESETS
from referee.wire.rules import decode_ruleset
from tests.site.builders import claim, make_bots, make_season
from tests.spine.records import replays_of, serialised
from tests.spine.scripted_referee import ScriptedReferee
from tests.spine.test_dispatch import connect
from tournament_site import pipeline
from tournament_site.leagues import audit
from tournament_site.matches import queries, recording
from tournament_site.matches.bundle import Verdict
from tournament_site.matches.models import Match
from tournament_site.matches.records import read_record
from tournament_site.ratings.models import LedgerEntry

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("name", PRESETS)
def test_the_rules_of_a_league_are_ordered(referee: ScriptedReferee, name: str) -> None:
    bots = make_bots(2)
    make_season(bots, ruleset=name)
    connect(referee, bots)
    referee.starts_everything()
    pipeline.dispatch()
    (request,) = referee.asked["StartMatches"]
    assert {decode_ruleset(order.ruleset) for order in request.matches} == {PRESETS[name]}


@pytest.mark.parametrize("name", PRESETS)
def test_games_by_the_rules_of_a_league_are_recorded_and_rated(name: str) -> None:
    season = make_season(make_bots(3), table_size=3, ruleset=name)
    for match in Match.objects.filter(pairing__round__season=season):
        claimed = claim(match.pk)
        data = serialised(claimed.match_id, claimed.attempt, replays_of(claimed))
        reading = read_record(claimed.match_id, claimed.attempt, data, queries.ordered(claimed.match_id))
        assert reading.findings == ()
        assert recording.record(reading.match) is Verdict.STORED
    pipeline.settle()
    assert LedgerEntry.objects.filter(match__pairing__round__season=season).count() == 9
    assert list(audit.problems(settled=True)) == []
