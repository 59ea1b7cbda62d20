"""What a verifier says: the checks, how each of them went, and the first difference."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Check(Enum):
    """What is checked, in this order. A check that fails is the last one."""

    BYTES = "sha256"
    IDENTITY = "identity"
    RULES = "rules"
    COMMITMENT = "commitment"
    NONCES = "nonces"
    DEALER = "first dealer"
    SHUFFLES = "shuffles"
    EVENTS = "events"
    RESULT = "result"
    ANSWERS = "answers"


class State(Enum):
    """How a check went. UNKNOWN: there was nothing to compare with. SKIPPED: something failed before it."""

    FINE = "fine"
    DIFFERS = "differs"
    UNKNOWN = "not compared"
    SKIPPED = "not reached"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay first says something else than what follows.

    `event` is the number of the event in the log that it is about, None if it is about no event; an event that is missing
    at the end has the number that it would have. `place` names what within it differs ("card 18 of the deck", "places of
    seat 1"), or is empty.
    """

    check: Check
    event: int | None
    place: str
    says: str
    follows: str


class Differs(Exception):
    """Ends the checking of a replay."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(f"{difference.check.value}: {difference.place} {difference.says}, not {difference.follows}")
        self.difference = difference


def differs(check: Check, says: str, follows: str, *, event: int | None = None, place: str = "") -> Differs:
    """The error to raise."""
    return Differs(Difference(check, event, place, says, follows))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one check went, in a sentence for people."""

    check: Check
    state: State
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """What was found out about a replay.

    `sha256` are hexadecimal digits. `game` tells which game it is: plain values by name. `outcomes` has all checks, in
    order. Bytes that cannot be read have a `problem` and no outcomes.
    """

    sha256: str
    game: dict[str, Any]
    outcomes: tuple[Outcome, ...] = ()
    difference: Difference | None = None
    problem: str = ""

    @property
    def verdict(self) -> str:
        """`fine`, `differs` or `unreadable`."""
        if self.problem:
            return "unreadable"
        return "fine" if self.difference is None else "differs"

    def plain(self) -> dict[str, Any]:
        """As values that JSON can hold; the page in the browser makes the same ones."""
        found = self.difference
        return {
            "verdict": self.verdict,
            "sha256": self.sha256,
            "game": self.game,
            "checks": [{"check": each.check.value, "state": each.state.value, "text": each.text} for each in self.outcomes],
            "difference": None
            if found is None
            else {
                "check": found.check.value,
                "event": found.event,
                "place": found.place,
                "says": found.says,
                "follows": found.follows,
            },
            "problem": self.problem,
        }
