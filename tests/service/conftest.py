"""A referee for each test, in the test's own event loop."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.service.client import House


@pytest_asyncio.fixture
async def house() -> AsyncIterator[House]:
    referee = House()
    await referee.start()
    yield referee
    await referee.stop()
