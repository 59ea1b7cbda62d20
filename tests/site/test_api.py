"""The API, from outside."""

from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from django.conf import settings

from tests.site.builders import PASSWORD, make_bots, make_season, play, play_season, queue_match, version_of
from tests.site.test_text import HOSTILE
from tournament_site.bots import queries as bot_queries
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot, BotToken
from tournament_site.common import throttle
from tournament_site.leagues import services as league_services
from tournament_site.matches.models import Replay
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db


def error_of(answer: Any) -> tuple[int, str]:
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "fields"}
    return answer.status_code, body["error"]["code"]


def test_from_an_account_to_a_ticket(cast, anonymous, as_user):
    made = anonymous.post("/account-tokens", {"username": "Ann", "password": PASSWORD})
    assert made.status_code == 201
    assert made.json()["username"] == "ann"
    mine = type(anonymous)(made.json()["token"])
    bot = mine.post("/bots", {"name": "Deep Thought"})
    assert bot.status_code == 201
    assert (bot.json()["slug"], bot.json()["url"]) == ("deep-thought", f"{settings.SITE.url}/bots/deep-thought")
    session = type(anonymous)(bot.json()["token"]).post(
        "/sessions", {"version": "1.0", "sdk": "phaseten 0.1.0", "language": "Python 3.11", "capacity": 1000}
    )
    assert session.status_code == 201
    facts = session.json()
    assert (facts["bot"], facts["version"], facts["capacity"]) == ("deep-thought", "1.0", 16)
    assert facts["referees"] == [{"id": r.id, "address": r.public} for r in settings.SITE.referees]
    key: Any = serialization.load_pem_public_key(settings.SITE.ticket_key.public_pem())
    claims = jwt.decode(facts["ticket"], key, ["EdDSA"], audience="referee")
    version = version_of(Bot.objects.get(slug="deep-thought"))
    assert (claims["sub"], claims["version_id"], claims["capacity"]) == ("deep-thought", version.pk, 16)
    assert (version.sdk, version.language) == ("phaseten 0.1.0", "Python 3.11")


def test_a_bot_can_be_made_with_its_first_version(cast, as_user):
    as_user(cast.cy).post("/bots", {"name": "Early", "version": "0.1"})
    assert version_of(Bot.objects.get(slug="early")).label == "0.1"
    assert error_of(as_user(cast.cy).post("/bots", {"name": "Late", "version": "?"})) == (422, "label_invalid")
    assert not Bot.objects.filter(slug="late").exists()


def test_a_session_of_another_version_makes_it_the_active_one(cast, as_bot):
    client = as_bot(cast.ada)
    for label in ("2.0", "1.0", "2.0"):
        assert client.post("/sessions", {"version": label}).status_code == 201
        cast.ada.refresh_from_db()
        assert cast.ada.active_version.label == label
    assert cast.ada.versions.count() == 2


def test_wrong_passwords_and_unknown_names_get_the_same_answer(cast, anonymous):
    answers = [
        anonymous.post("/account-tokens", {"username": name, "password": word})
        for name, word in [("ann", "wrong"), ("nobody", PASSWORD), ("house", ""), ("ann\0", PASSWORD)]
    ]
    assert [error_of(answer) for answer in answers[:3]] == [(401, "bad_credentials")] * 3
    assert answers[0].content == answers[1].content
    assert error_of(answers[3]) == (422, "invalid")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("post", "/bots"),
        ("get", "/bots"),
        ("post", "/sessions"),
        ("post", "/bots/ada/tokens"),
        ("post", "/seasons/1/entries"),
    ],
)
@pytest.mark.parametrize(
    "token", [None, "nonsense", "phaseten_0123456789ab_" + "x" * 43, "phasetenacc_0123456789ab_" + "x" * 43]
)
def test_without_a_valid_token_nothing_is_done(db, anonymous, method, path, token):
    answer = getattr(type(anonymous)(token), method)(path)
    assert error_of(answer) == (401, "sign_in_needed")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_bot_s_token_opens_no_account_and_an_account_s_no_session(cast, as_user, as_bot):
    assert as_bot(cast.ada).get("/bots").status_code == 401
    assert as_user(cast.ann).post("/sessions", {"version": "1"}).status_code == 401


def test_a_revoked_token_opens_nothing_at_once(cast, anonymous, as_user):
    mine = as_user(cast.ann)
    made = mine.post("/bots/ada/tokens").json()
    bot = type(anonymous)(made["token"])
    assert bot.post("/sessions", {"version": "1"}).status_code == 201
    for _ in range(2):
        assert mine.delete(f"/bots/ada/tokens/{made['token_id']}").status_code == 204
    assert error_of(bot.post("/sessions", {"version": "1"})) == (401, "sign_in_needed")
    assert BotToken.objects.get(pk=made["token_id"]).used_at is not None


