"""The tables of this folder, and the cases they name."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from referee.cases.choosing import ruleset_with
from referee.cases.reading import read_cases
from referee.cases.running import failure_text, run
from referee.cases.values import Case, Outcome
from referee.engine.presets import PRESETS
from referee.engine.ruleset import Ruleset

HERE = Path(__file__).parent
CASES = HERE.parent / "cases"
DOCUMENTS = ("da", "sv", "bg", "lt")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a rule text. `rule` names the cases that prove it; `info` says why there is nothing to prove.

    `under` are the published rule sets it is proved under: that of the text, or those of a variant it speaks of.
    """

    id: str
    says: str
    under: tuple[str, ...]
    rule: tuple[str, ...] = ()
    info: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A rule text, sentence by sentence; `length` is how many there are."""

    name: str
    title: str
    length: int
    lines: tuple[Line, ...]


def load(name: str) -> dict[str, Any]:
    """A table of this folder."""
    return tomllib.loads((HERE / f"{name}.toml").read_text())


@cache
def document(name: str) -> Document:
    table = load(name)
    title, rules, length = table.pop("title"), table.pop("rules"), table.pop("lines")
    del table["about"]
    return Document(name, title, length, tuple(_line(key, entry, rules) for key, entry in table.items()))


def _line(name: str, entry: dict[str, Any], rules: str) -> Line:
    unknown = entry.keys() - {"says", "under", "rule", "info"}
    assert not unknown, f"{name}: unknown {unknown}"
    under = tuple(entry.get("under", (rules,)))
    return Line(name, entry["says"], under, tuple(entry.get("rule", ())), entry.get("info", ""))


@cache
def all_cases() -> dict[str, Case]:
    """Every case of tests/cases by its id."""
    found: dict[str, Case] = {}
    for path in sorted(CASES.glob("*.toml")):
        for case in read_cases(path.read_text(), path.name).cases:
            assert case.id not in found, f"{path.name}: {case.id} is there twice"
            found[case.id] = case
    return found


def runs() -> Iterator[tuple[Case, Outcome, Ruleset]]:
    """Every outcome of every case with each rule set it is played under, its options changed."""
    for case in all_cases().values():
        for outcome in case.outcomes:
            for ruleset in outcome.rulesets:
                yield case, outcome, ruleset_with(ruleset, outcome.options)


@cache
def verdict(case_id: str, ruleset: str) -> str | None:
    """What a case says under a published rule set as it is: nothing wrong (""), a failure, or None: it is not run there.

    Outcomes that change options are about other rules, so they prove nothing here.
    """
    case, rules = all_cases()[case_id], PRESETS[ruleset]
    plain = [outcome for outcome in case.outcomes if rules in outcome.rulesets and not outcome.options]
    failures = [failure for outcome in plain if (failure := run(case, outcome, rules)) is not None]
    return "\n".join(map(failure_text, failures)) if plain else None


def counts() -> str:
    """How many lines each text has, and of which kind."""
    rows: list[tuple[str, ...]] = [("text", "lines", "rule", "info", "cases")]
    for name in DOCUMENTS:
        lines = document(name).lines
        rules = [line for line in lines if line.rule]
        named = {case for line in rules for case in line.rule}
        rows.append((name, *map(str, (len(lines), len(rules), len(lines) - len(rules), len(named)))))
    return "\n".join("".join(f"{cell:>7}" for cell in row) for row in rows)
