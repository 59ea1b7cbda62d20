"""Sign-up, bots and their tokens, entering a season; and texts that nobody should be able to use against others."""

import re
import urllib.error
import urllib.request
from urllib.parse import quote

import pytest

from tests.e2e import hostile
from tests.e2e.pages import must_be_safe, must_fit, until

TOKEN = re.compile(r"phaseten_[0-9a-f]{12}_[A-Za-z0-9_-]{43}")


def sign_up(page, url, name):
    page.goto(url + "/sign-up")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill("a long enough secret")
    page.get_by_role("button", name="Make my account").click()
    page.wait_for_url("**/my-bots")  # here is a field with "name" in its label, too


def make_bot(page, name):
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Make it and show its token").click()


def test_from_sign_up_to_a_token_that_is_shown_once(site, open_page):
    quiet = open_page(360)
    page = quiet.page
    sign_up(page, site.url, "newcomer")
    page.get_by_text("You have no bot yet").wait_for()
    make_bot(page, "Newcomer's Pride")
    token = page.locator("#token-text").inner_text()
    assert TOKEN.fullmatch(token)
    commands = page.locator("#token-commands").inner_text()
    assert f"PHASETEN_TOKEN={token}" in commands
    assert f"PHASETEN_SERVER={site.url}" in commands
    must_fit(page)
    page.goto(site.url + "/my-bots/newcomer-s-pride")
    assert not TOKEN.search(page.content())
    assert page.locator("#token-text").count() == 0
    assert opens(site.url, token)


