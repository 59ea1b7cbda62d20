"""Bots: the list of all, and the page of each."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tournament_site.bots import queries as bot_queries
from tournament_site.bots.models import Bot
from tournament_site.leagues import queries as league_queries
from tournament_site.matches.frames import harmless
from tournament_site.matches.models import Match
from tournament_site.pages import queries
from tournament_site.pages.shown import Player, change, cut_short, direction, elo, number
from tournament_site.ratings import queries as rating_queries

BOTS_A_PAGE = 60
RESULTS_A_PAGE = 20
POINTS_IN_TABLE = 100


@dataclass(frozen=True, slots=True)
class BotLine:
    """A bot in the list. `ratings` are (league, Elo)."""

    player: Player
    version: str
    online: bool
    house: bool
    ratings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A match of a bot: the others, and its points of the games played; `note` says what is unusual about it."""

    match_id: UUID
    state: str
    when: Any
    others: tuple[Player, ...]
    score: str
    games: int
    won: str
    note: str


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version of a bot. `ratings` are (league, Elo, rated games)."""

    label: str
    sdk: str
    language: str
    active: bool
    made: Any
    ratings: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class PointLine:
    """A point of the rating graph, for the table beside it."""

    number: int
    at: Any
    elo: str
    change: str
    direction: str
    version: str
    match_id: UUID | None


def _page(request: HttpRequest) -> int:
    text = request.GET.get("page", "")
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 6 else 1


@require_safe
def directory(request: HttpRequest) -> HttpResponse:
    """All bots."""
    search = request.GET.get("q", "")[:60].replace("\0", "").strip()
    page = _page(request)
    found = queries.all_bots(search, BOTS_A_PAGE + 1, (page - 1) * BOTS_A_PAGE)
    more, found = len(found) > BOTS_A_PAGE, found[:BOTS_A_PAGE]
    ids = [bot.pk for bot in found]
    online, ratings = bot_queries.online(ids), queries.best_ratings(ids)
    names = queries.scale_names({row.scale.key for rows in ratings.values() for row in rows})
    lines = [
        BotLine(
            player=Player.of(bot.slug, bot.name, owner=bot.owner.username),
            version=bot.active_version.label if bot.active_version else "",
            online=bot.pk in online,
            house=bot.owner.is_house,
            ratings=tuple((names[row.scale.key], elo(row.value)) for row in ratings.get(bot.pk, ())),
        )
        for bot in found
    ]
    context = {"bots": lines, "search": search, "page": page, "more": more}
    return render(request, "pages/bots.html", context)


@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """A bot: rating graph, record, results, versions."""
    found = bot_queries.bot_by_slug(slug)
    if found is None:
        raise Http404("There is no such bot.")
    scales = rating_queries.scales_of([found.pk])[found.pk]
    names = queries.scale_names(scales)
    scale = request.GET.get("scale", "")
    scale = scale if scale in scales else (scales[0] if scales else "")
    page = _page(request)
    results = list(queries.results_of(found)[(page - 1) * RESULTS_A_PAGE : page * RESULTS_A_PAGE + 1])
    context: dict[str, Any] = {
        "bot": found,
        "player": Player.of(found.slug, found.name, owner=found.owner.username),
        "online": bool(bot_queries.online([found.pk])),
        "validation": bot_queries.validations([found.pk]).get(found.pk),
        "record": queries.record_of(found),
        "versions": _versions(found, names),
        "scales": [(key, names[key]) for key in scales],
        "scale": scale,
        "scale_name": names.get(scale, ""),
        "results": _results(found, results[:RESULTS_A_PAGE]),
        "page": page,
        "more": len(results) > RESULTS_A_PAGE,
        "seasons": list(league_queries.seasons_of(found)[:20]),
        "mine": found.owner_id == request.user.pk,
    }
    return render(request, "pages/bot.html", context | _history(scale, found))


def _history(scale: str, found: Bot) -> dict[str, Any]:
    points = rating_queries.history(scale, found.pk) if scale else []
    lines: list[PointLine] = []
    for index, point in enumerate(points, 1):
        moved = point.value - points[index - 2].value if index > 1 else None
        lines.append(
            PointLine(index, point.at, elo(point.value), change(moved), direction(moved), point.version, point.match_id)
        )
    graph = {
        "times": [line.number for line in lines],
        "values": [round(point.value, 1) for point in points],
        "labels": [f"Match {line.number}: {line.elo} ({line.change}), version {line.version}" for line in lines],
    }
    return {
        "points": list(reversed(lines[-POINTS_IN_TABLE:])),
        "graph": graph if len(points) > 1 else None,
        "elo_now": elo(points[-1].value) if points else "–",
    }


def _versions(found: Bot, names: Any) -> list[VersionLine]:
    ratings = queries.ratings_of(found)
    return [
        VersionLine(
            label=version.label,
            sdk=harmless(version.sdk),
            language=harmless(version.language),
            active=version.pk == found.active_version_id,
            made=version.created_at,
            ratings=tuple(
                (names[row.scale.key], elo(row.value), row.games) for row in ratings if row.version_id == version.pk
            ),
        )
        for version in queries.versions_of(found)
    ]


def _results(found: Bot, matches: list[Match]) -> list[ResultLine]:
    scores = queries.match_scores([match.pk for match in matches])
    lines = []
    for match in matches:
        seats = sorted(match.seats.all(), key=lambda seat: seat.index)
        own = next(seat.version_id for seat in seats if seat.bot_id == found.pk)
        points = scores.get(match.pk, {})
        mine = points.get(own) if own is not None else None
        lines.append(
            ResultLine(
                match_id=match.pk,
                state=match.state.lower(),
                when=match.finished_at or match.started_at,
                others=tuple(Player.of(seat.bot.slug, seat.bot.name) for seat in seats if seat.bot_id != found.pk),
                score="" if mine is None else number(mine),
                games=match.table_size,
                won="" if mine is None else _verdict(mine, max(points.values())),
                note=_note(match),
            )
        )
    return lines


def _note(match: Match) -> str:
    if match.rated:
        return ""
    why = queries.why_unrated(match)
    short = cut_short(match.terms)
    return f"Unrated{f': {why}' if why else ''}{f', {short} at most' if short else ''}"


def _verdict(mine: float, best: float) -> str:
    return "up" if mine == best else "down"
