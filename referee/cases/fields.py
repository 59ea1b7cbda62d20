"""From TOML to values, key by key: nothing is guessed, and no key is passed over."""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from enum import Enum
from typing import Any, TypeVar

from referee.cases.errors import CaseError
from referee.cases.notation import read_seat
from referee.cases.values import BySeat, Pile
from referee.engine.cards import Card, parse_card, parse_cards
from referee.engine.moves import Seat

T = TypeVar("T")
E = TypeVar("E", bound=Enum)
Read = Callable[[object], T]
REST = "..."


class Fields:
    """A table of the file that is read key by key. `what` names it in problems.

    Readers raise ValueError, which becomes a CaseError with the key in front; `finish` complains of keys nobody asked for.
    """

    def __init__(self, table: object, what: str) -> None:
        if not isinstance(table, Mapping):
            raise CaseError(f"{what} must be a table, as in [case.position] or {{ seats = 2 }}")
        self._table: Mapping[str, Any] = table
        self._what = what
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def take(self, key: str, read: Read[T]) -> T | None:
        """The value of a key; None if it is not there."""
        self._known.append(key)
        if key not in self._table:
            return None
        try:
            return read(self._table[key])
        except ValueError as problem:
            raise CaseError(f"{self._what}: {key}: {problem}") from problem

    def get(self, key: str, read: Read[T], default: T) -> T:
        """The value of a key, or the default."""
        value = self.take(key, read)
        return default if value is None else value

    def many(self, key: str, read: Read[T]) -> tuple[T, ...]:
        """A list, each part of it read alike; empty if the key is not there."""
        return self.take(key, list_of(read)) or ()

    def need(self, key: str, read: Read[T]) -> T:
        """The value of a key that must be there."""
        value = self.take(key, read)
        if value is None:
            raise CaseError(f"{self._what} needs {key!r}")
        return value

    def finish(self) -> None:
        """Raises CaseError if there are keys that were not asked for."""
        refuse_unknown(self._table, self._known, self._what)


def refuse_unknown(found: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raises CaseError for the first word that is not known, with what may have been meant."""
    known = list(known)
    for word in found:
        if word not in known:
            near = get_close_matches(word, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(known))}"
            raise CaseError(f"{what} has no {word!r}; {hint}")


def unfit(value: object, wanted: str) -> ValueError:
    """The problem of a value that is not of the kind that is wanted."""
    return ValueError(f"{value!r} {wanted}")


def text(value: object) -> str:
    """Some text."""
    if not isinstance(value, str):
        raise unfit(value, "must be text in quotation marks")
    return value


def flag(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise unfit(value, "must be true or false")
    return value


def number(value: object) -> int:
    """A whole number from 0 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} must be a whole number")
    return value


def slot(value: object) -> int:
    """A slot of a deal, or -1 for none."""
    return -1 if value == -1 else number(value)


def count_or_flag(value: object) -> int:
    """How many; true for one and false for none."""
    return int(value) if isinstance(value, bool) else number(value)


def card(value: object) -> Card:
    """One card."""
    return parse_card(text(value))


def cards(value: object) -> tuple[Card, ...]:
    """Cards, perhaps none."""
    return parse_cards(text(value))


def card_or_none(value: object) -> Card | None:
    """One card, or none for an empty text."""
    return parse_card(text(value)) if value != "" else None


def pile(value: object) -> Pile:
    """Cards, and perhaps `...` before or after them for all that is left."""
    words = text(value).split()
    rest = words.count(REST)
    if rest > 1 or (rest and REST not in {words[0], words[-1]}):
        raise ValueError(f"{value!r}: `...` stands once, before or after the cards")
    return Pile(parse_cards(" ".join(word for word in words if word != REST)), rest == 1)


def seats(value: object) -> tuple[Seat, ...]:
    """Several seats: `B C`, or a list."""
    words = text(value).split() if isinstance(value, str) else listed(value)
    return tuple(map(read_seat, words))


def listed(value: object) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise unfit(value, "must be a list: in [brackets], or tables under [[double brackets]]")
    return value


def list_of(read: Read[T]) -> Read[tuple[T, ...]]:
    """A list of something."""

    def read_list(value: object) -> tuple[T, ...]:
        return tuple(map(read, listed(value)))

    return read_list


def member(options: type[E]) -> Read[E]:
    """A member of an enum by its value or name."""

    def read_member(value: object) -> E:
        for option in options:
            if value in (option.value, option.name):
                return option
        raise ValueError(f"{value!r} is none of: {', '.join(_word(option) for option in options)}")

    return read_member


def _word(option: Enum) -> str:
    """What is written for a member: its value, or its name where the value is a sentence."""
    return str(option.value) if " " not in str(option.value) else option.name


def reason(options: type[E]) -> Read[E]:
    """A member of an enum by its name alone, with what may have been meant."""

    def read_name(value: object) -> E:
        names = options.__members__
        if isinstance(value, str) and value in names:
            return names[value]
        near = get_close_matches(str(value).upper(), names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
        raise ValueError(f"{value!r} is no reason; {hint}")

    return read_name


def by_seat(read: Read[T]) -> Read[BySeat[T]]:
    """A table by seat, a list from A on, or one value for everybody."""

    def read_seats(value: object) -> BySeat[T]:
        if isinstance(value, Mapping):
            return BySeat({read_seat(_seat_key(seat)): _of(seat, read, part) for seat, part in value.items()})
        if isinstance(value, list):
            parts = {seat: _of("ABCDEF"[seat] if seat < 6 else seat, read, part) for seat, part in enumerate(value)}
            return BySeat(parts)
        return BySeat(everybody=read(value))

    return read_seats


def _seat_key(key: str) -> object:
    return int(key) if key.isdecimal() else key


def _of(seat: object, read: Read[T], value: object) -> T:
    try:
        return read(value)
    except ValueError as problem:
        raise ValueError(f"seat {seat}: {problem}") from problem
