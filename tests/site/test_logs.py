"""Log lines for machines."""

import json
import logging
import sys
import uuid

from tournament_site.common.logs import JsonLines


def written(**given: object) -> dict[str, object]:
    record = logging.makeLogRecord({"name": "tournament_site.pipeline", "levelname": "INFO"} | given)
    line = JsonLines().format(record)
    assert "\n" not in line
    found: dict[str, object] = json.loads(line)
    return found


def test_a_line_names_what_it_is_about() -> None:
    match = uuid.uuid4()
    line = written(msg="the record of a match is %s", args=("stored",), match=match, attempt=2)
    assert (line["event"], line["level"], line["logger"]) == (
        "the record of a match is stored",
        "info",
        "tournament_site.pipeline",
    )
    assert (line["match"], line["attempt"]) == (str(match), 2)
    assert set(line) == {"time", "level", "logger", "event", "match", "attempt"}


def test_an_error_brings_its_traceback() -> None:
    try:
        int("no\nnumber")
    except ValueError:
        line = written(msg="it failed", exc_info=sys.exc_info())
    assert "ValueError: invalid literal" in str(line["traceback"])
