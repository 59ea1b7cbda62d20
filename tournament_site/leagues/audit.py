"""The audit: what must never happen, looked for in everything that is stored.

I1  at most one counted result a match
I2  no result lost: matches end FINISHED or VOID, attempts and games agree with them
I3  a result equals the fold of its own replay, and the shuffle the one of its seed and nonces
I4  each counted match is rated once; ledger and ratings are a fold of the results, final tables one of both
"""

from collections import defaultdict
from collections.abc import Iterator

from django.db.models import Count, F, Q

from referee.wire.errors import MalformedMessage
from referee.wire.replay import ReplayRecord, decode_replay, replay_digest
from tournament_site.leagues import rebuild as tables
from tournament_site.matches.models import Attempt, Game, GameResult, Match, Replay
from tournament_site.matches.records import CorruptRecord, check_replay
from tournament_site.ratings import rebuild as ratings
from tournament_site.ratings.models import LedgerEntry, Scale


def problems(*, settled: bool = False) -> Iterator[str]:
    """A sentence for everything that is wrong. `settled` says that all work is done: then nothing may be waiting."""
    yield from _counted_once()
    yield from _states(settled=settled)
    yield from _replays()
    yield from _ledger(settled=settled)
    yield from _tables()


def _counted_once() -> Iterator[str]:
    counted = Match.objects.annotate(counted=Count("attempts", filter=Q(attempts__state=Attempt.State.FINISHED)))
    for match in counted.exclude(state=Match.State.FINISHED).filter(counted__gt=0):
        yield f"I1: match {match.pk} is {match.state} but has a finished attempt"
    for match in counted.filter(state=Match.State.FINISHED).exclude(counted=1):
        yield f"I1: match {match.pk} is finished by {match.counted} attempts"
    finished = Attempt.objects.filter(state=Attempt.State.FINISHED)
    for attempt in finished.exclude(number=F("match__attempt")).select_related("match"):
        yield f"I1: match {attempt.match_id} counts attempt {attempt.number}, its newest is {attempt.match.attempt}"
    games = finished.annotate(n=Count("games", filter=Q(games__state=Game.State.FINISHED)))
    for attempt in games.exclude(n=F("match__table_size")):
        yield f"I1: match {attempt.match_id} has {attempt.n} finished games"
    stray = Game.objects.filter(state=Game.State.FINISHED).exclude(attempt__state=Attempt.State.FINISHED)
    for game in stray:
        yield f"I1: game {game.pk} counts, its attempt does not"


def _states(*, settled: bool) -> Iterator[str]:
    for attempt in Attempt.objects.filter(state=Attempt.State.RUNNING).exclude(match__state=Match.State.RUNNING):
        yield f"I2: attempt {attempt.number} of match {attempt.match_id} runs, the match does not"
    for match in Match.objects.filter(state=Match.State.RUNNING).exclude(attempts__state=Attempt.State.RUNNING):
        yield f"I2: match {match.pk} runs without an attempt"
    if not settled:
        return
    for match in Match.objects.filter(state__in=(Match.State.QUEUED, Match.State.RUNNING)):
        yield f"I2: match {match.pk} is still {match.state}"
    for game in Game.objects.filter(state=Game.State.RUNNING):
        yield f"I2: game {game.pk} still runs"


def _replays() -> Iterator[str]:
    for game in Game.objects.filter(state=Game.State.FINISHED, replay=None):
        yield f"I3: game {game.pk} is finished without a replay"
    rows: dict[object, list[GameResult]] = defaultdict(list)
    for row in GameResult.objects.order_by("game", "seat"):
        rows[row.game_id].append(row)
    for replay in Replay.objects.select_related("game__attempt").iterator(chunk_size=50):
        data = bytes(replay.data)
        if replay_digest(data).hex() != replay.sha256:
            yield f"I3: the replay of game {replay.pk} has another digest"
            continue
        try:
            record = decode_replay(data)
            check_replay(record)
        except (MalformedMessage, CorruptRecord) as error:
            yield f"I3: the replay of game {replay.pk}: {error}"
            continue
        yield from _compare(replay.game, record, rows[replay.pk])


def _compare(game: Game, record: ReplayRecord, rows: list[GameResult]) -> Iterator[str]:
    attempt = game.attempt
    said = (record.match_id, record.attempt, record.game_id, record.game_index)
    if said != (attempt.match_id, attempt.number, game.pk, game.index):
        yield f"I3: the replay of game {game.pk} is of another game"
    result = record.result
    forfeits = ["" if cause is None else cause.name for cause in result.forfeits]
    folded = list(zip(result.places, result.totals, result.completed, result.faults, forfeits, strict=True))
    if folded != [(row.place, row.points, row.phases, row.faults, row.forfeit) for row in rows]:
        yield f"I3: game {game.pk} is stored with another result than its replay has"
    if [seat.version_id for seat in record.seats] != [row.version_id for row in rows]:
        yield f"I3: game {game.pk} is stored with other versions than its replay has"
    if game.commitment is not None and bytes(game.commitment) != record.commitment:
        yield f"I3: game {game.pk} was shown with another commitment than its replay has"


def _ledger(*, settled: bool) -> Iterator[str]:
    for scale in Scale.objects.all():
        numbers = list(LedgerEntry.objects.filter(scale=scale).order_by("number").values_list("number", flat=True))
        if numbers != list(range(1, scale.last_number + 1)):
            yield f"I4: the ledger of {scale.key} has gaps"
    rated = Match.objects.annotate(n=Count("entries"))
    for match in rated.filter(rated_at__isnull=False).exclude(n=F("table_size")):
        yield f"I4: match {match.pk} has {match.n} lines in the ledger"
    for match in rated.filter(rated_at=None, n__gt=0):
        yield f"I4: match {match.pk} is in the ledger but not marked as rated"
    for match in rated.filter(n__gt=0).exclude(state=Match.State.FINISHED, rated=True):
        yield f"I4: match {match.pk} is in the ledger but does not count"
    if settled:
        for waiting in Match.objects.filter(state=Match.State.FINISHED, rated=True, rated_at=None):
            yield f"I4: match {waiting.pk} is not rated"
    for difference in ratings.rebuild(write=False):
        yield (
            f"I4: {difference.scale} line {difference.number}, version {difference.version}: "
            f"{difference.stored} is stored, {difference.recomputed} is right"
        )


def _tables() -> Iterator[str]:
    for found in tables.rebuild(write=False):
        yield f"I4: {found.season}, {found.bot}, {found.field}: {found.stored} is stored, {found.recomputed} is right"
