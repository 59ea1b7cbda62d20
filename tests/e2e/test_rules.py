"""The pages of the rules in a browser: they fit, stand out and are quiet, and need neither a mouse nor a script."""

import json
import urllib.request
from urllib.parse import quote

import pytest

from referee.engine.presets import PRESETS, ruleset_hash
from tests.e2e.conftest import SCREENSHOTS
from tests.e2e.pages import PALE_TEXTS, THEMES, WIDTHS, must_be_safe, must_fit, until
from tests.e2e.site import command

#: looked at as pictures: the official rules, many differences, few phases, phases in any order
PICTURED = ("official", "bg", "fundex+to5", "bg+free", "da-literal")


def shoot(page, name, width, theme):
    SCREENSHOTS.mkdir(exist_ok=True)
    page.set_viewport_size({"width": width, "height": page.evaluate("document.documentElement.scrollHeight")})
    page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{theme}.png")
    page.set_viewport_size({"width": width, "height": 900})


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_index_and_some_presets_fit_and_stand_out(empty_site, open_page, width, theme):
    page = open_page(width, theme).page
    for name in ("", *PICTURED):
        page.goto(f"{empty_site.url}/rules{'/' if name else ''}{name}")
        must_fit(page)
        must_be_safe(page)
        assert page.evaluate(PALE_TEXTS) == [], name
        shoot(page, f"rules-{name or 'index'}", width, theme)


def test_every_preset_fits_a_narrow_window(empty_site, open_page):
    page = open_page(360).page
    for name in PRESETS:
        page.goto(f"{empty_site.url}/rules/{name}")
        must_fit(page)
        assert page.locator("h1").inner_text() == f"Rules {name}"
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids)), name
        nowhere = page.evaluate("""() => [...document.querySelectorAll('main a[href^="#"]')]
          .map(e => e.getAttribute('href').slice(1)).filter(id => !document.getElementById(id))""")
        assert nowhere == [], name


def test_the_rules_are_found_by_keyboard_alone(empty_site, open_page):
    page = open_page().page
    page.goto(empty_site.url + "/")
    tab_to(page, "Rules")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rules")
    tab_to(page, "bg")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rules/bg")
    tab_to(page, "How these rules differ from official")
    page.keyboard.press("Enter")
    until(page, "location.hash === '#differences'")
    until(page, "(top => -1 <= top && top < 900)(document.getElementById('differences').getBoundingClientRect().top)")


def tab_to(page, text):
    """Press Tab until the focus is on what is called like that."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == text:
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", text
            return
    pytest.fail(f"the keyboard never comes to {text!r}")


def test_what_differs_is_marked_by_more_than_a_colour(empty_site, open_page):
    page = open_page().page
    page.goto(empty_site.url + "/rules/sv")
    marked = page.locator(".rule-lines .unlike")
    assert marked.count() >= 4
    for number in range(marked.count()):
        text = marked.nth(number).inner_text()
        assert "not as official" in text
        assert "Official:" in text
    page.goto(empty_site.url + "/rules/official")
    assert page.locator(".unlike").count() == 0
    assert page.get_by_text("How these rules differ").count() == 0


def test_cards_have_names_for_those_who_listen(empty_site, open_page):
    page = open_page().page
    page.goto(empty_site.url + "/rules/official")
    pictures = page.locator(".cards")
    names = [pictures.nth(number).get_attribute("aria-label") or "" for number in range(pictures.count())]
    assert all(names)
    assert "red 3, green 4, Wild as 5, blue 6" in names
    silent = page.evaluate("[...document.querySelectorAll('main svg.card')].filter(e => !e.closest('[role=img]')).length")
    assert silent == 0


def test_rules_can_be_read_without_scripts(empty_site, browser):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 900})
    page = context.new_page()
    page.goto(empty_site.url + "/rules")
    page.get_by_role("link", name="lt", exact=True).click()
    page.get_by_text("In nothing: whoever knows the").wait_for()
    context.close()


def test_a_name_nobody_gave_is_answered_with_those_there_are(empty_site, open_page):
    quiet = open_page(360)
    page = quiet.page
    answer = page.goto(empty_site.url + "/rules/" + quote("BG+frea"))
    assert answer.status == 404
    page.get_by_role("heading", name="There is no such rule set").wait_for()
    page.get_by_text("Did you mean").wait_for()
    must_fit(page)
    shoot(page, "rules-unknown", 360, "light")
    page.get_by_role("link", name="bg+free").first.click()
    page.wait_for_url("**/rules/bg+free")
    assert [each for each in quiet.complaints if "404" not in each] == []
    quiet.complaints.clear()  # the browser tells of the 404 itself


def test_the_machines_form_is_at_the_end_of_its_link(empty_site, open_page):
    page = open_page().page
    page.goto(empty_site.url + "/rules/bg+free")
    link = page.get_by_role("link", name="As JSON").get_attribute("href")
    with urllib.request.urlopen(empty_site.url + link) as answer:
        told = json.load(answer)
    assert told["sha256"] == ruleset_hash(PRESETS["bg+free"])
    assert page.locator(".rules-facts code").inner_text() == told["sha256"][:12]


def test_the_rules_are_one_step_from_where_they_are_played(site, open_page):
    page = open_page().page
    paths = ("/", f"/seasons/{site.made['running']}", f"/matches/{site.made['match']}", f"/games/{site.made['games'][0]}",
             f"/games/{site.made['live'][0]}")  # fmt: skip
    for path in paths:
        page.goto(site.url + path)
        page.locator("main").get_by_role("link", name="official", exact=True).first.click()
        page.wait_for_url("**/rules/official")


@pytest.fixture(scope="module")
def organiser(empty_site):
    """Name and password of somebody who may make leagues."""
    env = {**empty_site.env, "DJANGO_SUPERUSER_PASSWORD": "correct horse battery"}
    command(env, "-m", "tournament_site", "createsuperuser", "--noinput", "--username", "olga", "--email", "o@example.org")
    return "olga", "correct horse battery"


@pytest.mark.parametrize("width", WIDTHS)
def test_an_organiser_chooses_rules_with_the_keyboard(empty_site, open_page, organiser, width):
    quiet = open_page(width)
    page = quiet.page
    page.goto(empty_site.url + "/admin/leagues/league/add/")
    name, password = organiser
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{empty_site.url}/admin/leagues/league/add/")  # the log-in has this in its address, too
    page.get_by_label("Name:").fill(f"Cup {width}")
    page.get_by_label("Table size:").fill("2")
    page.locator('[name="ruleset"]').first.focus()
    page.keyboard.press("Space")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.locator('[name="ruleset"]:checked').get_attribute("value") == "da+rotate"
    page.locator("#id_terms").fill('{"bank_ms": 60000}')
    must_fit(page)
    shoot(page, "admin-league", width, "light")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/admin/leagues/league/")
    page.get_by_text("da+rotate").first.wait_for()
    assert [each for each in quiet.complaints if "404" not in each] == []
    quiet.complaints.clear()  # the administration's pages name no icon, and the browser asks for one
