"""Killing any process at any moment loses nothing and counts nothing twice.

A season of two-player tables and one of four-player tables are played by six house bots, all of it in real processes. At
three moments, drawn from a seed, one process is killed with SIGKILL and started again a little later. The seasons must end,
and the audit must find every result once, equal to its replay, its shuffles equal to their seeds, and the ledger a fold
of the results.
"""

import random
import time
from pathlib import Path

import psycopg
import pytest
from redis import Redis

from tests.faults.whole_house import WholeHouse, whole_house

KILLS = 3
FROZEN = 20.0  # seconds, longer than any of its clients waits for an answer


def moments(seed: str) -> list[tuple[float, float]]:
    """Three times (share of finished matches, seconds until it is started again)."""
    dice = random.Random(seed)
    return sorted((dice.uniform(0.0, 0.8), dice.uniform(0.0, 2.0)) for _ in range(KILLS))


# Games that run, as the site knows them: everybody may have seen what their seeds were committed to.
SHOWN = """
SELECT count(*) FROM matches_game AS game JOIN matches_attempt AS attempt ON game.attempt_id = attempt.id
WHERE attempt.state = 'RUNNING' AND game.commitment IS NOT NULL
"""


def wait_for_games(house: WholeHouse) -> None:
    """Between two rounds none runs for a while, and a referee that is killed then leaves nothing behind."""
    deadline = time.monotonic() + 60
    with psycopg.connect(house.env["DATABASE_URL"], autocommit=True) as site:
        while site.execute(SHOWN).fetchone() == (0,) and time.monotonic() < deadline:
            time.sleep(0.01)


def play_with_kills(house: WholeHouse, name: str, seed: str) -> int:
    """Play the seasons to their end; returns how often the process was killed."""
    waiting = moments(seed)
    print(f"{name} is killed at {waiting} (seed {seed!r})")
    kills = 0
    for finished, scheduled in house.progress():
        while waiting and scheduled and finished / scheduled >= waiting[0][0]:
            _, pause = waiting.pop(0)
            if name == "referee":
                wait_for_games(house)
            house.servers[name].kill()
            kills += 1
            time.sleep(pause)
            house.launch(name)
    return kills


@pytest.mark.timeout(600)
def test_planned_stops_of_the_referee_spoil_nothing(tmp_path: Path) -> None:
    """Stopped in order four times, a referee costs no match one of its three attempts."""
    with whole_house(tmp_path) as house:
        waiting = [0.1, 0.3, 0.5, 0.7]
        for finished, scheduled in house.progress():
            while waiting and scheduled and finished / scheduled >= waiting[0]:
                waiting.pop(0)
                house.servers["referee"].stop()
                house.launch("referee")
        assert not waiting
        assert "nothing is lost" in house.command("audit", "--settled")
        spoilt = (
            "from tournament_site.matches.models import Match as M; print(M.objects.filter(attempts_counted__gt=0).count())"
        )
        assert house.command("shell", "--no-imports", "-c", spoilt).strip() == "0"


# How many void games there are whose commitment was shown, and how many of their seeds were not.
HIDDEN = """
from tournament_site.matches.models import Game
void = Game.objects.filter(state=Game.State.VOID).exclude(commitment=None)
print(void.count(), void.filter(server_seed=None).count())
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["worker", "collector", "referee", "valkey", "postgres"])
def test_a_season_survives_kills_of(name: str, tmp_path: Path) -> None:
    with whole_house(tmp_path) as house:
        kills = play_with_kills(house, name, seed=f"kill the {name}")
        assert kills == KILLS
        assert "nothing is lost" in house.command("audit", "--settled")
        assert house.command("rebuild_ratings").strip()
        void, hidden = map(int, house.command("shell", "--no-imports", "-c", HIDDEN).split())
        assert hidden == 0
        assert void or name != "referee"  # it is killed in the middle of matches


@pytest.mark.timeout(600)
def test_a_season_survives_a_broker_that_forgets_everything_and_one_that_stands_still(tmp_path: Path) -> None:
    """What is due stands in the database, so nothing is due to Valkey but to carry it."""
    with whole_house(tmp_path) as house:
        valkey = house.servers["valkey"]

        def forget() -> None:
            with Redis.from_url(house.env["PHASETEN_REDIS_URL"]) as connection:
                assert connection.dbsize()
                connection.flushall()

        def stand_still() -> None:
            valkey.freeze()
            time.sleep(FROZEN)
            valkey.thaw()

        waiting = [(0.1, forget), (0.3, stand_still), (0.6, forget)]
        for finished, scheduled in house.progress():
            while waiting and scheduled and finished / scheduled >= waiting[0][0]:
                waiting.pop(0)[1]()
        assert not waiting
        assert "nothing is lost" in house.command("audit", "--settled")