def test_a_program_gives_its_account_token_back(cast, anonymous, as_user, as_bot):
    mine, other = as_user(cast.ann), as_user(cast.ann)
    answer = mine.delete("/account-tokens/current")
    assert (answer.status_code, answer.content) == (204, b"")
    for _ in range(2):
        assert error_of(mine.delete("/account-tokens/current")) == (401, "sign_in_needed")
    assert error_of(mine.get("/bots")) == (401, "sign_in_needed")
    assert other.get("/bots").status_code == 200
    assert error_of(anonymous.delete("/account-tokens/current")) == (401, "sign_in_needed")
    assert error_of(as_bot(cast.ada).delete("/account-tokens/current")) == (401, "sign_in_needed")
    manual = anonymous.get("/openapi.json").json()["paths"]["/api/v1/account-tokens/current"]["delete"]
    assert set(manual["responses"]) >= {"204", "401"}


def test_the_tokens_of_a_locked_account_open_nothing(cast, as_user, as_bot):
    account, bot = as_user(cast.ann), as_bot(cast.ada)
    type(cast.ann).objects.filter(pk=cast.ann.pk).update(is_active=False)
    assert account.get("/bots").status_code == 401
    assert bot.post("/sessions", {"version": "1"}).status_code == 401


def test_a_bot_has_so_many_tokens_and_no_more(cast, as_user):
    mine = as_user(cast.ann)
    answers = [mine.post("/bots/ada/tokens") for _ in range(bot_services.MAX_TOKENS + 1)]
    assert [answer.status_code for answer in answers] == [201] * bot_services.MAX_TOKENS + [409]


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_bot_name_is_a_422_with_a_sentence(cast, as_user, what):
    answer = as_user(cast.cy).post("/bots", {"name": HOSTILE[what].encode("utf-8", "replace").decode()})
    assert answer.status_code in {422, 201 if what == "half a surrogate" else 422}
    if answer.status_code == 422:
        assert error_of(answer)[1] in {"name_invalid", "invalid"}


def test_a_name_of_markup_is_kept_as_text(cast, as_user, anonymous):
    name = "<script>alert(1)</script>"
    made = as_user(cast.cy).post("/bots", {"name": name}).json()
    assert made["slug"] == "script-alert-1-script"
    shown = anonymous.get(f"/bots/{made['slug']}")
    assert shown.json()["name"] == name
    assert shown.headers["Content-Type"].startswith("application/json")


def test_a_similar_name_is_taken(cast, as_user):
    assert error_of(as_user(cast.bob).post("/bots", {"name": "ÁDA"})) == (409, "name_taken")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "version"),
        ({"version": 1}, "version"),
        ({"version": "1", "capacity": 0}, "capacity"),
        ({"version": "1", "capacity": 10**30}, "capacity"),
        ({"version": "x" * 500}, "version"),
    ],
)
def test_wrong_fields_are_named(cast, as_bot, body, field):
    answer = as_bot(cast.ada).post("/sessions", body)
    assert error_of(answer) == (422, "invalid")
    assert field in answer.json()["error"]["fields"]


def test_a_body_that_is_no_json_is_a_400(cast, as_bot):
    answer = as_bot(cast.ada)._client.post("/api/v1/sessions", b"{", content_type="application/json")
    assert error_of(answer) == (400, "malformed")


@pytest.mark.parametrize("path", ["/account-tokens", "/sessions"])
def test_a_body_that_is_too_large_is_a_413(cast, as_bot, caplog, path):
    answer = as_bot(cast.ada).post(path, {"version": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE})
    assert error_of(answer) == (413, "too_large")
    assert not any(entry.exc_info for entry in caplog.records)


@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize("path", ["/", "/nothing", "/seasons/1/nothing", "/games/x", "/bots/", "/../v2/seasons"])
def test_an_address_of_nothing_is_a_404(db, anonymous, path, method):
    assert error_of(getattr(anonymous, method)(path)) == (404, "not_found")


def test_another_method_is_a_405_and_says_which_would_do(db, anonymous, as_user, cast):
    answer = anonymous.delete("/seasons")
    assert error_of(answer) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET"
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    assert error_of(as_user(cast.ann).delete("/bots")) == (405, "method_not_allowed")


def test_a_host_that_is_not_ours_is_a_400(db, anonymous):
    answer = anonymous.get("/seasons", headers={"Host": "elsewhere.example"})
    assert error_of(answer) == (400, "malformed")


def test_a_fault_of_ours_is_a_500_that_tells_nothing(cast, anonymous, monkeypatch):
    def broken(_slug):
        raise RuntimeError("secret")

    monkeypatch.setattr(bot_queries, "bot_by_slug", broken)
    anonymous._client.raise_request_exception = False
    answer = anonymous.get("/bots/ada")
    assert error_of(answer) == (500, "internal")
    assert b"secret" not in answer.content


def test_pages_keep_their_own_errors(db, client):
    answer = client.get("/nothing-here")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")


