"""The rules pages' doors: each preset has its page and its machine's form, games lead to it, and leagues choose from it."""

import hashlib
import html
import json
import re
import uuid
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse

from referee.engine.presets import PRESETS, ruleset_hash
from referee.engine.ruleset import Terms
from tests.e2e.seasons import play
from tests.site.builders import make_league, make_season
from tournament_site.common.errors import Reason, Refused
from tournament_site.common.middleware import CONTENT_POLICY
from tournament_site.leagues import demo
from tournament_site.leagues import services as league_services
from tournament_site.leagues.models import League
from tournament_site.matches import rulebook
from tournament_site.matches.frames import phase_text
from tournament_site.matches.models import Game, Match

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e\x07"


def text_of(answer) -> str:
    """What a page says, without its tags, each stretch of blanks as one."""
    body = re.sub(r"<[^>]*>", " ", answer.content.decode())
    return re.sub(r"\s+", " ", html.unescape(body))


def test_the_index_tells_of_every_preset_once(client):
    answer = client.get("/rules")
    page = answer.content.decode()
    links = re.findall(r'href="/rules/([^"#]+)"', page[page.index("<main") :])
    assert sorted(links) == sorted(PRESETS)
    text = text_of(answer)
    for group in rulebook.GROUPS:
        assert f"{group.title} {group.presets[group.base]}" in text
    for name, rules in PRESETS.items():
        assert f"{name} {rulebook.summary(name)}" in text
        assert ruleset_hash(rules)[:12] in text


@pytest.mark.parametrize("name", PRESETS)
def test_a_presets_page_says_everything(client, name):
    answer = client.get(reverse("rules-of", args=[name]))
    assert answer.status_code == 200
    text, rules = text_of(answer), PRESETS[name]
    assert f"Rules {name}" in text
    assert rulebook.origin_of(name) in text
    for chapter in rulebook.CHAPTERS:
        for line in rulebook.lines(chapter, rules):
            assert line.text in text
            assert not line.official or f"≠ not as official {line.text} Official: {line.official}" in text
    for difference in rulebook.differences(rules):
        assert f"{difference.label} {name}: {difference.text} official: {difference.official}" in text
    for sentence in rulebook.terms_lines(Terms()):
        assert sentence in text
    for phase in rules.phases:
        assert f"{phase} {phase_text(phase)}" in text
    for field, option in rulebook.OPTIONS.items():
        assert f"{field} {option.label}" in text
    assert ruleset_hash(rules)[:12] in text
    assert "independent project" in text


def test_equal_rules_differ_in_nothing_and_say_so(client):
    text = text_of(client.get("/rules/lt"))
    assert "In nothing: whoever knows the official rules knows these." in text
    assert "not as official" not in text


def test_points_are_drawn_as_the_rules_have_them(client):
    text = text_of(client.get("/rules/official"))
    for line in ("1 to 9 5", "10 to 12 10", "Skip 15", "Wild 25"):
        assert line in text
    assert re.search(r"make 60 points ?\.", text)


@pytest.mark.parametrize("name", PRESETS)
def test_the_machines_form_is_hashed_as_it_says(client, name):
    answer = client.get(reverse("rules-json", args=[name]))
    told = answer.json()
    assert (answer.status_code, told["name"], answer.headers["Content-Type"]) == (200, name, "application/json")
    assert told["options"] == rulebook.options_of(PRESETS[name])
    canonical = json.dumps(told["options"], sort_keys=True, separators=(",", ":"))
    assert told["sha256"] == hashlib.sha256(canonical.encode()).hexdigest() == ruleset_hash(PRESETS[name])


def test_the_machines_form_is_asked_for_again_only_if_it_changed(client):
    first = client.get("/rules/bg.json")
    again = client.get("/rules/bg.json", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/rules/sv.json", headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


@pytest.mark.parametrize("name", ["nonsense", "BG", "official.", "bg free", HOSTILE, "x" * 3000])
def test_an_unknown_name_is_answered_with_the_known_ones(client, name):
    answer = client.get(f"/rules/{quote(name)}")
    assert answer.status_code == 404
    page = answer.content.decode()
    assert all(f'href="/rules/{known}"' in page for known in PRESETS)
    assert "<script>alert" not in page
    assert "\u202e" not in page
    machine = client.get(f"/rules/{quote(name)}.json")
    assert (machine.status_code, machine.json()["known"]) == (404, list(PRESETS))


def test_a_name_that_is_nearly_right_is_corrected(client):
    text = text_of(client.get("/rules/BG+frea"))
    assert re.search(r"Did you mean (?:[a-z0-9+-]+ or )*bg\+free", text)
    assert "Did you mean" not in text_of(client.get("/rules/zzzzzz"))


def test_rules_are_looked_at_and_not_sent(client):
    for path in ("/rules", "/rules/official", "/rules/official.json"):
        assert client.post(path).status_code == 405
        assert client.head(path).status_code == 200


@pytest.mark.parametrize("path", ["/rules", "/rules/bg", "/rules/nonsense"])
def test_the_pages_obey_the_content_policy(client, path):
    answer = client.get(path)
    page = answer.content.decode()
    assert answer.headers["Content-Security-Policy"] == CONTENT_POLICY
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]* src=)", page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


# -- from where rules are played ---------------------------------------------------------------------------------------


