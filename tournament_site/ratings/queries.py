"""What ratings can be asked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Max, OuterRef, QuerySet, Subquery, Sum

from tournament_site.matches import queries as match_queries
from tournament_site.matches.models import Match, MatchSeat
from tournament_site.ratings.ledger import Result
from tournament_site.ratings.models import LedgerEntry, Rating


@dataclass(frozen=True, slots=True)
class Live:
    """A bot's live Elo on a scale: that of the version rated last.

    Attributes:
        games: rated games its K is made of.

    """

    value: float
    games: int


@dataclass(frozen=True, slots=True)
class Moves:
    """What a set of matches did to a bot's live Elo.

    Attributes:
        before: live Elo before the first of them.
        after: live Elo after the last.
        change: the sum of what each of them did. `after - before` may say something else: it holds what other matches
            on the scale did in between, and what a change of version did.
        games: rated games among them.

    """

    before: float
    after: float
    change: float
    games: int


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a rating graph."""

    number: int
    at: datetime
    value: float
    version: str
    match_id: UUID | None


def unrated(scale: str, limit: int) -> list[Match]:
    """Finished rated matches of a scale that the ledger lacks, in the order in which they were finished."""
    rows = Match.objects.filter(scale=scale, state=Match.State.FINISHED, rated=True, rated_at=None)
    return list(rows.order_by("finished_at", "pk")[:limit])


def scales_behind() -> list[tuple[str, int]]:
    """Key and table size of the scales with matches that the ledger lacks."""
    rows = Match.objects.filter(state=Match.State.FINISHED, rated=True, rated_at=None)
    return list(rows.values_list("scale", "table_size").distinct().order_by("scale"))


def results(match_ids: Collection[UUID]) -> Mapping[UUID, Result]:
    """The stored results of finished matches, ready to be rated."""
    seats = MatchSeat.objects.filter(match__in=match_ids, version__isnull=False).order_by("match", "index")
    versions: dict[UUID, list[int]] = {}
    for match_id, version in seats.values_list("match_id", "version_id"):
        if version is not None:
            versions.setdefault(match_id, []).append(version)
    places = match_queries.places_by_match(match_ids)
    return {pk: Result(pk, tuple(versions[pk]), places[pk]) for pk in match_ids}


def live(scale: str, bots: Collection[int]) -> Mapping[int, Live]:
    """Bot id -> live Elo on a scale; bots without one are left out."""
    newest = (
        LedgerEntry.objects.filter(scale__key=scale, version__bot=OuterRef("version__bot"))
        .order_by("-number")
        .values("version")[:1]
    )
    rows = Rating.objects.filter(scale__key=scale, version__bot__in=bots, version=Subquery(newest))
    return {row.version.bot_id: Live(row.value, row.games) for row in rows.select_related("version")}


def last_number(scale: str, until: datetime | None = None) -> int:
    """The number of the newest line of a scale's ledger, or of the newest made until then; 0 without one."""
    rows = LedgerEntry.objects.filter(scale__key=scale)
    if until is not None:
        rows = rows.filter(made_at__lte=until)
    return rows.aggregate(last=Max("number"))["last"] or 0


def live_at(scale: str, number: int) -> Mapping[int, float]:
    """Bot id -> what its live Elo on a scale was after line `number`; bots without one are left out.

    Lines are added, never changed, so the answer stays the same for ever.
    """
    rows = LedgerEntry.objects.filter(scale__key=scale, number__lte=number).order_by("version__bot_id", "-number")
    return dict(rows.distinct("version__bot_id").values_list("version__bot_id", "after"))


def moves(scale: str, matches: QuerySet[Match]) -> Mapping[int, Moves]:
    """Bot id -> what these matches did to its live Elo; bots they did not rate are left out."""
    rows = LedgerEntry.objects.filter(scale__key=scale, match__in=matches).order_by("number")
    found: dict[int, Moves] = {}
    for bot, before, after, size in rows.values_list("version__bot", "before", "after", "match__table_size"):
        so_far = found.get(bot, Moves(before, before, 0.0, 0))
        found[bot] = Moves(so_far.before, after, so_far.change + (after - before), so_far.games + size)
    return found


def history(scale: str, bot: int) -> list[Point]:
    """A bot's live Elo on a scale over time, oldest first."""
    rows = LedgerEntry.objects.filter(scale__key=scale, version__bot=bot).order_by("number")
    columns = rows.values_list("number", "made_at", "after", "version__label", "match")
    return [Point(*row) for row in columns]


def scales_of(bots: Collection[int]) -> Mapping[int, Sequence[str]]:
    """Bot id -> keys of the scales on which it has a rating; the one with the most games of all its versions comes first."""
    rated = Rating.objects.filter(version__bot__in=bots).values_list("version__bot", "scale__key").distinct()
    results = LedgerEntry.objects.filter(version__bot__in=bots, kind=LedgerEntry.Kind.RESULT)
    games = {
        (bot, scale): played
        for bot, scale, played in results.values_list("version__bot", "scale__key").annotate(Sum("scale__table_size"))
    }
    found: dict[int, list[str]] = {bot: [] for bot in bots}
    for bot, scale in sorted(rated, key=lambda pair: (-games.get(pair, 0), pair)):
        found[bot].append(scale)
    return found


def lines_of_match(match_id: UUID) -> QuerySet[LedgerEntry]:
    """What a match did to the ratings, in the ledger's order."""
    return LedgerEntry.objects.select_related("version__bot").filter(match=match_id).order_by("number")


def entries(scale: int) -> Iterator[LedgerEntry]:
    """A scale's whole ledger in its order."""
    return LedgerEntry.objects.filter(scale=scale).order_by("number").iterator(chunk_size=2000)
