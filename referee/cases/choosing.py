"""Which rule sets a case means: words that add, take out and keep; and what changes them and the terms."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any, Final

from referee.cases.errors import CaseError
from referee.cases.fields import refuse_unknown, unfit
from referee.cases.notation import read_seat
from referee.engine.presets import OFFICIAL, PRESETS
from referee.engine.ruleset import Clock, Ruleset, SeatDealer, Terms

_GROUPS: Final = {"every": tuple(PRESETS), "all": ("official", "da", "sv", "bg", "lt")}
_OPTIONS: Final = {field.name: getattr(OFFICIAL, field.name) for field in fields(Ruleset)}
_KINDS: Final = {bool: "true or false", int: "a whole number", str: "text"}
_TERMS: Final = {field.name: getattr(Terms(), field.name) for field in fields(Terms)}


def chosen(words: str) -> tuple[Ruleset, ...]:
    """The published rule sets that these words mean, in the order of their publication. Raises ValueError."""
    names: set[str] = set()
    for place, word in enumerate(words.split() or ["every"]):
        takes_out = word.startswith("-")
        if place == 0 and (takes_out or "=" in word):
            names |= PRESETS.keys()
        if "=" in word:
            names = {name for name in names if _has(PRESETS[name], word)}
        elif takes_out:
            names -= _named(word[1:])
        else:
            names |= _named(word)
    if not names:
        raise ValueError(f"{words!r} leaves no rule set")
    return tuple(rules for name, rules in PRESETS.items() if name in names)


def _named(word: str) -> set[str]:
    found = {name for name in PRESETS if fnmatchcase(name, word)} | set(_GROUPS.get(word, ()))
    if not found:
        raise ValueError(f"there is no rule set {word!r}; there are: every, all, {', '.join(PRESETS)}")
    return found


def _has(rules: Ruleset, word: str) -> bool:
    option, _, value = word.partition("=")
    negated = option.endswith("!")
    option = option.rstrip("!")
    if option in {"phase", "last"}:
        if not value.isdecimal():
            raise ValueError(f"{word!r}: a phase is a number")
        found = int(value) in (rules.phases if option == "phase" else rules.phases[-1:])
    elif option in _OPTIONS:
        found = _option_word(getattr(rules, option)) == value
        if not any(_option_word(known) == value for known in _known_values(option)):
            raise ValueError(f"{word!r}: {option} is never {value!r}")
    else:
        raise ValueError(f"{word!r}: there is no option {option!r}; there are: phase, last, {', '.join(_OPTIONS)}")
    return found != negated


def _known_values(option: str) -> Iterable[object]:
    value = _OPTIONS[option]
    if isinstance(value, bool):
        return (False, True)
    return type(value) if isinstance(value, Enum) else (getattr(rules, option) for rules in PRESETS.values())


def _option_word(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_options(value: object) -> Mapping[str, Any]:
    """Changes of a rule set, by option. Raises ValueError or CaseError."""
    if not isinstance(value, Mapping):
        raise unfit(value, 'must be a table, as in { natural_cards = "none" }')
    refuse_unknown(value, _OPTIONS, "options")
    return {name: _converted(name, part, _OPTIONS[name]) for name, part in value.items()}


def read_terms(value: object) -> Mapping[str, Any]:
    """Changes of the terms, by name. Raises ValueError or CaseError."""
    if not isinstance(value, Mapping):
        raise unfit(value, "must be a table, as in { max_deals = 3 }")
    refuse_unknown(value, _TERMS, "terms")
    return {name: _term(name, part) for name, part in value.items()}


def _term(name: str, value: object) -> object:
    if name == "first_dealer":
        return value if value in ("last_seat", "seeded") else SeatDealer(read_seat(value))
    if name in {"max_turns_per_deal", "max_deals"} and value == "none":
        return None
    return _converted(name, value, Clock() if name == "clock" else 1)


def _converted(name: str, value: object, like: object) -> object:
    """A value of the kind of `like`: an enum's member, numbers, a tuple of them, or a small dataclass."""
    if isinstance(like, Enum):
        for option in type(like):
            if option.value == value:
                return option
        raise ValueError(f"{name}: {value!r} is none of: {', '.join(str(option.value) for option in type(like))}")
    if isinstance(like, tuple):
        if not isinstance(value, list):
            raise unfit(value, f"must be a list of numbers ({name})")
        return tuple(_converted(name, part, 0) for part in value)
    if isinstance(like, bool | int | str):
        if type(value) is not type(like):
            raise ValueError(f"{name}: {value!r} must be {_KINDS[type(like)]}")
        return value
    if not isinstance(value, Mapping):
        raise unfit(value, f"must be a table of numbers ({name})")
    parts = {field.name: getattr(like, field.name) for field in fields(like)}  # type: ignore[arg-type]  # a dataclass
    refuse_unknown(value, parts, name)
    return replace(like, **{part: _converted(name, number, 0) for part, number in value.items()})  # type: ignore[type-var]  # likewise


def ruleset_with(ruleset: Ruleset, options: Mapping[str, Any]) -> Ruleset:
    """The rule set with these options changed; it keeps its name unless that is changed too."""
    return replace(ruleset, **options)


def terms_with(terms: Mapping[str, Any]) -> Terms:
    """The usual terms with these changed."""
    return replace(Terms(), **terms)


def options_text(options: Mapping[str, Any]) -> str:
    """Changed options, for people; nothing if there are none."""
    return ", ".join(f"{name} = {_shown(value)}" for name, value in options.items())


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else _option_word(value)


def preset(name: str) -> Ruleset:
    """A published rule set by its name. Raises CaseError with the names there are."""
    if name not in PRESETS:
        raise CaseError(f"there is no rule set {name!r}; there are: {', '.join(PRESETS)}")
    return PRESETS[name]