def opens(url, token) -> bool:
    """Whether the API lets a bot in with this token."""
    request = urllib.request.Request(
        url + "/api/v1/sessions",
        data=b'{"version": "1.0"}',
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return 200 <= answer.status < 300
    except urllib.error.HTTPError as error:
        if error.code != 401:
            raise
        return False


def test_the_token_is_copied(site, open_page):
    page = open_page().page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_up(page, site.url, "copier")
    make_bot(page, "Copycat")
    page.get_by_role("button", name="Copy").first.click()
    page.get_by_text("Copied").wait_for()
    assert TOKEN.fullmatch(page.evaluate("navigator.clipboard.readText()"))


def test_a_new_token_and_an_end_to_the_old_one(site, open_page):
    page = open_page().page
    sign_up(page, site.url, "rotator")
    make_bot(page, "Rotating Rob")
    first = page.locator("#token-text").inner_text()
    page.get_by_role("button", name="New token").click()
    page.wait_for_url("**/tokens")
    second = page.locator("#token-text").inner_text()
    assert first != second
    page.goto(site.url + "/my-bots/rotating-rob")
    page.get_by_role("button", name=f"Revoke token {first.split('_')[1]}").click()
    page.get_by_text("The token is revoked").wait_for()
    assert not opens(site.url, first)
    assert opens(site.url, second)


def test_a_season_is_entered_and_left(site, open_page):
    page = open_page().page
    sign_up(page, site.url, "entrant")
    make_bot(page, "Entering Ed")
    page.get_by_role("button", name="Enter Entering Ed").click()
    page.get_by_text("Entering Ed has entered Visitors' League, season 1.").wait_for()
    page.goto(f"{site.url}/seasons/{site.made['open']}")
    page.get_by_role("rowheader", name="Entering Ed").first.wait_for()
    page.get_by_role("button", name="Leave").click()
    page.get_by_text("Entering Ed has left").wait_for()
    page.get_by_role("button", name="Enter", exact=True).click()
    page.get_by_text("Entering Ed has entered Visitors' League, season 1.").wait_for()
    page.get_by_role("button", name="Leave").click()
    page.get_by_text("Entering Ed has left").wait_for()


def test_a_visitor_is_led_through_the_log_in_back_to_the_season(site, open_page):
    page = open_page().page
    page.goto(f"{site.url}/seasons/{site.made['open']}")
    page.get_by_role("link", name="Log in to enter").click()
    page.get_by_label("User name").fill("ANN")
    page.get_by_label("Password").fill("correct horse battery")
    page.locator("main").get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{site.url}/seasons/{site.made['open']}")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("link", name="Log in", exact=True).wait_for()


def test_a_wrong_password_is_said_plainly(site, open_page):
    quiet = open_page()
    page = quiet.page
    page.goto(site.url + "/log-in")
    page.get_by_label("User name").fill("ann")
    page.get_by_label("Password").fill("wrong horse battery")
    page.locator("main").get_by_role("button", name="Log in").click()
    page.get_by_role("alert").wait_for()
    assert page.get_by_label("User name").input_value() == "ann"
    quiet.complaints.clear()  # the browser tells of the 422 itself


@pytest.mark.parametrize("text", [hostile.SHORT, hostile.ATTRIBUTE, hostile.TEMPLATE, hostile.MARKS, hostile.LONG])
def test_hostile_text_in_a_form_comes_back_as_text(site, open_page, log_in, text):
    quiet = open_page(360)
    page = quiet.page
    log_in(page)
    page.goto(site.url + "/my-bots")
    page.evaluate("document.querySelectorAll('[maxlength]').forEach(e => e.removeAttribute('maxlength'))")
    with page.expect_navigation():
        make_bot(page, text)
    assert page.evaluate("window.hacked") is None
    must_fit(page)
    page.goto(site.url + "/sign-up" if not page.get_by_role("button", name="Log out").count() else site.url + "/bots")
    must_be_safe(page)
    page.goto(site.url + "/bots?q=" + quote(text[:200]))
    assert page.evaluate("window.hacked") is None
    must_fit(page)
    quiet.complaints.clear()  # the browser tells of the 422 itself


def test_other_peoples_bots_cannot_be_managed(site, open_page, log_in):
    quiet = open_page()
    log_in(quiet.page)
    answer = quiet.page.goto(site.url + f"/my-bots/{site.made['bot']}")
    assert answer.status == 404
    quiet.complaints.clear()  # the browser tells of the 404 itself


def test_a_running_season_renews_itself_and_keeps_the_place(site, open_page):
    page = open_page(360).page
    page.goto(f"{site.url}/seasons/{site.made['running']}")
    page.locator("[data-keep=table]").evaluate("box => box.scrollLeft = 60")
    page.locator("#season-table a.bot").nth(2).focus()
    focus = page.evaluate("document.activeElement.getAttribute('href')")
    page.evaluate("scrollTo(0, 200)")
    page.evaluate("document.querySelector('#season-table td.n').textContent = 'old'")
    until(page, "document.querySelector('#season-table td.n').textContent !== 'old'")
    assert page.evaluate("document.activeElement.getAttribute('href')") == focus
    assert page.locator("[data-keep=table]").evaluate("box => box.scrollLeft") == 60
    assert page.evaluate("scrollY") == 200


@pytest.mark.parametrize("width", [360, 1440])
def test_a_version_that_failed_its_validation_says_why_and_where(site, open_page, log_in, width):
    page = open_page(width).page
    log_in(page)
    must_fit(page)
    assert page.get_by_text("not validated").first.is_visible()
    page.goto(f"{site.url}/my-bots/{site.made['shaky']}")
    must_fit(page)
    panel = page.locator("#validation")
    assert "faults" in panel.inner_text()
    assert panel.get_by_role("button", name="Try again").is_visible()
    panel.get_by_role("link", name="Watch the replay").click()
    page.get_by_text("Shaky Shay").first.wait_for()
    page.goto(f"{site.url}/bots/{site.made['shaky']}")
    must_fit(page)
    assert page.get_by_text("It plays no rated match yet.").is_visible()


@pytest.mark.parametrize("width", [360, 1440])
def test_a_void_game_shows_what_made_its_cards(site, open_page, width):
    page = open_page(width).page
    page.goto(f"{site.url}/games/{site.made['void']}")
    must_fit(page)
    fair = page.locator("section:has(#fair-title)").inner_text()
    assert len(re.findall(r"\b[0-9a-f]{128}\b", fair)) >= 2  # commitment and seed
    assert "are those that were committed to" in fair
