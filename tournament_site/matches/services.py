"""What changes matches until their record comes home; recording.py takes over there.

Every change of a running match is fenced: it names the attempt it speaks of, and if that is not the running one
nothing happens.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from tournament_site.bots.models import BotVersion
from tournament_site.matches.bundle import Shuffle
from tournament_site.matches.models import MAX_COUNTED, Attempt, Game, Match, MatchSeat
from tournament_site.matches.queries import LEASE
from tournament_site.matches.selection import Assignment

# A refused match is not tried again at once: whoever was absent needs a moment to come back.
PUT_BACK_FOR = timedelta(seconds=2)
COMMITMENT_BYTES = 64
SEED_BYTES = 64


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match to be queued.

    Attributes:
        bots: ids of the bots, by index.
        versions: ids of the versions, by index, if they are given; otherwise each bot plays its active one.
        terms: clock, faults, dealer and caps as plain data.

    """

    match_id: UUID
    bots: tuple[int, ...]
    scale: str
    sort_key: int
    rated: bool
    ruleset: str
    terms: Mapping[str, Any] = field(hash=False)
    versions: tuple[int, ...] | None = None
    mirrored: bool = False


@dataclass(frozen=True, slots=True)
class ClaimedSeat:
    """Who plays: for the referee, slug, name and label."""

    bot: str
    bot_name: str
    version: str
    version_id: int


@dataclass(frozen=True, slots=True)
class Claimed:
    """Everything a referee has to be told of a match.

    Attributes:
        attempt: the number of this attempt, and the fence.
        seats: the bots, by index; in game r bot i sits at (i + r) mod k.
        games: ids of the games, by index.

    """

    match_id: UUID
    attempt: int
    referee: str
    seats: tuple[ClaimedSeat, ...]
    games: tuple[UUID, ...]
    ruleset: str
    terms: Mapping[str, Any] = field(hash=False)
    mirrored: bool


@transaction.atomic
def create_matches(wishes: Sequence[NewMatch]) -> None:
    """Queue matches, all or none."""
    Match.objects.bulk_create(
        [
            Match(
                pk=wish.match_id,
                scale=wish.scale,
                sort_key=wish.sort_key,
                rated=wish.rated,
                mirrored=wish.mirrored,
                fixed_versions=wish.versions is not None,
                table_size=len(wish.bots),
                ruleset=wish.ruleset,
                terms=dict(wish.terms),
            )
            for wish in wishes
        ],
        batch_size=1000,
    )
    MatchSeat.objects.bulk_create(
        [
            MatchSeat(
                match_id=wish.match_id,
                index=index,
                bot_id=bot,
                version_id=None if wish.versions is None else wish.versions[index],
            )
            for wish in wishes
            for index, bot in enumerate(wish.bots)
        ],
        batch_size=1000,
    )


@transaction.atomic
def claim(assignments: Iterable[Assignment]) -> tuple[Claimed, ...]:
    """Take queued matches for their referees: state, attempt, lease, games, all at once.

    Matches that somebody else is taking, that are not queued any more, of which a bot has no version, or a rated one
    has a bot that was not validated, are left out. The order is that of the match ids.
    """
    referees = {item.match_id: item.referee for item in assignments}
    rows = list(
        Match.objects.select_for_update(skip_locked=True)
        .filter(pk__in=referees, state=Match.State.QUEUED, not_before__lte=Now())
        .order_by("pk")
    )
    seats = _seats_now(rows)
    rows = [row for row in rows if _can_play(row, seats[row.pk])]
    claimed = [
        Claimed(
            match_id=row.pk,
            attempt=row.attempt + 1,
            referee=referees[row.pk],
            seats=tuple(_claimed_seat(version) for version in seats[row.pk] if version is not None),
            games=(),
            ruleset=row.ruleset,
            terms=row.terms,
            mirrored=row.mirrored,
        )
        for row in rows
    ]
    games = _open_attempts(claimed)
    return tuple(_with_games(item, games[item.match_id]) for item in claimed)


def _can_play(row: Match, versions: Sequence[BotVersion | None]) -> bool:
    return all(version is not None and (version.may_be_rated or not row.rated) for version in versions)


