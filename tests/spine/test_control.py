"""Asking referees: all at once, and with little patience for one that used up its time just now."""

import threading
import time
from collections.abc import Iterator

import pytest
from phaseten.v1 import referee_pb2 as pb

from tests.spine.scripted_referee import ScriptedReferee, listening
from tournament_site import control
from tournament_site.addresses import Referee
from tournament_site.control import ask_all
from tournament_site.matches.referee_client import RefereeClient, RefereeRefused, RefereeUnavailable, Sessions

#: of a clock that stands still here: how long things really take on this machine decides nothing
PATIENCE, LITTLE, HASTY = 3_000.0, 1_000.0, 15_000.0
GIVEN = 0.95 * LITTLE  # gRPC rounds so long a time up, by as much as a hundredth


class Clock:
    """The site's clock. It goes on when a referee is said to have used up time."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        """What tokens are signed by: the true one."""
        return time.time()


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    for name, seconds in (("PATIENCE", PATIENCE), ("LITTLE_PATIENCE", GIVEN), ("HASTY_SECONDS", HASTY)):
        monkeypatch.setattr(control, name, seconds)
    made = Clock()
    monkeypatch.setattr(control, "time", made)
    return made


class Frozen:
    """Two referees, of which the first one says nothing until it is thawed: whoever asks it waits as long as it has."""

    def __init__(self, clock: Clock, one: ScriptedReferee, other: ScriptedReferee) -> None:
        self.scripts = one, other
        self.pool = tuple(Referee(name, of.address, of.address) for name, of in (("frozen", one), ("well", other)))
        self.thaw = threading.Event()
        self._clock = clock
        one.answers["ListSessions"] = self._wait

    def _wait(self, _: object) -> pb.ListSessionsResponse:
        if not self.thaw.is_set():
            self.fail_after(self.scripts[0].patience[-1])
        return pb.ListSessionsResponse(free_games=7)

    def fail_after(self, seconds: float) -> None:
        """No answer, when so much time has passed."""
        self._clock.now += seconds
        raise RuntimeError

    def ask(self) -> tuple[Sessions | RefereeUnavailable | RefereeRefused, ...]:
        """What both say to the same question, as the site asks it."""
        return tuple(ask_all(dict.fromkeys(self.pool, RefereeClient.list_sessions)).values())

    def given(self, which: int = 0) -> float:
        """The seconds that one of them has to answer when both are asked."""
        before = len(self.scripts[which].patience)
        self.ask()
        (seconds,) = self.scripts[which].patience[before:]
        return seconds


@pytest.fixture
def frozen(clock: Clock) -> Iterator[Frozen]:
    with listening() as one, listening() as other:
        yield Frozen(clock, one, other)


def test_who_says_nothing_keeps_no_answer_of_the_others_away(frozen: Frozen, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is given a second of everybody's clock, and the other one as much time as it wants."""
    monkeypatch.setattr(control, "LITTLE_PATIENCE", 1.0)
    monkeypatch.setitem(control._hasty_until, "frozen", HASTY)
    frozen.scripts[0].answers["ListSessions"] = lambda _: frozen.thaw.wait()
    try:
        silent, answered = frozen.ask()
    finally:
        frozen.thaw.set()
    assert isinstance(silent, RefereeUnavailable)
    assert str(silent).startswith("DEADLINE_EXCEEDED")
    assert answered == Sessions((), 100)


def test_who_used_up_its_time_is_given_little_until_it_answers(frozen: Frozen) -> None:
    assert frozen.given() > LITTLE
    assert frozen.given() <= LITTLE
    assert frozen.given(which=1) > LITTLE
    frozen.thaw.set()
    assert frozen.given() <= LITTLE
    assert frozen.given() > LITTLE
    assert frozen.ask() == (Sessions((), 7), Sessions((), 100))


def test_who_is_only_slow_is_heard_again_after_a_while(frozen: Frozen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Little patience alone would never hear an answer that takes more than that."""
    monkeypatch.setattr(control, "HASTY_SECONDS", 1.5 * LITTLE)
    first, second, *later = [frozen.given() for _ in range(4)]
    assert first > LITTLE >= second
    assert max(later) > LITTLE


def test_a_referee_that_says_no_at_once_keeps_the_whole_patience(frozen: Frozen) -> None:
    """It is starting, perhaps: that takes its time."""
    del frozen.scripts[0].answers["ListSessions"]
    for _ in range(2):
        assert frozen.given() > LITTLE
    assert isinstance(frozen.ask()[0], RefereeUnavailable)


def test_a_referee_that_is_started_again_has_the_whole_patience_again(frozen: Frozen) -> None:
    frozen.ask()
    del frozen.scripts[0].answers["ListSessions"]  # it was killed: there is a no at once
    assert frozen.given() <= LITTLE
    assert frozen.given() > LITTLE


def test_a_network_that_says_no_late_has_used_up_the_time_too(frozen: Frozen) -> None:
    """No route to a machine that is off: the kernel says so after three seconds."""

    frozen.scripts[0].answers["ListSessions"] = lambda _: frozen.fail_after(1.5 * LITTLE)
    assert frozen.given() > LITTLE
    assert frozen.given() <= LITTLE


def test_nobody_is_asked_where_there_is_nobody() -> None:
    assert ask_all({}) == {}
