"""Replays of earlier releases say what they always said."""

import json
from pathlib import Path
from typing import Any

import pytest

from referee.engine.game import fold
from referee.wire.replay import decode_replay, replay_digest
from tournament_site.matches.records import check_replay

HERE = Path(__file__).parent
CASES = [
    pytest.param(folder / f"{name}.replay", expected, id=f"{folder.name} {name}")
    for folder in sorted(path for path in HERE.iterdir() if (path / "expected.json").exists())
    for name, expected in json.loads((folder / "expected.json").read_text()).items()
]


def test_there_are_replays() -> None:
    assert len(CASES) >= 2


@pytest.mark.parametrize(("path", "expected"), CASES)
def test_a_replay_of_a_release_says_what_it_said(path: Path, expected: dict[str, Any]) -> None:
    data = path.read_bytes()
    assert replay_digest(data).hex() == expected["sha256"]
    record = decode_replay(data)
    check_replay(record)
    state = fold(record.events)
    assert len(record.events) == expected["events"]
    assert record.result.cause.name == expected["cause"]
    assert list(state.places) == expected["places"]
    assert state.totals == expected["totals"]
    assert state.completed == expected["completed"]
    assert state.deal + 1 == expected["deals"]
