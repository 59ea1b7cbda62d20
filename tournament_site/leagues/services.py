"""What changes leagues and seasons."""

import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Now

from tournament_site.bots.models import Bot
from tournament_site.common.errors import Reason, Refused
from tournament_site.common.text import clean_name, slug_of
from tournament_site.leagues import pairing, queries
from tournament_site.leagues.models import Entry, League, Pairing, Round, Season, Standing
from tournament_site.leagues.queries import TableRow
from tournament_site.matches import services as match_services
from tournament_site.matches.models import Match
from tournament_site.matches.rulebook import UnknownRules, ruleset_named, terms_from, terms_plain
from tournament_site.matches.services import NewMatch
from tournament_site.ratings import queries as rating_queries
from tournament_site.ratings.services import ensure_scale

MAX_BOTS = 200
MAX_CYCLES = 20
MAX_HOURS = 366 * 24
# A season's whole schedule is drawn up and queued in one transaction.
MAX_MATCHES = 20_000


@dataclass(frozen=True, slots=True)
class Advanced:
    """Ids of the seasons that a call started and finished."""

    started: tuple[int, ...]
    finished: tuple[int, ...]


def create_league(
    name: str,
    table_size: int,
    *,
    ruleset: str,
    terms: Mapping[str, Any],
    reopens: bool = False,
) -> League:
    """A league without seasons; `reopens`: each start of one opens the next.

    Raises:
        Refused: NAME_INVALID, NAME_TAKEN; RULES_INVALID for a rule set or terms that nobody can play.

    """
    name = clean_name(name)
    try:
        ruleset_named(ruleset)
        plain = terms_plain(terms_from(terms))
    except UnknownRules as error:
        raise Refused(Reason.RULES_INVALID, f"{error}.") from error
    try:
        with transaction.atomic():
            return League.objects.create(
                name=name,
                slug=slug_of(name),
                table_size=table_size,
                ruleset=ruleset,
                terms=plain,  # all of them: what is usual may be something else one day
                reopens=reopens,
            )
    except IntegrityError as error:
        raise Refused(Reason.NAME_TAKEN) from error


def season_problem(league: League, *, cycles: int, min_bots: int, max_bots: int, lasts_hours: int | None = None) -> str:
    """Why such a season cannot be played, in a sentence; empty if it can."""
    if lasts_hours is not None and not 1 <= lasts_hours <= MAX_HOURS:
        return f"It lasts 1 to {MAX_HOURS} hours, or until all is played."
    if not (league.table_size <= min_bots <= max_bots <= MAX_BOTS and 1 <= cycles <= MAX_CYCLES):
        return f"It needs {league.table_size} to {MAX_BOTS} bots, the smaller number first, and 1 to {MAX_CYCLES} cycles."
    most = pairing.most_matches(max_bots, league.table_size, cycles)
    if most > MAX_MATCHES:
        return f"It could have {most} matches, and a season has at most {MAX_MATCHES}: take fewer bots or cycles."
    return ""


@transaction.atomic
def open_season(  # noqa: PLR0913 - a season has that many settings, all named
    league: League,
    *,
    cycles: int,
    min_bots: int,
    max_bots: int,
    starts_when: Season.StartsWhen = Season.StartsWhen.BY_HAND,
    lasts_hours: int | None = None,
    seed: str = "",
) -> Season:
    """The league's next season, open for entry.

    Args:
        league: whose.
        min_bots: fewer cannot start it.
        max_bots: more cannot enter it.
        starts_when: what starts it.
        cycles: how often the whole schedule is played, 1-20.
        lasts_hours: what has not begun so long after the start is called off; None: it lasts until all is played.
        seed: 64 hexadecimal digits; drawn if empty.

    Raises:
        Refused: SEASON_INVALID if no such season can be played.

    """
    problem = season_problem(league, cycles=cycles, min_bots=min_bots, max_bots=max_bots, lasts_hours=lasts_hours)
    if problem:
        raise Refused(Reason.SEASON_INVALID, problem)
    League.objects.select_for_update().get(pk=league.pk)  # one number at a time
    last = Season.objects.filter(league=league).aggregate(last=Max("number"))["last"] or 0
    return Season.objects.create(
        league=league,
        number=last + 1,
        cycles=cycles,
        min_bots=min_bots,
        max_bots=max_bots,
        starts_when=starts_when,
        lasts_hours=lasts_hours,
        seed=seed or secrets.token_hex(32),
    )


