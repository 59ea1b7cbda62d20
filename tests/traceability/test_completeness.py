"""Nothing is left out: every numbered corner of the rules, every option's values, every reason and every end has a case."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from typing import Any

import pytest

from referee.cases.choosing import terms_with
from referee.cases.reading import read_cases
from referee.engine.errors import Reason
from referee.engine.events import DealEnd, FaultKind, ForfeitCause, GameEnd
from referee.engine.presets import PRESETS
from referee.engine.ruleset import CardPoints, Clock, Ruleset, SeatDealer, Terms
from tests.traceability.tables import CASES, DOCUMENTS, all_cases, document, runs

ID = re.compile(r"([CNBDETO])(\d+)(?:[a-z]|\.\w+)?")
NUMBERS = {
    "C": set(range(1, 159)) - set(range(26, 30)),  # 26 to 29 were about a stock that cannot be refilled, which cannot happen
    "N": set(range(2, 17)),
    "B": set(range(1, 64)),
    "D": set(range(1, 28)),
    "E": set(range(1, 13)),
}


def numbers(letter: str) -> set[int]:
    return {int(found[2]) for case in all_cases() if (found := ID.fullmatch(case)) and found[1] == letter}


@pytest.mark.parametrize("letter", list(NUMBERS))
def test_every_number_has_a_case(letter: str) -> None:
    assert numbers(letter) == NUMBERS[letter]


def test_no_id_is_misspelt() -> None:
    assert not [case for case in all_cases() if not ID.fullmatch(case)]
    assert numbers("T") == set(range(1, max(numbers("T")) + 1))


def test_every_case_that_was_written_for_a_sentence_is_named_by_one() -> None:
    file = read_cases((CASES / "traceability.toml").read_text(), "traceability.toml")
    named = {case for name in DOCUMENTS for line in document(name).lines for case in line.rule}
    assert {case.id for case in file.cases} <= named


def played() -> Iterator[Ruleset]:
    """Every rule set that a case is played under."""
    return (ruleset for _, outcome, ruleset in runs() if outcome.refuse is None)


def test_every_value_of_every_option_is_played() -> None:
    found: defaultdict[str, set[Any]] = defaultdict(set)
    for ruleset in set(played()):
        for option in fields(Ruleset):
            found[option.name].add(getattr(ruleset, option.name))
    for option in fields(Ruleset):
        missing = wanted(getattr(Ruleset(), option.name)) - found[option.name]
        assert not missing, f"no case is played under {option.name} = {missing}"
        assert len(found[option.name]) > 1, f"no case changes {option.name}"
    for part in fields(CardPoints):
        assert len({getattr(points, part.name) for points in found["card_points"]}) > 1, part.name


def wanted(default: object) -> set[Any]:
    """All values of an option that has finitely many; of the others the default."""
    match default:
        case Enum():
            return set(type(default))
        case bool():
            return {False, True}
        case _:
            return {default}


def test_every_published_rule_set_is_played_as_it_is() -> None:
    plain = {ruleset.name for _, outcome, ruleset in runs() if outcome.refuse is None and not outcome.options}
    assert plain == PRESETS.keys()


def test_every_kind_of_terms_is_played() -> None:
    terms = [terms_with(outcome.terms) for _, outcome, _ in runs() if outcome.refuse is None]
    for part in fields(Terms):
        if part.type is Clock or part.name == "clock":
            continue  # a clock is kept by the service, the rules do not know the time
        assert len({getattr(one, part.name) for one in terms}) > 1, part.name
    assert {type(one.first_dealer) for one in terms} == {SeatDealer, str}
    assert {"last_seat", "seeded"} <= {one.first_dealer for one in terms}
    assert None in {one.max_turns_per_deal for one in terms}
    assert None in {one.max_deals for one in terms}


def test_whatever_can_be_refused_is_refused_somewhere() -> None:
    refused = {outcome.refuse for _, outcome, _ in runs() if outcome.refuse is not None}
    options = {part.name for kind in (Ruleset, Terms) for part in fields(kind)}
    assert refused <= options
    assert refused >= REFUSABLE, f"never refused: {REFUSABLE - refused}"


REFUSABLE = {
    *("players_min", "players_max", "wilds", "skips", "hand_size", "phases", "card_points", "win_check"),
    *("tiebreak_max_deals", "first_dealer", "max_faults", "max_turns_per_deal", "max_deals", "clock"),
}


def test_every_reason_is_given_somewhere() -> None:
    given = {step.reject for case in all_cases().values() for outcome in case.outcomes for step in outcome.steps}
    missing = set(Reason) - given
    assert not missing, f"no case is refused for {sorted(reason.name for reason in missing)}"


def test_every_end_and_every_fault_happens_somewhere() -> None:
    lines = {
        line
        for case in all_cases().values()
        for outcome in case.outcomes
        for step in outcome.steps
        for line in (*(step.events or ()), *step.contains)
    }
    words = {
        *(f"deal ends: {cause.value}" for cause in DealEnd),
        *(f"game ends: {cause.value}" for cause in GameEnd),
        *(f"forfeits: {cause.value}" for cause in ForfeitCause),
        *(f"faults: {kind.value}" for kind in FaultKind),
    }
    missing = sorted(word for word in words if not any(word in line for line in lines))
    assert not missing, f"expected nowhere: {missing}"
