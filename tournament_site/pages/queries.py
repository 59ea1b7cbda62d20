"""Questions that span the apps, asked by pages only."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now

from tournament_site.accounts.models import User
from tournament_site.bots import queries as bot_queries
from tournament_site.bots.models import Bot, BotVersion
from tournament_site.leagues.models import Entry, League, Round, Season, Standing
from tournament_site.leagues.standings import game_scores, on_paper
from tournament_site.matches import queries as match_queries
from tournament_site.matches import validation
from tournament_site.matches.models import Attempt, Game, GameResult, Match, MatchSeat
from tournament_site.ratings import queries as rating_queries
from tournament_site.ratings.models import Rating

ROUNDS_A_PAGE = 8


@dataclass(frozen=True, slots=True)
class Totals:
    """The whole house in four numbers."""

    bots: int
    games: int
    running: int
    online: int


def totals() -> Totals:
    """How much there is and how much of it is awake."""
    connected = Bot.objects.filter(active_version__presences__seen_at__gt=Now() - bot_queries.PRESENCE_LASTS)
    return Totals(
        bots=Bot.objects.count(),
        games=Game.objects.filter(state=Game.State.FINISHED).count(),
        running=match_queries.running_games(),
        online=connected.distinct().count(),
    )


def running_games(limit: int) -> list[Game]:
    """The first games of matches that are being played now, the latest first, with match, seats, bots and versions."""
    rows = Game.objects.filter(state=Game.State.RUNNING, index=0).select_related("attempt__match")
    return list(
        rows.prefetch_related("attempt__match__seats__bot", "attempt__match__seats__version").order_by(
            "-attempt__started_at", "-pk"
        )[:limit]
    )


def medals(seasons: Collection[int]) -> Mapping[int, list[Standing]]:
    """Season id -> the first three lines of its final table."""
    found: dict[int, list[Standing]] = defaultdict(list)
    rows = Standing.objects.filter(season__in=seasons, rank__lte=3).select_related("bot")
    for row in rows.order_by("season", "rank", "bot"):
        found[row.season_id].append(row)
    return {season: kept[:3] for season, kept in found.items()}


def match_scores(matches: Collection[UUID]) -> Mapping[UUID, Mapping[int, float]]:
    """Match id -> version id -> points over the match's games, equal for a tie. Matches without a result are left out."""
    found: dict[UUID, Mapping[int, float]] = {}
    for match_id, games in match_queries.places_by_match(matches).items():
        scores: dict[int, float] = defaultdict(float)
        for places in games:
            for version, points in game_scores(places).items():
                scores[version] += points
        found[match_id] = {version: on_paper(points) for version, points in scores.items()}
    return found


