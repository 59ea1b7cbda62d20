"""Which tests run in the same process (a pytest plugin), where `dev.py test` has several processes run the suite.

The tests of a file stay together and in order, for they share what they have set up. So do those of bots in JavaScript,
which share what npm brings, and whole houses, each of which fills the machine by itself and looks for free ports. Houses
come first, since they take longest, and browser tests last.
"""

import os
from typing import Any, Final

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # it has no types

TOGETHER: Final = {"tests/faults/": "houses", "tests/deploy/": "houses", "tests/javascript/": "javascript"}


def number() -> int:
    """The number of this process among those that share the tests, from 0."""
    return int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))


def group_of(file: str) -> str:
    """What a test file, named by its path from the project's root, is run together with."""
    return next((group for folder, group in TOGETHER.items() if file.startswith(folder)), file)


class Together(LoadScopeScheduling):  # type: ignore[misc]  # as above
    """Hands out whole groups."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together | None:
    return Together(config, log) if config.getoption("dist") == "loadscope" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: group_of(item.nodeid) != "houses")
