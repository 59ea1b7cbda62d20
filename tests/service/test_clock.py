"""Clocks, on made-up time."""

import pytest

from referee.engine.ruleset import Clock
from referee.service.clock import Charge, RefereeTime, SeatClock


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.ms = 1000.0

    def __call__(self) -> float:
        return self.ms


def test_time_runs_while_the_process_lives() -> None:
    hands = Hands()
    time = RefereeTime(hands)
    for _ in range(20):
        hands.ms += 100
        time.beat()
    assert time.now() == 3000
    assert time.stalled == 0


def test_time_stands_still_while_the_process_is_frozen() -> None:
    hands = Hands()
    time = RefereeTime(hands)
    hands.ms += 5000
    assert time.now() == 1150  # a late beat of it counts
    hands.ms += 40
    assert time.now() == 1150  # and it stands still until the next beat
    time.beat()
    hands.ms += 100
    assert time.now() == 1250
    assert time.stalled == 4890


def test_time_never_goes_back() -> None:
    hands = Hands()
    time = RefereeTime(hands)
    last = time.now()
    for step in (0, 90, 70, 1, 300, 0, 50, 149, 151):
        hands.ms += step
        assert time.now() >= last
        last = time.now()


def test_a_short_delay_is_no_stall() -> None:
    hands = Hands()
    time = RefereeTime(hands)
    hands.ms += 150
    assert time.now() == 1150


def test_an_answer_costs_its_time_and_earns_the_increment() -> None:
    clock = SeatClock(Clock(bank_ms=10_000, increment_ms=500, cap_ms=3_000))
    assert clock.limit == 3_000
    assert clock.answered(2_000.0, 0.0) == Charge(2_000, 0)
    assert clock.bank == 8_500


def test_the_bank_is_the_limit_once_it_is_small() -> None:
    clock = SeatClock(Clock(bank_ms=4_000, increment_ms=0, cap_ms=3_000))
    assert not clock.last_chance
    assert clock.missed() == Charge(3_000, 0)
    assert clock.limit == 1_000
    assert clock.last_chance
    clock.missed()
    assert clock.bank == 0


@pytest.mark.parametrize(
    ("elapsed", "round_trip", "charged"),
    [(500.0, 40.0, Charge(460, 40)), (500.0, 400.0, Charge(400, 100)), (20.0, 80.0, Charge(0, 20))],
)
def test_network_time_is_given_back_up_to_a_bound(elapsed: float, round_trip: float, charged: Charge) -> None:
    clock = SeatClock(Clock(bank_ms=10_000, increment_ms=0, cap_ms=3_000))
    assert clock.allowance(round_trip) == 3_000 + min(round_trip, 100.0)
    assert clock.answered(elapsed, round_trip) == charged
    assert clock.bank == 10_000 - charged.think_ms


def test_network_time_of_a_game_is_bounded_too() -> None:
    clock = SeatClock(Clock(bank_ms=60_000, increment_ms=0, cap_ms=3_000))
    given = sum(clock.answered(200.0, 1_000.0).lag_ms for _ in range(60))
    assert given == 5_000
    assert clock.allowance(1_000.0) == clock.limit


def test_an_answer_within_the_allowance_never_costs_more_than_the_limit() -> None:
    clock = SeatClock(Clock(bank_ms=1_000, increment_ms=0, cap_ms=3_000))
    assert clock.answered(1_090.0, 100.0) == Charge(990, 100)
    assert clock.bank == 10
