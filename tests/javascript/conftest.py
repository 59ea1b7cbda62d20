import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.javascript.node import Node, new_bot
from tests.sdk.command import Done, Shell

WHOLE_TRIAL = "test_it_passes_every_scenario"
PATIENCE = 900  # the kit waits for a minute in all where nothing else is to be done, and beside it all other tests run


@dataclass(frozen=True, slots=True)
class Trial:
    """The whole conformance kit: the folder of its report and of what the bot prints, and how it ends."""

    folder: Path
    done: Future[Done]


def whole_kit(bot: Node, home: Path) -> Done:
    """Run every scenario; the report, and what the bot prints, are written to `home`."""
    command = ("check", "--server", "--json", "report.json", "--log", "bot.log", "--", *bot.command)
    done = subprocess.run(
        (sys.executable, "-m", "bots_sdk.cli", *command),
        cwd=home,
        env=Shell(home).env(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def tried(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Trial]]:
    """A new bot, and its trial where that is wanted. It runs beside the other tests, since it waits most of the time."""
    bot = new_bot(tmp_path_factory.mktemp("javascript") / "first-bot")
    trial = Trial(tmp_path_factory.mktemp("trial"), Future())
    with ThreadPoolExecutor(1) as pool:
        if any(item.name == WHOLE_TRIAL for item in request.session.items):
            trial = Trial(trial.folder, pool.submit(whole_kit, bot, trial.folder))
        yield bot, trial


@pytest.fixture(scope="session")
def bot(tried: tuple[Node, Trial]) -> Node:
    """A new bot in JavaScript, ready to be started."""
    return tried[0]


@pytest.fixture(scope="session")
def trial(tried: tuple[Node, Trial]) -> Trial:
    return tried[1]
