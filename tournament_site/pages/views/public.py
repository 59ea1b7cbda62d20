"""The front page, and the page for authors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from referee.engine.ruleset import PHASES
from tournament_site.leagues import queries as league_queries
from tournament_site.leagues.models import Season, Standing
from tournament_site.leagues.queries import ListedSeason
from tournament_site.matches.frames import phase_text
from tournament_site.pages import queries
from tournament_site.pages.shown import Player, RulesName, number, percent

SEASONS_SHOWN = 200
TABLES_SHOWN = 8
GAMES_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Leader:
    """A line of the small table on a season's card."""

    rank: int
    player: Player
    score: str


@dataclass(frozen=True, slots=True)
class SeasonCard:
    """A season in the lists of the front page. `over` counts finished and void matches."""

    season: Season
    entries: int
    over: int
    scheduled: int
    percent: int
    leaders: tuple[Leader, ...]
    rules: RulesName


@dataclass(frozen=True, slots=True)
class LiveCard:
    """A running game in a list."""

    game_id: str
    players: tuple[Player, ...]


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """What runs, what is open, what was played."""
    listed = league_queries.seasons(limit=SEASONS_SHOWN)
    by_state = {state: [each for each in listed if each.season.state == state] for state in Season.State}
    kept = queries.medals([each.season.pk for each in by_state[Season.State.FINISHED]])
    live = [
        LiveCard(
            str(game.pk),
            tuple(Player.of(seat.bot.slug, seat.bot.name) for seat in game.attempt.match.seats.all()),
        )
        for game in queries.running_games(GAMES_SHOWN)
    ]
    context = {
        "running": _with_tables(by_state[Season.State.RUNNING]),
        "open": [_card(each, ()) for each in by_state[Season.State.OPEN]],
        "finished": _finished(by_state[Season.State.FINISHED], kept),
        "live": live,
        "totals": queries.totals(),
    }
    return render(request, "pages/front.html", context)


def _with_tables(listed: Sequence[ListedSeason]) -> list[SeasonCard]:
    """Running seasons, the first of them with who leads now: a table has to be reckoned from all games."""
    cards = []
    for position, each in enumerate(listed):
        rows = league_queries.table(each.season)[:3] if position < TABLES_SHOWN else ()
        leaders = tuple(Leader(row.rank, Player.of(row.bot.slug, row.bot.name), number(row.score)) for row in rows)
        cards.append(_card(each, leaders))
    return cards


def _finished(listed: Sequence[ListedSeason], kept: Mapping[int, Sequence[Standing]]) -> list[SeasonCard]:
    cards = []
    for each in listed:
        rows = kept.get(each.season.pk, ())
        leaders = tuple(Leader(row.rank, Player.of(row.bot.slug, row.bot.name), number(row.score)) for row in rows)
        cards.append(_card(each, leaders))
    return cards


def _card(listed: ListedSeason, leaders: tuple[Leader, ...]) -> SeasonCard:
    done = listed.progress.finished + listed.progress.void
    scheduled = listed.progress.scheduled
    rules = RulesName.of(listed.season.league.ruleset)
    return SeasonCard(listed.season, listed.entries, done, scheduled, percent(done, scheduled), leaders, rules)


@require_safe
def seasons(_request: HttpRequest) -> HttpResponse:
    """The front page lists them."""
    return redirect(reverse("front") + "#seasons")


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """How to write a bot and enter it."""
    context = {
        "open": [_card(each, ()) for each in league_queries.seasons(Season.State.OPEN, limit=20)],
        "phases": [(phase, phase_text(phase)) for phase in PHASES],
        "server": settings.SITE.url,
    }
    return render(request, "pages/start.html", context)
