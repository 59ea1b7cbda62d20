"""What is normal does not look like a fault, names are whole on a narrow window, and a choice can be seen."""

import pytest

from tests.e2e.pages import THEMES, WIDTHS, must_fit, settle
from tests.e2e.seasons import NAMES

# The colour of what a selector finds, as red, green and blue.
COLOUR = """element => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  pen.fillStyle = getComputedStyle(element).color;
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""
# Names of which something cannot be seen.
CUT = """names => [...document.querySelectorAll('.bot-name')]
  .filter(e => names.includes(e.textContent) && e.checkVisibility())
  .filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2)
  .map(e => e.textContent)"""


@pytest.mark.parametrize("theme", THEMES)
def test_what_runs_has_another_colour_than_what_failed(site, open_page, theme):
    page = open_page(theme=theme).page
    colours = {}
    for name, path, tag in (
        ("running", f"/seasons/{site.made['running']}", ".tag.running"),
        ("void", f"/matches/{site.made['hostile']['void']}", ".tag.void"),
    ):
        page.goto(site.url + path)
        page.wait_for_load_state("load")
        colours[name] = page.locator(f"main {tag}").first.evaluate(COLOUR)
    red, _, blue = colours["running"]
    assert blue > red + 40, colours
    red, _, blue = colours["void"]
    assert red > blue + 40, colours


def test_names_are_whole_on_a_narrow_window(site, open_page):
    page = open_page(360).page
    for path in (f"/seasons/{site.made['running']}", f"/seasons/{site.made['finished']}", "/bots"):
        page.goto(site.url + path)
        page.wait_for_load_state("load")
        assert page.locator(".table .bot-name").count() > 3
        assert page.evaluate(CUT, list(NAMES)) == [], path


def test_a_bots_points_stay_beside_it(site, open_page):
    page = open_page(360).page
    page.goto(f"{site.url}/matches/{site.made['match']}")
    page.wait_for_load_state("load")
    lines = page.locator("#match-sides li")
    assert lines.count() == 2
    for line in lines.all():
        bot, points = line.locator(".whole").bounding_box(), line.locator("b.num").bounding_box()
        assert points["x"] >= bot["x"] + bot["width"]
        assert bot["y"] <= points["y"] + points["height"] / 2 <= bot["y"] + bot["height"]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_chosen_league_can_be_seen(site, open_page, width, theme):
    page = open_page(width, theme).page
    page.goto(f"{site.url}/bots/{site.made['bot']}")
    settle(page)
    leagues = page.get_by_role("navigation", name="Leagues")
    first, other = leagues.get_by_role("link").all()
    look = "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).borderTopColor].join()"
    chosen, plain = first.evaluate(look), other.evaluate(look)
    assert (first.get_attribute("aria-current"), other.get_attribute("aria-current")) == ("true", None)
    assert chosen != plain
    name = other.inner_text()
    other.focus()
    page.keyboard.press("Enter")
    page.locator("[aria-current=true]", has_text=name).wait_for()
    assert name in page.locator(".facts dt").first.inner_text()
    must_fit(page)


def test_the_manual_of_the_api_leads_back(site, open_page):
    page = open_page(360).page
    page.goto(site.url + "/api/v1/docs")
    page.get_by_role("heading", name="phaseten").wait_for()
    page.get_by_role("link", name="phaseten, the site").click()
    page.get_by_role("heading", name="Write a bot.").wait_for()


def test_an_address_with_a_slash_at_its_end_is_found(site, open_page):
    page = open_page().page
    page.goto(site.url + "/seasons/")
    page.get_by_role("heading", name="Running seasons").wait_for()
    assert page.url == site.url + "/#seasons"
