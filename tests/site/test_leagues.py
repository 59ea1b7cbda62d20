"""Seasons: entry, schedule, table, end."""

from collections import Counter
from typing import Any

import pytest

from tests.site.builders import claim, make_bot, make_bots, make_league, make_season, make_user, play, play_season
from tournament_site.bots.models import Bot
from tournament_site.common.errors import Reason, Refused
from tournament_site.leagues import demo, queries, services
from tournament_site.leagues.models import Entry, Season, Standing
from tournament_site.matches import services as match_services
from tournament_site.matches.models import Match
from tournament_site.ratings.models import LedgerEntry
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db


def refused(reason: Reason) -> Any:
    return pytest.raises(Refused, match=reason.value)


def test_starting_a_season_queues_its_whole_schedule():
    bots = make_bots(6)
    season = make_season(bots, cycles=2)
    matches = Match.objects.filter(pairing__round__season=season)
    assert season.state == Season.State.RUNNING
    assert matches.count() == 30
    assert set(matches.values_list("state", "rated", "scale")) == {("QUEUED", True, season.league.scale)}
    met = Counter(frozenset(match.seats.values_list("bot", flat=True)) for match in matches)
    assert set(met.values()) == {2}
    assert len(met) == 15
    assert queries.progress(season) == queries.Progress(30, 0, 0, 0)


def test_a_round_is_the_order_in_which_matches_are_queued():
    season = make_season(make_bots(6))
    for round_ in season.rounds.all():
        assert set(round_.pairings.values_list("match__sort_key", flat=True)) == {round_.number}


def test_a_season_is_started_once():
    season = make_season(make_bots(4))
    with refused(Reason.SEASON_NOT_OPEN):
        services.start_season(season.pk)
    assert Match.objects.count() == 6


@pytest.mark.parametrize(("table_size", "bots"), [(2, 0), (2, 1), (4, 3), (6, 5)])
def test_a_season_with_fewer_bots_than_seats_is_refused_and_stays_open(table_size, bots):
    season = make_season(make_bots(bots), table_size=table_size, start=False)
    with refused(Reason.TOO_FEW_BOTS):
        services.start_season(season.pk)
    season.refresh_from_db()
    assert (season.state, Match.objects.count()) == (Season.State.OPEN, 0)


def test_fewer_bots_than_the_season_wants_are_refused():
    league = make_league()
    season = services.open_season(league, cycles=1, min_bots=4, max_bots=8)
    for bot in make_bots(3):
        services.enter(season.pk, bot)
    with refused(Reason.TOO_FEW_BOTS):
        services.start_season(season.pk)


@pytest.mark.parametrize(
    "numbers",
    [
        {"cycles": 1, "min_bots": 2, "max_bots": 4},
        {"cycles": 1, "min_bots": 6, "max_bots": 5},
        {"cycles": 0, "min_bots": 4, "max_bots": 5},
        {"cycles": 21, "min_bots": 4, "max_bots": 5},
        {"cycles": 1, "min_bots": 4, "max_bots": 201},
        {"cycles": 20, "min_bots": 4, "max_bots": 200},
    ],
)
def test_a_season_that_cannot_be_played_is_refused(numbers):
    with refused(Reason.SEASON_INVALID):
        services.open_season(make_league(table_size=4), **numbers)
    assert Season.objects.count() == 0


def test_a_season_has_so_many_matches_whatever_the_number_of_its_bots_will_be():
    league = make_league()
    services.open_season(league, cycles=1, min_bots=2, max_bots=200)
    with pytest.raises(Refused, match="could have 39800 matches, and a season has at most 20000"):
        services.open_season(league, cycles=2, min_bots=2, max_bots=200)


def test_seasons_are_numbered_within_their_league():
    league, other = make_league("One"), make_league("Two")
    numbers: Any = {"cycles": 1, "min_bots": 2, "max_bots": 4}
    assert [services.open_season(league, **numbers).number for _ in range(3)] == [1, 2, 3]
    assert services.open_season(other, **numbers).name == "Two, season 1"


