"""Published rule sets are for ever, and rules that make no sense or are not played are refused."""

import hashlib
from dataclasses import fields, replace
from enum import Enum
from typing import Any

import pytest

from referee.engine import (
    OFFICIAL,
    PHASES,
    PRESETS,
    CardPoints,
    Clock,
    Ruleset,
    SeatDealer,
    Terms,
    UnsupportedRules,
    check_ruleset,
)
from referee.engine.ruleset import (
    DealerRotation,
    GoalKind,
    GoingOut,
    InitialSkip,
    InitialSkipDeals,
    InitialWild,
    SkipZone,
)

# A digest per published rule set. A rule that turns out wrong gets a new name and a new line; no line ever changes.
DIGESTS = {
    "official": "d1edccb7d9be3e90",
    "da": "7ec8dd5b322267b4",
    "sv": "297f2d308b7cc610",
    "bg": "f63a852fe38fc361",
    "lt": "62244a286ca9ddf8",
    "da-literal": "f613f6c67f02deb3",
    "sv-literal": "fa4ac4daa4cd5214",
    "bg-literal": "f0af5460a8de01f8",
    "da+rotate": "6fd9143213c01aa4",
    "da+twist": "99409a7245c679ad",
    "bg+all-advance": "82e8d93e6a536bf7",
    "bg+to5": "00230dc30c391d2e",
    "bg+to8": "c15aca8cc63e40ca",
    "bg+even": "8ac3762bf24fc190",
    "bg+odd": "6e8eeddaa6d25978",
    "bg+free": "df21127f847308dd",
    "bg+out": "5a971fe2292e4d56",
    "lt+first5": "b72de4f5157dfaf9",
    "fundex": "9f1b65dc1ad9b499",
    "fundex+ten-hands": "d6ad25c328e9bea4",
    "fundex+to5": "3a077f0dade0920a",
    "fundex+to7": "5f31d7a784a253a6",
    "fundex+even": "7a47da3ee5fd43b2",
    "app163": "6c1f6b65cd0f9bc0",
}


def digest(ruleset: Ruleset) -> str:
    return hashlib.sha256(repr(ruleset).encode()).hexdigest()[:16]


def test_no_published_rule_set_changes():
    assert {name: digest(rules) for name, rules in PRESETS.items()} == DIGESTS


def test_names_are_the_keys():
    assert all(rules.name == name for name, rules in PRESETS.items())
    assert PRESETS["official"] is OFFICIAL


def test_the_ten_phases():
    printed = {number: " + ".join(f"{goal.kind.value} {goal.size}" for goal in goals) for number, goals in PHASES.items()}
    assert printed == {
        1: "set 3 + set 3",
        2: "set 3 + run 4",
        3: "set 4 + run 4",
        4: "run 7",
        5: "run 8",
        6: "run 9",
        7: "set 4 + set 4",
        8: "color 7",
        9: "set 5 + set 2",
        10: "set 5 + set 3",
    }
    assert set(GoalKind) == {goal.kind for goals in PHASES.values() for goal in goals}


def problems(ruleset: Ruleset, terms: Terms | None = None, seats: int = 2) -> set[str]:
    try:
        check_ruleset(ruleset, terms or Terms(), seats)
    except UnsupportedRules as refused:
        return {option for option, _ in refused.problems}
    return set()


@pytest.mark.parametrize("seats", range(2, 7))
def test_the_official_rules_are_played(seats):
    assert problems(OFFICIAL, seats=seats) == set()


PLAYED_SWITCHES: dict[str, set[Any]] = {
    "dealer_rotation": set(DealerRotation),
    "initial_skip": set(InitialSkip),
    "initial_skip_deals": set(InitialSkipDeals),
    "initial_wild": set(InitialWild),
    "take_skip_from_discard": {False, True},
}


