"""The season page, and entering from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from tournament_site.accounts.models import User
from tournament_site.bots import queries as bot_queries
from tournament_site.common.errors import Reason, Refused
from tournament_site.leagues import queries as league_queries
from tournament_site.leagues import services as league_services
from tournament_site.leagues.models import Pairing, Round, Season
from tournament_site.leagues.queries import SeasonView, TableRow
from tournament_site.matches import rulebook
from tournament_site.pages import queries
from tournament_site.pages.shown import (
    NO_CELL,
    SELF_CELL,
    Clock,
    HeatCell,
    Player,
    RulesName,
    change,
    direction,
    elo,
    heat_cell,
    number,
    percent,
)

MAX_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A line of the table, ready to be shown."""

    rank: int
    player: Player
    score: str
    games: int
    wins: int
    elo: str
    change: str
    direction: str
    withdrawn: bool
    mine: bool


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A line of the cross table."""

    player: Player
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class MatchSide:
    """A bot of a match and its points over the match's games; no text while there is no result."""

    player: Player
    score: str
    best: bool


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in a list."""

    match_id: UUID
    state: str
    label: str
    sides: tuple[MatchSide, ...]


@dataclass(frozen=True, slots=True)
class RoundShown:
    number: int
    matches: tuple[MatchLine, ...]


@require_safe
def season(request: HttpRequest, season_id: int) -> HttpResponse:
    """Table, cross table, progress and matches of a season."""
    found = _season(season_id)
    view = league_queries.season_view(found)
    rounds, page, pages = queries.round_page(found, _asked_page(request))
    done = view.progress.finished + view.progress.void
    context: dict[str, Any] = {
        "season": found,
        "rows": _rows(request, view.rows),
        "cross": _cross(view),
        "progress": view.progress,
        "done": done,
        "percent": percent(done, view.progress.scheduled),
        "rounds": _rounds(rounds),
        "page": page,
        "pages": pages,
        "clock": Clock.of(found.league.terms),
        "rules": RulesName.of(found.league.ruleset),
        "terms": _terms(found),
        "entries": len(view.rows),
    }
    if isinstance(request.user, User) and found.state != Season.State.FINISHED:
        context["can_enter"], context["entered"] = queries.entrants(request.user, found)
    return render(request, "pages/season.html", context)


def _season(season_id: int) -> Season:
    found = league_queries.season_by_id(season_id) if season_id <= MAX_ID else None
    if found is None:
        raise Http404("There is no such season.")
    return found


def _terms(season: Season) -> tuple[str, ...]:
    """What its matches agree on, in sentences; nothing where the stored terms make no sense."""
    try:
        return rulebook.terms_lines(rulebook.terms_from(season.league.terms))
    except rulebook.UnknownRules:
        return ()


def _asked_page(request: HttpRequest) -> int | None:
    text = request.GET.get("page", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else None


def _rows(request: HttpRequest, rows: Sequence[TableRow]) -> list[StandingRow]:
    return [
        StandingRow(
            rank=row.rank,
            player=Player.of(row.bot.slug, row.bot.name, owner=row.bot.owner.username),
            score=number(row.score),
            games=row.games,
            wins=row.wins,
            elo=elo(row.live),
            change=change(row.change),
            direction=direction(row.change),
            withdrawn=row.withdrawn,
            mine=row.bot.owner_id == request.user.pk,
        )
        for row in rows
    ]


def _cross(view: SeasonView) -> list[CrossRow]:
    bots = [row.bot for row in view.rows]
    if not view.cross:
        return []
    lines = []
    for bot in bots:
        cells = []
        for rival in bots:
            cell = view.cross.get((bot.pk, rival.pk))
            if rival.pk == bot.pk:
                cells.append(SELF_CELL)
            else:
                cells.append(NO_CELL if cell is None else heat_cell(cell.score, cell.games))
        lines.append(CrossRow(Player.of(bot.slug, bot.name), tuple(cells)))
    return lines


def _rounds(rounds: Sequence[Round]) -> list[RoundShown]:
    pairings = {each.pk: sorted(each.pairings.all(), key=lambda pairing: pairing.table_no) for each in rounds}
    scores = queries.match_scores([pairing.match_id for group in pairings.values() for pairing in group])
    return [RoundShown(each.number, tuple(_line(pairing, scores) for pairing in pairings[each.pk])) for each in rounds]


def _line(pairing: Pairing, scores: Mapping[UUID, Mapping[int, float]]) -> MatchLine:
    match = pairing.match
    points = scores.get(match.pk, {})
    best = max(points.values(), default=None)
    sides = []
    for seat in sorted(match.seats.all(), key=lambda seat: seat.index):
        mine = points.get(seat.version_id or 0)
        score = "" if mine is None else number(mine)
        sides.append(MatchSide(Player.of(seat.bot.slug, seat.bot.name), score, best=mine is not None and mine == best))
    return MatchLine(match.pk, match.state.lower(), f"Table {pairing.table_no}", tuple(sides))


@require_POST
@login_required
def enter(request: HttpRequest, season_id: int) -> HttpResponse:
    """Put one of one's own bots on the list."""
    found = _season(season_id)
    try:
        bot = _own_bot(request)
        league_services.enter(found.pk, bot)
        messages.success(request, f"{bot.name} has entered {found.name}.")
    except Refused as refused:
        messages.error(request, refused.detail)
    return redirect("season", season_id=found.pk)


@require_POST
@login_required
def leave(request: HttpRequest, season_id: int) -> HttpResponse:
    """Take one of one's own bots off the list."""
    found = _season(season_id)
    try:
        bot = _own_bot(request)
        league_services.withdraw(found.pk, bot)
        messages.success(request, f"{bot.name} has left {found.name}.")
    except Refused as refused:
        messages.error(request, refused.detail)
    return redirect("season", season_id=found.pk)


def _own_bot(request: HttpRequest) -> Any:
    assert isinstance(request.user, User)
    bot = bot_queries.owned_bot(request.user, request.POST.get("bot", "")[:50].replace("\0", ""))
    if bot is None:
        raise Refused(Reason.NOT_FOUND, "Choose one of your bots.")
    return bot
