"""Seasons that end before all is played: by the clock, by hand, and for one bot."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client

from tests.site.builders import PASSWORD, claim, make_bots, make_league, make_season, play
from tests.site.conftest import Caller
from tournament_site.bots.models import Bot
from tournament_site.common.errors import SENTENCES, Reason, Refused
from tournament_site.leagues import queries, services
from tournament_site.leagues.models import Season
from tournament_site.matches import services as match_services
from tournament_site.matches.models import Match
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db

OVER = "the season's time was over"


def begun(bots: list[Bot], hours: int | None = 48) -> Season:
    """A running season of these bots."""
    season = services.open_season(make_league(f"{hours} hours"), cycles=1, min_bots=2, max_bots=50, lasts_hours=hours)
    for bot in bots:
        services.enter(season.pk, bot)
    return services.start_season(season.pk)


def let_its_time_pass(season: Season) -> None:
    Season.objects.filter(pk=season.pk).update(ends_at=Now() - timedelta(seconds=1))


def states(season: Season) -> list[tuple[str, str]]:
    return sorted(queries.matches_of(season).values_list("state", "void_reason"))


def test_a_season_ends_so_many_hours_after_its_start():
    season = begun(make_bots(3))
    assert season.started_at is not None
    assert season.ends_at == season.started_at + timedelta(hours=48)
    services.advance()
    assert states(season) == [("QUEUED", "")] * 3
    assert begun(make_bots(2), None).ends_at is None


def test_when_its_time_is_over_what_runs_is_played_out_and_the_rest_is_called_off():
    season = begun(make_bots(4))
    first, second, third, *_ = queries.matches_of(season).order_by("sort_key", "pk").values_list("pk", flat=True)
    play(first)
    claim(second)
    back = claim(third)
    let_its_time_pass(season)
    services.advance()
    assert states(season) == [("FINISHED", ""), ("RUNNING", ""), ("RUNNING", ""), *[("VOID", OVER)] * 3]
    match_services.put_back(third, back.attempt, "a bot is not here")
    services.advance()
    assert states(season) == [("FINISHED", ""), ("RUNNING", ""), *[("VOID", OVER)] * 4]
    running = Match.objects.get(pk=second)
    match_services.void_attempt(second, running.attempt, "its referee went away")
    services.advance()  # nobody plays it again
    apply()
    services.advance()
    season.refresh_from_db()
    assert season.state == Season.State.FINISHED
    assert queries.progress(season) == queries.Progress(6, 0, 1, 5)


def test_other_seasons_go_on():
    late, other = begun(make_bots(3)), make_season(make_bots(3))
    let_its_time_pass(late)
    assert services.call_off_late() == 3
    assert services.call_off_late() == 0
    assert states(other) == [("QUEUED", "")] * 3


def test_the_next_season_of_a_league_lasts_as_long():
    league = services.create_league("Again", 2, ruleset="official", terms={}, reopens=True)
    season = services.open_season(league, cycles=1, min_bots=2, max_bots=3, lasts_hours=5)
    for bot in make_bots(2):
        services.enter(season.pk, bot)
    services.start_season(season.pk)
    following = Season.objects.get(league=league, state=Season.State.OPEN)
    assert (following.number, following.lasts_hours, following.ends_at) == (2, 5, None)


@pytest.mark.parametrize("hours", [0, -1, services.MAX_HOURS + 1])
def test_a_season_lasts_an_hour_to_a_year(hours):
    with pytest.raises(Refused, match=Reason.SEASON_INVALID.value):
        services.open_season(make_league(), cycles=1, min_bots=2, max_bots=3, lasts_hours=hours)


def test_a_season_is_ended_by_hand_once_it_runs():
    waiting = make_season(make_bots(2), start=False)
    for _ in range(2):
        with pytest.raises(Refused, match=Reason.SEASON_NOT_RUNNING.value):
            services.end_season(waiting.pk)
        Season.objects.filter(pk=waiting.pk).update(state="FINISHED", started_at=Now(), finished_at=Now())
    season = make_season(make_bots(3))
    assert services.end_season(season.pk) == 3
    assert services.end_season(season.pk) == 0
    assert services.advance().finished == (season.pk,)


def administration(name: str = "root") -> Client:
    client = Client()
    assert client.login(username=name, password=PASSWORD)
    return client


def test_an_organiser_ends_a_season_and_takes_bots_out(cast):
    season = make_season([cast.ada, cast.bix, *make_bots(2)])
    client = administration()
    entry = season.entries.get(bot=cast.ada)
    chosen = {"action": "withdraw", "_selected_action": [entry.pk]}
    page = client.post("/admin/leagues/entry/", chosen, follow=True)
    assert b"Ada" in page.content
    assert states(season) == [("QUEUED", "")] * 3 + [("VOID", "ada has left the season")] * 3
    page = client.post("/admin/leagues/entry/", chosen, follow=True)
    assert SENTENCES[Reason.NOT_ENTERED].encode() in page.content
    page = client.post("/admin/leagues/season/", {"action": "end", "_selected_action": [season.pk]}, follow=True)
    assert b"3 matches were called off" in page.content
    assert queries.progress(season).void == 6


def test_who_may_only_look_ends_nothing(cast):
    season = make_season([cast.ada, cast.bix])
    client = administration("olga")
    for path, action, pk in (("season", "end", season.pk), ("entry", "withdraw", season.entries.get(bot=cast.ada).pk)):
        client.post(f"/admin/leagues/{path}/", {"action": action, "_selected_action": [pk]}, follow=True)
    assert states(season) == [("QUEUED", "")]


def test_the_page_tells_when_it_ends_and_lets_owners_leave(cast):
    season = begun([cast.ada, cast.bix, *make_bots(1)])
    page = administration("ann").get(f"/seasons/{season.pk}").content.decode()
    assert "what has not begun by" in page
    assert "Leave for good" in page
    assert "Leave for good" not in administration("cy").get(f"/seasons/{season.pk}").content.decode()
    client = administration("ann")
    page = client.post(f"/seasons/{season.pk}/leave", {"bot": "ada"}, follow=True).content.decode()
    assert "Leave for good" not in page
    assert states(season) == [("QUEUED", ""), *[("VOID", "ada has left the season")] * 2]


def test_the_api_tells_when_it_ends(cast):
    season = begun([cast.ada, cast.bix])
    assert season.ends_at is not None
    told = Caller().get(f"/seasons/{season.pk}").json()
    assert told["ends_at"][:19] == season.ends_at.isoformat()[:19]