def _switches() -> list[tuple[str, object]]:
    """Every value of every option that is a choice among a few."""
    found: list[tuple[str, object]] = []
    for field in fields(Ruleset):
        official = getattr(OFFICIAL, field.name)
        if isinstance(official, Enum):
            found += [(field.name, value) for value in type(official)]
        elif isinstance(official, bool):
            found += [(field.name, value) for value in (False, True)]
    return found


@pytest.mark.parametrize(("option", "value"), _switches())
def test_a_value_is_played_or_refused_by_name(option, value):
    played = value is getattr(OFFICIAL, option) or value in PLAYED_SWITCHES.get(option, ())
    assert problems(replace(OFFICIAL, **{option: value})) == (set() if played else {option})


def test_which_published_rule_sets_are_played_now():
    played = {name for name, rules in PRESETS.items() if not problems(rules)}
    assert played == {"official", "lt", "lt+first5"}


@pytest.mark.parametrize(
    ("change", "option"),
    [
        ({"players_min": 1}, "players_min"),
        ({"players_max": 7}, "players_min"),
        ({"players_min": 3}, "players_max"),
        ({"players_min": 4, "players_max": 3}, "players_min"),
        ({"wilds": 17}, "wilds"),
        ({"wilds": -1}, "wilds"),
        ({"skips": 9}, "skips"),
        ({"hand_size": 6}, "hand_size"),
        ({"hand_size": 14}, "hand_size"),
        ({"hand_size": 7}, "hand_size"),
        ({"phases": ()}, "phases"),
        ({"phases": (1, 11)}, "phases"),
        ({"phases": (0,)}, "phases"),
        ({"phases": (1, 2, 1)}, "phases"),
        ({"card_points": CardPoints(low=-1)}, "card_points"),
        ({"card_points": CardPoints(low=11)}, "card_points"),
        ({"card_points": CardPoints(wild=-1)}, "card_points"),
        ({"tiebreak_max_deals": 0}, "tiebreak_max_deals"),
        ({"tiebreak_max_deals": 11}, "tiebreak_max_deals"),
    ],
)
def test_rules_that_make_no_sense(change, option):
    assert option in problems(replace(OFFICIAL, **change))


@pytest.mark.parametrize(
    "change",
    [
        {"phases": (10, 1)},
        {"phases": (4,)},
        {"hand_size": 13},
        {"hand_size": 7, "phases": (1, 2, 3)},
        {"wilds": 0, "skips": 0},
        {"wilds": 16, "skips": 8},
        {"card_points": CardPoints(0, 0, 0, 0)},
    ],
)
def test_numbers_may_be_chosen(change):
    assert problems(replace(OFFICIAL, **change)) == set()


@pytest.mark.parametrize(
    ("terms", "option"),
    [
        (Terms(first_dealer=SeatDealer(2)), "first_dealer"),
        (Terms(first_dealer=SeatDealer(-1)), "first_dealer"),
        (Terms(max_faults=0), "max_faults"),
        (Terms(max_turns_per_deal=0), "max_turns_per_deal"),
        (Terms(max_deals=0), "max_deals"),
        (Terms(clock=Clock(bank_ms=0)), "clock"),
        (Terms(clock=Clock(increment_ms=-1)), "clock"),
        (Terms(clock=Clock(cap_ms=0)), "clock"),
    ],
)
def test_terms_that_make_no_sense(terms, option):
    assert problems(OFFICIAL, terms) == {option}


def test_no_caps_are_fine():
    assert problems(OFFICIAL, Terms(max_turns_per_deal=None, max_deals=None)) == set()


def test_all_problems_are_named_at_once():
    rules = replace(OFFICIAL, going_out=GoingOut.DISCARD_ONLY, skip_zone=SkipZone.DISCARD_PILE, wilds=99)
    with pytest.raises(UnsupportedRules) as refused:
        check_ruleset(rules, Terms(), 2)
    assert all(f"{option}: {sentence}" in str(refused.value) for option, sentence in refused.value.problems)
    assert problems(rules, Terms(max_faults=0), 9) == {"going_out", "skip_zone", "wilds", "max_faults", "players_max"}
