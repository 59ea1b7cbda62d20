"""A game is checked in the page, by the visitor's own browser."""

import urllib.request
from dataclasses import replace

import pytest

from referee.engine.events import CardDrawn
from referee.wire.replay import decode_replay, encode_replay, replay_digest
from tests.e2e.pages import PALE_TEXTS, THEMES, WIDTHS, must_fit, settle, until
from tests.replays.forging import another, change, find
from tests.replays.tampering import FORGERIES

CHECKS = [
    "SHA-256",
    "Game",
    "Rules",
    "Referee's commitment",
    "Shares",
    "First dealer",
    "Shuffles",
    "Events",
    "Result",
    "Answers",
]


def game_of(site, number=0) -> str:
    return f"{site.url}/games/{site.made['games'][number]}"


def replay_of(site, number=0) -> bytes:
    with urllib.request.urlopen(f"{game_of(site, number)}/replay.binpb") as answer:
        return answer.read()


def check(page):
    page.get_by_role("button", name="Check this game").click()
    until(page, "!['', 'Checking …'].includes(document.querySelector('[data-part=verdict]').textContent)")


def serve(page, data: bytes):
    """The page gets these bytes for the game's replay."""
    page.route("**/replay.binpb", lambda route: route.fulfill(body=data, content_type="application/x-protobuf"))


def expect_digest(page, data: bytes):
    """The page believes that the replay should be these bytes."""
    page.evaluate(f"document.querySelector('[data-check]').dataset.sha256 = '{replay_digest(data).hex()}'")


def states(page) -> dict[str, str]:
    """Title of each check -> what is said of it to those who do not see its sign."""
    rows = page.locator("[data-check] li")
    said = {}
    for number in range(rows.count()):
        row = rows.nth(number)
        said[row.locator("b").inner_text()] = row.locator(".sr").text_content().strip(" :.")
    return said


@pytest.mark.parametrize("games", ["games", "games4"])
def test_a_game_is_fine(site, open_page, games):
    page = open_page().page
    page.goto(f"{site.url}/games/{site.made[games][0]}")
    settle(page)
    check(page)
    assert page.get_by_role("status").filter(has_text="Everything that can be worked out again").is_visible()
    said = states(page)
    assert list(said) == CHECKS
    assert set(said.values()) == {"fine"}
    signs = page.locator("[data-check] li .mark").all_inner_texts()
    assert signs == ["✓"] * len(CHECKS)
    assert not page.locator("[data-part=difference]").is_visible()


def test_only_the_site_is_asked_and_nothing_is_sent(site, open_page):
    page = open_page().page
    page.goto(game_of(site))
    settle(page)
    asked = []
    page.on("request", lambda request: asked.append((request.method, request.url, request.post_data)))
    check(page)
    assert {method for method, _, _ in asked} == {"GET"}
    assert all(url.startswith(site.url) for _, url, _ in asked)
    assert [url for _, url, _ in asked if "/static/" not in url] == [f"{game_of(site)}/replay.binpb"]
    assert not any(data for _, _, data in asked)


def test_it_is_done_by_keyboard_alone(site, open_page):
    page = open_page().page
    page.goto(game_of(site))
    settle(page)
    button = page.get_by_role("button", name="Check this game")
    page.get_by_role("link", name="Replay,").focus()
    page.keyboard.press("Tab")
    assert button.evaluate("element => element === document.activeElement")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('[data-part=verdict]').dataset.mood === 'fine'")
    assert button.evaluate("element => element === document.activeElement")


def test_other_bytes_than_the_site_has_named_are_noticed(site, open_page):
    page = open_page().page
    page.goto(game_of(site))
    settle(page)
    serve(page, replay_of(site, 1))
    check(page)
    said = states(page)
    assert said.pop("SHA-256") == "differs"
    assert set(said.values()) == {"not reached"}
    assert "Something does not follow" in page.locator("[data-part=verdict]").inner_text()


def test_the_first_difference_is_shown_and_leads_to_its_moment(site, open_page):
    page = open_page().page
    page.goto(game_of(site))
    settle(page)
    record = decode_replay(replay_of(site))
    at, event = find(record, CardDrawn, 8)
    data = encode_replay(change(record, at, card=another(event.card)))
    serve(page, data)
    expect_digest(page, data)
    check(page)
    box = page.locator("[data-part=difference]")
    assert box.locator("dd").nth(1).inner_text().startswith(f"seat {event.seat} draws {another(event.card)}")
    assert box.locator("dd").nth(2).inner_text().startswith(f"seat {event.seat} draws {event.card}")
    assert states(page)["Events"] == "differs"
    assert page.locator("[data-check] li.differs .mark").inner_text() == "✗"
    box.get_by_role("link", name=f"event {at}").click()
    until(page, f"document.querySelector('[data-part=scrubber]').value === '{at}'")


def test_a_commitment_that_was_shown_before_is_compared(site, open_page):
    page = open_page().page
    page.goto(game_of(site))
    settle(page)
    page.evaluate(f"document.querySelector('[data-check]').dataset.commitment = '{'ab' * 64}'")
    check(page)
    assert states(page)["Referee's commitment"] == "differs"
    assert "shown before the game" in page.locator("[data-part=difference]").inner_text()


@pytest.mark.parametrize("name", ["seed_bit", "two_cards_of_a_later_deck", "points_so_far", "places_in_the_result"])
def test_forgeries_are_found_in_the_page(site, open_page, name):
    page = open_page().page
    page.goto(game_of(site))
    settle(page)
    forged = FORGERIES[name](decode_replay(replay_of(site)))
    data = encode_replay(forged.record)
    serve(page, data)
    expect_digest(page, data)
    check(page)
    where = page.locator("[data-part=difference] dd").first.inner_text()
    assert forged.place is not None
    assert forged.place in where
    assert (forged.event is None) or f"event {forged.event}" in where


def test_bytes_that_are_no_replay_are_called_so(site, open_page):
    page = open_page().page
    page.goto(f"{site.url}/games/{site.made['broken']}")
    check(page)
    assert "This replay cannot be read" in page.locator("[data-part=verdict]").inner_text()


def test_a_second_check_replaces_the_first(site, open_page):
    page = open_page().page
    page.goto(game_of(site))
    settle(page)
    serve(page, b"\x08\x01")
    check(page)
    page.unroute("**/replay.binpb")
    page.get_by_role("button", name="Check this game").click()
    until(page, "document.querySelector('[data-part=verdict]').dataset.mood === 'fine'")
    assert len(states(page)) == len(CHECKS)


def test_without_scripts_the_command_is_told(site, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(game_of(site))
    assert page.get_by_text("That needs JavaScript.").is_visible()
    assert not page.get_by_role("button", name="Check this game").is_visible()
    data = replay_of(site)
    game_id = site.made["games"][0]
    command = page.locator("#verify-command").inner_text()
    assert command == f"phaseten verify {game_id}.binpb --sha256 {replay_digest(data).hex()}"
    context.close()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_what_it_shows_fits_and_can_be_read(site, open_page, width, theme):
    page = open_page(width, theme).page
    page.goto(game_of(site))
    settle(page)
    check(page)
    must_fit(page)
    assert page.evaluate(PALE_TEXTS) == []
    record = decode_replay(replay_of(site))
    data = encode_replay(replace(record, commitment=b"\1" * 64))
    serve(page, data)
    expect_digest(page, data)
    page.get_by_role("button", name="Check this game").click()
    until(page, "document.querySelector('[data-part=verdict]').dataset.mood === 'bad'")
    must_fit(page)
    assert page.evaluate(PALE_TEXTS) == []
