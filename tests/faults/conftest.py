"""One referee for all attacks. They share an event loop: gRPC still has words for a loop after it was closed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.faults.attacked import Attacked, attacked

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def referee(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Attacked]:
    async with attacked(tmp_path_factory.mktemp("attacked")) as process:
        yield process
