"""The rules as the browser's verifier has them: every option, with decks that bring ties, lays and Wilds about.

Here the decks are those that a log shows, so that only the rules are compared: with the engine's, event by event.
"""

import random
from collections import Counter
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from referee.engine.check import LoggedDecks
from referee.engine.errors import CorruptLog
from referee.engine.events import Event, GameEnd, GameStarted
from referee.engine.game import Result
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Advance, CardPoints, Ruleset, WinCheck
from referee.verify.log import repeat
from referee.verify.report import Differs
from referee.wire.replay import ReplayRecord, SeatInfo, encode_replay
from tests.reference.matches import RANDOM_RULES, SWITCHES, Match
from tests.replays.javascript import JavaScript
from tests.replays.making import kind_log
from tests.replays.mutating import mutate


def folded(javascript: JavaScript, log: tuple[Event, ...], seats: int) -> dict[str, Any] | None:
    """The first difference that both find in a log with the decks that it shows; None if there is none."""
    try:
        repeat(log, LoggedDecks(log))
        mine = None
    except Differs as found:
        difference = found.difference
        names = ("event", "place", "says", "follows")
        mine = {"check": difference.check.value, **{name: getattr(difference, name) for name in names}}
    theirs = javascript.ask("fold", data=encode_replay(_around(log, seats)))["difference"]
    assert theirs == mine
    return mine


def _around(log: tuple[Event, ...], seats: int) -> ReplayRecord:
    """A record that holds a log and nothing else of interest."""
    result = Result(GameEnd.FORFEITS, (), (), (), (), (), 0)
    infos = (SeatInfo("a", "A", "1", 1),) * seats
    return ReplayRecord(UUID(int=1), 1, UUID(int=2), 0, infos, b"", b"", (), log, (), result, 0, 0, "tests")


def log_of(label: str, number: int, most: int = 1500) -> tuple[Event, ...]:
    """A game of the comparison of engine and reference: all options, ties, Wilds taken, faults and forfeits."""
    match = Match(label, number)
    match.play(Counter(), most)
    return tuple(match._pair.game.log)


@pytest.mark.parametrize("part", range(4))
def test_games_by_random_rules_follow(javascript, part):
    rng = random.Random(part)
    ended = 0
    for number in range(part * 25, part * 25 + 25):
        log = log_of(RANDOM_RULES, number)
        start = log[0]
        assert isinstance(start, GameStarted)
        found = folded(javascript, log, start.seats)
        assert found is None or (found["says"], found["event"]) == ("nothing", len(log))
        ended += found is None
        for _ in range(4):
            changed = mutate(_around(log, start.seats), rng).events
            if changed[0] is start:
                try:
                    folded(javascript, changed, start.seats)
                except (ValueError, KeyError, CorruptLog):  # no message holds it, or a deck of other cards
                    continue
    assert ended > 15


OTHER_VALUES = [
    (name, value) for name, values in SWITCHES.items() for value in values if value is not getattr(Ruleset(), name)
]


@pytest.mark.parametrize(
    ("option", "value"), OTHER_VALUES, ids=[f"{name}={getattr(value, 'value', value)}" for name, value in OTHER_VALUES]
)
def test_no_option_goes_unnoticed(javascript, option, value):
    """Games by one rule set that say they were played by another one, in one option different, are found out."""
    free = CardPoints(0, 0, 0, 0)  # so that ties come
    rich = replace(OFFICIAL, name="rich", wilds=16, skips=8, hand_size=13, phases=(1, 4), card_points=free)
    other = replace(rich, **{option: value})
    if other.advance is Advance.EVERY_DEAL:
        rich, other = (replace(rules, win_check=WinCheck.END_OF_DEAL) for rules in (rich, other))
    for number in range(100):
        for played, claimed in ((rich, other), (other, rich)):
            log = kind_log(played, number)
            start = log[0]
            assert isinstance(start, GameStarted)
            found = folded(javascript, (replace(start, ruleset=claimed), *log[1:]), start.seats)
            if found is not None and found["says"] != "nothing":
                return
    pytest.fail(f"no game is different with {option}={value}")
