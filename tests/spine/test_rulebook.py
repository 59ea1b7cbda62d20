"""Rules and terms as a league stores them become the engine's values, or a sentence that says what is wrong."""

from typing import Any

import pytest

from referee.engine.ruleset import Clock, SeatDealer, Terms
from tournament_site.leagues import demo
from tournament_site.matches.rulebook import UnknownRules, ruleset_named, terms_from


def test_a_preset_is_found_by_its_name() -> None:
    assert ruleset_named("official").name == "official"
    with pytest.raises(UnknownRules, match=r"there is no rule set 'nonsense'; there are .*official"):
        ruleset_named("nonsense")


def test_what_is_not_said_is_as_usual() -> None:
    assert terms_from({}) == Terms()
    assert terms_from(demo.TERMS) == Terms()


def test_everything_can_be_said() -> None:
    said: dict[str, Any] = {
        "bank_ms": 1,
        "increment_ms": 2,
        "cap_ms": 3,
        "max_faults": 4,
        "first_dealer": "seat:2",
        "max_turns_per_deal": None,
        "max_deals": None,
    }
    assert terms_from(said) == Terms(Clock(1, 2, 3), 4, SeatDealer(2), None, None)
    assert terms_from({"first_dealer": "seeded"}).first_dealer == "seeded"


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"bank_ms": -1}, "bank_ms must be a whole number"),
        ({"bank_ms": "60"}, "bank_ms must be a whole number"),
        ({"max_faults": True}, "max_faults must be a whole number"),
        ({"cap_ms": 2**31}, "cap_ms must be a whole number"),
        ({"first_dealer": "seat:x"}, "first_dealer must be"),
        ({"first_dealer": 3}, "first_dealer must be"),
        ({"bonk_ms": 3}, "the terms know no bonk_ms"),
    ],
)
def test_nonsense_is_said_plainly(terms: dict[str, object], said: str) -> None:
    with pytest.raises(UnknownRules, match=said):
        terms_from(terms)