def test_entering_and_leaving_a_season(cast, as_user):
    season = make_season([cast.bix], start=False)
    mine = as_user(cast.ann)
    entered = mine.post(f"/seasons/{season.pk}/entries", {"bot": "ada"})
    assert entered.status_code == 201
    assert entered.json()["bot"] == "ada"
    assert error_of(mine.post(f"/seasons/{season.pk}/entries", {"bot": "ada"})) == (409, "already_entered")
    assert mine.delete(f"/seasons/{season.pk}/entries/ada").status_code == 204
    assert error_of(mine.delete(f"/seasons/{season.pk}/entries/ada")) == (409, "not_entered")
    assert error_of(mine.post(f"/seasons/{2**62}/entries", {"bot": "ada"})) == (404, "not_found")
    assert error_of(mine.post(f"/seasons/{2**64}/entries", {"bot": "ada"})) == (422, "invalid")


def test_seasons_are_a_list_of_facts(cast, anonymous):
    season = make_season(make_bots(4), cycles=2)
    play_season(season)
    (facts,) = anonymous.get("/seasons").json()
    assert facts == {
        "id": season.pk,
        "name": season.name,
        "league": season.league.name,
        "table_size": 2,
        "state": "running",
        "matches": {"scheduled": 12, "finished": 12, "void": 0},
        "entries": 4,
        "max_bots": 50,
        "url": f"{settings.SITE.url}/seasons/{season.pk}",
    }
    assert anonymous.get("/seasons?state=open").json() == []
    assert len(anonymous.get("/seasons?state=running&limit=1&offset=0").json()) == 1
    assert anonymous.get("/seasons?limit=0").status_code == 422
    assert anonymous.get(f"/seasons?offset={10**30}").status_code == 422


def test_a_season_shows_its_table(anonymous):
    bots = make_bots(3)
    season = make_season(bots)
    play_season(season)
    apply()
    league_services.finish_over()
    facts = anonymous.get(f"/seasons/{season.pk}").json()
    assert facts["state"] == "finished"
    assert [(row["rank"], row["bot"], row["score"], row["games"]) for row in facts["table"]] == [
        (1, bots[0].slug, 4.0, 4),
        (2, bots[1].slug, 2.0, 4),
        (3, bots[2].slug, 0.0, 4),
    ]
    assert error_of(anonymous.get("/seasons/999999")) == (404, "not_found")


def test_a_game_and_its_replay(anonymous):
    bots = make_bots(2)
    claimed = play(queue_match(bots))
    game = claimed.games[1]
    facts = anonymous.get(f"/games/{game}").json()
    assert (facts["state"], facts["index"], facts["decisions"]) == ("finished", 1, 101)
    assert [(seat["bot"], seat["place"]) for seat in facts["seats"]] == [(bots[1].slug, 2), (bots[0].slug, 1)]
    replay = anonymous.get(f"/games/{game}/replay")
    assert replay.content == bytes(Replay.objects.get(pk=game).data)
    assert replay.headers["Content-Type"] == "application/octet-stream"
    assert replay.headers["ETag"] == f'"{facts["sha256"]}"'
    again = anonymous.get(f"/games/{game}/replay", headers={"If-None-Match": replay.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    unknown = "00000000-0000-4000-8000-000000000000"
    assert error_of(anonymous.get(f"/games/{unknown}")) == (404, "not_found")
    assert error_of(anonymous.get(f"/games/{unknown}/replay")) == (404, "not_found")


@pytest.mark.parametrize(
    "path", ["/bots/../x", "/bots/a%00b", "/bots/" + "a" * 60, "/bots/A", "/seasons/x", "/seasons/-1", "/games/x"]
)
def test_addresses_of_nothing(db, anonymous, path):
    assert anonymous.get(path).status_code in {404, 422}


def test_log_in_is_limited_and_says_when_to_come_back(cast, anonymous, monkeypatch):
    answers = [
        anonymous.post("/account-tokens", {"username": "ann", "password": "wrong"})
        for _ in range(throttle.LOG_IN_BY_NAME.times + 1)
    ]
    assert {answer.status_code for answer in answers[:-1]} == {401}
    assert error_of(answers[-1]) == (429, "too_many_requests")
    assert answers[-1].headers["Retry-After"] == str(throttle.LOG_IN_BY_NAME.seconds)
    right = anonymous.post("/account-tokens", {"username": "ann", "password": PASSWORD})
    assert right.status_code == 429
    assert anonymous.post("/account-tokens", {"username": "bob", "password": PASSWORD}).status_code == 201


def test_sessions_are_limited_by_bot(cast, as_bot):
    ada = as_bot(cast.ada)
    statuses = [ada.post("/sessions", {"version": "1"}).status_code for _ in range(throttle.SESSIONS_BY_BOT.times + 1)]
    assert statuses == [201] * throttle.SESSIONS_BY_BOT.times + [429]
    assert as_bot(cast.bix).post("/sessions", {"version": "1"}).status_code == 201


def test_the_manual_of_the_api_has_no_inline_script(client, db):
    page = client.get("/api/v1/docs")
    assert page.status_code == 200
    assert b"<script>" not in page.content
    assert client.get("/api/v1/openapi.json").json()["info"]["title"] == "phaseten"
