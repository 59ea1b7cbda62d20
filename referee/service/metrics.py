"""The Prometheus page: counters and gauges, read when somebody asks for them."""

import asyncio
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from referee.service.lobby import Lobby
from referee.service.meter import BOUNDS_MS, Meter

PREFIX: Final = "phaseten_referee"


class RefereeCollector(Collector):
    """Turns the referee's own numbers into metrics. It is called from the page's thread and only reads."""

    def __init__(self, lobby: Lobby, meter: Meter, loop: asyncio.AbstractEventLoop) -> None:
        self._lobby = lobby
        self._meter = meter
        self._loop = loop

    def collect(self) -> Iterator[Metric]:
        yield from self._gauges()
        meter = self._meter
        yield CounterMetricFamily(f"{PREFIX}_decisions", "Answers that came in time.", value=meter.decisions)
        faults = CounterMetricFamily(f"{PREFIX}_faults", "Faults of bots.", labels=["kind"])
        for kind, number in meter.faults.items():
            faults.add_metric([kind.value], number)
        yield faults
        matches = CounterMetricFamily(f"{PREFIX}_matches", "Matches that came to an end.", labels=["outcome"])
        for outcome, number in meter.matches.items():
            matches.add_metric([outcome], number)
        yield matches
        calls = CounterMetricFamily(f"{PREFIX}_calls_refused", "Calls that the referee ended.", labels=["reason"])
        for reason, number in tuple(meter.calls.items()):
            calls.add_metric([reason], number)
        yield calls
        yield self._decision_seconds()

    def _gauges(self) -> Iterator[Metric]:
        lobby = self._lobby
        for name, text, value in (
            ("sessions", "Bots that are connected.", lobby.session_count),
            ("matches_running", "Matches that are running.", lobby.match_count),
            ("games_running", "Games that are running.", lobby.game_count),
            ("records_waiting", "Records that wait to be acknowledged.", len(lobby.records)),
            ("record_bytes", "Their bytes.", lobby.records.size),
            ("tasks", "Tasks of its event loop.", len(asyncio.all_tasks(self._loop))),
            ("draining", "Whether it takes no new matches.", lobby.draining is not None),
        ):
            yield GaugeMetricFamily(f"{PREFIX}_{name}", text, value=float(value))

    def _decision_seconds(self) -> Metric:
        meter = self._meter
        counts = tuple(accumulate(meter.buckets))
        names = [*(str(bound / 1000.0) for bound in BOUNDS_MS), "+Inf"]
        family = HistogramMetricFamily(f"{PREFIX}_decision_seconds", "From question to answer.")
        family.add_metric([], list(zip(names, map(float, counts), strict=True)), sum_value=meter.decision_ms / 1000.0)
        return family


class MetricsPage:
    """The page, in a thread of its own."""

    def __init__(self, bind: str, lobby: Lobby, meter: Meter) -> None:
        """Make it inside the running event loop. Raises OSError if it cannot listen there."""
        registry = CollectorRegistry()
        registry.register(RefereeCollector(lobby, meter, asyncio.get_running_loop()))
        host, _, port = bind.rpartition(":")
        self._server, self._thread = start_http_server(int(port), host.strip("[]"), registry)
        self.port: int = self._server.server_port

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
