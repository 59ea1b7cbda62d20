"""What an author may write into bot.js, and what the bot says when it cannot play."""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.javascript.node import PATIENCE, Node
from tests.sdk.command import Shell
from tests.sdk.fake_site import fake_site

DRAW = "  draw(view) {\n"
TELLS_ENDS = """\
  gameOver(over) {
    console.error(over ? `ended: ${over.text || "played"} ${over.result?.places.length}` : "ended: not told");
  }

"""


def tried(bot: Node, home: Path, *scenarios: str) -> tuple[dict[str, Any], str]:
    """The report of some scenarios, and what the bot printed."""
    report, log = home / "report.json", home / "bot.log"
    only = [word for name in scenarios for word in ("--only", name)]
    Shell(home).phaseten("check", "--server", *only, "--json", str(report), "--log", str(log), "--", *bot.command)
    plain = json.loads(report.read_text())
    assert [each for each in plain["scenarios"] if each["status"] != "passed"] == [], log.read_text()[-3000:]
    return plain, log.read_text()


def test_an_error_costs_a_default_move_and_many_the_game(bot: Node, tmp_path: Path) -> None:
    broken = bot.changed(tmp_path / "broken", DRAW, DRAW + '    throw new Error("no idea");\n')
    report, log = tried(broken, tmp_path, "rules-official")
    assert report["illegal_moves"] == {}
    assert "draw failed, the default move is played: Error: no idea" in log
    assert "draw failed, the game is given up: Error: no idea" in log
    assert "bot.js:" in log


def test_a_move_that_is_none_costs_a_default_move(bot: Node, tmp_path: Path) -> None:
    broken = bot.changed(tmp_path / "broken", DRAW, DRAW + "    return undefined;\n")
    _, log = tried(broken, tmp_path, "answers")
    assert "TypeError: this is no answer" in log


def test_a_bot_may_think_while_connections_are_lost(bot: Node, tmp_path: Path) -> None:
    slow = bot.changed(
        tmp_path / "slow", DRAW, "  async draw(view) {\n    await new Promise((done) => setTimeout(done, 40));\n"
    )
    names = ("many-games", "duplicate-question", "resync-asked", "resync-waiting", "void", "drain")
    report, _ = tried(slow, tmp_path, *names)
    assert report["slowest_ms"] > 0


def test_how_games_ended_in_its_absence_is_told(bot: Node, tmp_path: Path) -> None:
    tells = bot.changed(tmp_path / "tells", DRAW, TELLS_ENDS + DRAW)
    _, log = tried(tells, tmp_path, "resync-gone")
    ends = Counter(line for line in log.splitlines() if line.startswith("ended: "))
    # Three times two games end while it is away: untold, then one of each kind, twice. Three more are played to the end.
    assert ends == {"ended: not told": 2, "ended: called off in the meantime undefined": 2, "ended: played 2": 2 + 3}


def test_notes_are_cut_to_what_fits(bot: Node, tmp_path: Path) -> None:
    wordy = bot.changed(tmp_path / "wordy", DRAW, DRAW + '    this.note = "x" + "\u00e9".repeat(400);\n')
    report, _ = tried(wordy, tmp_path, "answers", "notes")
    (notes,) = (each["notes"] for each in report["scenarios"] if each["name"] == "notes")
    assert notes == ["up to 499 bytes"]


def started(bot: Node, home: Path, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        bot.command, env=Shell(home).env(**env), check=False, capture_output=True, text=True, timeout=PATIENCE
    )


def test_without_settings_it_says_what_it_needs(bot: Node, tmp_path: Path) -> None:
    ended = started(bot, tmp_path)
    assert ended.returncode == 2
    assert "Set PHASETEN_SERVER" in ended.stderr


@pytest.mark.parametrize(("status", "code"), [(401, "unauthorized"), (422, "invalid")])
def test_a_site_that_refuses_is_quoted(bot: Node, tmp_path: Path, status: int, code: str) -> None:
    with fake_site() as site:
        site.refuse("POST /api/v1/sessions", status, code, "This token opens nothing.")
        ended = started(bot, tmp_path, PHASETEN_SERVER=site.url + "/", PHASETEN_TOKEN="phaseten_wrong")
    assert ended.returncode == 1
    assert f"stops: the site says: This token opens nothing. ({status})" in ended.stderr
    assert len(site.asked) == 1


def test_a_site_that_is_busy_is_asked_again(bot: Node, tmp_path: Path) -> None:
    with fake_site() as site:
        site.refuse("POST /api/v1/sessions", 503, "busy", "Come back later.")
        site.refuse("POST /api/v1/sessions", 429, "too_many", "Slowly.", Retry_After="1")
        site.refuse("POST /api/v1/sessions", 404, "not_found")
        ended = started(bot, tmp_path, PHASETEN_SERVER=site.url, PHASETEN_TOKEN="phaseten_x")
    assert ended.returncode == 1
    assert len(site.asked) == 3
    assert "Come back later. (503); trying again in" in ended.stderr
