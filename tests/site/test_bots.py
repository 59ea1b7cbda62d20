from datetime import timedelta

import pytest
from django.db.models.functions import Now

from tests.site.builders import claim, declare, make_bots, play, queue_match, version_of
from tournament_site.bots import queries, services
from tournament_site.bots.models import Bot, BotVersion, Presence
from tournament_site.bots.services import Room
from tournament_site.common.errors import Reason, Refused
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_bots(1)[0]


def test_the_same_label_is_the_same_version(ada):
    first = ada.active_version
    assert services.declare_version(ada, "1.0") == first
    second = services.declare_version(ada, "1.1", sdk="phaseten 1", language="Python")
    assert second != first
    assert Bot.objects.get(pk=ada.pk).active_version == second
    services.declare_version(ada, "1.1", sdk="phaseten 2", language="Python")
    assert BotVersion.objects.get(pk=second.pk).sdk == "phaseten 2"
    services.declare_version(ada, "1.1")
    assert BotVersion.objects.get(pk=second.pk).sdk == "phaseten 2"


def test_an_owner_has_so_many_bots_the_house_as_many_as_it_likes(ada, monkeypatch):
    monkeypatch.setattr(services, "MAX_BOTS", 1)
    with pytest.raises(Refused) as refused:
        services.create_bot(ada.owner, "Another")
    assert refused.value.reason is Reason.TOO_MANY_BOTS
    type(ada.owner).objects.filter(pk=ada.owner.pk).update(is_house=True)
    ada.owner.refresh_from_db()
    services.create_bot(ada.owner, "Another")


def labels(bot: Bot) -> list[str]:
    return [version.label for version in queries.versions_of(bot)][::-1]


def test_a_bot_has_so_many_versions(ada, monkeypatch):
    monkeypatch.setattr(services, "MAX_VERSIONS", 1)
    with pytest.raises(Refused) as refused:
        services.declare_version(ada, "2.0")  # the only one is the active one
    assert refused.value.reason is Reason.TOO_MANY_VERSIONS
    assert services.declare_version(ada, "1.0").label == "1.0"


def test_a_label_that_changes_at_every_start_locks_nobody_out(ada, monkeypatch):
    monkeypatch.setattr(services, "MAX_VERSIONS", 3)
    for number in range(6):
        services.declare_version(ada, f"build-{number}")
    assert labels(ada) == ["build-3", "build-4", "build-5"]
    assert version_of(ada).label == "build-5"


def test_versions_that_did_something_stay(ada, monkeypatch):
    rival = make_bots(1)[0]
    play(queue_match([ada, rival]))  # 1.0: seat, results
    apply()  # and a rating
    declare(ada, "seated")
    claim(queue_match([ada, rival]))
    services.record_presence("x", {services.declare_version(ada, "connected").pk: Room(1)})
    for label in ("idle-1", "idle-2", "active"):
        services.declare_version(ada, label)
    monkeypatch.setattr(services, "MAX_VERSIONS", 5)  # fewer than there are: two have to go for one that comes
    services.declare_version(ada, "new")
    assert labels(ada) == ["1.0", "seated", "connected", "active", "new"]
    services.declare_version(ada, "newer")
    assert labels(ada) == ["1.0", "seated", "connected", "new", "newer"]
    services.record_presence("x", {version.pk: Room(1) for version in queries.versions_of(ada)})
    with pytest.raises(Refused) as refused:
        services.declare_version(ada, "newest")
    assert refused.value.reason is Reason.TOO_MANY_VERSIONS


def test_presence_is_what_the_referee_said_last():
    one, two, three = (version_of(bot).pk for bot in make_bots(3))
    services.record_presence("x", {one: Room(4), two: Room(1, 1), 10**12: Room(5)})
    services.record_presence("y", {one: Room(3, 2)})
    assert queries.free_games().by_referee == {"x": {one: 4, two: 0}, "y": {one: 1}}
    services.record_presence("x", {three: Room(2)})
    assert queries.free_games().by_referee == {"x": {three: 2}, "y": {one: 1}}
    services.record_presence("y", {})
    assert queries.free_games().by_referee == {"x": {three: 2}}


def test_a_bot_has_its_games_once_however_many_referees_it_attends():
    one, two = (version_of(bot).pk for bot in make_bots(2))
    services.record_presence("x", {one: Room(8, 3), two: Room(4, 4)})
    services.record_presence("y", {one: Room(8, 2), two: Room(4, 1)})
    free = queries.free_games()
    assert free.by_referee == {"x": {one: 5, two: 0}, "y": {one: 6, two: 3}}
    assert free.in_all == {one: 3, two: 0}


def test_a_connection_says_where_and_how_many(ada):
    version = ada.active_version.pk
    services.record_presence("x", {version: Room(8, 3)})
    services.record_presence("y", {version: Room(8, 2)})
    assert {bot: str(found) for bot, found in queries.connections([ada.pk]).items()} == {
        ada.pk: "connected to x, y; 5 of 8 games"
    }
    services.declare_version(ada, "2.0")
    assert queries.connections([ada.pk]) == {}


def test_presence_that_is_old_is_none(ada):
    services.record_presence("x", {ada.active_version.pk: Room(1)})
    assert queries.online([ada.pk]) == {ada.pk}
    Presence.objects.update(seen_at=Now() - queries.PRESENCE_LASTS - timedelta(seconds=1))
    assert queries.free_games().by_referee == {}
    assert queries.online([ada.pk]) == frozenset()


def test_a_bot_is_online_with_its_active_version_only(ada):
    old = ada.active_version.pk
    services.declare_version(ada, "2.0")
    services.record_presence("x", {old: Room(1)})
    assert queries.online([ada.pk]) == frozenset()


def test_only_tokens_that_let_somebody_in_are_valid(ada):
    first, second = services.new_token(ada), services.new_token(ada)
    assert queries.valid_tokens([first.id, second.id, "unknown"]) == {first.id, second.id}
    services.revoke_token(ada, first.id)
    assert queries.valid_tokens([first.id, second.id]) == {second.id}
    type(ada.owner).objects.update(is_active=False)
    assert queries.valid_tokens([second.id]) == frozenset()
