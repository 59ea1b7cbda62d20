"""What failed elsewhere does not fail here: every bug report has its cases, under every rule text it applies to."""

from typing import Any

import pytest

from tests.traceability.tables import CASES, DOCUMENTS, all_cases, load, verdict

TABLE: dict[str, Any] = {key: entry for key, entry in load("bugs").items() if isinstance(entry, dict)}
TEXTS = ("official", *DOCUMENTS)


def test_no_report_is_left_out() -> None:
    assert list(TABLE) == [f"B{number:02}" for number in range(1, 64)]


def test_every_case_of_a_report_stands_in_the_table() -> None:
    named = {case for entry in TABLE.values() for case in entry["cases"]}
    assert {case for case in all_cases() if case.startswith("B")} <= named
    assert {path.name for path in CASES.glob("4-*.toml")}, "the files of the reports"


@pytest.mark.parametrize("report", list(TABLE))
def test_a_report_is_answered_under_every_text_or_the_table_says_why_not(report: str) -> None:
    entry = TABLE[report]
    assert entry.keys() <= {"cases", "without", "note"}
    unknown = [case for case in entry["cases"] if case not in all_cases()]
    assert not unknown, f"there is no case {unknown}"
    found = {text: [verdict(case, text) for case in entry["cases"]] for text in TEXTS}
    assert not [failure for verdicts in found.values() for failure in verdicts if failure]
    silent = {text for text, verdicts in found.items() if all(one is None for one in verdicts)}
    assert silent == entry.get("without", {}).keys()
    idle = [case for number, case in enumerate(entry["cases"]) if all(one[number] is None for one in found.values())]
    assert not idle, f"{idle}: run under none of {TEXTS}"
