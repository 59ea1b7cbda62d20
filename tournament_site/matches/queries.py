"""What matches can be asked."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When
from django.db.models.functions import Now

from tournament_site.bots import queries as bots
from tournament_site.matches.bundle import Shuffle
from tournament_site.matches.models import Attempt, Game, GameResult, Match, MatchSeat, Replay
from tournament_site.matches.records import Ordered
from tournament_site.matches.rulebook import UnknownRules, ruleset_named, terms_from
from tournament_site.matches.selection import Candidate

# A match lives on while its referee says so at least this often.
LEASE = timedelta(seconds=settings.SITE.lease_seconds)


@dataclass(frozen=True, slots=True)
class Overdue:
    """A running match whose lease is over.

    Attributes:
        two_leases: whether it has been over for another whole lease.

    """

    match_id: UUID
    attempt: int
    referee: str
    two_leases: bool


def candidates(present: Collection[int], limit: int = 500) -> tuple[Candidate, ...]:
    """Queued matches whose bots are all present, and validated if the match is rated; the first to be played first.

    Args:
        present: ids of the versions that have a session now.
        limit: at most so many.

    """
    plays = Case(When(match__fixed_versions=True, then=F("version_id")), default=F("bot__active_version_id"))
    seats = MatchSeat.objects.annotate(plays=plays)
    ratable = set(bots.ratable(present).values_list("pk", flat=True))
    out = Q(plays=None) | ~Q(plays__in=present) | (Q(match__rated=True) & ~Q(plays__in=ratable))
    absent = seats.filter(out, match=OuterRef("pk"))
    queued = Match.objects.filter(~Exists(absent), state=Match.State.QUEUED, not_before__lte=Now())
    ids = list(queued.order_by("sort_key", "pk").values_list("pk", flat=True)[:limit])
    versions: dict[UUID, list[int]] = defaultdict(list)
    for match_id, version in seats.filter(match__in=ids).order_by("index").values_list("match_id", "plays"):
        versions[match_id].append(version)
    return tuple(Candidate(pk, tuple(versions[pk])) for pk in ids)


def overdue() -> tuple[Overdue, ...]:
    """Running matches whose lease is over."""
    rows = Match.objects.filter(state=Match.State.RUNNING, lease_until__lt=Now()).annotate(
        two=Case(When(lease_until__lt=Now() - LEASE, then=True), default=False)
    )
    return tuple(Overdue(row.pk, row.attempt, row.referee, row.two) for row in rows.order_by("lease_until", "pk"))


def ordered(match_id: UUID) -> Ordered | None:
    """What was ordered of a match's newest attempt; None if there is no such match, or nobody can play its rules."""
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        return None
    shown = Game.objects.filter(attempt__match=match, attempt__number=match.attempt).exclude(commitment=None)
    try:
        return Ordered(
            ruleset=ruleset_named(match.ruleset),
            terms=terms_from(match.terms),
            mirrored=match.mirrored,
            versions=tuple(match.seats.order_by("index").values_list("version_id", flat=True)),
            commitments={pk: bytes(commitment or b"") for pk, commitment in shown.values_list("pk", "commitment")},
        )
    except UnknownRules:
        return None


def running_games() -> int:
    """Games that are being played now."""
    return Game.objects.filter(state=Game.State.RUNNING).count()


def finished_games(matches: QuerySet[Match]) -> QuerySet[Game]:
    """The games that count: those of finished attempts."""
    return Game.objects.filter(attempt__match__in=matches, state=Game.State.FINISHED)


def game_with_results(game_id: UUID) -> Game | None:
    """A game with its attempt, match, results and versions."""
    return (
        Game.objects.select_related("attempt__match")
        .prefetch_related("results__version__bot", "attempt__match__seats__bot")
        .filter(pk=game_id)
        .first()
    )


def shuffle_of(game: Game) -> Shuffle | None:
    """What made the cards of a void game; None if nobody has told, or the game counts."""
    if game.server_seed is None:
        return None
    shares = tuple((bytes.fromhex(commitment), bytes.fromhex(nonce)) for commitment, nonce in game.shares or ())
    return Shuffle(game.pk, bytes(game.server_seed), bytes(game.commitment or b""), shares)


def replay_of(game_id: UUID) -> Replay | None:
    """A finished game's replay."""
    return Replay.objects.filter(pk=game_id).first()


def replay_facts(game_id: UUID) -> Replay | None:
    """The same without its bytes."""
    return Replay.objects.defer("data").filter(pk=game_id).first()


def digests(match_id: UUID, attempt: int) -> Mapping[UUID, str]:
    """Game id -> SHA-256 (hexadecimal) of the stored replays of an attempt."""
    rows = Replay.objects.filter(game__attempt__match=match_id, game__attempt__number=attempt)
    return dict(rows.values_list("pk", "sha256"))


def places_by_match(match_ids: Collection[UUID]) -> Mapping[UUID, Sequence[Mapping[int, int]]]:
    """Match id -> its games by index, each version id -> place."""
    found: dict[UUID, dict[int, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    rows = GameResult.objects.filter(
        game__attempt__match__in=match_ids, game__attempt__state=Attempt.State.FINISHED
    ).order_by("seat")
    for match_id, index, version, place in rows.values_list("game__attempt__match_id", "game__index", "version_id", "place"):
        found[match_id][index][version] = place
    return {pk: [games[index] for index in sorted(games)] for pk, games in found.items()}
