"""From what a match stores, a preset's name and plain terms, to the engine's values. Pure."""

from collections.abc import Mapping

from referee.engine.presets import PRESETS
from referee.engine.ruleset import Clock, FirstDealer, Ruleset, SeatDealer, Terms


class UnknownRules(ValueError):
    """A match names rules or terms that nobody can play; the message says which."""


def ruleset_named(name: str) -> Ruleset:
    """The preset. Raises UnknownRules."""
    try:
        return PRESETS[name]
    except KeyError:
        raise UnknownRules(f"there is no rule set {name!r}; there are {', '.join(sorted(PRESETS))}") from None


def terms_plain(terms: Terms) -> dict[str, int | str | None]:
    """The plain form of terms, with every key; `terms_from` makes them of it again."""
    first = terms.first_dealer
    return {
        "bank_ms": terms.clock.bank_ms,
        "increment_ms": terms.clock.increment_ms,
        "cap_ms": terms.clock.cap_ms,
        "max_faults": terms.max_faults,
        "first_dealer": f"seat:{first.seat}" if isinstance(first, SeatDealer) else first,
        "max_turns_per_deal": terms.max_turns_per_deal,
        "max_deals": terms.max_deals,
    }


def _number(terms: Mapping[str, object], key: str, default: int) -> int:
    value = terms.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise UnknownRules(f"{key} must be a whole number from 0, not {value!r}")
    return value


def _cap(terms: Mapping[str, object], key: str, default: int | None) -> int | None:
    if terms.get(key, default) is None:
        return None
    return _number(terms, key, default or 0)


def _first_dealer(value: object) -> FirstDealer:
    if value == "last_seat":
        return "last_seat"
    if value == "seeded":
        return "seeded"
    if isinstance(value, str) and value.startswith("seat:") and value[5:].isdecimal():
        return SeatDealer(int(value[5:]))
    raise UnknownRules(f"first_dealer must be last_seat, seeded or seat:0, not {value!r}")


def terms_from(terms: Mapping[str, object]) -> Terms:
    """Terms from their plain form; a key that is missing has the engine's default. Raises UnknownRules."""
    usual = Terms()
    known = {"bank_ms", "increment_ms", "cap_ms", "max_faults", "first_dealer", "max_turns_per_deal", "max_deals"}
    if unknown := sorted(set(terms) - known):
        raise UnknownRules(f"the terms know no {', '.join(unknown)}")
    return Terms(
        clock=Clock(
            bank_ms=_number(terms, "bank_ms", usual.clock.bank_ms),
            increment_ms=_number(terms, "increment_ms", usual.clock.increment_ms),
            cap_ms=_number(terms, "cap_ms", usual.clock.cap_ms),
        ),
        max_faults=_number(terms, "max_faults", usual.max_faults),
        first_dealer=_first_dealer(terms.get("first_dealer", "last_seat")),
        max_turns_per_deal=_cap(terms, "max_turns_per_deal", usual.max_turns_per_deal),
        max_deals=_cap(terms, "max_deals", usual.max_deals),
    )
