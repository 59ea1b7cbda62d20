"""Addresses that people type, and ways from one page to another."""

import pytest
from django.test import Client

from tests.site.builders import make_season
from tests.site_pages.written import text_of
from tournament_site.leagues.models import Season

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("/bots/", "/bots"),
        ("/bots//", "/bots"),
        ("/bots/?q=a&page=2", "/bots?q=a&page=2"),
        ("/bots/ada/", "/bots/ada"),
        ("/rules/official/", "/rules/official"),
        ("/start/", "/start"),
        ("/seasons/", "/seasons"),
        ("/my-bots/", "/my-bots"),
    ],
)
def test_a_slash_at_the_end_leads_to_the_page(cast, typed, page):
    for ask in (Client().get, Client().head):
        answer = ask(typed)
        assert (answer.status_code, answer.headers["Location"]) == (301, page)
    assert Client().get(page).status_code in {200, 302}


@pytest.mark.parametrize("path", ["/nowhere/", "/bots/no-such/x/", "/admin/nothing/", "/api/v1/bots/", "/%0d%0aa/"])
def test_a_slash_leads_to_nothing_that_is_not_there(cast, as_user, path):
    answer = as_user(cast.root).get(path)
    assert (answer.status_code, answer.headers.get("Location")) == (404, None)


def test_an_address_that_looks_like_one_of_ours_leads_nowhere_else(cast):
    for path in ("//bots/", "//bots.example/bots/", "/\\bots.example/"):
        answer = Client().get("/", PATH_INFO=path)
        assert (answer.status_code, answer.headers.get("Location")) == (404, None)


def test_what_is_posted_is_not_sent_on(cast, as_user):
    assert as_user(cast.ann).post("/my-bots/", {"name": "Lost"}).status_code == 404


def test_the_administration_keeps_its_slashes(cast, as_user):
    assert as_user(cast.root).get("/admin").headers["Location"] == "/admin/"
    assert as_user(cast.root).get("/admin/").status_code == 200


def test_the_seasons_are_on_the_front_page(db):
    answer = Client().get("/seasons")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/#seasons")
    assert 'id="seasons"' in Client().get("/").content.decode()


def test_the_front_page_counts_the_open_seasons(cast):
    assert "The next one will be announced here." in text_of(Client().get("/"))
    make_season([cast.hal], start=False)
    assert "One is open for entry right now" in text_of(Client().get("/"))
    make_season([cast.hal], start=False)
    assert "2 are open for entry right now" in text_of(Client().get("/"))
    assert Season.objects.count() == 2


def test_rules_are_compared_with_other_rules_only(db):
    columns = {}
    for name in ("official", "bg+free"):
        page = Client().get(f"/rules/{name}").content.decode()
        options = page[page.index('id="options"') :]
        columns[name] = options[: options.index("</thead>")].count("<th ")
    assert columns == {"official": 3, "bg+free": 4}
    assert "Unlike official" not in text_of(Client().get("/rules/official"))


def test_the_manual_of_the_api_leads_back(db):
    page = Client().get("/api/v1/docs").content.decode()
    assert 'href="/"' in page
    assert "<script>" not in page
    assert "<style" not in page
    assert '"url": "/api/v1/openapi.json"' in page


def test_only_the_staff_sees_the_way_to_the_administration(cast, as_user):
    shown = {
        user.username: 'href="/admin/"' in as_user(user).get("/").content.decode()
        for user in (cast.ann, cast.olga, cast.root)
    }
    assert shown == {"ann": False, "olga": True, "root": True}
    assert 'href="/admin/"' not in Client().get("/").content.decode()


def test_sign_up_says_all_that_is_wrong(cast):
    answer = Client().post("/sign-up", {"username": "ann", "email": "nonsense", "password": "short"})
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {"username", "email", "password"}
    page = text_of(answer)
    for sentence in ("This name is taken.", "Enter a valid email address.", "This password is too short."):
        assert sentence in page
    empty = Client().post("/sign-up", {"username": "", "email": "", "password": "123"})
    assert set(empty.context["form"].errors) == {"username", "password"}
    assert "This field is required." in text_of(empty)
    assert "This password is too short." in text_of(empty)
