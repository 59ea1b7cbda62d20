"""The pages' doors: who may do what, what is answered to nonsense, and what may be kept by browsers."""

import gzip
import json
import uuid

import pytest
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.defaults import server_error

from tests.e2e.seasons import play, play_live
from tests.site.builders import PASSWORD, make_bots, make_season, play_season, queue_match
from tests.site.builders import claim as claim_match
from tournament_site.accounts.models import User
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot, BotToken
from tournament_site.leagues import services as league_services
from tournament_site.leagues.models import Entry, Season
from tournament_site.matches import services as match_services
from tournament_site.matches.models import Game, Match, Replay
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db
NOBODY = uuid.UUID(int=1)


@pytest.fixture
def played(cast):
    """A season of two bots with a real match; the others wait."""
    season = make_season([cast.ada, cast.bix, cast.hal])
    match = Match.objects.filter(pairing__round__season=season).order_by("sort_key", "pk")[0]
    play(match)
    apply()
    return season, match, Game.objects.filter(attempt__match=match).order_by("index")[0]


def public_paths(played: tuple[Season, Match, Game], bot: Bot) -> list[str]:
    season, match, game = played
    return [
        "/", "/start", "/bots", f"/bots/{bot.slug}", f"/seasons/{season.pk}", f"/matches/{match.pk}", f"/games/{game.pk}",
        f"/games/{game.pk}/frames.json", f"/games/{game.pk}/live.json", f"/games/{game.pk}/replay.binpb",
    ]  # fmt: skip


def test_what_is_public_is_for_everybody(cast, as_user, played):
    clients = [Client(), *(as_user(user) for user in (cast.ann, cast.bob, cast.cy, cast.olga, cast.root))]
    for path in public_paths(played, cast.ada):
        assert {client.get(path).status_code for client in clients} == {200}, path


def test_owners_pages_ask_visitors_to_log_in(cast):
    for path in ("/my-bots", "/my-bots/ada"):
        answer = Client().get(path)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/log-in?next={path}")


@pytest.mark.parametrize("path", ["tokens", "tokens/000000000000/revoke", "enter"])
def test_nobody_acts_for_somebody_elses_bot(cast, as_user, path):
    for user in (cast.bob, cast.cy, cast.olga, cast.root):
        assert as_user(user).post(f"/my-bots/ada/{path}").status_code == 404
    assert as_user(cast.bob).get("/my-bots/ada").status_code == 404
    assert not BotToken.objects.exists()


@pytest.mark.parametrize("path", ["/my-bots/ada/tokens", "/my-bots/ada/enter", "/log-out", "/seasons/1/enter"])
def test_what_changes_something_is_a_post_with_a_csrf_token(cast, as_user, path):
    assert as_user(cast.ann).get(path).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(cast.ann)
    answer = strict.post(path)
    assert answer.status_code == 403
    assert "Please try again" in answer.content.decode()


def test_a_token_is_in_one_answer_and_in_no_other(cast, as_user):
    client = as_user(cast.cy)
    made = client.post("/my-bots", {"name": "Cy's Own"})
    assert made.status_code == 201
    token = made.context["token"]
    assert token in made.content.decode()
    assert "no-store" in made.headers["Cache-Control"]
    assert token not in client.get("/my-bots/cy-s-own").content.decode()
    assert token not in str(list(BotToken.objects.values()))


def test_a_bot_that_cannot_be_made_says_why(cast, as_user):
    client = as_user(cast.ann)
    assert "There is a bot of this or a very similar name." in client.post("/my-bots", {"name": "ADA"}).content.decode()
    refused = client.post("/my-bots", {"name": "\u202eevil"})
    assert refused.status_code == 422
    assert "invisible characters" in refused.content.decode()
    assert not Bot.objects.filter(owner=cast.ann).exclude(slug__in=("ada", "abe")).exists()


