"""A browser, two sites (one full, one empty), and pages that must stay quiet."""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.local.settings import Settings
from tests.e2e.site import Site, running_site

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
SCREENSHOTS = Path(__file__).parent / "screenshots"
# Collects what the content policy refused, before any script of the page runs.
WATCH = "addEventListener('securitypolicyviolation', e => console.error('CSP: ' + e.violatedDirective + ' ' + e.blockedURI))"


def find_browser(settings: Settings) -> str:
    """The Chromium to use. Skips the test without one; with PHASETEN_REQUIRE_BROWSER=1 fails it."""
    found = settings.chromium or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None or not Path(found).exists():
        looked = f"PHASETEN_CHROMIUM={settings.chromium}" if settings.chromium else "PHASETEN_CHROMIUM, PATH"
        reason = f"no Chromium found ({looked}); install it with: apt-get install chromium"
        if settings.require_browser:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = find_browser(Settings.from_env())
    # Not a dependency of those who have no browser.
    api = pytest.importorskip("playwright.sync_api", reason="install requirements/e2e.lock for the browser tests")
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Site]:
    """A site with seasons. Asks for the browser first: nothing is started for tests that are skipped."""
    assert browser
    with running_site(tmp_path_factory.mktemp("site"), f"e2e_{uuid.uuid4().hex[:8]}") as running:
        yield running


@pytest.fixture(scope="session")
def empty_site(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Site]:
    """A site on its first day."""
    assert browser
    with running_site(tmp_path_factory.mktemp("empty"), f"e2e_{uuid.uuid4().hex[:8]}", "--empty") as running:
        yield running


class Quiet:
    """A page and everything it complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", self._failed)

    def _hear(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text}")

    def _failed(self, request: Any) -> None:
        # A page that is left while it asks for news gives up asking.
        if "ERR_ABORTED" not in (request.failure or ""):
            self.complaints.append(f"failed: {request.url} {request.failure}")


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Quiet]]:
    """Makes pages of a width and theme. At the end none of them may have complained."""
    contexts: list[Any] = []
    pages: list[Quiet] = []

    def make(width: int = 1440, theme: str = "light", state: Any = None) -> Quiet:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            locale="en-US",
            timezone_id="UTC",
            storage_state=state,
            reduced_motion="reduce",
        )
        context.add_init_script(WATCH)
        contexts.append(context)
        quiet = Quiet(context.new_page())
        pages.append(quiet)
        return quiet

    yield make
    complaints = [complaint for quiet in pages for complaint in quiet.complaints]
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def log_in(site: Site) -> Callable[[Any], None]:
    """Logs a page's visitor in as ann."""

    def act(page: Any) -> None:
        page.goto(site.url + "/log-in")
        page.get_by_label("User name").fill("ann")
        page.get_by_label("Password").fill("correct horse battery")
        page.locator("main").get_by_role("button", name="Log in").click()
        page.wait_for_url("**/my-bots")

    return act
