"""`--nightly` (a pytest plugin): the tests marked `nightly` run much longer, with the numbers that a night has time for.

They run in every other test run too, with fewer repetitions. `python3 dev.py nightly` runs them alone.
"""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="repeat as often as a night allows")
    parser.addoption("--reference-moves", type=int, metavar="N", help="moves compared with the reference per rule set")


@pytest.fixture(scope="session")
def nightly(request: pytest.FixtureRequest) -> bool:
    """Whether there is a whole night."""
    return bool(request.config.getoption("--nightly"))
