"""The bench of sessions and games, with few of both: what it measures is there, and it does not flatter."""

import pytest

from deploy.local.errors import LocalError
from tests.bench import _capacity, idle


class Figures(dict[str, float]):
    def report(self, name: str, value: float, _unit: str) -> None:
        self[name] = value


def test_idle_sessions_live_and_cost_something() -> None:
    figures = Figures()
    idle.measure(figures.report, idle.Plan(sessions=40, processes=2, before=10, rest=0.5, seconds=2))
    assert figures["idle.sessions"] == 40
    assert figures["idle.pings_answered"] >= 40
    assert set(figures) == {f"idle.{name}" for name in (
        "sessions", "pings_answered", "kib_per_session", "cpu_percent_median", "cpu_percent_mean", "connect_per_second",
        "connect_cpu_ms",
    )}  # fmt: skip
    assert all(value > 0 for value in figures.values())


def test_games_run_at_once_and_miss_no_clock() -> None:
    figures = Figures()
    _capacity.measure(figures.report, _capacity.Plan(bots=5, circles=2, between=0.1, rest=0.5, seconds=2))
    assert 0 < figures["capacity.games"] <= 20  # ten matches of two games
    assert figures["capacity.late_answers"] == 0
    assert figures["capacity.answers"] > 1000
    assert figures["capacity.kib_per_game"] <= figures["capacity.kib_per_game_most"]
    assert figures["capacity.longest_answer_ms"] > 0
    assert figures["capacity.lowest_bank_ms"] > 0


def test_without_descriptors_it_says_what_to_do() -> None:
    with pytest.raises(LocalError, match="ulimit -Hn 99999999999"):
        idle.allow_descriptors(99_999_999_999)
