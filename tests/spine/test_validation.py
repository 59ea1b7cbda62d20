"""Before a version plays rated matches it plays one against a house bot: from its first connection to the verdict."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from tests.site.builders import REFEREE, claim, declare, finished, make_bot, make_bots, make_user, queue_match, version_of
from tests.spine.scripted_referee import ScriptedReferee
from tournament_site import pipeline
from tournament_site.bots import queries, services
from tournament_site.bots.models import Bot, BotVersion
from tournament_site.bots.queries import ValidationState
from tournament_site.bots.services import Room
from tournament_site.common.errors import Reason, Refused
from tournament_site.matches import recording, validation
from tournament_site.matches import services as match_services
from tournament_site.matches.bundle import FinishedMatch, Forfeit
from tournament_site.matches.models import Match, MatchSeat
from tournament_site.matches.selection import Assignment
from tournament_site.matches.services import Claimed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def newcomer() -> Bot:
    """A bot whose version has never played."""
    bot = make_bot(make_user("new"), "Newcomer", version=None)
    services.declare_version(bot, "1.0")
    return bot


@pytest.fixture
def house() -> Bot:
    return make_bots(1, house=True)[0]


def present(referee: ScriptedReferee, *bots: Bot, capacity: int = 8) -> None:
    referee.has_sessions(*((bot.slug, services.new_token(bot).id, version_of(bot).pk, capacity) for bot in bots))
    referee.starts_everything()


def state(bot: Bot) -> tuple[str, str]:
    found = queries.validations([bot.pk])[bot.pk]
    return found.state.value, found.text


def the_match(bot: Bot) -> Match:
    match_id = version_of(bot).validation_match
    assert match_id is not None
    return Match.objects.get(pk=match_id)


def ordered(bot: Bot, opponent: Bot) -> Match:
    """A validation match in the queue."""
    services.record_presence(REFEREE, {version_of(each).pk: Room(8) for each in (bot, opponent)})
    assert validation.order(queries.free_games()) == 1
    return the_match(bot)


def record(claimed: Claimed, faults: tuple[int, int] = (0, 0), forfeit: Forfeit | None = None) -> FinishedMatch:
    """The record of a validation match: the newcomer, bot number 0, loses, with faults by game, and forfeits the second."""
    bundle = finished(claimed, [(2, 1), (2, 1)])
    first, second = bundle.games  # in the second game the newcomer has seat 1
    return replace(
        bundle,
        games=(
            replace(first, faults=(faults[0], 9)),
            replace(second, faults=(9, faults[1]), forfeits=(None, forfeit)),
        ),
    )


def play(bot: Bot, opponent: Bot, faults: tuple[int, int] = (0, 0), forfeit: Forfeit | None = None) -> None:
    """Order the validation match, play it, and judge."""
    claimed = claim(ordered(bot, opponent).pk)
    recording.record(record(claimed, faults, forfeit))
    pipeline.settle()


# What is ordered.


def test_a_new_version_first_plays_an_unrated_match_against_the_house(
    referee: ScriptedReferee, newcomer: Bot, house: Bot
) -> None:
    rated = queue_match([newcomer, house])
    present(referee, newcomer, house)
    pipeline.dispatch()
    match = the_match(newcomer)
    assert (match.state, match.rated, match.table_size) == (Match.State.RUNNING, False, 2)
    (request,) = referee.asked["StartMatches"]
    (order,) = request.matches
    assert [UUID(bytes=order.match_id), *(bot.bot for bot in order.bots)] == [match.pk, newcomer.slug, house.slug]
    assert (order.terms.clock.bank_ms, order.terms.max_deals) == (120_000, 4)
    assert Match.objects.get(pk=rated).state == Match.State.QUEUED
    pipeline.dispatch()
    assert Match.objects.filter(scale=validation.SCALE).count() == 1


def test_once_it_has_passed_its_rated_matches_begin(referee: ScriptedReferee, newcomer: Bot, house: Bot) -> None:
    rated = queue_match([newcomer, house])
    present(referee, newcomer, house)
    pipeline.dispatch()
    match = the_match(newcomer)
    games = list(match.attempts.get().games.order_by("index").values_list("pk", flat=True))
    seats = match_services.ClaimedSeat("", "", "", 0)
    recording.record(record(Claimed(match.pk, 1, REFEREE, (seats, seats), tuple(games), "official", {}, mirrored=False)))
    pipeline.settle()
    pipeline.dispatch()
    assert state(newcomer) == ("passed", "Version 1.0 is validated.")
    assert Match.objects.get(pk=rated).state == Match.State.RUNNING


def test_unrated_matches_need_no_validation(referee: ScriptedReferee, newcomer: Bot, house: Bot) -> None:
    unrated = queue_match([newcomer, house], rated=False)
    present(referee, newcomer, house)
    pipeline.dispatch()
    assert Match.objects.get(pk=unrated).state == Match.State.RUNNING


def test_house_bots_play_at_once(referee: ScriptedReferee) -> None:
    owner = make_user("anotherhouse", is_house=True)
    bots = [make_bot(owner, name, version=None) for name in ("Hal", "Hel")]
    for bot in bots:
        services.declare_version(bot, "1.0")
    rated = queue_match(bots)
    present(referee, *bots)
    pipeline.dispatch()
    assert Match.objects.get(pk=rated).state == Match.State.RUNNING
    assert state(bots[0])[0] == "exempt"
    assert not Match.objects.filter(scale=validation.SCALE).exists()


def test_without_a_house_bot_it_waits_and_says_so(referee: ScriptedReferee, newcomer: Bot, house: Bot) -> None:
    assert "as soon as it is connected" in state(newcomer)[1]
    present(referee, newcomer)
    pipeline.dispatch()
    assert version_of(newcomer).validation_match is None
    assert "none is connected" in state(newcomer)[1]
    present(referee, newcomer, house)
    pipeline.dispatch()
    assert state(newcomer)[0] == "playing"


def test_a_house_bot_elsewhere_is_no_opponent(newcomer: Bot, house: Bot) -> None:
    services.record_presence("x", {version_of(newcomer).pk: Room(8)})
    services.record_presence("y", {version_of(house).pk: Room(8)})
    assert validation.order(queries.free_games()) == 0
    services.record_presence("y", {version_of(each).pk: Room(8) for each in (newcomer, house)})
    assert validation.order(queries.free_games()) == 1


def test_the_house_bot_with_the_most_room_is_taken(newcomer: Bot) -> None:
    busy, idle = make_bots(2, house=True)
    rooms = {version_of(newcomer).pk: Room(8), version_of(busy).pk: Room(8, 6), version_of(idle).pk: Room(8, 2)}
    services.record_presence(REFEREE, rooms)
    validation.order(queries.free_games())
    assert MatchSeat.objects.get(match=the_match(newcomer), index=1).bot == idle


def test_an_opponent_that_left_before_the_match_began_is_replaced(newcomer: Bot, house: Bot) -> None:
    match = ordered(newcomer, house)
    (other,) = make_bots(1, house=True)
    services.record_presence(REFEREE, {version_of(each).pk: Room(8) for each in (newcomer, other)})
    validation.order(queries.free_games())
    assert the_match(newcomer) == match
    seat = MatchSeat.objects.get(match=match, index=1)
    assert (seat.bot, seat.version) == (other, version_of(other))


def test_another_version_has_a_match_of_its_own(newcomer: Bot, house: Bot) -> None:
    first = ordered(newcomer, house)
    services.declare_version(newcomer, "1.1")
    second = ordered(newcomer, house)
    assert Match.objects.get(pk=first.pk).state == Match.State.VOID
    services.declare_version(newcomer, "1.0")  # the old one again: it is as if it had never begun
    third = ordered(newcomer, house)
    assert len({first.pk, second.pk, third.pk}) == 3


def test_two_that_order_at_once_order_one(newcomer: Bot, house: Bot) -> None:
    services.record_presence(REFEREE, {version_of(each).pk: Room(8) for each in (newcomer, house)})
    version = queries.to_validate([version_of(newcomer).pk])[0]
    assert validation._order(version, version_of(house))
    assert not validation._order(version, version_of(house))
    assert Match.objects.count() == 1


def test_nothing_is_left_of_an_order_that_failed(newcomer: Bot, house: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_wishes: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(match_services, "create_matches", fails)
    with pytest.raises(RuntimeError):
        validation._order(version_of(newcomer), version_of(house))
    assert version_of(newcomer).validation_match is None


# What comes of it.


@pytest.mark.parametrize("faults", [(0, 0), (2, 0), (1, 1)])
def test_a_few_faults_are_forgiven(newcomer: Bot, house: Bot, faults: tuple[int, int]) -> None:
    play(newcomer, house, faults)
    assert state(newcomer)[0] == "passed"
    pipeline.settle()  # again: nothing changes
    assert version_of(newcomer).may_be_rated


def test_too_many_faults_fail(newcomer: Bot, house: Bot) -> None:
    play(newcomer, house, (2, 1))
    assert state(newcomer) == ("failed", "It made 3 faults in its validation match, and 2 are allowed.")
    assert not version_of(newcomer).may_be_rated


@pytest.mark.parametrize("forfeit", list(Forfeit))
def test_a_forfeit_fails(newcomer: Bot, house: Bot, forfeit: Forfeit) -> None:
    play(newcomer, house, (0, 0), forfeit)
    assert state(newcomer)[0] == "failed"
    assert state(newcomer)[1].startswith("It forfeited game 2 (it ")


def test_a_version_that_failed_is_not_ordered_again_by_itself(newcomer: Bot, house: Bot) -> None:
    play(newcomer, house, (3, 3))
    assert validation.order(queries.free_games()) == 0


def test_a_match_that_came_to_nothing_is_nobodys_fault_and_said_so(newcomer: Bot, house: Bot) -> None:
    match = ordered(newcomer, house)
    for _ in range(3):
        claimed = claim(match.pk)
        match_services.void_attempt(match.pk, claimed.attempt, "the referee died")
    pipeline.settle()
    assert state(newcomer)[0] == "failed"
    assert "through no fault of its own: 3 attempts failed" in state(newcomer)[1]


def test_a_spoilt_attempt_is_played_again(newcomer: Bot, house: Bot) -> None:
    match = ordered(newcomer, house)
    match_services.void_attempt(match.pk, claim(match.pk).attempt, "the referee died")
    pipeline.settle()
    assert state(newcomer)[0] == "playing"
    recording.record(record(claim(match.pk)))
    pipeline.settle()
    assert state(newcomer)[0] == "passed"


# Trying again, and deciding by hand.


def test_the_owner_may_try_again(newcomer: Bot, house: Bot) -> None:
    with pytest.raises(Refused) as refused:
        services.validate_again(newcomer)
    assert refused.value.reason is Reason.NOTHING_TO_VALIDATE
    play(newcomer, house, (3, 3))
    services.validate_again(newcomer)
    play(newcomer, house)
    assert state(newcomer)[0] == "passed"
    with pytest.raises(Refused):
        services.validate_again(newcomer)


def test_what_is_granted_by_hand_needs_no_match(referee: ScriptedReferee, newcomer: Bot, house: Bot) -> None:
    match = ordered(newcomer, house)
    services.grant_validation(version_of(newcomer))
    rated = queue_match([newcomer, house])
    present(referee, newcomer, house)
    pipeline.dispatch()
    assert Match.objects.get(pk=match.pk).state == Match.State.VOID
    assert Match.objects.get(pk=rated).state == Match.State.RUNNING
    assert state(newcomer)[0] == "passed"


def test_what_is_demanded_again_plays_again(newcomer: Bot, house: Bot) -> None:
    play(newcomer, house)
    services.demand_validation(version_of(newcomer))
    assert state(newcomer)[0] == "waiting"
    play(newcomer, house)
    assert state(newcomer)[0] == "passed"


def test_a_version_that_changed_between_choice_and_claim_is_not_seated(newcomer: Bot, house: Bot) -> None:
    declare(newcomer, "0.9")
    rated = queue_match([newcomer, house])
    services.declare_version(newcomer, "1.0")
    assert match_services.claim([Assignment(rated, REFEREE)]) == ()


# What is shown.


def test_the_api_says_how_far_it_is(newcomer: Bot, house: Bot, settings: Any) -> None:
    def facts() -> Any:
        return Client().get(f"/api/v1/bots/{newcomer.slug}").json()["validation"]

    assert (facts()["state"], facts()["match"]) == ("waiting", None)
    match = ordered(newcomer, house)
    assert (facts()["state"], facts()["match"]) == ("playing", f"{settings.SITE.url}/matches/{match.pk}")
    recording.record(record(claim(match.pk), (3, 0)))
    pipeline.settle()
    assert facts()["state"] == "failed"
    assert "3 faults" in facts()["text"]


def ask(bot: Bot, token: str) -> tuple[int, Any]:
    answer = Client(headers={"Authorization": f"Bearer {token}"}).post(f"/api/v1/bots/{bot.slug}/validation")
    return answer.status_code, answer.json()


def test_a_bots_own_token_may_ask_for_another_try(newcomer: Bot, house: Bot) -> None:
    token = services.new_token(newcomer).text
    assert ask(newcomer, token)[1]["error"]["code"] == "nothing_to_validate"
    play(newcomer, house, (3, 0))
    assert ask(house, token)[0] == 404
    assert ask(newcomer, "nonsense")[0] == 401
    status, facts = ask(newcomer, token)
    assert (status, facts["validation"]["state"]) == (200, "waiting")


def test_a_session_is_told(newcomer: Bot) -> None:
    client = Client(headers={"Authorization": f"Bearer {services.new_token(newcomer).text}"})
    answer = client.post("/api/v1/sessions", {"version": "1.0"}, content_type="application/json").json()
    assert answer["validation"]["state"] == ValidationState.WAITING.value


def test_the_owners_pages_say_what_failed_where_it_can_be_seen_and_let_try_again(newcomer: Bot, house: Bot) -> None:
    play(newcomer, house, (0, 3))
    owner = Client()
    owner.force_login(newcomer.owner)
    game = validation.worst_game(the_match(newcomer).pk, newcomer.pk)
    page = owner.get(f"/my-bots/{newcomer.slug}").content.decode()
    assert "3 faults" in page
    assert f"/games/{game}" in page
    assert f"/matches/{the_match(newcomer).pk}" in page
    assert "3 faults" in owner.get("/my-bots").content.decode()
    assert "3 faults" in Client().get(f"/bots/{newcomer.slug}").content.decode()
    owner.post(f"/my-bots/{newcomer.slug}/validate")
    assert state(newcomer)[0] == "waiting"
    assert "Try again" not in owner.get(f"/my-bots/{newcomer.slug}").content.decode()


def test_a_rated_match_says_that_it_waits_for_it(newcomer: Bot, house: Bot) -> None:
    rated = queue_match([newcomer, house])
    page = Client().get(f"/matches/{rated}").content.decode()
    assert "Newcomer is not validated yet" in page
    assert "validation of a version" in Client().get(f"/matches/{ordered(newcomer, house).pk}").content.decode()


def test_admins_grant_and_demand(newcomer: Bot) -> None:
    root = Client()
    root.force_login(make_user("root", is_staff=True, is_superuser=True))
    version = version_of(newcomer)
    for action, expected in (("grant", "GRANTED"), ("demand", "NEEDED")):
        root.post("/admin/bots/botversion/", {"action": action, "_selected_action": [version.pk]})
        assert BotVersion.objects.get(pk=version.pk).validation == expected


def test_versions_that_were_there_before_are_taken_as_they_are() -> None:
    """The migration, on a database of the release before it."""
    (bot,) = make_bots(1)
    version = version_of(bot).pk
    executor = MigrationExecutor(connection)
    try:
        executor.migrate([("bots", "0002_presence_says_how_many_games")])
        executor = MigrationExecutor(connection)
        executor.migrate([("bots", "0003_versions_are_validated")])
        assert BotVersion.objects.get(pk=version).validation == BotVersion.Validation.GRANTED
        new = services.declare_version(bot, "2.0")
        assert BotVersion.objects.get(pk=new.pk).validation == BotVersion.Validation.NEEDED
    finally:
        MigrationExecutor(connection).migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())