@transaction.atomic
def enter(season_id: int, bot: Bot) -> Entry:
    """Put a bot on the list of an open season.

    Raises:
        Refused: NOT_FOUND, SEASON_NOT_OPEN, ALREADY_ENTERED, SEASON_FULL; OWNER_HAS_ENTRY at tables of three or
            more, where bots of one owner could help each other: the house may.

    """
    season = _locked(season_id)
    if season.state != Season.State.OPEN:
        raise Refused(Reason.SEASON_NOT_OPEN)
    entries = Entry.objects.filter(season=season)
    if entries.filter(bot=bot).exists():
        raise Refused(Reason.ALREADY_ENTERED)
    if entries.count() >= season.max_bots:
        raise Refused(Reason.SEASON_FULL)
    if season.league.table_size >= 3 and not bot.owner.is_house and entries.filter(bot__owner=bot.owner_id).exists():
        raise Refused(Reason.OWNER_HAS_ENTRY)
    return Entry.objects.create(season=season, bot=bot)


@transaction.atomic
def withdraw(season_id: int, bot: Bot) -> None:
    """Take a bot off the list; once the season runs, its matches that have not begun are called off.

    Raises:
        Refused: NOT_FOUND; NOT_ENTERED; SEASON_NOT_OPEN once it is finished.

    """
    season = _locked(season_id)
    entry = Entry.objects.filter(season=season, bot=bot, withdrawn_at=None).first()
    if entry is None:
        raise Refused(Reason.NOT_ENTERED)
    if season.state == Season.State.FINISHED:
        raise Refused(Reason.SEASON_NOT_OPEN)
    if season.state == Season.State.OPEN:
        entry.delete()
        return
    Entry.objects.filter(pk=entry.pk).update(withdrawn_at=Now())
    _call_off_theirs(season, bot)


def _call_off_theirs(season: Season, bot: Bot) -> int:
    return _call_off(queries.matches_of(season).filter(seats__bot=bot), f"{bot.slug} has left the season")


def _call_off(matches: QuerySet[Match], reason: str) -> int:
    """Call off those of the matches that have not begun. How many."""
    queued = matches.filter(state=Match.State.QUEUED)
    return match_services.void_queued(list(queued.values_list("pk", flat=True)), reason)


@transaction.atomic
def start_season(season_id: int) -> Season:
    """Draw up the whole schedule and queue all its matches, at once or not at all.

    A league that reopens has its next season with that.

    Raises:
        Refused: NOT_FOUND; SEASON_NOT_OPEN if it has started; TOO_FEW_BOTS.

    """
    season = _locked(season_id)
    if season.state != Season.State.OPEN:
        raise Refused(Reason.SEASON_NOT_OPEN)
    roster = [entry.bot for entry in queries.entries_of(season)]
    needed = max(season.min_bots, season.league.table_size)
    if len(roster) < needed:
        raise Refused(Reason.TOO_FEW_BOTS, f"{len(roster)} bots have entered, {needed} are needed.")
    ensure_scale(season.league.scale, season.league.table_size)
    _draw_up(season, roster)
    lasts = None if season.lasts_hours is None else Now() + timedelta(hours=season.lasts_hours)
    Season.objects.filter(pk=season.pk).update(state=Season.State.RUNNING, started_at=Now(), ends_at=lasts)
    season.refresh_from_db()
    if season.league.reopens:
        _reopen(season, [bot for bot in roster if bot.owner.is_house])
    return season


def _reopen(season: Season, house: Sequence[Bot]) -> None:
    """Open the season after one that starts, with the house's bots in it, unless another one is open already.

    One that the house alone would start is not opened: there would be no end.
    """
    starts_when = Season.StartsWhen(season.starts_when)
    if starts_when is Season.StartsWhen.FULL and len(house) >= season.max_bots:
        return
    # Of two seasons that start at once, one waits here and then sees that the other has started.
    league = League.objects.select_for_update().get(pk=season.league_id)
    if Season.objects.filter(league=league, state=Season.State.OPEN).exists():
        return
    following = open_season(
        league,
        cycles=season.cycles,
        min_bots=season.min_bots,
        max_bots=season.max_bots,
        starts_when=starts_when,
        lasts_hours=season.lasts_hours,
    )
    for bot in house:
        enter(following.pk, bot)


def _locked(season_id: int) -> Season:
    season = Season.objects.select_for_update(of=("self",)).select_related("league").filter(pk=season_id).first()
    if season is None:
        raise Refused(Reason.NOT_FOUND)
    return season


