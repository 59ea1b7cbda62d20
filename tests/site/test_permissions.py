"""The fixed cast against every call and every administration page."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client

from tests.site.builders import PASSWORD, claim, finished, make_league, make_season, play_season, queue_match
from tests.site.conftest import Caller, Cast
from tournament_site.accounts.models import AccountToken
from tournament_site.accounts.services import new_account_token
from tournament_site.bots.models import BotToken
from tournament_site.bots.services import Room, new_token, record_presence
from tournament_site.common.middleware import CONTENT_POLICY
from tournament_site.leagues import services as league_services
from tournament_site.leagues.models import League, Season
from tournament_site.matches import recording
from tournament_site.matches.models import Match
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db

PEOPLE = ("nobody", "ann", "bob", "cy", "olga", "root")
# Ann's things, by those who may not have them: they are as good as not there.
OTHERS = {"nobody": 401, "bob": 404, "cy": 404, "olga": 404, "root": 404}


def caller_as(cast: Cast, who: str) -> Caller:
    return Caller() if who == "nobody" else Caller(new_account_token(getattr(cast, who)).text)


@pytest.mark.parametrize(("who", "status"), [("ann", 201), *OTHERS.items()])
def test_a_bot_gets_tokens_from_its_owner_alone(cast, who, status):
    assert caller_as(cast, who).post("/bots/ada/tokens").status_code == status
    assert BotToken.objects.filter(bot=cast.ada).count() == (status == 201)


@pytest.mark.parametrize(("who", "status"), [("ann", 204), *OTHERS.items()])
def test_a_token_is_revoked_by_its_owner_alone(cast, who, status):
    token = new_token(cast.ada)
    assert caller_as(cast, who).delete(f"/bots/ada/tokens/{token.id}").status_code == status
    assert (BotToken.objects.get(pk=token.id).revoked_at is None) == (status != 204)


def test_a_token_is_not_revoked_through_another_bot(cast):
    token = new_token(cast.bix)
    assert caller_as(cast, "ann").delete(f"/bots/ada/tokens/{token.id}").status_code == 404
    assert BotToken.objects.get(pk=token.id).revoked_at is None


@pytest.mark.parametrize(("who", "status"), [("ann", 201), *OTHERS.items()])
def test_a_bot_is_entered_by_its_owner_alone(cast, who, status):
    season = make_season([], start=False)
    assert caller_as(cast, who).post(f"/seasons/{season.pk}/entries", {"bot": "ada"}).status_code == status
    assert season.entries.count() == (status == 201)


@pytest.mark.parametrize(("who", "status"), [("ann", 204), *OTHERS.items()])
def test_a_bot_is_withdrawn_by_its_owner_alone(cast, who, status):
    season = make_season([cast.ada], start=False)
    assert caller_as(cast, who).delete(f"/seasons/{season.pk}/entries/ada").status_code == status
    assert season.entries.count() == (status != 204)


@pytest.mark.parametrize(("who", "bots"), [("ann", ["ada", "abe"]), ("bob", ["bix"]), ("cy", []), ("olga", [])])
def test_everybody_lists_their_own_bots(cast, who, bots):
    answer = caller_as(cast, who).get("/bots").json()
    assert [bot["slug"] for bot in answer["bots"]] == bots


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("path", ["/seasons", "/seasons/{season}", "/bots/ada", "/games/{game}", "/games/{game}/replay"])
def test_what_is_public_is_public(cast, who, path):
    season = make_season([cast.ada, cast.bix])
    play_season(season)
    game = Match.objects.get().attempts.get().games.get(index=0)
    assert caller_as(cast, who).get(path.format(season=season.pk, game=game.pk)).status_code == 200


@pytest.fixture
def world(cast):
    """Something of everything."""
    season = make_season([cast.ada, cast.bix], cycles=2)
    record_presence("referee-1", {cast.ada.active_version.pk: Room(3)})
    new_account_token(cast.ann)
    new_token(cast.ada)
    play_season(season)
    apply()
    league_services.finish_over()
    recording.record(finished(claim(queue_match([cast.ada, cast.bix])), sha256=b""))
    make_season([cast.hal], start=False)
    return cast


def log_in(who: str) -> Client:
    client = Client()
    assert client.login(username=who, password=PASSWORD)
    return client


ADMIN_PAGES = sorted(f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry)


def test_every_model_of_ours_is_in_the_administration():
    ours = {model for model in apps.get_models() if model.__module__.startswith("tournament_site.")}
    inline = {"MatchSeat", "GameResult"}
    assert {model.__name__ for model in ours - set(admin.site._registry)} == inline


def model_of(path: str) -> Any:
    return next(model for model in admin.site._registry if model._meta.model_name == path.split("/")[3])


def test_the_administrator_sees_every_page_and_every_row_under_the_content_policy(world):
    client = log_in("root")
    rows = {path: model_of(path)._default_manager.first() for path in ADMIN_PAGES}
    assert [path for path, row in rows.items() if row is None] == ["/admin/auth/group/"]
    for path in ["/admin/", *ADMIN_PAGES, *(f"{path}{row.pk}/change/" for path, row in rows.items() if row)]:
        page = client.get(path)
        assert page.status_code == 200, path
        assert page.headers["Content-Security-Policy"] == CONTENT_POLICY
        assert b"<script>" not in page.content
        assert b" onclick=" not in page.content


@pytest.mark.parametrize("who", ["nobody", "ann", "bob", "cy", "olga"])
def test_nobody_else_sees_any_of_them(cast, who):
    client = Client() if who == "nobody" else log_in(who)
    for path in ADMIN_PAGES:
        answer = client.get(path)
        if who == "olga":  # staff, but nobody gave her a right yet
            assert answer.status_code == 403
        else:
            assert (answer.status_code, urlsplit(answer.headers["Location"]).path) == (302, "/admin/login/")


HISTORY = [
    page
    for page in ADMIN_PAGES
    if page.split("/")[2] in {"matches", "ratings"} or page.split("/")[3] in {"standing", "round", "pairing", "entry"}
]


def test_not_even_the_administrator_changes_history(world):
    client = log_in("root")
    for path in HISTORY:
        model = model_of(path)
        row = model._default_manager.first()
        assert client.get(f"{path}add/").status_code == 403
        assert client.post(f"{path}{row.pk}/change/", {}).status_code == 403
        assert client.post(f"{path}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        assert model._default_manager.filter(pk=row.pk).exists()


def test_an_organiser_opens_and_starts_a_season(cast):
    client = log_in("root")
    made = client.post(
        "/admin/leagues/league/add/",
        {"name": "Spring <Cup>", "table_size": 2, "ruleset": "official", "terms": '{"bank_ms": 1000}', "reopens": "on"},
    )
    assert made.status_code == 302, made.content
    wish = {"cycles": 1, "min_bots": 2, "max_bots": 8, "starts_when": "BY_HAND"}
    league = League.objects.get(slug="spring-cup", reopens=True)
    assert (league.terms["bank_ms"], league.terms["max_deals"], len(league.terms)) == (1000, 60, 7)
    assert client.post("/admin/leagues/season/add/", wish | {"league": league.pk}).status_code == 302
    season = Season.objects.get()
    start = {"action": "start", "_selected_action": [season.pk]}
    refused = client.post("/admin/leagues/season/", start, follow=True)
    assert b"0 bots have entered, 2 are needed." in refused.content
    for bot in (cast.ada, cast.bix):
        league_services.enter(season.pk, bot)
    started = client.post("/admin/leagues/season/", start, follow=True)
    assert b"has started." in started.content
    assert b"Spring &lt;Cup&gt;" in started.content
    assert Match.objects.count() == 1


def test_the_form_of_a_league_begins_with_the_usual_terms(cast):
    page = log_in("root").get("/admin/leagues/league/add/").content
    assert b"phaseten: administration" in page
    assert b"&quot;bank_ms&quot;: 60000" in page
    assert b"max_turns_per_deal and max_deals" in page


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ({"cycles": 20, "max_bots": 200}, b"could have 398000 matches"),
        ({"min_bots": 1}, b"It needs 2 to 200 bots"),
        ({"cycles": ""}, b"This field is required"),
    ],
)
def test_a_season_that_cannot_be_played_is_refused_in_the_administration(cast, numbers, sentence):
    league = make_league()
    wish = {"league": league.pk, "cycles": 1, "min_bots": 2, "max_bots": 8, "starts_when": "BY_HAND"} | numbers
    answer = log_in("root").post("/admin/leagues/season/add/", wish)
    assert (answer.status_code, Season.objects.count()) == (200, 0)
    assert sentence in answer.content


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("ruleset", "nonsense", b"there is no rule set"),
        ("terms", '{"bank_ms": -1}', b"bank_ms must be a whole number"),
        ("terms", '{"bank_ms": 1}', b"No bot thinks so fast"),
        ("terms", '{"cap_ms": 99}', b"No bot thinks so fast"),
        ("terms", '{"unknown": 1}', b"the terms know no unknown"),
        ("terms", "[1]", b"Terms are an object"),
        ("name", "a\u202eb", b"direction"),
        ("table_size", "7", b"league_table_size"),
    ],
)
def test_a_league_that_cannot_be_played_is_refused(cast, field, value, sentence):
    wish = {"name": "Cup", "table_size": 2, "ruleset": "official", "terms": '{"bank_ms": 1000}', field: value}
    answer = log_in("root").post("/admin/leagues/league/add/", wish)
    assert answer.status_code == 200
    assert sentence in answer.content


def test_a_league_with_seasons_keeps_its_rules(cast):
    season = make_season([cast.ada], start=False)
    path = f"/admin/leagues/league/{season.league_id}/"
    client = log_in("root")
    wish = {"name": "New name", "table_size": 5, "ruleset": "other", "terms": "{}"}
    assert client.post(f"{path}change/", wish).status_code == 302
    season.league.refresh_from_db()
    assert (season.league.name, season.league.table_size, season.league.ruleset) == ("New name", 2, "official")
    assert client.post(f"{path}delete/", {"post": "yes"}).status_code == 403


def test_the_administrator_revokes_tokens_and_never_sees_a_digest(cast):
    client = log_in("root")
    account, bot = new_account_token(cast.ann), new_token(cast.ada)
    for path, token in (("accounts/accounttoken", account), ("bots/bottoken", bot)):
        assert token.digest.encode() not in client.get(f"/admin/{path}/{token.id}/change/").content
        answer = client.post(f"/admin/{path}/", {"action": "revoke", "_selected_action": [token.id]}, follow=True)
        assert b"1 tokens are revoked." in answer.content
    assert AccountToken.objects.get(pk=account.id).revoked_at is not None
    assert BotToken.objects.get(pk=bot.id).revoked_at is not None


@pytest.mark.parametrize(("right", "revoked"), [("view", False), ("change", True)])
def test_staff_that_may_only_look_revoke_nothing(cast, right, revoked):
    cast.olga.user_permissions.set(Permission.objects.filter(codename__in=[f"{right}_accounttoken", f"{right}_bottoken"]))
    client = log_in("olga")
    account, bot = new_account_token(cast.ann), new_token(cast.ada)
    for path, token in (("accounts/accounttoken", account), ("bots/bottoken", bot)):
        page = client.get(f"/admin/{path}/")
        assert page.status_code == 200
        assert (b"Revoke the chosen tokens" in page.content) == revoked
        client.post(f"/admin/{path}/", {"action": "revoke", "_selected_action": [token.id]}, follow=True)
    assert (AccountToken.objects.get(pk=account.id).revoked_at is not None) == revoked
    assert (BotToken.objects.get(pk=bot.id).revoked_at is not None) == revoked


def test_a_new_person_from_the_administration_can_log_in(cast):
    client = log_in("root")
    wish = {"username": "dee", "email": "", "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/admin/accounts/user/add/", wish).status_code == 302
    assert Client().login(username="DEE", password=PASSWORD)


def test_log_in_to_the_administration_is_limited(cast):
    client = Client()
    statuses = {client.post("/admin/login/", {"username": "root", "password": f"wrong {n}"}).status_code for n in range(20)}
    answer = client.post("/admin/login/", {"username": "root", "password": PASSWORD})
    assert (statuses, answer.status_code) == ({200}, 429)
    assert answer.headers["Retry-After"] == "300"


def test_a_form_from_elsewhere_is_refused(cast):
    client = Client(enforce_csrf_checks=True)
    assert client.post("/admin/login/", {"username": "root", "password": PASSWORD}).status_code == 403
