"""Seasons and entries over HTTP."""

from datetime import datetime
from typing import Annotated

from django.conf import settings
from django.http import HttpRequest
from ninja import Path, Query, Router, Status
from pydantic import Field

from tournament_site.accounts.api import AccountAuth
from tournament_site.accounts.models import User
from tournament_site.bots import queries as bot_queries
from tournament_site.common.api import ERRORS, MAX_ID, Input, Output, Slug, caller
from tournament_site.common.errors import Reason, Refused
from tournament_site.leagues import queries, services
from tournament_site.leagues.models import Season

router = Router(tags=["seasons"])
SeasonId = Annotated[int, Field(ge=1, le=MAX_ID)]


class Matches(Output):
    scheduled: int
    finished: int
    void: int


class SeasonFacts(Output):
    """Attributes: state: open, running or finished; entries: how many bots take part."""

    id: int
    name: str
    league: str
    table_size: int
    state: str
    matches: Matches
    entries: int
    max_bots: int
    url: str


class Row(Output):
    """Attributes: score: points of the table; live: live Elo, null without a rated game."""

    rank: int
    bot: str
    name: str
    score: float
    games: int
    wins: int
    live: float | None
    change: float | None
    withdrawn: bool


class SeasonTable(SeasonFacts):
    """Attributes: ruleset: name of a preset; `/rules/<name>.json` on this site has its options. ends_at: from then on
    what has not begun is called off; null: the season lasts until all is played.
    """

    ruleset: str
    started_at: datetime | None
    ends_at: datetime | None
    finished_at: datetime | None
    table: list[Row]


class NewEntry(Input):
    bot: Slug


class EntryFacts(Output):
    season: int
    bot: str
    entered_at: datetime


class Page(Input):
    state: Annotated[str | None, Field(pattern="^(open|running|finished)$")] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 100
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


@router.get("/seasons", response={200: list[SeasonFacts], **ERRORS}, summary="All seasons")
def list_seasons(request: HttpRequest, page: Query[Page]) -> list[SeasonFacts]:  # noqa: ARG001 - ninja knows it by this name
    """All seasons: running ones first, then open, then finished, the newest first."""
    state = Season.State(page.state.upper()) if page.state else None
    return [
        _facts(listed.season, listed.entries, _matches(listed.progress))
        for listed in queries.seasons(state, page.limit, page.offset)
    ]


@router.get("/seasons/{season_id}", response={200: SeasonTable, **ERRORS}, summary="A season and its table")
def show_season(request: HttpRequest, season_id: Path[SeasonId]) -> SeasonTable:  # noqa: ARG001 - ninja knows it by this name
    """A season with its table as it stands."""
    season = queries.season_by_id(season_id)
    if season is None:
        raise Refused(Reason.NOT_FOUND)
    rows = queries.table(season)
    counts = _matches(queries.progress(season))
    return SeasonTable(
        **_facts(season, len(rows), counts).model_dump(),
        ruleset=season.league.ruleset,
        started_at=season.started_at,
        ends_at=season.ends_at,
        finished_at=season.finished_at,
        table=[
            Row(
                rank=row.rank,
                bot=row.bot.slug,
                name=row.bot.name,
                score=row.score,
                games=row.games,
                wins=row.wins,
                live=row.live,
                change=row.change,
                withdrawn=row.withdrawn,
            )
            for row in rows
        ],
    )


@router.post(
    "/seasons/{season_id}/entries", auth=AccountAuth(), response={201: EntryFacts, **ERRORS}, summary="Enter a season"
)
def enter(request: HttpRequest, season_id: Path[SeasonId], wish: NewEntry) -> Status[EntryFacts]:
    """Puts your bot on the list of an open season."""
    bot = bot_queries.owned_bot(caller(request, User), wish.bot)
    if bot is None:
        raise Refused(Reason.NOT_FOUND)
    entry = services.enter(season_id, bot)
    entry.refresh_from_db()
    return Status(201, EntryFacts(season=season_id, bot=bot.slug, entered_at=entry.entered_at))


@router.delete(
    "/seasons/{season_id}/entries/{slug}",
    auth=AccountAuth(),
    response={204: None, **ERRORS},
    summary="Leave a season",
)
def leave(request: HttpRequest, season_id: Path[SeasonId], slug: Slug) -> Status[None]:
    """Takes your bot off the list. Once the season runs, its matches that have not begun are called off."""
    bot = bot_queries.owned_bot(caller(request, User), slug)
    if bot is None:
        raise Refused(Reason.NOT_FOUND)
    services.withdraw(season_id, bot)
    return Status(204, None)


def _matches(progress: queries.Progress) -> Matches:
    return Matches(scheduled=progress.scheduled, finished=progress.finished, void=progress.void)


def _facts(season: Season, entries: int, matches: Matches) -> SeasonFacts:
    return SeasonFacts(
        id=season.pk,
        name=season.name,
        league=season.league.name,
        table_size=season.league.table_size,
        state=season.state.lower(),
        matches=matches,
        entries=entries,
        max_bots=season.max_bots,
        url=f"{settings.SITE.url}/seasons/{season.pk}",
    )