def _draw_up(season: Season, roster: list[Bot]) -> None:
    league = season.league
    plan = pairing.schedule(len(roster), league.table_size, season.cycles, bytes.fromhex(season.seed))
    rounds = Round.objects.bulk_create([Round(season=season, number=number) for number, _ in enumerate(plan, 1)])
    wishes: list[NewMatch] = []
    pairings: list[Pairing] = []
    for round_, tables in zip(rounds, plan, strict=True):
        for table_no, table in enumerate(tables, 1):
            bots = [roster[index] for index in table]
            wish = NewMatch(
                match_id=uuid.uuid4(),
                bots=tuple(bot.pk for bot in bots),
                scale=league.scale,
                sort_key=round_.number,
                rated=not _two_of_one_owner(bots),
                ruleset=league.ruleset,
                terms=league.terms,
            )
            wishes.append(wish)
            pairings.append(Pairing(round=round_, table_no=table_no, match_id=wish.match_id))
    match_services.create_matches(wishes)
    Pairing.objects.bulk_create(pairings, batch_size=1000)


def _two_of_one_owner(bots: list[Bot]) -> bool:
    """Whether somebody would play against their own bot: allowed at tables of two, but it rates nobody."""
    owners = [bot.owner_id for bot in bots if not bot.owner.is_house]
    return len(set(owners)) < len(owners)


def start_due() -> tuple[int, ...]:
    """Start the seasons whose time has come; their ids. Running it twice starts nothing twice."""
    waiting = Season.objects.filter(state=Season.State.OPEN).exclude(starts_when=Season.StartsWhen.BY_HAND)
    return tuple(pk for pk in waiting.order_by("pk").values_list("pk", flat=True) if _start_due(pk))


def finish_over() -> tuple[int, ...]:
    """Finish the seasons that are played and rated; their ids. Running it twice finishes nothing twice."""
    running = Season.objects.filter(state=Season.State.RUNNING)
    return tuple(pk for pk in running.order_by("pk").values_list("pk", flat=True) if _finish_if_over(pk))


def call_off_left() -> int:
    """Call off queued matches of bots that have left: those that ran when they left and were put back. How many."""
    return sum(_call_off_theirs(entry.season, entry.bot) for entry in queries.entries_to_call_off())


@transaction.atomic
def end_season(season_id: int) -> int:
    """End a running season before all is played: what runs is played out, what has not begun is called off. How much.

    Raises:
        Refused: NOT_FOUND; SEASON_NOT_RUNNING.

    """
    season = _locked(season_id)
    if season.state != Season.State.RUNNING:
        raise Refused(Reason.SEASON_NOT_RUNNING)
    Season.objects.filter(pk=season.pk).update(ends_at=Now())
    return _call_off_rest(season)


def call_off_late() -> int:
    """Call off what has not begun in seasons whose time is over, or was put back since. How much."""
    return sum(map(_call_off_rest, queries.seasons_out_of_time()))


def _call_off_rest(season: Season) -> int:
    return _call_off(queries.matches_of(season), "the season's time was over")


def advance() -> Advanced:
    """What time and results have brought about for seasons: starts, matches nobody can play any more, ends."""
    started = start_due()
    call_off_left()
    call_off_late()
    return Advanced(started, finish_over())


@transaction.atomic
def _start_due(season_id: int) -> bool:
    season = _locked(season_id)
    if season.state != Season.State.OPEN or not _is_due(season):
        return False
    start_season(season_id)
    return True


def _is_due(season: Season) -> bool:
    entries = Entry.objects.filter(season=season)
    count = entries.count()
    if count < max(season.min_bots, season.league.table_size):
        return False
    match Season.StartsWhen(season.starts_when):
        case Season.StartsWhen.BY_HAND:
            return False
        case Season.StartsWhen.FULL:
            return count >= season.max_bots
        case Season.StartsWhen.VISITOR:
            return entries.filter(bot__owner__is_house=False).exists()


@transaction.atomic
def _finish_if_over(season_id: int) -> bool:
    season = _locked(season_id)
    if season.state != Season.State.RUNNING or not queries.is_over(season):
        return False
    ledger_number = rating_queries.last_number(season.league.scale)
    store_table(season, queries.final_table(season, ledger_number))
    Season.objects.filter(pk=season.pk).update(state=Season.State.FINISHED, finished_at=Now(), ledger_number=ledger_number)
    return True


def store_table(season: Season, rows: Sequence[TableRow]) -> None:
    """Make these rows the final table of a season."""
    Standing.objects.filter(season=season).exclude(bot__in=[row.bot.pk for row in rows]).delete()
    Standing.objects.bulk_create(
        [
            Standing(
                season=season,
                bot=row.bot,
                rank=row.rank,
                score=row.score,
                games=row.games,
                wins=row.wins,
                live=row.live,
                change=row.change,
            )
            for row in rows
        ],
        update_conflicts=True,
        unique_fields=["season", "bot"],
        update_fields=["rank", "score", "games", "wins", "live", "change"],
    )
