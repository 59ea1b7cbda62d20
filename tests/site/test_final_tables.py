"""Final tables: a fold of results and ledger, that can be done again at any time."""

import random
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.site.builders import declare, make_bot, make_bots, make_season, make_user, play
from tournament_site.bots.models import Bot
from tournament_site.leagues import audit, queries, services
from tournament_site.leagues.models import Season, Standing
from tournament_site.leagues.rebuild import rebuild
from tournament_site.matches.models import GameResult, Match
from tournament_site.ratings.rebuild import rebuild as rebuild_ratings
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db


def rows() -> list[tuple[Any, ...]]:
    columns = ("season", "bot", "rank", "score", "games", "wins", "live", "change")
    return list(Standing.objects.order_by("season", "bot").values_list(*columns))


def random_places(dice: random.Random, size: int) -> list[tuple[int, ...]]:
    points = [[dice.randrange(4) for _ in range(size)] for _ in range(size)]
    return [tuple(1 + sum(other < mine for other in game) for mine in game) for game in points]


def two_seasons_at_once(dice: random.Random, table_size: int, bots: list[Bot]) -> list[Season]:
    """Two seasons of one league, played through each other; bots change versions, one leaves, the second ends later."""
    first = make_season(bots, table_size=table_size, cycles=2)
    second = services.open_season(first.league, cycles=1, min_bots=table_size, max_bots=50)
    for bot in bots:
        services.enter(second.pk, bot)
    services.start_season(second.pk)
    theirs = queries.matches_of(second).order_by("sort_key", "pk")
    left = [theirs.filter(seats__bot=bots[0])[0], theirs.exclude(seats__bot=bots[0])[0]]  # for when that bot has gone
    early = [match for match in theirs if match not in left]
    both = [*queries.matches_of(first).order_by("sort_key", "pk"), *early[: len(theirs) // 2]]
    dice.shuffle(both)
    for match in both:
        play_and_rate(dice, bots, match)
    assert services.finish_over() == (first.pk,)
    services.withdraw(second.pk, bots[0])
    for match in queries.matches_of(second).filter(state=Match.State.QUEUED):
        play_and_rate(dice, bots, match)
    assert services.finish_over() == (second.pk,)
    return [first, second]


def play_and_rate(dice: random.Random, bots: list[Bot], match: Match) -> None:
    if dice.random() < 0.2:
        declare(dice.choice(bots), f"v{dice.randrange(3)}")
    play(match.pk, random_places(dice, match.table_size))
    apply()


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("table_size", [2, 3])
def test_final_tables_are_a_fold_of_results_and_ledger(seed, table_size):
    owner = make_user("owner")
    bots = [*make_bots(4), make_bot(owner, "One"), *([make_bot(owner, "Two")] if table_size == 2 else [])]
    seasons = two_seasons_at_once(random.Random(seed), table_size, bots)
    assert rebuild(write=False) == ()
    kept = rows()
    assert len(kept) == 2 * len(bots)
    assert len({live for *_, live, _ in kept}) > len(bots)  # live Elo went on between the two ends
    Standing.objects.filter(season=seasons[0]).delete()
    Standing.objects.filter(season=seasons[1]).update(rank=9, score=0.5, games=1, wins=0, live=None, change=0.0)
    assert rebuild(write=True) != ()
    assert rows() == kept
    assert rebuild(write=False) == ()


@pytest.fixture
def finished() -> Season:
    bots = make_bots(3)
    season = make_season(bots)
    for match in queries.matches_of(season):
        play(match.pk)
    apply()
    assert services.finish_over() == (season.pk,)
    return Season.objects.get(pk=season.pk)


def test_what_happens_after_a_season_does_not_change_its_table(finished):
    kept = rows()
    bots = [entry.bot for entry in queries.entries_of(finished)]
    later = services.open_season(finished.league, cycles=1, min_bots=2, max_bots=3)
    for bot in bots:
        services.enter(later.pk, bot)
    services.start_season(later.pk)
    for match in queries.matches_of(later):
        play(match.pk)
    apply()
    assert rebuild(write=True) == ()
    assert rows() == kept


def test_a_season_that_ended_before_its_line_was_kept_has_the_same_table(finished):
    kept = finished.ledger_number
    Season.objects.update(ledger_number=None)
    assert queries.ledger_number_of(Season.objects.get()) == kept == 6
    assert rebuild(write=False) == ()


@pytest.mark.parametrize(
    ("field", "value"), [("rank", 9), ("score", 0.25), ("games", 99), ("wins", 77), ("live", 1.0), ("change", None)]
)
def test_a_changed_table_is_found_reported_and_put_right(finished, capsys, field, value):
    bot = Standing.objects.get(rank=1).bot
    kept = rows()
    Standing.objects.filter(bot=bot).update(**{field: value})
    (found,) = rebuild(write=False)
    assert (found.season, found.bot, found.field, found.stored) == (finished.name, bot.slug, field, repr(value))
    assert [line for line in audit.problems(settled=True) if not line.startswith("I3")] == [
        f"I4: {finished.name}, {bot.slug}, {field}: {value!r} is stored, {found.recomputed} is right"
    ]
    with pytest.raises(CommandError, match="1 values differ"):
        call_command("rebuild_standings")
    assert f"stored {value!r}, is {found.recomputed}" in capsys.readouterr().out
    call_command("rebuild_standings", write=True)
    call_command("rebuild_standings")
    assert "Tables follow from the results." in capsys.readouterr().out
    assert rows() == kept


def test_a_row_too_many_and_a_missing_one_are_found(finished):
    kept = rows()
    Standing.objects.filter(rank=3).update(bot=make_bots(1)[0])
    assert [found.field for found in rebuild(write=True)] == ["row", "row"]
    assert rows() == kept


def test_a_changed_result_shows_in_ledger_and_table(finished):
    game = GameResult.objects.order_by("pk")[0].game_id
    GameResult.objects.filter(game=game).update(place=1)
    assert {found.field for found in rebuild(write=False)} >= {"score", "wins"}
    assert rebuild_ratings(write=True) != ()
    assert {found.field for found in rebuild(write=True)} >= {"score", "wins", "live", "change"}
    assert rebuild(write=False) == ()
