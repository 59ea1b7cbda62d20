"""Recomputing the final tables of finished seasons from results and ledger: every row has to come out the same."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from django.db import transaction

from tournament_site.leagues import queries, services
from tournament_site.leagues.models import Season, Standing


@dataclass(frozen=True, slots=True)
class Line:
    """What a row of a final table says."""

    rank: int
    score: float
    games: int
    wins: int
    live: float | None
    change: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a final table that is not what results and ledger say; `row` where a whole row is too many or missing."""

    season: str
    bot: str
    field: str
    stored: str
    recomputed: str


def rebuild(*, write: bool) -> tuple[Difference, ...]:
    """Recompute the final tables of all finished seasons, season by season.

    Live Elo is that after the ledger's line that was the newest when the season ended.

    Args:
        write: also store what came out, where it differs.

    Returns:
        Every difference found.

    """
    seasons = queries.finished_seasons().values_list("pk", flat=True)
    return tuple(difference for pk in seasons for difference in _rebuild(pk, write=write))


@transaction.atomic
def _rebuild(season_id: int, *, write: bool) -> tuple[Difference, ...]:
    season = Season.objects.select_for_update(of=("self",)).select_related("league").get(pk=season_id)
    rows = queries.final_table(season, queries.ledger_number_of(season))
    recomputed = {row.bot.slug: Line(row.rank, row.score, row.games, row.wins, row.live, row.change) for row in rows}
    stored = {
        row.bot.slug: Line(row.rank, row.score, row.games, row.wins, row.live, row.change)
        for row in Standing.objects.select_related("bot").filter(season=season)
    }
    found = tuple(
        Difference(season.name, bot, *difference)
        for bot in sorted(recomputed.keys() | stored.keys())
        for difference in _compare(stored.get(bot), recomputed.get(bot))
    )
    if found and write:
        services.store_table(season, rows)
    return found


def _compare(stored: Line | None, recomputed: Line | None) -> Iterator[tuple[str, str, str]]:
    if stored is None or recomputed is None:
        yield "row", str(stored), str(recomputed)
        return
    for name in (field.name for field in fields(Line)):
        mine, right = getattr(stored, name), getattr(recomputed, name)
        if mine != right:
            yield name, repr(mine), repr(right)