def _seats_now(rows: Sequence[Match]) -> dict[UUID, list[BotVersion | None]]:
    """The versions that play, by index; seats that follow their bot are moved to its active version."""
    fixed = {row.pk: row.fixed_versions for row in rows}
    found: dict[UUID, list[BotVersion | None]] = defaultdict(list)
    moved: list[MatchSeat] = []
    seats = MatchSeat.objects.filter(match__in=fixed).select_related(
        "bot__active_version__bot__owner", "version__bot__owner"
    )
    for seat in seats.order_by("match", "index"):
        version = seat.version if fixed[seat.match_id] else seat.bot.active_version
        found[seat.match_id].append(version)
        if version is not None and seat.version_id != version.pk:
            seat.version = version
            moved.append(seat)
    MatchSeat.objects.bulk_update(moved, ["version"], batch_size=500)
    return found


def _claimed_seat(version: BotVersion) -> ClaimedSeat:
    return ClaimedSeat(version.bot.slug, version.bot.name, version.label, version.pk)


def _open_attempts(claimed: Sequence[Claimed]) -> dict[UUID, tuple[UUID, ...]]:
    by_referee: dict[str, list[UUID]] = defaultdict(list)
    for item in claimed:
        by_referee[item.referee].append(item.match_id)
    for referee, ids in by_referee.items():
        Match.objects.filter(pk__in=ids).update(
            state=Match.State.RUNNING,
            attempt=F("attempt") + 1,
            referee=referee,
            lease_until=Now() + LEASE,
            started_at=Now(),
        )
    attempts = Attempt.objects.bulk_create(
        [Attempt(match_id=item.match_id, number=item.attempt, referee=item.referee) for item in claimed]
    )
    games = Game.objects.bulk_create(
        [
            Game(attempt=attempt, index=index)
            for attempt, item in zip(attempts, claimed, strict=True)
            for index in range(len(item.seats))
        ]
    )
    found: dict[UUID, list[UUID]] = defaultdict(list)
    for game in games:
        found[game.attempt.match_id].append(game.pk)
    return {match_id: tuple(ids) for match_id, ids in found.items()}


def _with_games(item: Claimed, games: tuple[UUID, ...]) -> Claimed:
    return Claimed(
        match_id=item.match_id,
        attempt=item.attempt,
        referee=item.referee,
        seats=item.seats,
        games=games,
        ruleset=item.ruleset,
        terms=item.terms,
        mirrored=item.mirrored,
    )


@transaction.atomic
def renew(reported: Iterable[tuple[UUID, int]]) -> frozenset[tuple[UUID, int]]:
    """Prolong the leases of the attempts a referee says it plays, on starting them and every few seconds.

    From now on, losing one of these attempts counts.

    Returns:
        Those that do not count any more, or never did: the referee should call them off.

    """
    said = frozenset(reported)
    locked = (
        Match.objects.select_for_update()
        .filter(pk__in={match_id for match_id, _ in said}, state=Match.State.RUNNING)
        .order_by("pk")  # everybody locks in this order, so nobody waits in a circle
        .values_list("pk", "attempt")
    )
    alive = frozenset(locked) & said
    Match.objects.filter(pk__in={match_id for match_id, _ in alive}).update(lease_until=Now() + LEASE)
    Attempt.objects.filter(
        match__in={match_id for match_id, _ in alive}, state=Attempt.State.RUNNING, confirmed_at=None
    ).update(confirmed_at=Now())
    return said - alive


def confirm(started: Iterable[tuple[UUID, int]]) -> None:
    """Referees said that they play these attempts now: from here on, losing one counts."""
    renew(started)


@transaction.atomic
def put_back(match_id: UUID, attempt: int, reason: str) -> bool:
    """An attempt that never began: the match waits again, and nothing is counted. False if it is not running."""
    row = _running(match_id, attempt)
    if row is None:
        return False
    _forget_games(row)
    _wait_again(row, Attempt.State.REFUSED, reason)
    return True


@transaction.atomic
def refuse_for_good(match_id: UUID, attempt: int, reason: str) -> bool:
    """An order that makes no sense and never will: the match is void, a person looks. False if it is not running."""
    row = _running(match_id, attempt)
    if row is None:
        return False
    _forget_games(row)
    _end_attempt(row, Attempt.State.REFUSED, reason)
    _void(row, row.attempts_counted, reason)
    return True


@transaction.atomic
def void_attempt(match_id: UUID, attempt: int, reason: str) -> bool:
    """An attempt that we spoilt. The third one voids the match. False if it is not running."""
    row = _running(match_id, attempt)
    if row is None:
        return False
    spoil(row, reason)
    return True


