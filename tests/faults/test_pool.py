"""Several referees, every process real: bots are in session with all of them, matches move, and nobody is blamed.

A rolling restart takes the referees away one after the other while matches run. A referee that is killed and never comes
back leaves its matches to the others.
"""

import json
import time
from pathlib import Path
from typing import Any

import grpc
import psycopg
import pytest
from phaseten.v1 import referee_pb2

from tests.faults.whole_house import DIRECT, WholeHouse, whole_house

FROZEN = 25.0  # seconds: two of the short leases of these tests, a question that nobody answers, and some to spare
ON_ITS_WAY = 5.0  # seconds in which the site takes home what a referee said before it was frozen
CAUGHT = "SELECT count(*) FROM matches_attempt WHERE state = 'RUNNING' AND referee = %s AND confirmed_at IS NOT NULL"
LOOK = """
import json
from tournament_site.matches.models import Attempt, GameResult, Match
finished = Attempt.objects.filter(state="FINISHED")
print(json.dumps({
    "by": {name: finished.filter(referee=name).count() for name in ("referee-1", "referee-2", "referee-3")},
    "blamed": GameResult.objects.exclude(forfeit="", faults=0).count(),
    "reasons": sorted(Attempt.objects.filter(match__attempts_counted__gt=0, state="VOID").values_list("reason", flat=True)),
    "counted": Match.objects.filter(attempts_counted__gt=0).count(),
    "moved": Match.objects.filter(state="FINISHED", attempts_counted__gt=0, referee="referee-1").count(),
}))
"""


def outcome(house: WholeHouse) -> dict[str, Any]:
    """Finished matches `by` referee, results that `blamed` a bot, matches with an attempt that was spoilt and `counted`.

    `reasons` tell why attempts at these came to nothing. `moved` are those of them that were played in the end by the first
    referee.
    """
    assert "nothing is lost" in house.command("audit", "--settled")
    found: dict[str, Any] = json.loads(house.command("shell", "--no-imports", "-c", LOOK).strip().splitlines()[-1])
    return found


def attended(house: WholeHouse, bot: str) -> set[str]:
    """The referees that a bot is connected to, as the site says."""
    with DIRECT.open(f"{house.ports.site_url}/api/v1/bots/{bot}", timeout=60) as answer:
        connection = json.load(answer)["connection"]
    return set(connection["referees"]) if connection else set()


def wait_until_all_attend(house: WholeHouse, referees: set[str]) -> None:
    deadline = time.monotonic() + 120
    bots = ("random-rita", "blind-bruno", "greedy-greta", "greedy-gus", "denying-dora", "denying-dan")
    while any(attended(house, bot) != referees for bot in bots):
        assert time.monotonic() < deadline, house.tails()
        time.sleep(0.2)


@pytest.mark.timeout(600)
def test_a_rolling_restart_blames_nobody(tmp_path: Path) -> None:
    with whole_house(tmp_path, referees=3, lease=60) as house:  # longer than a referee needs to come back
        everywhere = {"referee-1", "referee-2", "referee-3"}
        waiting = [(0.1, "referee"), (0.35, "referee-2"), (0.6, "referee-3")]
        met = False
        for finished, scheduled in house.progress():
            if scheduled and not met:
                wait_until_all_attend(house, everywhere)
                met = True
            while waiting and scheduled and finished / scheduled >= waiting[0][0]:
                _, name = waiting.pop(0)
                house.servers[name].stop()
                house.launch(name)
        assert not waiting
        found = outcome(house)
        assert (found["counted"], found["blamed"], found["reasons"]) == (0, 0, [])
        assert all(found["by"].values())
        wait_until_all_attend(house, everywhere)
        figures = house.metrics()
        assert figures['phaseten_matches{state="finished"}'] == sum(found["by"].values())
        assert figures['phaseten_bots_connected{referee="referee-3"}'] == 6
        assert figures['phaseten_tick_age_seconds{task="dispatch"}'] < 30


@pytest.mark.timeout(600)
def test_a_referee_that_is_killed_for_good_leaves_its_matches_to_the_others(tmp_path: Path) -> None:
    with whole_house(tmp_path, referees=2) as house:
        killed = False
        for finished, scheduled in house.progress():
            if scheduled and not killed and finished / scheduled >= 0.2:
                wait_until_all_attend(house, {"referee-1", "referee-2"})
                house.servers["referee-2"].kill()
                killed = True
        assert killed
        found = outcome(house)
        assert found["blamed"] == 0
        assert found["counted"] == found["moved"]  # what was cut was played again where somebody still is
        assert found["by"]["referee-1"] > found["by"]["referee-2"]


def running_at(house: WholeHouse, referee: str) -> int:
    """Matches that run at a referee now, as it says itself."""
    with grpc.insecure_channel(f"127.0.0.1:{house.ports.referees[referee][1]}") as channel:
        status: referee_pb2.GetStatusResponse = channel.unary_unary(
            "/phaseten.v1.RefereeService/GetStatus",
            request_serializer=referee_pb2.GetStatusRequest.SerializeToString,
            response_deserializer=referee_pb2.GetStatusResponse.FromString,
        )(referee_pb2.GetStatusRequest(), timeout=60)
    return status.matches


def caught(house: WholeHouse, referee: str) -> bool:
    """Freeze a referee; whether it was in the middle of a match. If that one ended just before, the referee goes on."""
    house.servers[referee].freeze()
    time.sleep(ON_ITS_WAY)
    with psycopg.connect(house.env["DATABASE_URL"]) as site:
        if site.execute(CAUGHT, [referee]).fetchone() != (0,):
            return True
    house.servers[referee].thaw()
    return False


@pytest.mark.timeout(600)
def test_what_a_frozen_referee_brings_home_too_late_counts_nowhere(tmp_path: Path) -> None:
    """SIGSTOP past the lease, then SIGCONT: its matches have moved, and its own records of them are stale."""
    with whole_house(tmp_path, referees=2) as house:
        cut = False
        for _, scheduled in house.progress():
            if cut or not scheduled:
                continue
            for _ in range(100):
                if running_at(house, "referee-2"):
                    cut = caught(house, "referee-2")
                    break
                time.sleep(0.01)
            if cut:
                time.sleep(FROZEN)  # the others play on
                house.servers["referee-2"].thaw()
        assert cut
        found = outcome(house)
        assert found["blamed"] == 0
        assert found["counted"]  # what it had was taken from it