def test_tokens_run_out_politely(cast, as_user):
    client = as_user(cast.ann)
    for _ in range(bot_services.MAX_TOKENS):
        assert client.post("/my-bots/ada/tokens").status_code == 201
    answer = client.post("/my-bots/ada/tokens", follow=True)
    assert "Revoke a token before you make another." in answer.content.decode()


def test_a_revoked_token_is_gone(cast, as_user):
    token = bot_services.new_token(cast.ada)
    client = as_user(cast.ann)
    assert token.id in client.get("/my-bots/ada").content.decode()
    assert "The token is revoked" in client.post(f"/my-bots/ada/tokens/{token.id}/revoke", follow=True).content.decode()
    assert token.id not in client.get("/my-bots/ada").content.decode()
    assert BotToken.objects.get(pk=token.id).revoked_at is not None


def test_a_season_is_entered_from_both_sides(cast, as_user):
    season = make_season([cast.hal], start=False)
    client = as_user(cast.ann)
    client.post(f"/seasons/{season.pk}/enter", {"bot": "ada"})
    client.post("/my-bots/abe/enter", {"season": str(season.pk)})
    assert set(Entry.objects.filter(season=season).values_list("bot__slug", flat=True)) == {"hal", "ada", "abe"}
    again = client.post(f"/seasons/{season.pk}/enter", {"bot": "ada"}, follow=True)
    assert "This bot has entered already." in again.content.decode()
    client.post(f"/seasons/{season.pk}/leave", {"bot": "ada"})
    assert not Entry.objects.filter(season=season, bot=cast.ada).exists()


@pytest.mark.parametrize("bot", ["bix", "nobody", "", "a\0b", "x" * 10_000])
def test_only_ones_own_bots_enter(cast, as_user, bot):
    season = make_season([cast.hal], start=False)
    answer = as_user(cast.ann).post(f"/seasons/{season.pk}/enter", {"bot": bot}, follow=True)
    assert answer.status_code == 200
    assert "Choose one of your bots." in answer.content.decode()
    assert Entry.objects.filter(season=season).count() == 1


@pytest.mark.parametrize("season", ["", "0", "-1", "1e3", "９", "9" * 30, "x"])
def test_a_season_that_does_not_exist_is_not_entered(cast, as_user, season):
    answer = as_user(cast.ann).post("/my-bots/ada/enter", {"season": season}, follow=True)
    assert answer.status_code == 200
    assert not Entry.objects.exists()


@pytest.mark.parametrize(
    "path",
    [
        "/seasons/0", "/seasons/99999999999999999999999", "/seasons/x", "/bots/nobody", "/bots/%00", "/my-botsx",
        f"/matches/{NOBODY}", "/matches/1", f"/games/{NOBODY}", f"/games/{NOBODY}/replay.binpb",
    ],
)  # fmt: skip
def test_what_is_not_there_is_404_with_a_page(cast, path):
    answer = Client().get(path)
    assert answer.status_code == 404
    assert "Nothing lies here" in answer.content.decode()


@pytest.mark.parametrize(
    "query", ["?page=0", "?page=-3", "?page=99999999999", "?page=x", "?q=%00", "?q=" + "%F0%9F%82%A1" * 99]
)
def test_odd_queries_are_answered(cast, query):
    assert Client().get("/bots" + query).status_code == 200
    assert Client().get("/bots/ada" + query).status_code == 200


def test_an_unknown_scale_is_the_usual_one(cast, played):
    assert Client().get("/bots/ada?scale=../../etc").status_code == 200


def test_bad_posts_are_no_errors_of_ours(cast, as_user):
    client = as_user(cast.ann)
    assert client.post("/my-bots", {}).status_code == 422
    assert Client().post("/sign-up", {"username": "a\0b", "password": "x" * 5000}).status_code == 422
    assert Client().post("/log-in", {"username": "a\0b", "password": ""}).status_code == 422


