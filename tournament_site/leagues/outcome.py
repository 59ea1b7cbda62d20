"""What came out of the finished seasons, as plain data for programs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum

from tournament_site.leagues import queries
from tournament_site.leagues.models import Season
from tournament_site.matches import queries as match_queries
from tournament_site.matches.export import export_replays
from tournament_site.matches.models import Game, Match, Replay
from tournament_site.ratings import queries as rating_queries


def outcome(seasons: Sequence[Season], replays: Path) -> dict[str, Any]:
    """Tables, bots, numbers, ratings and replays of seasons; the replays are written as files.

    Args:
        seasons: finished ones.
        replays: the folder for them.

    """
    progress = [queries.progress(season) for season in seasons]
    games = _games(seasons)
    decisions = Replay.objects.filter(game__in=games).aggregate(sum=Sum("decisions"))["sum"]
    return {
        "seasons": [_season(season) for season in seasons],
        "bots": _bots(seasons),
        "matches": {
            "scheduled": sum(item.scheduled for item in progress),
            "finished": sum(item.finished for item in progress),
            "void": sum(item.void for item in progress),
        },
        "games": games.count(),
        "decisions": decisions or 0,
        "replays": [str(path) for path in export_replays(games, replays)],
        "ratings": [line for season in seasons for line in _ratings(season)],
    }


def _games(seasons: Sequence[Season]) -> QuerySet[Game]:
    matches = Match.objects.filter(pairing__round__season__in=[season.pk for season in seasons])
    return match_queries.finished_games(matches)


def _season(season: Season) -> dict[str, Any]:
    return {
        "id": season.pk,
        "name": season.name,
        "table_size": season.league.table_size,
        "url": f"{settings.SITE.url}/seasons/{season.pk}",
        "table": [
            {
                "rank": row.rank,
                "bot": row.bot.slug,
                "name": row.bot.name,
                "score": row.score,
                "games": row.games,
                "wins": row.wins,
                "live": row.live,
                "change": row.change,
            }
            for row in queries.table(season)
        ],
    }


def _bots(seasons: Sequence[Season]) -> list[dict[str, Any]]:
    bots = {row.bot.slug: row.bot for season in seasons for row in queries.table(season)}
    return [
        {
            "name": bot.name,
            "slug": bot.slug,
            "owner": bot.owner.username,
            "version": bot.active_version.label if bot.active_version else None,
        }
        for bot in bots.values()
    ]


def _ratings(season: Season) -> list[dict[str, Any]]:
    """What the season did to each bot; before and after are live Elo around it, see `Moves`."""
    scale = season.league.scale
    slugs = {entry.bot_id: entry.bot.slug for entry in queries.entries_of(season)}
    moves = rating_queries.moves(scale, queries.matches_of(season))
    return [
        {
            "bot": slugs[bot],
            "scale": scale,
            "games": move.games,
            "before": move.before,
            "after": move.after,
            "change": move.change,
        }
        for bot, move in moves.items()
    ]