def test_a_league_of_a_similar_name_is_refused():
    make_league("Duel League")
    with refused(Reason.NAME_TAKEN):
        make_league("duel-league")


def test_a_bot_enters_once():
    bots = make_bots(2)
    season = make_season(bots, start=False)
    with refused(Reason.ALREADY_ENTERED):
        services.enter(season.pk, bots[0])


def test_nobody_enters_a_full_a_running_or_an_unknown_season():
    bots = make_bots(4)
    season = make_season(bots[:2], start=False)
    Season.objects.filter(pk=season.pk).update(max_bots=2)
    with refused(Reason.SEASON_FULL):
        services.enter(season.pk, bots[2])
    services.start_season(season.pk)
    with refused(Reason.SEASON_NOT_OPEN):
        services.enter(season.pk, bots[3])
    with refused(Reason.NOT_FOUND):
        services.enter(season.pk + 1000, bots[3])


def test_at_tables_of_three_or_more_an_owner_has_one_bot(cast):
    season = make_season([cast.ada], table_size=3, start=False)
    with refused(Reason.OWNER_HAS_ENTRY):
        services.enter(season.pk, cast.abe)
    services.enter(season.pk, cast.bix)
    for name in ("Hal", "Hex"):  # the house may
        services.enter(season.pk, cast.hal if name == "Hal" else make_bot(cast.house, name))
    assert Entry.objects.filter(season=season).count() == 4


def test_two_bots_of_one_owner_meet_unrated(cast):
    season = make_season([cast.ada, cast.abe, cast.bix])
    rated = {
        frozenset(match.seats.values_list("bot__name", flat=True)): match.rated
        for match in Match.objects.filter(pairing__round__season=season)
    }
    assert rated == {
        frozenset({"Ada", "Abe"}): False,
        frozenset({"Ada", "Bix"}): True,
        frozenset({"Abe", "Bix"}): True,
    }


def test_two_house_bots_meet_rated(cast):
    season = make_season([cast.hal, make_bot(cast.house, "Hex")])
    assert Match.objects.get(pairing__round__season=season).rated


def test_leaving_an_open_season_takes_the_entry_away():
    bots = make_bots(3)
    season = make_season(bots, start=False)
    services.withdraw(season.pk, bots[0])
    assert not Entry.objects.filter(season=season, bot=bots[0]).exists()
    with refused(Reason.NOT_ENTERED):
        services.withdraw(season.pk, bots[0])
    services.enter(season.pk, bots[0])


def test_leaving_a_running_season_calls_off_what_has_not_begun():
    bots = make_bots(4)
    season = make_season(bots)
    theirs = Match.objects.filter(seats__bot=bots[0]).order_by("sort_key", "pk")
    running = claim(theirs[0].pk)
    services.withdraw(season.pk, bots[0])
    assert Counter(theirs.values_list("state", flat=True)) == {"RUNNING": 1, "VOID": 2}
    assert Match.objects.get(pk=running.match_id).state == Match.State.RUNNING
    assert "has left the season" in theirs.filter(state="VOID")[0].void_reason
    with refused(Reason.NOT_ENTERED):
        services.withdraw(season.pk, bots[0])


@pytest.mark.parametrize("gone", [match_services.put_back, match_services.void_attempt])
def test_a_match_that_comes_back_to_the_queue_without_its_bot_is_called_off(gone):
    bots = make_bots(3)
    season = make_season(bots)
    running = claim(Match.objects.filter(seats__bot=bots[0])[0].pk)
    services.withdraw(season.pk, bots[0])
    others = make_season(bots)  # the same bot goes on playing elsewhere
    services.advance()
    assert Match.objects.get(pk=running.match_id).state == Match.State.RUNNING
    assert gone(running.match_id, running.attempt, "its referee went away")
    services.advance()
    match = Match.objects.get(pk=running.match_id)
    assert (match.state, match.void_reason) == (Match.State.VOID, f"{bots[0].slug} has left the season")
    assert queries.progress(others).left == 3
    play_season(season)
    apply()
    assert services.advance() == services.Advanced((), (season.pk,))
    assert services.call_off_left() == 0