def test_sign_up_logs_in_and_refuses_a_taken_name(cast):
    client = Client()
    answer = client.post("/sign-up", {"username": "dana", "email": "", "password": "long enough words"})
    assert answer.headers["Location"] == "/my-bots"
    assert client.get("/my-bots").status_code == 200
    taken = Client().post("/sign-up", {"username": "ANN", "email": "", "password": "long enough words"})
    assert taken.status_code == 422
    assert "This name is taken." in taken.content.decode()
    assert User.objects.filter(username="dana").count() == 1


def test_the_log_in_goes_back_only_to_our_own_pages(cast):
    facts = {"username": "ann", "password": PASSWORD}
    assert Client().post("/log-in", facts | {"next": "/bots"}).headers["Location"] == "/bots"
    assert Client().post("/log-in", facts | {"next": "https://elsewhere.example/"}).headers["Location"] == "/my-bots"


def test_too_many_log_ins_are_said_on_the_page(cast):
    facts = {"username": "ann", "password": "wrong"}
    answers = [Client().post("/log-in", facts).content.decode() for _ in range(21)]
    assert "Too many requests" not in answers[0]
    assert "Too many requests. Wait a little." in answers[-1]


def test_frames_are_kept_by_their_digest(played):
    _, _, game = played
    path = reverse("game-frames", kwargs={"game_id": game.pk})
    first = Client().get(path, headers={"Accept-Encoding": "gzip"})
    film = json.loads(gzip.decompress(first.content))
    assert film["frames"][0]["k"] == "start"
    sha256 = Replay.objects.get(pk=game.pk).sha256
    assert sha256 in first.headers["ETag"]
    again = Client().get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert Client().get(path, headers={"If-None-Match": '"older"'}).status_code == 200


def test_the_replays_bytes_are_served_as_they_were_stored(played):
    _, _, game = played
    stored = Replay.objects.get(pk=game.pk)
    answer = Client().get(f"/games/{game.pk}/replay.binpb")
    assert answer.content == bytes(stored.data)
    assert answer.headers["ETag"] == f'"{stored.sha256}"'
    assert f"{game.pk}.binpb" in answer.headers["Content-Disposition"]


def test_a_replay_that_says_nothing_is_told_apart_from_none(played):
    _, _, game = played
    Replay.objects.filter(pk=game.pk).update(data=b"\xff\xff")
    assert Client().get(f"/games/{game.pk}/frames.json").status_code == 500
    assert "This replay cannot be shown" in Client().get(f"/games/{game.pk}").content.decode()
    assert Client().get(f"/games/{uuid.uuid4()}/frames.json").status_code == 404
    assert Client().get(f"/games/{uuid.uuid4()}/live.json").status_code == 404


def test_a_running_game_tells_its_public_table(cast, played):
    season, *_ = played
    waiting = Match.objects.filter(pairing__round__season=season, state="QUEUED").order_by("pk")[0]
    first, second = play_live(waiting)
    seen = Client().get(f"/games/{first}/live.json").json()
    assert seen["state"] == "RUNNING"
    assert all(isinstance(hand, int) for hand in seen["live"]["table"]["hands"])
    assert Client().get(f"/games/{second}/live.json").json() == {"state": "RUNNING", "live": None}
    page = Client().get(f"/games/{first}").content.decode()
    assert "data-live=" in page
    assert "seed behind it is shown once the game is over" in page


def test_a_finished_game_has_no_live_table(played):
    _, _, game = played
    assert Client().get(f"/games/{game.pk}/live.json").json() == {"state": "FINISHED", "live": None}


def test_a_match_says_why_it_waits(cast, played):
    season, *_ = played
    waiting = Match.objects.filter(pairing__round__season=season, state="QUEUED").order_by("sort_key", "pk")
    page = Client().get(f"/matches/{waiting[0].pk}").content.decode()
    assert "is not connected." in page
    versions = Bot.objects.values_list("active_version", flat=True)
    bot_services.record_presence("referee-1", {version: bot_services.Room(3) for version in versions if version})
    page = Client().get(f"/matches/{waiting[0].pk}").content.decode()
    assert "is not connected" not in page
    assert "All its bots are connected" in page
    assert "1 match is ahead of it in the queue." in Client().get(f"/matches/{waiting[1].pk}").content.decode()


