"""The replay viewer, by keyboard alone."""

import json
import urllib.request

import pytest

from tests.e2e.pages import settle, until


@pytest.fixture
def viewer(site, open_page):
    page = open_page().page
    page.goto(f"{site.url}/games/{site.made['games'][0]}")
    settle(page)
    return page


@pytest.fixture
def film(site):
    with urllib.request.urlopen(f"{site.url}/games/{site.made['games'][0]}/frames.json") as answer:
        return json.load(answer)


def at(page) -> int:
    return int(page.locator("[data-part=scrubber]").input_value())


def test_it_opens_at_the_first_deal(viewer, film):
    assert film["frames"][at(viewer)]["k"] == "deal"
    assert viewer.locator(".seat").count() == 2
    assert viewer.locator(".seat .hand .card").count() == 20


def test_arrows_home_and_end_step_through_it(viewer, film):
    press = viewer.keyboard.press
    start = at(viewer)
    press("ArrowRight")
    press("ArrowRight")
    assert at(viewer) == start + 2
    press("ArrowLeft")
    assert at(viewer) == start + 1
    press("End")
    assert at(viewer) == len(film["frames"]) - 1
    assert "The game is over" in viewer.locator("[data-part=caption]").inner_text()
    press("ArrowRight")
    assert at(viewer) == len(film["frames"]) - 1
    press("Home")
    assert at(viewer) == 0


def test_pages_step_by_deals(viewer, film):
    starts = [number for number, frame in enumerate(film["frames"]) if frame["k"] == "deal"]
    viewer.keyboard.press("PageDown")
    assert at(viewer) == starts[1]
    viewer.keyboard.press("PageDown")
    assert at(viewer) == starts[2]
    viewer.keyboard.press("PageUp")
    assert at(viewer) == starts[1]


def test_space_plays_and_pauses(viewer):
    start = at(viewer)
    for _ in range(3):
        viewer.keyboard.press("+")
    assert viewer.locator("[data-part=speed]").input_value() == "8"
    viewer.keyboard.press(" ")
    assert viewer.locator("[data-part=play]").get_attribute("aria-pressed") == "true"
    until(viewer, f"Number(document.querySelector('[data-part=scrubber]').value) > {start + 3}")
    viewer.keyboard.press(" ")
    assert viewer.locator("[data-part=play]").get_attribute("aria-pressed") == "false"


def test_every_control_is_reached_by_tab_and_does_its_work(viewer):
    viewer.locator("[data-part=scrubber]").focus()
    seen = ["scrubber"]
    for _ in range(10):
        viewer.keyboard.press("Tab")
        seen.append(viewer.evaluate("document.activeElement.dataset.part"))
    assert seen == [
        "scrubber", "first", "deal-back", "back", "play", "forward", "deal-forward", "end", "speed", "pov", "help",
    ]  # fmt: skip
    start = at(viewer)
    viewer.locator("[data-part=forward]").focus()
    viewer.keyboard.press("Enter")
    assert at(viewer) == start + 1
    viewer.locator("[data-part=scrubber]").focus()
    viewer.keyboard.press("ArrowRight")
    assert at(viewer) == start + 2


def test_the_keys_are_listed_and_the_list_closes(viewer):
    viewer.keyboard.press("?")
    viewer.get_by_role("dialog", name="Keys").wait_for()
    viewer.keyboard.press("Escape")
    viewer.get_by_role("dialog", name="Keys").wait_for(state="hidden")


def test_an_address_leads_to_a_moment(site, open_page):
    page = open_page().page
    page.goto(f"{site.url}/games/{site.made['games'][0]}?pov=1#m=30")
    settle(page)
    assert at(page) == 30
    assert page.locator("[data-part=pov]").input_value() == "1"
    assert page.locator("[data-chapter][open]").count() == 1
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.search + location.hash") == "?pov=1#m=31"
    page.evaluate("location.hash = '#m=12'")
    until(page, "document.querySelector('[data-part=scrubber]').value === '12'")
    assert page.locator("[data-move='12']").get_attribute("aria-current") == "true"


def test_through_a_players_eyes_other_hands_are_covered(viewer, film):
    secret = next(n for n, frame in enumerate(film["frames"]) if frame.get("secret") and frame["s"] == 0)
    viewer.evaluate(f"location.hash = '#m={secret}'")
    until(viewer, f"document.querySelector('[data-part=scrubber]').value === '{secret}'")
    assert viewer.locator(".hand .card.back").count() == 0
    viewer.keyboard.press("v")
    assert viewer.locator(".seat").nth(0).locator(".hand .card.back").count() == 0
    assert viewer.locator(".seat").nth(1).locator(".hand .card.back").count() > 0
    viewer.keyboard.press("v")
    assert viewer.locator(".seat").nth(0).locator(".hand .card:not(.back)").count() == 0
    assert viewer.locator(".seat").nth(0).locator(".hand .card.back").count() > 0
    assert viewer.locator("[data-part=caption] .chip").inner_text() == "?"
    assert not viewer.locator(f"[data-move='{secret}'] .chip svg").is_visible()


def test_a_click_on_a_move_goes_there(viewer):
    viewer.locator("[data-move='9']").click()
    assert at(viewer) == 9


def test_every_card_says_its_colour_by_a_shape(viewer):
    for letter, name in {"r": "red", "b": "blue", "g": "green", "y": "yellow"}.items():
        cards = viewer.locator(f".hand .card.c-{letter}")
        for number in range(cards.count()):
            card = cards.nth(number)
            assert (card.get_attribute("aria-label") or "").startswith(name)
            assert card.locator(f"use[href='#s-{letter}']").count() == 3


def test_the_bytes_are_the_referees(site, viewer):
    with viewer.expect_download() as download:
        viewer.get_by_role("link", name="Replay,").click()
    assert download.value.suggested_filename == f"{site.made['games'][0]}.binpb"


def test_a_replay_that_cannot_be_read_is_still_a_page(site, open_page):
    page = open_page().page
    page.goto(f"{site.url}/games/{site.made['broken']}")
    page.get_by_text("This replay cannot be shown").wait_for()


def test_a_running_game_shows_its_public_table(site, open_page):
    page = open_page().page
    page.goto(f"{site.url}/games/{site.made['live'][0]}")
    settle(page)
    assert page.locator(".seat").count() == 4
    assert page.locator(".hand .card:not(.back)").count() == 0
    assert page.locator(".hand .card.back").count() > 0
    assert page.locator("[data-part=moves] li").count() > 10


def test_a_running_game_of_which_nothing_was_seen_waits(site, open_page):
    page = open_page().page
    page.goto(f"{site.url}/games/{site.made['live'][1]}")
    page.get_by_text("as soon as something is seen").wait_for()
