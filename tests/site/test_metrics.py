"""The site's page for Prometheus: what is counted, and that it tells what it cannot count."""

import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.db.models.functions import Now
from prometheus_client.parser import text_string_to_metric_families

from tests.site.builders import claim, make_bots, make_season, play, queue_match, version_of
from tournament_site import metrics
from tournament_site.bots import services as bot_services
from tournament_site.bots.services import Room
from tournament_site.matches import services
from tournament_site.matches.models import Match
from tournament_site.ratings.services import apply
from tournament_site.tasks import heal

pytestmark = pytest.mark.django_db(transaction=True)  # the page has connections of its own


@pytest.fixture
def page() -> Iterator[metrics.MetricsPage]:
    served = metrics.MetricsPage(("127.0.0.1", 0))
    yield served
    served.close()


def scrape(page: metrics.MetricsPage) -> dict[str, float]:
    """What the page says: name and labels -> value."""
    with urllib.request.urlopen(f"http://127.0.0.1:{page.port}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    found = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation, family.name
        for sample in family.samples:
            labels = "".join(f"{{{name}={value}}}" for name, value in sorted(sample.labels.items()))
            found[sample.name + labels] = sample.value
    return found


def test_rows_are_counted_by_what_they_are(page: metrics.MetricsPage) -> None:
    bots = make_bots(2)
    make_season(bots)  # a match in the queue
    play(queue_match(bots, scale="a/2"))
    play(queue_match(bots, scale="b/2"))
    lost = claim(queue_match(bots))
    services.void_attempt(lost.match_id, lost.attempt, "lost")
    late = claim(queue_match(bots))
    Match.objects.filter(pk=late.match_id).update(lease_until=Now())
    bot_services.declare_version(bots[0], "new")
    bot_services.record_presence("r1", {version_of(bots[1]).pk: Room(4)})
    found = scrape(page)
    expected = {
        "phaseten_database_up": 1,
        "phaseten_matches{state=queued}": 2,
        "phaseten_matches{state=running}": 1,
        "phaseten_matches{state=finished}": 2,
        "phaseten_matches{state=void}": 0,
        "phaseten_games{state=finished}": 4,
        "phaseten_games{state=void}": 2,
        "phaseten_seasons{state=running}": 1,
        "phaseten_seasons{state=open}": 0,
        "phaseten_versions{validation=granted}": 2,
        "phaseten_versions{validation=needed}": 1,
        "phaseten_matches_overdue": 1,
        "phaseten_rating_lag_matches": 2,
        "phaseten_quarantined_records": 0,
        "phaseten_attempts_void_total": 1,
        "phaseten_ledger_lines_total": 0,
        "phaseten_bots_connected{referee=r1}": 1,
    }
    assert {name: found.get(name) for name in expected} == expected
    apply()
    found = scrape(page)
    assert (found["phaseten_rating_lag_matches"], found["phaseten_ledger_lines_total"]) == (0, 4)


def test_a_task_that_ran_is_remembered(page: metrics.MetricsPage) -> None:
    cache.clear()
    assert not [name for name in scrape(page) if name.startswith("phaseten_tick_age_seconds")]
    heal()
    cache.set("tick:settle", time.time() - 100, timeout=None)
    found = scrape(page)
    assert found["phaseten_tick_age_seconds{task=heal}"] < 60
    assert found["phaseten_tick_age_seconds{task=settle}"] >= 100


def test_a_database_that_is_away_is_a_figure(page: metrics.MetricsPage, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> Any:
        raise OperationalError("it is away")

    monkeypatch.setattr(metrics, "_rows", away)
    found = scrape(page)
    assert found["phaseten_database_up"] == 0
    assert not [name for name in found if name.startswith("phaseten_matches")]
