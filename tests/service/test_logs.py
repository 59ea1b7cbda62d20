"""Who comes back without end does not flood the log, and drowns nobody else's lines."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from referee.service import lobby
from referee.service.log import EventLog, JsonLines, Sparing
from referee.service.session import UNASKED_BURST, UNASKED_PER_SECOND
from tests.service.client import House, until

AT_ONCE = int(UNASKED_BURST + UNASKED_PER_SECOND)
TIMES = 120  # each is opened, superseded and closed


class Lines(logging.Handler):
    """Keeps what is logged, as it would be written and read again."""

    def __init__(self) -> None:
        super().__init__()
        self._stream = io.StringIO()
        self._out = logging.StreamHandler(self._stream)
        self._out.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        self._out.emit(record)

    def of(self, bot: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self._stream.getvalue().splitlines()]
        return [line for line in lines if line.get("bot") == bot]

    def __contains__(self, text: str) -> bool:
        return text in self._stream.getvalue()


@pytest.fixture
def lines() -> Iterator[Lines]:
    kept, logger = Lines(), logging.getLogger("referee.service.lobby")
    level = logger.level
    logger.addHandler(kept)
    logger.setLevel(logging.INFO)
    yield kept
    logger.removeHandler(kept)
    logger.setLevel(level)


async def come_back(house: House, bot: str, times: int) -> str:
    """Session after session of one bot, each superseding the one before; the name of the last, which stays."""
    last = ""
    for _ in range(times):
        last = (await (await house.dial(house.ticket(bot))).hello()).session_id
    await until(lambda: house.server.lobby.session_count == 1)
    return last


async def test_reconnects_without_end_are_few_lines(house: House, lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "LINE_SECONDS", 10**6)  # what is spent does not come back
    last = await come_back(house, "mad", TIMES)
    ends = 3 * TIMES - 2  # the last one was neither superseded nor closed
    await until(lambda: len(lines.of("mad")) + house.server.lobby._lines["mad"].untold == ends)
    assert len(lines.of("mad")) <= AT_ONCE
    assert [session.session_id for session, _ in house.server.lobby.sessions] == [last]
    house.server.lobby.tidy()
    assert "sessions untold" not in lines  # the flood may still go on
    ann = await house.bot("ann")
    await ann.close()
    await until(lambda: "closed" in [line["event"].split()[-1] for line in lines.of("ann")])
    assert [line["event"] for line in lines.of("ann")] == ["session opened", "session closed"]
    assert [line["untold"] for line in lines.of("ann")] == [0, 0]

    monkeypatch.setattr(lobby, "LINE_SECONDS", 0.001)  # it has rested
    known = len(lines.of("mad"))
    house.server.lobby.tidy()
    house.server.lobby.tidy()
    (told,) = lines.of("mad")[known:]
    assert (told["event"], told["session"], told["untold"]) == ("sessions untold", last, ends - known)


async def test_who_has_gone_is_told_as_gone_and_then_forgotten(
    house: House, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "LINE_SECONDS", 10**6)
    await come_back(house, "mad", TIMES // 2)
    assert house.server.lobby.close_sessions({"mad"}, (), "enough") == 1
    ends = 3 * (TIMES // 2) - 1  # the last one was not superseded
    await until(lambda: len(lines.of("mad")) + house.server.lobby._lines["mad"].untold == ends)
    assert not house.server.lobby.session_count
    monkeypatch.setattr(lobby, "LINE_SECONDS", 0.001)
    house.server.lobby.tidy()
    told = lines.of("mad")[-1]
    assert (told["event"], told["session"]) == ("sessions untold", None)
    house.server.lobby.tidy()
    assert list(house.server.lobby._lines) == ["mad"]  # its allowance would be a new one
    monkeypatch.setattr(lobby, "LINES_KEPT_SECONDS", -1.0)
    house.server.lobby.tidy()
    assert house.server.lobby._lines == {}


async def test_a_bot_that_comes_and_goes_keeps_its_allowance(
    house: House, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when nothing of it is here in between."""
    monkeypatch.setattr(lobby, "LINE_SECONDS", 10**6)
    for _ in range(AT_ONCE // 2 + 10):
        bot = await house.bot("mad")
        await bot.close()
        await until(lambda: not house.server.lobby.session_count)
    assert len(lines.of("mad")) <= AT_ONCE
    assert house.server.lobby._lines["mad"].untold >= 20


def test_what_is_left_out_is_counted(lines: Lines) -> None:
    answers = iter([True, False, False, False, True, True])
    spare, log = Sparing(lambda _now: next(answers)), EventLog("referee.service.lobby")
    spare.tell(log.info, "one", bot="b")
    spare.tell(log.info, "two", bot="b")
    spare.tell(log.warning, "three", bot="b")
    spare.catch_up(log.info, "still many", bot="b")  # is none of those that were left out
    spare.catch_up(log.info, "few again", bot="b")
    spare.tell(log.warning, "four", bot="b")
    found = [(line["event"], line["level"], line["untold"]) for line in lines.of("b")]
    assert found == [("one", "info", 0), ("few again", "info", 2), ("four", "warning", 0)]
