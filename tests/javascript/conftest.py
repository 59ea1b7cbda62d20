from pathlib import Path

import pytest

from tests.javascript.node import Node, new_bot


@pytest.fixture(scope="session")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Node:
    """A new bot in JavaScript, ready to be started."""
    folder: Path = tmp_path_factory.mktemp("javascript") / "first-bot"
    return new_bot(folder)
