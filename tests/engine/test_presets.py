"""Published rule sets are for ever, and rules that make no sense are refused."""

from dataclasses import fields, replace
from enum import Enum

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
    ruleset_hash,
)
from referee.engine.ruleset import (
    Advance,
    GoalKind,
    GoingOut,
    WinCheck,
)

# A digest per published rule set. A rule that turns out wrong gets a new name and a new line; no line ever changes.
DIGESTS = {
    "official": "0be60d410ee7574c",
    "da": "096e1f3092279d7c",
    "sv": "c452fb7650d1e3c5",
    "bg": "6fc47ec0a06e9e32",
    "lt": "0be60d410ee7574c",
    "da-literal": "d0909487aad6e8c4",
    "sv-literal": "452443dcf99c885b",
    "bg-literal": "57bff437fba65533",
    "da+rotate": "367e13326de8575b",
    "da+twist": "8f42989619263ad4",
    "bg+all-advance": "999ca78379c43983",
    "bg+to5": "546f258beb58700e",
    "bg+to8": "44ea0c1c43337483",
    "bg+even": "9a9f9c9b7e92105b",
    "bg+odd": "b4e0462b735e4331",
    "bg+free": "0d5bc0d40e5bd42b",
    "bg+out": "6b34f61c2dad59b3",
    "lt+first5": "08021513f1fb34b8",
    "fundex": "48c57b9a7aa439bf",
    "fundex+ten-hands": "6683d3473d4078e5",
    "fundex+to5": "eb115d735f2ae5f2",
    "fundex+to7": "572ac307b8b312af",
    "fundex+even": "e1b7bcda1af19f05",
    "app163": "7be410129e07dbc4",
}


def test_no_published_rule_set_changes():
    assert {name: ruleset_hash(rules)[:16] for name, rules in PRESETS.items()} == DIGESTS


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
def test_every_value_of_every_option_is_played(option, value):
    assert problems(replace(OFFICIAL, **{option: value})) == set()


@pytest.mark.parametrize("name", PRESETS)
def test_every_published_rule_set_is_played_by_two_to_six(name):
    assert [seats for seats in range(9) if not problems(PRESETS[name], seats=seats)] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(("option", "value"), _switches())
def test_the_hash_tells_rules_apart_and_not_names(option, value):
    changed = replace(OFFICIAL, name="mine", **{option: value})
    assert (ruleset_hash(changed) == ruleset_hash(OFFICIAL)) == (value is getattr(OFFICIAL, option))


@pytest.mark.parametrize("win_check", [WinCheck.ON_LAY, WinCheck.END_OF_DEAL_AND_OUT])
def test_where_everybody_moves_on_the_last_phase_wins_nothing(win_check):
    assert problems(replace(OFFICIAL, advance=Advance.EVERY_DEAL, win_check=win_check)) == {"win_check"}


def test_a_card_must_be_left_to_discard():
    short = replace(OFFICIAL, hand_size=8)
    assert problems(short) == set()
    assert problems(replace(short, going_out=GoingOut.DISCARD_ONLY)) == {"hand_size"}


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
    rules = replace(OFFICIAL, hand_size=3, wilds=99)
    with pytest.raises(UnsupportedRules) as refused:
        check_ruleset(rules, Terms(), 2)
    assert all(f"{option}: {sentence}" in str(refused.value) for option, sentence in refused.value.problems)
    assert problems(rules, Terms(max_faults=0), 9) == {"hand_size", "wilds", "max_faults", "players_max"}
