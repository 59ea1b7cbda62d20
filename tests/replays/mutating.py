"""Logs with one random change."""

import random
from dataclasses import fields, replace
from enum import Enum
from typing import Any

from referee.engine.cards import CARDS, Card
from referee.engine.moves import Seat
from referee.wire.replay import ReplayRecord


def mutate(record: ReplayRecord, rng: random.Random) -> ReplayRecord:
    """One random change of the log; now and then it changes nothing."""
    events = list(record.events)
    at = rng.randrange(1, len(events))
    match rng.randrange(8):
        case 0:
            del events[at]
        case 1:
            events.insert(at, events[at])
        case 2:
            events.insert(at, rng.choice(events))
        case 3:
            events[at - 1 : at + 1] = events[at - 1 : at + 1][::-1]
        case 4:
            del events[at:]
        case _:
            events[at] = _mutated(events[at], rng)
    return replace(record, events=tuple(events))


def _mutated(value: Any, rng: random.Random) -> Any:  # noqa: PLR0911  one return for each kind of value
    """A value like this one."""
    match value:
        case bool():
            return not value
        case Card():
            return rng.choice(CARDS)
        case int():
            return max(0, value + rng.choice([-1, 1, 2, 100]))
        case Enum():
            return rng.choice(list(type(value)))
        case None:
            return Seat(rng.randrange(6))
        case tuple():
            return _mutated_tuple(value, rng)
        case _:
            name = rng.choice([field.name for field in fields(value)])
            return replace(value, **{name: _mutated(getattr(value, name), rng)})


def _mutated_tuple(values: tuple[Any, ...], rng: random.Random) -> tuple[Any, ...]:
    if not values or rng.random() < 0.2:
        return values[:-1] if rng.random() < 0.5 else (*values, *values[:1])
    at = rng.randrange(len(values))
    return (*values[:at], _mutated(values[at], rng), *values[at + 1 :])
