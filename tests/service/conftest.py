"""A referee for each test. All tests share one event loop: gRPC still has words for a loop after it was closed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import settings

from tests.service.client import House

HERE = Path(__file__).parent
settings.register_profile("service", deadline=None)  # a busy machine may take its time over an example
settings.load_profile("service")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(loop_scope="session")
async def house() -> AsyncIterator[House]:
    referee = House()
    await referee.start()
    yield referee
    await referee.stop()
