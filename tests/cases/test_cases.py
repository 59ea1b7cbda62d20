"""Every case file of this folder, case by case, outcome by outcome, under every rule set it names."""

from contextlib import suppress
from pathlib import Path

import pytest

from referee.cases.errors import CaseError
from referee.cases.reading import read_cases
from referee.cases.running import failure_text, run
from referee.cases.values import Case, CaseFile, Outcome

HERE = Path(__file__).parent
PATHS = sorted(HERE.glob("*.toml"))
FILES: list[CaseFile] = []
for path in PATHS:
    with suppress(CaseError):  # told by the first test below
        FILES.append(read_cases(path.read_text(), path.name))
OUTCOMES = [
    pytest.param(case, outcome, id=f"{case.id} {number}")
    for file in FILES
    for case in file.cases
    for number, outcome in enumerate(case.outcomes, 1)
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_file_can_be_read(path: Path) -> None:
    assert read_cases(path.read_text(), path.name).cases


def test_an_id_names_one_case_of_all_files() -> None:
    ids = [case.id for file in FILES for case in file.cases]
    assert len(ids) > 80
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize(("case", "outcome"), OUTCOMES)
def test_case(case: Case, outcome: Outcome) -> None:
    """Under every rule set at once: a test for each of them would cost more than what it tests."""
    failures = [run(case, outcome, ruleset) for ruleset in outcome.rulesets]
    assert outcome.rulesets or outcome.refuse
    told = [failure_text(failure) for failure in failures if failure is not None]
    assert not told, "\n".join(told)
