"""The Prometheus page of a referee that plays: conventional names, words for each, and numbers that add up."""

import asyncio
import re
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest_asyncio
from phaseten.v1 import bot_pb2 as pb
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.service.client import PATIENCE, House, order, quick_terms
from tests.service.hours import stand_still
from tests.service.player import play_all, play_on

NAME = re.compile(r"(phaseten_referee|process)_[a-z_]+")


@dataclass(frozen=True, slots=True)
class Page:
    """What was scraped: families by name, values by name and labels."""

    families: dict[str, Metric]
    values: dict[str, float]

    def __getitem__(self, name: str) -> float:
        return self.values[f"phaseten_referee_{name}"]


@pytest_asyncio.fixture(loop_scope="session")
async def house() -> AsyncIterator[House]:
    async with House(metrics_bind="127.0.0.1:0") as made:
        yield made


async def scrape(house: House) -> Page:
    page = house.server._metrics
    assert page is not None
    url = f"http://127.0.0.1:{page.port}/metrics"
    text = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=PATIENCE).read().decode())
    families = {family.name: family for family in text_string_to_metric_families(text)}
    values = {}
    for family in families.values():
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            values[sample.name + (f"{{{labels}}}" if labels else "")] = sample.value
    return Page(families, values)


async def test_every_figure_has_a_conventional_name_and_a_sentence(house: House) -> None:
    page = await scrape(house)
    for name, family in page.families.items():
        assert NAME.fullmatch(name), name
        assert family.documentation.endswith("."), name
        assert family.type in {"gauge", "counter", "histogram", "info"}, name
        if family.type == "counter":
            assert all(sample.name.endswith(("_total", "_created")) for sample in family.samples), name
    assert page["info{referee=test-referee,version=0.1.0}"] == 1
    assert page.values["process_open_fds"] > 0
    assert page.values["process_resident_memory_bytes"] > 0


async def test_the_figures_of_a_match_add_up(house: House) -> None:
    ann, bob = await house.bot("ann"), await house.bot("bob")
    watch = await house.watch()
    await watch.hear("running")
    await house.play(order("ann", "bob"))
    page = await scrape(house)
    running = {"sessions": 2, "matches_running": 1, "games_running": 2, "games_free": 1998, "watchers": 1, "draining": 0}
    assert {name: page[name] for name in running} == running
    await play_all(ann, bob, games=2)
    page = await scrape(house)
    over = {"games_finished_total": 2, "matches_total{outcome=finished}": 1, "matches_running": 0, "records_waiting": 1}
    assert {name: page[name] for name in over} == over
    decisions = page["decisions_total"]
    assert decisions == house.server.meter.decisions > 10
    assert page["decision_seconds_count"] == page["decision_seconds_bucket{le=+Inf}"] == decisions
    assert 0 < page["decision_seconds_sum"] < PATIENCE * decisions
    heard = ann.heard + ann.unread + bob.heard + bob.unread
    assert 10 < page["frames_total{direction=sent}"] <= len(heard)
    assert page["frame_bytes_total{direction=sent}"] > sum(message.ByteSize() for message in heard)
    assert page["frames_total{direction=received}"] >= decisions  # these bots send one answer a frame
    assert page["frame_bytes_total{direction=received}"] > decisions
    await watch.acknowledge((await watch.record()).attempt)


async def test_faults_and_what_is_refused_are_counted_by_kind(house: House) -> None:
    ann, bob = await house.bot("ann", capacity=1), await house.bot("bob", capacity=1)
    await house.play(order("ann", "bob", terms=quick_terms(bank=10_000, cap=40)))
    await asyncio.gather(ann.hear("fault"), play_on(bob, 1))
    flooding = await house.bot("cyd")
    await flooding.send(*(pb.BotMessage(ping=pb.Ping(id=1)) for _ in range(400)))
    await flooding.refused()
    page = await scrape(house)
    assert page["faults_total{kind=late}"] >= 1
    assert page["faults_total{kind=illegal}"] == 0
    assert page["calls_refused_total{reason=FLOODING}"] == 1
    assert page["sessions_opened_total"] == 3


async def test_a_stall_is_seen(house: House) -> None:
    before = await scrape(house)
    stand_still(0.6)
    await asyncio.sleep(0.3)
    page = await scrape(house)
    assert page["stalled_seconds_total"] > before["stalled_seconds_total"] + 0.2
    beats = page["loop_lag_seconds_count"] - page["loop_lag_seconds_bucket{le=0.25}"]
    assert beats > before["loop_lag_seconds_count"] - before["loop_lag_seconds_bucket{le=0.25}"]


async def test_one_that_drains_says_so(house: House) -> None:
    await house.server.drain(0.0)
    assert (await scrape(house))["draining"] == 1
