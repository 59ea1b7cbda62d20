"""The Prometheus page: counters and gauges, read when somebody asks for them."""

import asyncio
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from referee.service.clock import RefereeTime
from referee.service.lobby import Lobby
from referee.service.meter import BOUNDS_MS, Histogram
from referee.service.outbox import Pacer

PREFIX: Final = "phaseten_referee"


class RefereeCollector(Collector):
    """Turns the referee's own numbers into metrics. It is called from the page's thread and only reads.

    Make it inside the running event loop.
    """

    def __init__(self, referee: str, version: str, lobby: Lobby, time: RefereeTime, pacer: Pacer) -> None:
        self._info = {"referee": referee, "version": version}
        self._lobby = lobby
        self._meter = lobby.meter
        self._time = time
        self._pacer = pacer
        self._loop = asyncio.get_running_loop()

    def collect(self) -> Iterator[Metric]:
        meter = self._meter
        yield InfoMetricFamily(PREFIX, "Which referee this is.", value=self._info)
        yield from self._gauges()
        yield from self._counters()
        faults = {kind.value: number for kind, number in meter.faults.items()}
        yield _by_label("faults", "Faults of bots.", "kind", faults)
        yield _by_label("matches", "Matches that came to an end.", "outcome", dict(meter.matches))
        yield _by_label("calls_refused", "Calls that the referee ended.", "reason", dict(meter.calls))
        frames = {"received": meter.frames_in, "sent": self._pacer.frames}
        yield _by_label("frames", "Frames from and to bots.", "direction", frames)
        carried = {"received": meter.bytes_in, "sent": self._pacer.bytes}
        yield _by_label("frame_bytes", "Their bytes.", "direction", carried)
        yield _histogram("decision_seconds", "From question to answer.", meter.decision_ms)
        yield _histogram("loop_lag_seconds", "How late the event loop came to its beat.", meter.loop_lag_ms)

    def _gauges(self) -> Iterator[Metric]:
        lobby, feed = self._lobby, self._lobby.feed
        for name, text, value in (
            ("sessions", "Bots that are connected.", lobby.session_count),
            ("matches_running", "Matches that are running.", lobby.match_count),
            ("games_running", "Games that are running.", lobby.game_count),
            ("games_free", "Games that it has room for.", lobby.free_games),
            ("records_waiting", "Records that wait to be acknowledged.", len(lobby.records)),
            ("record_bytes", "Their bytes.", lobby.records.size),
            ("voids_waiting", "Void attempts that wait to be acknowledged.", feed.voids),
            ("watchers", "Watch streams of the site.", feed.watchers),
            ("tasks", "Tasks of its event loop.", len(asyncio.all_tasks(self._loop))),
            ("draining", "Whether it takes no new matches.", lobby.draining is not None),
        ):
            yield GaugeMetricFamily(f"{PREFIX}_{name}", text, value=float(value))

    def _counters(self) -> Iterator[Metric]:
        meter = self._meter
        for name, text, value in (
            ("decisions", "Answers that came in time.", meter.decisions),
            ("games_finished", "Games that were played to their end.", meter.games),
            ("sessions_opened", "Sessions that were opened, reconnects too.", meter.sessions),
            ("stalled_seconds", "Time that the event loop stood still, charged to nobody.", self._time.stalled / 1000.0),
        ):
            yield CounterMetricFamily(f"{PREFIX}_{name}", text, value=float(value))


def _by_label(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(f"{PREFIX}_{name}", text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


def _histogram(name: str, text: str, found: Histogram) -> Metric:
    names = [*(str(bound / 1000.0) for bound in BOUNDS_MS), "+Inf"]
    counts = list(zip(names, map(float, accumulate(found.buckets)), strict=True))
    family = HistogramMetricFamily(f"{PREFIX}_{name}", text)
    family.add_metric([], counts, sum_value=found.total / 1000.0)
    return family


class MetricsPage:
    """The page, in a thread of its own, with the figures of the process beside those of the referee."""

    def __init__(self, bind: str, figures: RefereeCollector) -> None:
        """Raises OSError if it cannot listen there."""
        registry = CollectorRegistry()
        registry.register(figures)
        ProcessCollector(registry=registry)
        host, _, port = bind.rpartition(":")
        self._server, self._thread = start_http_server(int(port), host.strip("[]"), registry)
        self.port: int = self._server.server_port

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