def test_a_match_of_a_bot_that_never_came_says_so(cast):
    newcomer = bot_services.create_bot(cast.cy, "Never There")
    match_id = queue_match([cast.ada, newcomer])
    assert "Never There has never connected." in Client().get(f"/matches/{match_id}").content.decode()


def test_a_match_outside_of_any_season_and_its_spoilt_attempt(cast):
    match_id = queue_match([cast.ada, cast.bix])
    claimed = claim_match(match_id)
    match_services.renew([(match_id, claimed.attempt)])
    match_services.void_attempt(match_id, claimed.attempt, "the referee <b>vanished</b>")
    page = Client().get(f"/matches/{match_id}").content.decode()
    assert "outside of any season" in page
    assert "the referee &lt;b&gt;vanished&lt;/b&gt;" in page
    void = Client().get(f"/games/{claimed.games[0]}").content.decode()
    assert "This game does not count" in void


def test_a_withdrawn_bot_is_marked(cast, played):
    season, *_ = played
    league_services.withdraw(season.pk, cast.hal)
    assert ">left<" in Client().get(f"/seasons/{season.pk}").content.decode()


def test_the_first_page_of_matches_is_where_the_season_is():
    season = make_season(make_bots(20))
    page = Client().get(f"/seasons/{season.pk}")
    assert (page.context["page"], page.context["pages"]) == (1, 3)
    for match in Match.objects.filter(pairing__round__season=season, pairing__round__number__lte=9):
        match_services.void_queued([match.pk], "for the test")
    assert Client().get(f"/seasons/{season.pk}").context["page"] == 2
    assert Client().get(f"/seasons/{season.pk}?page=3").context["rounds"][-1].number == 19
    assert Client().get(f"/seasons/{season.pk}?page=77").context["page"] == 3


def test_big_seasons_ask_few_questions(django_assert_max_num_queries):
    small, big = make_season(make_bots(4)), make_season(make_bots(12))
    for season in (small, big):
        play_season(season)
    apply()
    for path in (f"/seasons/{big.pk}", "/", "/bots"):
        with django_assert_max_num_queries(30):
            assert Client().get(path).status_code == 200


def test_a_bots_page_asks_few_questions(django_assert_max_num_queries):
    bots = make_bots(8)
    play_season(make_season(bots))
    apply()
    with django_assert_max_num_queries(25):
        page = Client().get(f"/bots/{bots[0].slug}")
    assert page.context["record"].games == 14
    assert page.context["record"].wins == 14
    assert len(page.context["graph"]["values"]) == 7


def test_a_finished_season_shows_its_winners_in_front(cast):
    bots = make_bots(3)
    play_season(make_season(bots))
    apply()
    league_services.finish_over()
    card = Client().get("/").context["finished"][0]
    assert [leader.player.slug for leader in card.leaders] == [bot.slug for bot in bots]


def test_the_footers_links_lead_somewhere(cast):
    for path in ("/api/v1/docs", "/start", "/bots"):
        assert path in Client().get("/").content.decode()
        assert Client().get(path).status_code == 200


def test_our_mistakes_have_a_page_that_needs_nothing():
    answer = server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert b"Our mistake" in answer.content
    assert "{%" not in render_to_string("500.html")


def test_no_page_holds_a_style_or_a_handler(cast, as_user, played):
    client = as_user(cast.ann)
    for path in [*public_paths(played, cast.ada)[:7], "/my-bots", "/my-bots/ada", "/sign-up", "/log-in"]:
        text = client.get(path, follow=True).content.decode()
        assert " style=" not in text, path
        assert "<style" not in text, path
        assert " onclick" not in text, path
        assert "javascript:" not in text, path
