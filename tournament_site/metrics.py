"""What Prometheus may know of the site: counted from the rows when somebody asks, so any process can tell it.

The collector serves the page, where PHASETEN_SITE_METRICS_BIND says. A database that does not answer is a figure too.
"""

import logging
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.models import Count, QuerySet, TextChoices
from django.db.models.functions import Now
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from psycopg_pool import PoolTimeout
from redis.exceptions import RedisError

from tournament_site.bots import queries as bots
from tournament_site.bots.models import BotVersion
from tournament_site.leagues.models import Season
from tournament_site.matches.models import Attempt, Game, Match, QuarantinedRecord
from tournament_site.ratings.models import LedgerEntry

PREFIX: Final = "phaseten"
TASKS: Final = ("heal", "settle", "dispatch")

log = logging.getLogger(__name__)


def note_tick(task: str) -> None:
    """Remember that a task has come to its end just now. If Valkey is away that is lost, and the next one tells it."""
    try:
        cache.set(f"tick:{task}", time.time(), timeout=None)
    except RedisError as error:
        log.warning("the tick of %s was not noted: %s", task, type(error).__name__)


class SiteCollector(Collector):
    """Turns rows into metrics. Called from the page's threads, each with a connection of its own."""

    def collect(self) -> Iterator[Metric]:
        try:
            rows = list(_rows())
        except (DatabaseError, PoolTimeout) as error:
            log.warning("the metrics page has no database: %s", error)
            rows = []
        finally:
            connection.close()
        yield GaugeMetricFamily(f"{PREFIX}_database_up", "Whether the database answered.", value=float(bool(rows)))
        yield from rows
        yield from _ticks()


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{PREFIX}_{name}", text, value=value)


def _by_label(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(f"{PREFIX}_{name}", text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


def _counted(rows: QuerySet[Any], field: str, choices: type[TextChoices]) -> Mapping[str, int]:
    """How many rows have each value of a field, also of values that none has; in small letters."""
    found = dict(rows.order_by().values_list(field).annotate(number=Count("pk")))
    return {str(choice).lower(): found.get(choice, 0) for choice in choices.values}


def _rows() -> Iterator[Metric]:
    matches, games = _counted(Match.objects.all(), "state", Match.State), _counted(Game.objects.all(), "state", Game.State)
    yield _by_label("matches", "Matches by state.", "state", matches)
    yield _by_label("games", "Games by state; void ones belong to attempts that do not count.", "state", games)
    yield _by_label("seasons", "Seasons by state.", "state", _counted(Season.objects.all(), "state", Season.State))
    versions = _counted(BotVersion.objects.all(), "validation", BotVersion.Validation)
    yield _by_label("versions", "Versions of bots by validation.", "validation", versions)
    overdue = Match.objects.filter(state=Match.State.RUNNING, lease_until__lt=Now()).count()
    yield _gauge("matches_overdue", "Running matches whose lease is over.", overdue)
    lag = Match.objects.filter(state=Match.State.FINISHED, rated=True, rated_at=None).count()
    yield _gauge("rating_lag_matches", "Finished rated matches that the ledger has not taken yet.", lag)
    yield _gauge("quarantined_records", "Records that did not add up, kept aside.", QuarantinedRecord.objects.count())
    spoilt = Attempt.objects.filter(state=Attempt.State.VOID).count()
    yield CounterMetricFamily(f"{PREFIX}_attempts_void", "Attempts at matches that came to nothing.", value=spoilt)
    lines = LedgerEntry.objects.count()
    yield CounterMetricFamily(f"{PREFIX}_ledger_lines", "Lines of all ledgers.", value=lines)
    connected = {referee: len(versions) for referee, versions in bots.free_games().by_referee.items()}
    yield _by_label("bots_connected", "Bots that are connected, by referee.", "referee", connected)


def _ticks() -> Iterator[Metric]:
    """Seconds since each task came to its end; nothing while nobody remembers."""
    family = GaugeMetricFamily(f"{PREFIX}_tick_age_seconds", "Since a task came to its end.", labels=["task"])
    try:
        ticks = cache.get_many([f"tick:{task}" for task in TASKS])
    except RedisError:
        ticks = {}
    for task in TASKS:
        if (at := ticks.get(f"tick:{task}")) is not None:
            family.add_metric([task], max(0.0, time.time() - at))
    yield family


class MetricsPage:
    """The page, in a thread of its own."""

    def __init__(self, bind: tuple[str, int]) -> None:
        """Raises OSError if it cannot listen there."""
        registry = CollectorRegistry()
        registry.register(SiteCollector())
        host, port = bind
        self._server, self._thread = start_http_server(port, host, registry)
        self.port: int = self._server.server_port

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