def round_page(season: Season, asked: int | None) -> tuple[list[Round], int, int]:
    """A page of a season's rounds with their matches: (rounds, number of the page from 1, number of pages).

    Without a wish it is the page of the first round that is not over, or the last one.
    """
    rounds = Round.objects.filter(season=season).order_by("number")
    count = rounds.count()
    pages = max(1, -(-count // ROUNDS_A_PAGE))
    if asked is None:
        unsettled = rounds.filter(pairings__match__state__in=(Match.State.QUEUED, Match.State.RUNNING)).first()
        before = count - 1 if unsettled is None else rounds.filter(number__lt=unsettled.number).count()
        asked = 1 + max(0, before) // ROUNDS_A_PAGE
    page = min(max(asked, 1), pages)
    start = (page - 1) * ROUNDS_A_PAGE
    seats = ("pairings__match__seats__bot", "pairings__match__seats__version")
    return list(rounds.prefetch_related(*seats)[start : start + ROUNDS_A_PAGE]), page, pages


def match_by_id(match_id: UUID) -> Match | None:
    """A match with its seats, bots and versions."""
    rows = Match.objects.prefetch_related("seats__bot__owner", "seats__bot__active_version", "seats__version")
    return rows.filter(pk=match_id).first()


def attempts_of(match: Match) -> list[Attempt]:
    """The tries at a match, the newest first, with their games and results."""
    rows = Attempt.objects.filter(match=match).order_by("-number")
    return list(rows.prefetch_related("games__results__version__bot", "games__replay"))


def why_unrated(match: Match) -> str:
    """Why a match counts for no rating, in a few words; empty if it does, or if nobody knows. Its seats are fetched."""
    if match.rated:
        return ""
    if match.scale == validation.SCALE:
        return "a validation match"
    owners = [seat.bot.owner for seat in match.seats.all() if not seat.bot.owner.is_house]
    twice = next((owner.username for owner in owners if owners.count(owner) > 1), "")
    return f"two of its bots belong to {twice}" if twice else ""


def matches_before(match: Match) -> int:
    """How many queued matches are to be played before this one."""
    earlier = Q(sort_key__lt=match.sort_key) | Q(sort_key=match.sort_key, pk__lt=match.pk)
    return Match.objects.filter(earlier, state=Match.State.QUEUED).count()


def results_of(bot: Bot) -> QuerySet[Match]:
    """A bot's matches that are finished or being played, the latest first."""
    played = MatchSeat.objects.filter(bot=bot).values("match")
    states = (Match.State.FINISHED, Match.State.RUNNING)
    rows = Match.objects.filter(pk__in=played, state__in=states).order_by("-started_at", "-pk")
    return rows.prefetch_related("seats__bot__owner", "seats__version")


@dataclass(frozen=True, slots=True)
class Record:
    """A bot's games so far. `phases` is how many phases it has completed in an average game, None without one.

    `unrated` games are among them: validation, and matches of two bots of one owner.
    """

    games: int
    unrated: int
    wins: int
    forfeits: int
    phases: float | None


def record_of(bot: Bot) -> Record:
    """What all finished games of a bot add up to."""
    rows = GameResult.objects.filter(version__bot=bot, game__state=Game.State.FINISHED)
    found = rows.aggregate(
        games=Count("pk"),
        unrated=Count("pk", filter=Q(game__attempt__match__rated=False)),
        wins=Count("pk", filter=Q(place=1)),
        forfeits=Count("pk", filter=~Q(forfeit="")),
    )
    phases = sum(rows.values_list("phases", flat=True))
    return Record(**found, phases=phases / found["games"] if found["games"] else None)


def ratings_of(bot: Bot) -> list[Rating]:
    """The live Elo of each version of a bot on each scale, the newest version first."""
    rows = Rating.objects.filter(version__bot=bot).select_related("version", "scale")
    return list(rows.order_by("scale__key", "-version__pk"))


def scale_names(keys: Iterable[str]) -> Mapping[str, str]:
    """Scale key -> the name of its league."""
    names = {league.scale: league.name for league in League.objects.all()}
    return {key: names.get(key, key) for key in keys}


def all_bots(search: str, limit: int, offset: int) -> list[Bot]:
    """Bots by name, with owner and active version; `search` looks into names, slugs and owners."""
    rows = Bot.objects.select_related("owner", "active_version")
    if search:
        rows = rows.filter(Q(name__icontains=search) | Q(slug__icontains=search) | Q(owner__username__icontains=search))
    return list(rows.order_by("name", "pk")[offset : offset + limit])


def best_ratings(bots: Collection[int]) -> Mapping[int, list[Rating]]:
    """Bot id -> the live Elo of its active version, one line for each scale; that of most of its games comes first."""
    found: dict[int, list[Rating]] = defaultdict(list)
    rows = Rating.objects.filter(version__active_in__in=bots).select_related("version", "scale")
    order = rating_queries.scales_of(bots)
    for row in sorted(rows, key=lambda row: order[row.version.bot_id].index(row.scale.key)):
        found[row.version.bot_id].append(row)
    return dict(found)


def entrants(user: User, season: Season) -> tuple[list[Bot], list[Bot]]:
    """A user's own bots: those that could enter an open season, and those that take part and have not left."""
    entered = dict(Entry.objects.filter(season=season, bot__owner=user).values_list("bot", "withdrawn_at"))
    bots = list(bot_queries.bots_of(user))
    staying = [bot for bot in bots if bot.pk in entered and entered[bot.pk] is None]
    return [bot for bot in bots if bot.pk not in entered], staying


def versions_of(bot: Bot) -> list[BotVersion]:
    """A bot's versions, the newest first."""
    return list(bot_queries.versions_of(bot)[:50])
