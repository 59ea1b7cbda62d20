"""Each page in both themes and at both widths: it fits, it is quiet, it is safe, and it has what every page has."""

import pytest

from tests.e2e.conftest import SCREENSHOTS
from tests.e2e.pages import PALE_TEXTS, PRIVATE_PAGES, THEMES, WIDTHS, must_be_safe, must_fit, public_pages, settle, until


@pytest.fixture
def shot():
    SCREENSHOTS.mkdir(exist_ok=True)

    def take(page, name, width, theme):
        # As tall as the page, so that what sticks to the window's edge does not cover its middle.
        page.set_viewport_size({"width": width, "height": page.evaluate("document.documentElement.scrollHeight")})
        page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{theme}.png")
        page.set_viewport_size({"width": width, "height": 900})

    return take


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_fits_and_is_quiet(site, open_page, shot, width, theme):
    page = open_page(width, theme).page
    for name, path in public_pages(site.made).items():
        page.goto("about:blank")  # so that the next address is loaded anew, whatever follows its #
        page.goto(site.url + path)
        settle(page)
        must_fit(page)
        must_be_safe(page)
        shot(page, name, width, theme)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_an_owners_pages_fit_and_are_quiet(site, open_page, shot, log_in, width, theme):
    page = open_page(width, theme).page
    log_in(page)
    for name, path in PRIVATE_PAGES.items():
        page.goto(site.url + path)
        must_fit(page)
        shot(page, name, width, theme)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_site_on_its_first_day_says_something_useful(empty_site, open_page, shot, width, theme):
    page = open_page(width, theme).page
    page.goto(empty_site.url + "/")
    for words in ("No season is running", "Nothing has been decided yet", "How to enter in three steps"):
        page.get_by_text(words).wait_for()
    must_fit(page)
    shot(page, "empty-front", width, theme)
    page.goto(empty_site.url + "/bots")
    page.get_by_text("There is no bot yet").wait_for()
    page.goto(empty_site.url + "/start")
    page.get_by_text("No season is open right now").wait_for()


def test_every_page_has_its_landmarks_and_one_title(site, open_page):
    page = open_page().page
    for name, path in public_pages(site.made).items():
        page.goto(site.url + path)
        assert page.locator("main").count() == 1, name
        assert page.locator("h1").count() == 1, name
        assert page.locator("header.bar nav").count() == 1, name
        assert "independent project" in page.locator("footer").inner_text()
        assert page.title().endswith("phaseten") or page.title().startswith("phaseten"), name
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids)), name


def test_every_control_has_a_name(site, open_page):
    page = open_page().page
    for name, path in public_pages(site.made).items():
        page.goto(site.url + path)
        settle(page)
        nameless = page.evaluate("""() => [...document.querySelectorAll('button, a[href], input, select')]
          .filter(e => e.offsetParent && !(e.textContent.trim() || e.getAttribute('aria-label') || e.title
            || (e.labels && e.labels.length)))
          .map(e => e.outerHTML)""")
        assert nameless == [], name


def test_the_first_tab_leads_past_the_navigation(site, open_page):
    page = open_page().page
    page.goto(site.url + "/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'main'")


def test_the_theme_is_switched_and_kept(site, open_page):
    page = open_page(theme="light").page
    page.goto(site.url + "/")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    switch = page.locator("[data-theme-switch]")
    switch.click()  # as the system -> light
    assert page.evaluate(paper) == light
    switch.click()  # light -> dark
    dark = page.evaluate(paper)
    assert dark != light
    page.goto(site.url + "/start")
    assert page.evaluate(paper) == dark
    assert "dark" in (page.locator("[data-theme-switch]").get_attribute("aria-label") or "")


@pytest.mark.parametrize(
    "path", ["/nowhere", "/games/00000000-0000-0000-0000-000000000007", "/bots/nobody", "/seasons/999999", "/matches/x"]
)
def test_what_is_not_there_has_a_page_of_its_own(site, open_page, path):
    quiet = open_page(360)
    answer = quiet.page.goto(site.url + path)
    assert answer.status == 404
    quiet.page.get_by_role("heading", name="Nothing lies here").wait_for()
    must_fit(quiet.page)
    assert [each for each in quiet.complaints if "404" not in each] == []
    quiet.complaints.clear()  # the browser tells of the 404 itself


def test_a_form_that_was_open_for_too_long_is_explained(site, open_page):
    quiet = open_page()
    page = quiet.page
    page.goto(site.url + "/log-in")
    page.context.clear_cookies()
    page.get_by_label("User name").fill("ann")
    page.get_by_label("Password").fill("whatever it was")
    page.locator("main").get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Please try again").wait_for()
    quiet.complaints.clear()  # the browser tells of the 403 itself


def test_pages_can_be_read_without_scripts(site, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.url + f"/games/{site.made['games'][0]}")
    assert page.locator("[data-move]").count() > 100
    page.get_by_text("every move stands in the list below").wait_for()
    page.goto(site.url + f"/bots/{site.made['bot']}")
    page.get_by_text("As numbers").wait_for()
    context.close()


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_stands_out(site, open_page, theme):
    page = open_page(theme=theme).page
    pale = {}
    for name, path in public_pages(site.made).items():
        page.goto("about:blank")
        page.goto(site.url + path)
        settle(page)
        if found := page.evaluate(PALE_TEXTS):
            pale[name] = found
    assert pale == {}
