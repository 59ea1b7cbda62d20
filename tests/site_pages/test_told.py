"""What the pages say of ties, of tries that were put back, and of matches that rate nobody."""

import pytest
from django.test import Client

from tests.site.builders import claim, finished, make_bot, make_bots, make_season, play, queue_match
from tests.site_pages.written import text_of
from tournament_site.bots import queries as bot_queries
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot
from tournament_site.matches import recording, refusals, services, validation
from tournament_site.matches.models import Attempt, Match

pytestmark = pytest.mark.django_db

# Each of the first three has 8/3 points; added up as it is written here, the first has a hair more than the others.
THREE_TIE: list[tuple[int, ...]] = [(1, 2, 3, 4), (1, 2, 3, 4), (3, 2, 1, 4), (3, 2, 1, 4)]
NAMES = {"ada": "Ada", "bix": "Bix", "cy-3": "Cy 3"}


def page_of(path: str) -> str:
    return text_of(Client().get(path))


@pytest.fixture
def tied():
    """A season with a match in which three bots have the same points; the season, the match, and its bots by seat."""
    season = make_season(make_bots(4), table_size=4)
    match = Match.objects.filter(pairing__round__season=season).order_by("sort_key", "pk")[0]
    play(match.pk, THREE_TIE)
    return season, match, [seat.bot for seat in match.seats.order_by("index")]


def test_who_ties_for_the_most_points_is_best_in_the_list_of_a_season(tied):
    season, match, bots = tied
    rounds = Client().get(f"/seasons/{season.pk}").context["rounds"]
    (line,) = (line for each in rounds for line in each.matches if line.match_id == match.pk)
    assert [(side.player.name, side.score, side.best) for side in line.sides] == [
        *((bot.name, "2.67", True) for bot in bots[:3]),
        (bots[3].name, "0", False),
    ]


def test_who_ties_for_the_most_points_has_won_in_the_list_of_a_bot(tied):
    *_, bots = tied
    won = [Client().get(f"/bots/{bot.slug}").context["results"][0].won for bot in bots]
    assert won == ["up", "up", "up", "down"]


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("a bot has no room for another game: ada", "Ada was playing as many games as it takes at once."),
        (
            "a bot has no room for another game: ada, bix",
            "Ada and Bix were playing as many games as they take at once.",
        ),
        ("a bot is not connected: ada, cy-3, bix", "Ada, Cy 3 and Bix were not connected."),
        ("a bot is connected with another version: bix", "Bix had come back with another version."),
        ("a bot is not connected: ", "A bot was not connected."),
        ("a bot is not connected: ada, somebody-who-was-cut-o", "Ada was not connected."),
        ("the referee has no room: ", "The referee had no room for more games."),
        ("the referee is going away: until noon", "The referee was about to stop."),
        ("its referee cannot be reached", "The referee could not be reached."),
        ("a reason of another release: ada", "a reason of another release: ada"),
    ],
)
def test_a_reason_is_told_in_words(reason, sentence):
    assert refusals.told(reason, NAMES) == sentence


def test_every_reason_for_waiting_has_words():
    phrases = [value for name, value in vars(refusals).items() if name.isupper() and not name.startswith("_")]
    assert len(phrases) > 8
    assert [phrase for phrase in phrases if refusals.told(f"{phrase}: ada", NAMES) == f"{phrase}: ada"] == []


def test_a_try_that_was_put_back_is_no_refusal(cast):
    match_id = queue_match([cast.ada, cast.bix])
    claimed = claim(match_id)
    services.put_back(match_id, claimed.attempt, f"{refusals.NO_CAPACITY}: ada")
    answer = Client().get(f"/matches/{match_id}")
    assert "waited: Ada was playing as many games as it takes at once." in text_of(answer)
    assert "Attempt 1" in text_of(answer)
    assert "went back into the queue" in text_of(answer)
    assert 'class="tag refused"' not in answer.content.decode()
    play(match_id)
    assert ["waited:" in part for part in page_of(f"/matches/{match_id}").split("Attempt ")[1:]] == [False, True]


def test_an_order_that_nobody_could_play_is_refused_all_the_same(cast):
    match_id = queue_match([cast.ada, cast.bix])
    first = claim(match_id)
    services.put_back(match_id, first.attempt, f"{refusals.BOTS_ABSENT}: bix")
    second = claim(match_id)
    services.refuse_for_good(match_id, second.attempt, "nobody knows these rules")
    shown = Client().get(f"/matches/{match_id}").context["attempts"]
    assert [(each.waited, each.reason) for each in shown] == [
        (False, "nobody knows these rules"),
        (True, "Bix was not connected."),
    ]
    assert Attempt.objects.filter(match=match_id, state=Attempt.State.REFUSED).count() == 2


@pytest.fixture
def validated(cast):
    """The validation match of a newcomer, played; the newcomer."""
    newcomer = bot_services.create_bot(cast.cy, "Newcomer")
    version = bot_services.declare_version(newcomer, "0.1")
    house = Bot.objects.select_related("active_version").get(pk=cast.hal.pk).active_version
    rooms = {each.pk: bot_services.Room(8) for each in (version, house) if each is not None}
    bot_services.record_presence("referee-1", rooms)
    validation.order(bot_queries.free_games())
    match = Match.objects.get(scale=validation.SCALE)
    play(match.pk)
    return match, newcomer


def test_a_validation_match_says_what_it_is(validated):
    match, _ = validated
    page = page_of(f"/matches/{match.pk}")
    assert "A validation match." in page
    assert "It does not count for ratings, and a game ends after 4 deals at the latest" in page
    assert "Counts for ratings no: a validation match" in page


def test_how_far_a_validation_match_goes_is_read_from_its_terms(validated):
    match, _ = validated
    Match.objects.filter(pk=match.pk).update(terms=match.terms | {"max_deals": 7})
    assert "a game ends after 7 deals at the latest" in page_of(f"/matches/{match.pk}")
    Match.objects.filter(pk=match.pk).update(terms=match.terms | {"max_deals": 60})
    assert "a game ends after" not in page_of(f"/matches/{match.pk}")


def test_a_bots_list_marks_what_rates_nobody(validated, cast):
    _, newcomer = validated
    play(queue_match([newcomer, cast.hal], rated=False))
    page = page_of(f"/bots/{newcomer.slug}")
    assert "Unrated: a validation match, 4 deals at most" in page
    assert "Games, 4 of them unrated 4" in page
    play(queue_match([cast.ada, cast.bix]))
    assert "nrated" not in page_of(f"/bots/{cast.ada.slug}")


def test_a_match_of_two_bots_of_one_owner_says_why_it_rates_nobody(cast):
    match_id = queue_match([cast.ada, cast.abe], rated=False)
    assert "Counts for ratings no: two of its bots belong to ann" in page_of(f"/matches/{match_id}")
    assert recording.record(finished(claim(match_id)))
    assert "Unrated: two of its bots belong to ann" in page_of("/bots/ada")


def test_a_match_without_a_known_reason_has_none(cast):
    of_the_house = queue_match([cast.hal, make_bot(cast.house, "Hob")], rated=False)
    assert "Counts for ratings no Time" in page_of(f"/matches/{of_the_house}")
    assert "Counts for ratings yes" in page_of(f"/matches/{queue_match([cast.ada, cast.bix])}")
