"""What a run of the scenarios found: values, lines for people, and plain data for programs."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from referee.engine.errors import Reason

SCHEMA: Final = 1  # of `Report.plain`; it grows by fields, and a new number means that old readers would be misled


class Status(Enum):
    """How a scenario ended."""

    PASSED = "ok"
    FAILED = "FAILED"
    NOT_APPLICABLE = "not applicable"


class Failed(Exception):
    """A bot did not do what a scenario is about: what was expected, what came, and what its author can do."""

    def __init__(self, expected: str, came: str, advice: str) -> None:
        super().__init__(f"{expected}: {came}")
        self.expected = expected
        self.came = came
        self.advice = advice


class NotApplicable(Exception):
    """A scenario cannot say anything about this bot; the text says why."""


class NoSession(Failed):
    """There is no session to try anything on; `came` says why. It is the bot's failure only if there never was one."""


class Gone(Failed):
    """The bot's stream ended, by its own doing, or because of a `garbled` frame; that one is told in words."""

    def __init__(self, during: str, garbled: str = "") -> None:
        if garbled:
            super().__init__(
                f"frames that can be read {during}",
                f"{garbled}; a referee ends the stream then",
                "write every frame as one binary ConnectRequest, with what is generated from bot.proto or reads it",
            )
            return
        super().__init__(
            f"a session that stays open {during}",
            "the bot ended its stream",
            "look into the bot's own log for an error; whatever it is told, a bot keeps its stream open",
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one scenario ended. The three sentences are there for a failure, `why` where it was not applicable."""

    name: str
    about: str
    status: Status
    seconds: float
    expected: str = ""
    came: str = ""
    advice: str = ""
    why: str = ""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    """All outcomes, and what was counted on the way. `slowest_ms` is the longest that a question waited for its answer.

    `illegal` counts moves against the rules by the name of their reason; `untried` are scenarios that were left out because
    there never was a session.
    """

    sdk: str = ""
    language: str = ""
    version: str = ""
    capacity: int = 0
    games: int = 0
    answers: int = 0
    slowest_ms: float = 0.0
    laid: set[int] = field(default_factory=set)
    illegal: dict[str, int] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    untried: int = 0

    def count(self, status: Status) -> int:
        return sum(outcome.status is status for outcome in self.outcomes)

    @property
    def passed(self) -> bool:
        """Whether something was tried and nothing failed."""
        return self.count(Status.PASSED) > 0 and not self.count(Status.FAILED)

    def plain(self) -> dict[str, Any]:
        """The report as JSON values; see the README for its fields."""
        return {
            "schema": SCHEMA,
            "passed": self.count(Status.PASSED),
            "failed": self.count(Status.FAILED),
            "not_applicable": self.count(Status.NOT_APPLICABLE),
            "not_tried": self.untried,
            "bot": {
                "sdk": self.sdk,
                "language": self.language,
                "version": self.version,
                "capacity": self.capacity,
            },
            "games": self.games,
            "answers": self.answers,
            "slowest_ms": round(self.slowest_ms, 1),
            "phases_laid": sorted(self.laid),
            "illegal_moves": dict(sorted(self.illegal.items())),
            "scenarios": [_plain(outcome) for outcome in self.outcomes],
        }


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {
        "name": outcome.name,
        "about": outcome.about,
        "status": outcome.status.name.lower(),
        "seconds": round(outcome.seconds, 3),
        "expected": outcome.expected,
        "came": outcome.came,
        "advice": outcome.advice,
        "why": outcome.why,
        "notes": list(outcome.notes),
    }


_WIDTH: Final = len(Status.NOT_APPLICABLE.value)


def lines_of(outcome: Outcome) -> Iterator[str]:
    """A scenario for people: a line, and what there is to say about it below."""
    yield f"{outcome.status.value:<{_WIDTH}}  {outcome.name:<22} {outcome.about}"
    told = (("expected", outcome.expected), ("came", outcome.came), ("to do", outcome.advice), ("why", outcome.why))
    for word, text in (*told, *(("note", note) for note in outcome.notes)):
        if text:
            yield f"{'':{_WIDTH}}    {word:<9} {text}"


def summary(report: Report) -> Iterator[str]:
    """What was counted, and how it ended."""
    if report.games:
        yield (
            f"{report.games} games, {report.answers} answers, the slowest after {report.slowest_ms:.0f} ms; "
            f"phases laid: {', '.join(map(str, sorted(report.laid))) or 'none'}"
        )
    for reason, count in sorted(report.illegal.items()):
        yield f"illegal moves: {count} x {Reason[reason].value} ({reason})"
    skipped = report.count(Status.NOT_APPLICABLE)
    if skipped:
        yield f"{skipped} not applicable"
    if report.untried:
        yield f"{report.untried} not tried: a bot has to come and say Hello first"
    yield f"{report.count(Status.PASSED)} passed, {report.count(Status.FAILED)} failed"
