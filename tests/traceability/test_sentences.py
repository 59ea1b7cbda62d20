"""The four rule texts as tests: every sentence that states a rule is proved by cases under the rule set of its text."""

from collections import Counter

import pytest

from tests.traceability.tables import DOCUMENTS, Line, all_cases, counts, document, verdict

LINES = [line for name in DOCUMENTS for line in document(name).lines]
RULES = [pytest.param(line, id=line.id) for line in LINES if line.rule]
LENGTHS = {"da": 39, "sv": 47, "bg": 56, "lt": 76}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_sentence_of_a_text_has_its_line(name: str) -> None:
    text = document(name)
    assert text.length == LENGTHS[name]
    assert [line.id for line in text.lines] == [f"{name.upper()}-{number:02}" for number in range(1, text.length + 1)]


@pytest.mark.parametrize("line", [pytest.param(line, id=line.id) for line in LINES])
def test_a_line_is_a_rule_with_cases_or_says_why_it_is_none(line: Line) -> None:
    assert len(line.says) > 10, "the sentence in other words"
    assert bool(line.rule) != bool(line.info)
    assert not line.info or len(line.info) > 10, "a reason"
    assert len(set(line.rule)) == len(line.rule)


@pytest.mark.parametrize("line", RULES)
def test_the_cases_of_a_line_are_run_under_its_rules_and_pass(line: Line) -> None:
    unknown = [case for case in line.rule if case not in all_cases()]
    assert not unknown, f"there is no case {unknown}"
    found = {(case, rules): verdict(case, rules) for case in line.rule for rules in line.under}
    silent = [case for case in line.rule if all(found[case, rules] is None for rules in line.under)]
    assert not silent, f"{silent}: not run under {' or '.join(line.under)}"
    unproved = [rules for rules in line.under if all(found[case, rules] is None for case in line.rule)]
    assert not unproved, f"no case is run under {unproved}"
    failures = {key: failure for key, failure in found.items() if failure}
    assert not failures


def test_the_lines_are_counted() -> None:
    print("\n" + counts())  # pytest -s shows it
    assert Counter(line.id[:2] for line in LINES) == {name.upper(): length for name, length in LENGTHS.items()}
    assert len(LINES) == 218
