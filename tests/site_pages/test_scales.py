"""Which of a bot's ratings comes first, and what decides between bots of equal score."""

import re

import pytest
from django.test import Client

from tests.site.builders import declare, make_bots, make_season, play_season
from tests.site_pages.written import text_of
from tournament_site.leagues import services as league_services
from tournament_site.ratings import queries
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db


@pytest.fixture
def two_leagues():
    """A bot with 2 rated games in one league, and 6 in another one; the bot and the seasons. The first was there first."""
    bots = make_bots(4)
    little, much = make_season(bots[:2]), make_season(bots)
    for season in (little, much):
        play_season(season)
    apply()
    return bots[0], little, much


def test_the_league_with_most_games_comes_first(two_leagues):
    bot, little, much = two_leagues
    assert queries.scales_of([bot.pk]) == {bot.pk: [much.league.scale, little.league.scale]}
    page = Client().get(f"/bots/{bot.slug}")
    assert page.context["scale"] == much.league.scale
    assert f"Live Elo, {much.league.name}" in text_of(page)
    (line,) = (line for line in Client().get("/bots").context["bots"] if line.player.slug == bot.slug)
    assert [league for league, _ in line.ratings] == [much.league.name, little.league.name]


def test_the_games_of_all_versions_count(two_leagues):
    bot, little, much = two_leagues
    declare(bot, "2.0")
    assert queries.scales_of([bot.pk])[bot.pk][0] == much.league.scale
    assert queries.scales_of([]) == {}
    assert little != much


def test_the_chosen_league_is_marked(two_leagues):
    bot, little, _ = two_leagues
    for asked, name in (("", two_leagues[2].league.name), (f"?scale={little.league.scale}", little.league.name)):
        page = Client().get(f"/bots/{bot.slug}{asked}").content.decode()
        assert re.findall(r'<a class="button quiet small"[^>]* aria-current="true"><bdi>(.*?)</bdi>', page) == [name]


def test_a_table_says_what_decides_between_equal_scores(two_leagues):
    _, _, much = two_leagues
    page = text_of(Client().get(f"/seasons/{much.pk}"))
    assert "With equal scores more wins decide, then the higher live Elo. Who is equal in all three shares the rank." in page
    league_services.finish_over()
    assert "then the higher live Elo when the season ended." in text_of(Client().get(f"/seasons/{much.pk}"))
