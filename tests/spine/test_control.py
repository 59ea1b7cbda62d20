"""Asking referees: all at once, and with little patience for one that was silent last time."""

import threading
from collections.abc import Iterator

import pytest
from phaseten.v1 import referee_pb2 as pb

from tests.spine.scripted_referee import ScriptedReferee, listening
from tournament_site import control
from tournament_site.addresses import Referee
from tournament_site.control import ask_all
from tournament_site.matches.referee_client import RefereeClient, RefereeRefused, RefereeSilent, RefereeUnavailable, Sessions

PATIENCE, LITTLE = 2.0, 0.5


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short patience, and nothing known of what other tests asked."""
    monkeypatch.setattr(control, "_silent", set())
    monkeypatch.setattr(control, "PATIENCE", PATIENCE)
    monkeypatch.setattr(control, "LITTLE_PATIENCE", LITTLE)


class Frozen:
    """Two referees, of which the first one says nothing until it is thawed."""

    def __init__(self, one: ScriptedReferee, other: ScriptedReferee) -> None:
        self.scripts = one, other
        self.pool = tuple(Referee(name, of.address, of.address) for name, of in (("frozen", one), ("well", other)))
        self.thaw = threading.Event()
        one.answers["ListSessions"] = self._wait

    def _wait(self, _: object) -> pb.ListSessionsResponse:
        self.thaw.wait()
        return pb.ListSessionsResponse(free_games=7)

    def ask(self) -> tuple[Sessions | RefereeUnavailable | RefereeRefused, ...]:
        """What both say to the same question, as the site asks it."""
        return tuple(ask_all(dict.fromkeys(self.pool, RefereeClient.list_sessions)).values())

    def patience(self) -> float:
        """The seconds that the frozen one had for the last call."""
        return self.scripts[0].patience[-1]


@pytest.fixture
def frozen() -> Iterator[Frozen]:
    with listening() as one, listening() as other:
        made = Frozen(one, other)
        try:
            yield made
        finally:
            made.thaw.set()


def test_who_says_nothing_keeps_no_answer_of_the_others_away(frozen: Frozen) -> None:
    silent, answered = frozen.ask()
    assert isinstance(silent, RefereeSilent)
    assert answered == Sessions((), 100)


def test_who_said_nothing_is_given_little_time_until_it_answers(frozen: Frozen) -> None:
    frozen.ask()
    assert frozen.patience() > LITTLE
    silent, _ = frozen.ask()
    assert isinstance(silent, RefereeSilent)
    assert frozen.patience() <= LITTLE
    assert frozen.scripts[1].patience[-1] > LITTLE
    frozen.thaw.set()
    assert frozen.ask()[0] == Sessions((), 7)
    assert frozen.patience() <= LITTLE
    assert frozen.ask()[0] == Sessions((), 7)
    assert frozen.patience() > LITTLE


def test_a_referee_that_is_away_is_no_silent_one(frozen: Frozen) -> None:
    """It says no at once, and may be starting: that takes its time."""
    del frozen.scripts[0].answers["ListSessions"]
    for _ in range(2):
        away, _ = frozen.ask()
        assert isinstance(away, RefereeUnavailable)
        assert not isinstance(away, RefereeSilent)
        assert frozen.patience() > LITTLE


def test_nobody_is_asked_where_there_is_nobody() -> None:
    assert ask_all({}) == {}