@transaction.atomic
def call_off(match_id: UUID, attempt: int, reason: str) -> bool:
    """An attempt that was stopped on purpose: the match waits again, and nothing is counted. False if not running."""
    row = _running(match_id, attempt)
    if row is None:
        return False
    _wait_again(row, Attempt.State.VOID, reason)
    return True


@transaction.atomic
def lose(match_id: UUID, attempt: int, reason: str) -> bool:
    """An attempt no referee knows of: spoilt if a referee ever said it plays it, else put back. False if not running.

    Its games stay, for a referee whose answer was lost may have begun them, and show their seeds one day.
    """
    row = _running(match_id, attempt)
    if row is None:
        return False
    if Attempt.objects.filter(match=row, number=attempt, confirmed_at=None).exists():
        _wait_again(row, Attempt.State.REFUSED, reason)
    else:
        spoil(row, reason)
    return True


def _wait_again(row: Match, ended: Attempt.State, reason: str) -> None:
    """End a running, locked match's attempt, count nothing, and queue the match."""
    _end_attempt(row, ended, reason)
    _queue(row, row.attempts_counted)


def spoil(row: Match, reason: str) -> None:
    """Count a running, locked match's attempt as spoilt by us."""
    _end_attempt(row, Attempt.State.VOID, reason)
    counted = row.attempts_counted + 1
    if counted < MAX_COUNTED:
        _queue(row, counted)
        return
    _void(row, counted, f"{counted} attempts failed: {reason}")


def _running(match_id: UUID, attempt: int) -> Match | None:
    rows = Match.objects.select_for_update().filter(pk=match_id, attempt=attempt, state=Match.State.RUNNING)
    return rows.first()


def _end_attempt(row: Match, state: Attempt.State, reason: str) -> None:
    attempts = Attempt.objects.filter(match=row, number=row.attempt)
    attempts.update(state=state, reason=reason[:200], ended_at=Now())
    Game.objects.filter(attempt__in=attempts).update(state=Game.State.VOID)


def _forget_games(row: Match) -> None:
    """The referee said that nobody ever sat down to the games of this attempt."""
    Game.objects.filter(attempt__match=row, attempt__number=row.attempt, commitment=None).delete()


def _void(row: Match, counted: int, reason: str) -> None:
    Match.objects.filter(pk=row.pk).update(
        state=Match.State.VOID,
        attempts_counted=counted,
        lease_until=None,
        finished_at=Now(),
        void_reason=reason[:200] or "no reason given",
    )


def _queue(row: Match, counted: int) -> None:
    Match.objects.filter(pk=row.pk).update(
        state=Match.State.QUEUED,
        attempts_counted=counted,
        referee="",
        lease_until=None,
        started_at=None,
        not_before=Now() + PUT_BACK_FOR,
    )


@transaction.atomic
def void_queued(match_ids: Collection[UUID], reason: str) -> int:
    """Call off those of the matches that have not begun. Returns how many."""
    ids = list(
        Match.objects.select_for_update()
        .filter(pk__in=match_ids, state=Match.State.QUEUED)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    return Match.objects.filter(pk__in=ids).update(state=Match.State.VOID, finished_at=Now(), void_reason=reason[:200])


def reveal(shuffles: Iterable[Shuffle]) -> None:
    """Show what made the cards of void games. What was shown first stays; of a game that still counts nothing is shown."""
    for shuffle in shuffles:
        if len(shuffle.commitment) != COMMITMENT_BYTES or len(shuffle.seed) != SEED_BYTES:
            continue
        void = Game.objects.filter(pk=shuffle.game_id, state=Game.State.VOID)
        void.filter(commitment=None).update(commitment=shuffle.commitment)
        shares = [[commitment.hex(), nonce.hex()] for commitment, nonce in shuffle.shares]
        void.filter(server_seed=None).update(server_seed=shuffle.seed, shares=shares)


def open_games(commitments: Mapping[UUID, bytes]) -> None:
    """Show referees' commitments. The first one of a game stays; those of another length are left out."""
    for game_id, commitment in commitments.items():
        if len(commitment) == COMMITMENT_BYTES:
            Game.objects.filter(pk=game_id, commitment=None).update(commitment=commitment)