def test_a_season_is_finished_when_all_is_played_and_rated_and_its_table_stays():
    bots = make_bots(4)
    season = make_season(bots)
    play_season(season)
    assert services.finish_over() == ()  # the ledger lacks its matches
    apply()
    reckoned = queries.table(season)
    assert services.finish_over() == (season.pk,)
    assert services.finish_over() == ()
    season.refresh_from_db()
    assert season.state == Season.State.FINISHED
    assert queries.table(season) == reckoned
    assert [(row.bot, row.rank, row.score, row.games, row.wins) for row in reckoned] == [
        (bots[0], 1, 6.0, 6, 6),
        (bots[1], 2, 4.0, 6, 4),
        (bots[2], 3, 2.0, 6, 2),
        (bots[3], 4, 0.0, 6, 0),
    ]
    assert all(row.change is not None and row.live == pytest.approx(1500 + row.change) for row in reckoned)


def test_the_change_of_a_season_is_what_its_own_matches_did():
    bots = make_bots(3)
    one = make_season(bots)
    other = services.open_season(one.league, cycles=1, min_bots=2, max_bots=3)
    enter_all(other, bots)
    services.start_season(other.pk)
    mine, theirs = (list(queries.matches_of(season).order_by("sort_key", "pk")) for season in (one, other))
    for match in [mine[0], *theirs, *mine[1:]]:  # one season within the other
        play(match.pk)
    apply()
    assert set(services.finish_over()) == {one.pk, other.pk}
    for bot in bots:
        changes = [Standing.objects.get(season=season, bot=bot).change or 0.0 for season in (one, other)]
        lines = LedgerEntry.objects.filter(version__bot=bot).order_by("number")
        own = [[line.after - line.before for line in lines.filter(match__in=some)] for some in (mine, theirs)]
        assert [len(some) for some in own] == [2, 2]
        assert changes == [sum(some) for some in own]
        assert sum(changes) == pytest.approx(lines[3].after - 1500)


def test_void_matches_do_not_keep_a_season_from_its_end():
    season = make_season(make_bots(2))
    match_services.void_queued(list(Match.objects.values_list("pk", flat=True)), "called off")
    assert services.finish_over() == (season.pk,)
    assert Standing.objects.filter(season=season).count() == 2


def test_a_season_of_four_at_a_table_counts_its_games():
    season = make_season(make_bots(6), table_size=4)
    play_season(season)
    apply()
    services.finish_over()
    rows = queries.table(Season.objects.get(pk=season.pk))
    assert {row.games for row in rows} == {16}
    assert sum(row.score for row in rows) == pytest.approx(6 * 4 * 2)  # each game hands out k/2 points


def test_the_cross_table_of_a_season_is_consistent():
    bots = make_bots(4)
    season = make_season(bots, cycles=2)
    play_season(season)
    view = queries.season_view(season)
    for row in view.rows:
        cells = [cell for (bot, _), cell in view.cross.items() if bot == row.bot.pk]
        assert sum(cell.score for cell in cells) == pytest.approx(row.score)
        assert sum(cell.games for cell in cells) == row.games
    assert view.progress == queries.Progress(12, 0, 12, 0)


def enter_all(season: Season, bots: list[Bot]) -> None:
    for bot in bots:
        services.enter(season.pk, bot)


def open_season(when: Season.StartsWhen) -> Season:
    return services.open_season(make_league(), cycles=1, min_bots=3, max_bots=4, starts_when=when)


