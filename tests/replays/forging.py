"""What a forgery is: a record that was changed, and what a verifier must find."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from referee.engine import events as ev
from referee.engine.cards import CARDS, Card
from referee.verify.report import Check
from referee.wire.replay import ReplayRecord

E = TypeVar("E", bound=ev.Event)


@dataclass(frozen=True, slots=True)
class Forged:
    """A forged record and what is wrong with it: the check, the event it is about, the place within it (None: any)."""

    record: ReplayRecord
    check: Check
    event: int | None = None
    place: str | None = None


Forgery = Callable[[ReplayRecord], Forged]
FORGERIES: Final[dict[str, Forgery]] = {}


def forgery(function: Forgery) -> Forgery:
    """Keep a forgery under its name."""
    FORGERIES[function.__name__] = function
    return function


def flip(data: bytes) -> bytes:
    """One bit is another one."""
    return bytes([data[0] ^ 1]) + data[1:]


def find(record: ReplayRecord, kind: type[E], number: int = 0) -> tuple[int, E]:
    """Event `number` of a kind, and its place in the log."""
    return [(at, event) for at, event in enumerate(record.events) if isinstance(event, kind)][number]


def first(record: ReplayRecord, kind: type[E], fits: Callable[[int, E], bool]) -> tuple[int, E]:
    """The first event of a kind that fits, and its place in the log."""
    return next((at, event) for at, event in enumerate(record.events) if isinstance(event, kind) and fits(at, event))


def put(record: ReplayRecord, at: int, *events: ev.Event, drop: int = 1) -> ReplayRecord:
    """The record with other events from `at` on, instead of `drop` ones."""
    return replace(record, events=(*record.events[:at], *events, *record.events[at + drop :]))


def change(record: ReplayRecord, at: int, **values: Any) -> ReplayRecord:
    """The record with other values in the event `at`."""
    return put(record, at, replace(record.events[at], **values))


def another(card: Card) -> Card:
    """A number card of another kind."""
    return CARDS[(card + 1) % 48]
