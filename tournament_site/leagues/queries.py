"""What leagues and seasons can be asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from tournament_site.bots.models import Bot
from tournament_site.leagues import standings
from tournament_site.leagues.models import Entry, Pairing, Season, Standing
from tournament_site.leagues.standings import Cell
from tournament_site.matches.models import Game, GameResult, Match, MatchSeat
from tournament_site.ratings import queries as rating_queries


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a season is.

    Attributes:
        scheduled: all its matches; 0 before it starts.
        finished: those that count.
        void: those called off for good.

    """

    scheduled: int
    running: int
    finished: int
    void: int

    @property
    def left(self) -> int:
        return self.scheduled - self.finished - self.void


@dataclass(frozen=True, slots=True)
class ListedSeason:
    """A season in a list.

    Attributes:
        entries: how many bots take part.

    """

    season: Season
    entries: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a season's table.

    Attributes:
        live: live Elo, None without a rated game.
        change: what the matches of this season did to it, and none of another; None without a rated game of it.
        withdrawn: whether the bot left while the season ran.

    """

    bot: Bot
    rank: int
    score: float
    games: int
    wins: int
    live: float | None
    change: float | None
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class SeasonView:
    """What a season's page needs.

    Attributes:
        cross: (bot id, other bot's id) -> what the first did against the second.

    """

    season: Season
    rows: tuple[TableRow, ...]
    cross: Mapping[tuple[int, int], Cell]
    progress: Progress


def matches_of(season: Season) -> QuerySet[Match]:
    """All matches of a season."""
    return Match.objects.filter(pairing__round__season=season)


def seasons(state: Season.State | None = None, limit: int = 100, offset: int = 0) -> list[ListedSeason]:
    """Seasons with their leagues and numbers: running ones first, then open, then finished; the newest first."""
    matches = "rounds__pairings__match"
    found = Season.objects.filter(**({} if state is None else {"state": state})).select_related("league")
    rows = found.annotate(
        entered=Count("entries", distinct=True),
        scheduled=Count(matches, distinct=True),
        running=Count(matches, filter=Q(**{f"{matches}__state": Match.State.RUNNING}), distinct=True),
        finished=Count(matches, filter=Q(**{f"{matches}__state": Match.State.FINISHED}), distinct=True),
        void=Count(matches, filter=Q(**{f"{matches}__state": Match.State.VOID}), distinct=True),
    ).order_by("-state", "-pk")
    return [
        ListedSeason(row, row.entered, Progress(row.scheduled, row.running, row.finished, row.void))
        for row in rows[offset : offset + limit]
    ]


def season_by_id(pk: int) -> Season | None:
    """A season with its league."""
    return Season.objects.select_related("league").filter(pk=pk).first()


def entries_of(season: Season) -> QuerySet[Entry]:
    """Who takes part, in order of entry."""
    return Entry.objects.select_related("bot__owner", "bot__active_version").filter(season=season).order_by("pk")


def entries_to_call_off() -> QuerySet[Entry]:
    """Entries of running seasons whose bot has left and yet has a match in the queue: one that was put back since."""
    seats = MatchSeat.objects.filter(
        bot=OuterRef("bot"), match__state=Match.State.QUEUED, match__pairing__round__season=OuterRef("season")
    )
    left = Entry.objects.filter(Exists(seats), season__state=Season.State.RUNNING, withdrawn_at__isnull=False)
    return left.select_related("season", "bot").order_by("pk")


def seasons_out_of_time() -> QuerySet[Season]:
    """Running seasons whose time is over and that have a match in the queue yet."""
    queued = Match.objects.filter(pairing__round__season=OuterRef("pk"), state=Match.State.QUEUED)
    return Season.objects.filter(Exists(queued), state=Season.State.RUNNING, ends_at__lte=Now()).order_by("pk")


def seasons_open_to(bot: Bot) -> QuerySet[Season]:
    """Seasons that are open and that the bot has not entered."""
    entered = Entry.objects.filter(season=OuterRef("pk"), bot=bot)
    return Season.objects.select_related("league").filter(~Exists(entered), state=Season.State.OPEN).order_by("pk")


def seasons_of(bot: Bot) -> QuerySet[Season]:
    """Seasons a bot takes or took part in, the newest first."""
    return Season.objects.select_related("league").filter(entries__bot=bot).order_by("-pk")


def progress(season: Season) -> Progress:
    """How far a season is."""
    found = matches_of(season).aggregate(
        scheduled=Count("pk"),
        running=Count("pk", filter=Q(state=Match.State.RUNNING)),
        finished=Count("pk", filter=Q(state=Match.State.FINISHED)),
        void=Count("pk", filter=Q(state=Match.State.VOID)),
    )
    return Progress(**found)


def is_over(season: Season) -> bool:
    """Whether every match is finished or void, and the ledger has all that count for it."""
    unsettled = Q(state__in=(Match.State.QUEUED, Match.State.RUNNING)) | Q(
        state=Match.State.FINISHED, rated=True, rated_at=None
    )
    return not matches_of(season).filter(unsettled).exists()


def games_of(season: Season) -> list[dict[int, int]]:
    """The games of a season that count: each bot id -> place."""
    found: dict[UUID, dict[int, int]] = {}
    rows = GameResult.objects.filter(
        game__attempt__match__pairing__round__season=season, game__state=Game.State.FINISHED
    ).order_by("game", "seat")
    for game, bot, place in rows.values_list("game_id", "version__bot", "place"):
        found.setdefault(game, {})[bot] = place
    return list(found.values())


def finished_seasons() -> QuerySet[Season]:
    """The finished seasons with their leagues, the oldest first."""
    return Season.objects.select_related("league").filter(state=Season.State.FINISHED).order_by("pk")


def table(season: Season) -> tuple[TableRow, ...]:
    """A season's table as it stands; of a finished season, as it was when it ended."""
    entries = {entry.bot_id: entry for entry in entries_of(season)}
    if season.state == Season.State.FINISHED:
        kept = Standing.objects.filter(season=season).order_by("rank", "bot")
        return tuple(
            TableRow(
                entries[row.bot_id].bot,
                row.rank,
                row.score,
                row.games,
                row.wins,
                row.live,
                row.change,
                withdrawn=entries[row.bot_id].withdrawn_at is not None,
            )
            for row in kept
        )
    live = rating_queries.live(season.league.scale, entries.keys())
    return _reckoned(season, entries, {bot: rating.value for bot, rating in live.items()})


def ledger_number_of(season: Season) -> int:
    """The line of the ledger that was the newest when a finished season ended."""
    if season.ledger_number is not None:
        return season.ledger_number
    # It ended before this was kept: then the line's time has to do.
    return rating_queries.last_number(season.league.scale, until=season.finished_at)


def final_table(season: Season, ledger_number: int) -> tuple[TableRow, ...]:
    """The table of a season that is over, out of its results and the ledger up to a line."""
    entries = {entry.bot_id: entry for entry in entries_of(season)}
    return _reckoned(season, entries, rating_queries.live_at(season.league.scale, ledger_number))


def _reckoned(season: Season, entries: Mapping[int, Entry], live: Mapping[int, float]) -> tuple[TableRow, ...]:
    moves = rating_queries.moves(season.league.scale, matches_of(season))
    return tuple(
        TableRow(
            bot=entries[row.bot].bot,
            rank=row.rank,
            score=row.score,
            games=row.games,
            wins=row.wins,
            live=row.live,
            change=moves[row.bot].change if row.bot in moves else None,
            withdrawn=entries[row.bot].withdrawn_at is not None,
        )
        for row in standings.table(entries, games_of(season), live)
    )


def season_view(season: Season) -> SeasonView:
    """Everything a season's page shows."""
    return SeasonView(season, table(season), standings.cross_table(games_of(season)), progress(season))


def pairing_of(match_id: UUID) -> Pairing | None:
    """Where a match stands in its season; None for a match outside of any."""
    return Pairing.objects.select_related("round__season__league").filter(match=match_id).first()