def test_a_season_that_starts_when_full_waits_for_its_last_bot():
    season, bots = open_season(Season.StartsWhen.FULL), make_bots(4)
    enter_all(season, bots[:3])
    assert services.start_due() == ()
    services.enter(season.pk, bots[3])
    assert services.start_due() == (season.pk,)
    assert services.start_due() == ()


def test_a_season_that_waits_for_a_visitor_starts_with_one():
    season, house = open_season(Season.StartsWhen.VISITOR), make_user("the-house", is_house=True)
    enter_all(season, [make_bot(house, name) for name in ("Rita", "Gus", "Dora")])
    assert services.start_due() == ()
    services.enter(season.pk, make_bots(1)[0])
    assert services.start_due() == (season.pk,)


def test_a_season_that_is_started_by_hand_waits_for_the_hand():
    season = open_season(Season.StartsWhen.BY_HAND)
    enter_all(season, make_bots(4))
    assert services.advance() == services.Advanced((), ())


def reopening(when: Season.StartsWhen, max_bots: int = 4) -> tuple[Season, list[Bot]]:
    """An open season of a league that reopens, and the three house bots in it."""
    league = services.create_league("Evergreen", 2, ruleset="official", terms=demo.TERMS, reopens=True)
    season = services.open_season(league, cycles=2, min_bots=3, max_bots=max_bots, starts_when=when)
    house = make_user("the-house", is_house=True)
    bots = [make_bot(house, name) for name in ("Rita", "Gus", "Dora")]
    enter_all(season, bots)
    return season, bots


@pytest.mark.parametrize("when", Season.StartsWhen)
def test_a_league_that_reopens_has_its_next_season_when_one_starts(when):
    season, house = reopening(when)
    services.enter(season.pk, make_bots(1)[0])
    if when == Season.StartsWhen.BY_HAND:
        services.start_season(season.pk)
    else:
        assert services.advance().started == (season.pk,)
    (following,) = Season.objects.filter(league=season.league, state=Season.State.OPEN)
    assert (following.number, following.starts_when, following.cycles) == (2, when, 2)
    assert (following.min_bots, following.max_bots) == (3, 4)
    assert following.seed != season.seed
    assert [entry.bot for entry in queries.entries_of(following)] == house
    for _ in range(2):
        assert services.advance() == services.Advanced((), ())
    services.enter(following.pk, make_bots(1)[0])
    services.start_season(following.pk)
    assert list(Season.objects.order_by("number").values_list("number", "state")) == [
        (1, "RUNNING"),
        (2, "RUNNING"),
        (3, "OPEN"),
    ]


def test_a_league_that_reopens_has_one_open_season_at_a_time():
    season, _ = reopening(Season.StartsWhen.BY_HAND)
    services.open_season(season.league, cycles=1, min_bots=2, max_bots=2)
    services.start_season(season.pk)
    assert list(Season.objects.order_by("number").values_list("state", flat=True)) == ["RUNNING", "OPEN"]


def test_a_season_that_the_house_alone_fills_does_not_go_on_for_ever():
    season, _ = reopening(Season.StartsWhen.FULL, max_bots=3)
    assert services.advance().started == (season.pk,)
    assert Season.objects.count() == 1


def test_other_leagues_do_not_reopen():
    season = make_season(make_bots(2))
    assert list(Season.objects.all()) == [season]


def test_seasons_are_listed_with_their_numbers():
    finished, running = make_season(make_bots(2)), make_season(make_bots(4))
    waiting = make_season(make_bots(1), start=False)
    play_season(finished)
    apply()
    services.finish_over()
    listed = queries.seasons()
    assert [item.season.pk for item in listed] == [running.pk, waiting.pk, finished.pk]
    assert [item.entries for item in listed] == [4, 1, 2]
    assert [item.progress.scheduled for item in listed] == [6, 0, 1]
    assert queries.seasons(Season.State.OPEN)[0].season == waiting