@pytest.fixture
def played(cast):
    """A season, its one match, which was played, and the first game of it."""
    season = make_season([cast.ada, cast.bix])
    match = Match.objects.get()
    play(match)
    return season, match, Game.objects.filter(attempt__match=match).order_by("index")[0]


def paths_of(played) -> list[str]:
    season, match, game = played
    return ["/", f"/seasons/{season.pk}", f"/matches/{match.pk}", f"/games/{game.pk}"]


def test_seasons_matches_and_games_lead_to_their_rules(client, played):
    for path in paths_of(played):
        page = client.get(path).content.decode()
        assert re.search(r'<a href="/rules/official"[^>]*><code>official</code></a>', page[page.index("<main") :]), path


def test_other_rules_are_named_and_told_apart(client, played):
    League.objects.update(ruleset="bg+free")
    Match.objects.update(ruleset="bg+free")
    for path in paths_of(played):
        assert b'<a href="/rules/bg+free"' in client.get(path).content, path
    text = text_of(client.get(paths_of(played)[1]))
    assert rulebook.summary("bg+free") in text
    assert "A game ends after 60 deals at the latest" in text


@pytest.mark.parametrize("name", ["gone-1", "a/b", HOSTILE[:40]])
def test_rules_nobody_knows_are_named_without_a_link(client, played, name):
    League.objects.update(ruleset=name, terms={"unknown": 1})
    Match.objects.update(ruleset=name)
    for path in paths_of(played):
        answer = client.get(path)
        assert answer.status_code == 200
        page = answer.content.decode()
        assert "<script>alert" not in page
        assert "\u202e" not in page
        assert f'href="/rules/{name}' not in page
        assert "rules " in text_of(answer).casefold()


def test_a_game_that_is_played_now_leads_to_its_rules(client, played):
    _, _, game = played
    Game.objects.filter(pk=game.pk).update(state=Game.State.RUNNING)
    game.replay.delete()
    assert b'<a href="/rules/official"' in client.get(f"/games/{game.pk}").content


def test_whoever_enters_a_season_sees_what_is_played(cast, as_user):
    season = make_season([cast.hal], start=False)
    League.objects.filter(pk=season.league_id).update(ruleset="sv")
    assert "(2 at a table, rules sv)" in text_of(as_user(cast.ann).get("/my-bots/ada"))


def test_every_page_has_the_rules_in_its_navigation(client):
    for path in ("/", "/bots", "/rules/bg", "/nowhere"):
        page = client.get(path).content.decode()
        assert re.search(r'<nav class="nav".*?href="/rules".*?</nav>', page, re.DOTALL)
        assert 'href="/rules"' in page[page.index("<footer") :]
    assert b'href="/rules"' in client.get("/start").content


# -- where rules are chosen --------------------------------------------------------------------------------------------


def wish(**changes: str) -> dict[str, str]:
    usual = {"name": f"Cup {uuid.uuid4().hex[:8]}", "table_size": "2", "ruleset": "official", "terms": '{"bank_ms": 60000}'}
    return usual | changes


@pytest.fixture
def organiser(cast) -> Client:
    client = Client()
    client.force_login(cast.root)
    return client


def test_an_organiser_is_shown_every_preset_with_what_sets_it_apart(organiser):
    page = organiser.get("/admin/leagues/league/add/").content.decode()
    assert sorted(re.findall(r'name="ruleset" value="([^"]+)"', page)) == sorted(PRESETS)
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page)))
    for name in PRESETS:
        assert f"{name}: {rulebook.summary(name)}" in text
    for group in rulebook.GROUPS:
        assert group.title in text
    assert 'href="/rules"' in page


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_chosen(organiser, client, name):
    answer = organiser.post("/admin/leagues/league/add/", wish(ruleset=name))
    assert answer.status_code == 302, text_of(answer)
    league = League.objects.get()
    assert league.ruleset == name
    season = league_services.open_season(league, cycles=1, min_bots=2, max_bots=8)
    assert f'<a href="/rules/{name}"' in client.get(f"/seasons/{season.pk}").content.decode()


def test_the_rules_of_a_league_without_seasons_may_be_changed(organiser):
    league = make_league()
    path = f"/admin/leagues/league/{league.pk}/change/"
    assert re.search(r'value="official"[^>]*checked', organiser.get(path).content.decode())
    assert organiser.post(path, wish(ruleset="fundex")).status_code == 302
    league.refresh_from_db()
    assert league.ruleset == "fundex"


@pytest.mark.parametrize(
    ("name", "sentence"), [("nonsense", "there is no rule set 'nonsense'"), ("", "This field is required.")]
)
def test_a_form_says_what_is_wrong_with_a_name(organiser, name, sentence):
    answer = organiser.post("/admin/leagues/league/add/", wish(ruleset=name))
    assert answer.status_code == 200
    assert sentence in text_of(answer)
    assert not League.objects.exists()


@pytest.mark.parametrize(
    ("ruleset", "terms", "sentence"),
    [
        ("nonsense", demo.TERMS, "there is no rule set 'nonsense'; there are app163"),
        ("official", {"bank_ms": -1}, "bank_ms must be a whole number"),
    ],
)
def test_a_league_nobody_can_play_is_refused_wherever_it_is_made(ruleset, terms, sentence):
    with pytest.raises(Refused, match=sentence) as caught:
        league_services.create_league("Cup", 2, ruleset=ruleset, terms=terms)
    assert caught.value.reason is Reason.RULES_INVALID
    assert not League.objects.exists()
