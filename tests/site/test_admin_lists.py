"""The administration's lists say what is so, and ask little."""

from typing import Any

import pytest
from django.contrib.admin.sites import site
from django.test import Client

from tests.site.builders import make_bots, queue_match
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import BotVersion
from tournament_site.matches.models import Match

pytestmark = pytest.mark.django_db
VERSIONS = "/admin/bots/botversion/"
MATCHES = "/admin/matches/match/"


@pytest.fixture
def root(cast) -> Client:
    client = Client()
    client.force_login(cast.root)
    return client


def test_the_houses_versions_are_exempt(cast, root):
    for bot in (cast.hal, cast.ada):
        bot_services.declare_version(bot, "2.0")
    admin: Any = site.get_model_admin(BotVersion)
    said = {str(version): admin.standing(version) for version in BotVersion.objects.filter(label="2.0")}
    assert said == {"Hal 2.0": "exempt: of the house", "Ada 2.0": "to be validated"}
    assert "exempt: of the house" in root.get(VERSIONS).content.decode()
    house = BotVersion.objects.get(bot=cast.hal, label="2.0")
    assert "exempt: of the house" in root.get(f"{VERSIONS}{house.pk}/change/").content.decode()


@pytest.mark.parametrize(("wish", "found"), [("NEEDED", {"Ada 2.0"}), ("EXEMPT", {"Hal 1.0", "Hal 2.0"})])
def test_versions_are_found_by_what_the_list_says(cast, root, wish, found):
    for bot in (cast.hal, cast.ada):
        bot_services.declare_version(bot, "2.0")
    rows = root.get(f"{VERSIONS}?validation={wish}").context["cl"].queryset
    assert set(map(str, rows)) == found
    assert root.get(VERSIONS).context["cl"].queryset.count() == BotVersion.objects.count()


def test_matches_are_listed_with_their_bots(cast, root):
    queue_match([cast.bix, cast.ada])
    assert "Bix, Ada" in root.get(MATCHES).content.decode()
    queue_match([cast.abe, cast.hal])
    admin: Any = site.get_model_admin(Match)
    assert [admin.bots(row) for row in root.get(f"{MATCHES}?q=bix").context["cl"].queryset] == ["Bix, Ada"]
    assert Match.objects.count() == 2


@pytest.mark.parametrize("path", [VERSIONS, MATCHES])
def test_a_longer_list_asks_no_more(cast, root, path, django_assert_max_num_queries):
    queue_match([cast.ada, cast.bix])
    root.get(path)
    with django_assert_max_num_queries(100) as few:
        root.get(path)
    bots = make_bots(12)
    for bot in bots[1:]:
        queue_match([bots[0], bot])
    with django_assert_max_num_queries(len(few)):
        root.get(path)
