"""`dev.py manage`: one of the site's commands, with the settings of a demo that is running."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from deploy.local import house
from deploy.local.errors import LocalError
from deploy.local.settings import Settings
from deploy.local.state import State


def run(root: Path, words: Sequence[str]) -> NoReturn:
    """Become the command, as `phaseten-site` reads it; without words, the list of commands. Raises LocalError."""
    state = State(root)
    if not state.in_use:
        raise LocalError(f"no demo runs on {state.root}: start `python3 dev.py demo`, and leave it open meanwhile")
    env = {**Settings.from_env().inherited, **state.environment()}
    os.chdir(house.PROJECT)
    os.execve(sys.executable, [sys.executable, "-m", "tournament_site", *words], env)  # noqa: S606 - no shell
