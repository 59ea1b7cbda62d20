"""Taking finished matches home: each once, whole, and only from the attempt that counts."""

import hashlib
import logging
from collections.abc import Sequence

from django.db import transaction
from django.db.models.functions import Now

from tournament_site.matches import queries, services
from tournament_site.matches.bundle import FinishedGame, FinishedMatch, Verdict, index_at, problems
from tournament_site.matches.models import (
    Attempt,
    Game,
    GameResult,
    Match,
    MatchSeat,
    QuarantinedRecord,
    Replay,
)

log = logging.getLogger(__name__)


@transaction.atomic
def record(bundle: FinishedMatch, findings: Sequence[str] = ()) -> Verdict:
    """Store a finished match. Storing it again, in any order, from anywhere, changes nothing.

    Args:
        bundle: what the referee sent.
        findings: what whoever folded the logs again found wrong with them; sentences.

    Returns:
        STORED: it counts now. DUPLICATE: it counted already. STALE: its attempt does not count, nothing is kept.
        CORRUPT: it does not add up; the bytes are kept aside, and if the attempt was running it is void.

    """
    match = Match.objects.select_for_update().filter(pk=bundle.match_id).first()
    if match is None or match.attempt != bundle.attempt:
        return Verdict.STALE
    if match.state == Match.State.FINISHED:
        return _again(bundle)
    if match.state != Match.State.RUNNING:
        return Verdict.STALE
    games = list(Game.objects.filter(attempt__match=match, attempt__number=match.attempt).order_by("index"))
    wrong = (*findings, *problems(bundle, match.table_size, [game.pk for game in games]))
    if wrong:
        _quarantine(bundle, "; ".join(wrong))
        services.spoil(match, "its record does not add up")
        return Verdict.CORRUPT
    _store(match, games, bundle)
    return Verdict.STORED


def _again(bundle: FinishedMatch) -> Verdict:
    stored = queries.digests(bundle.match_id, bundle.attempt)
    if stored == {game.game_id: hashlib.sha256(game.replay).hexdigest() for game in bundle.games}:
        return Verdict.DUPLICATE
    _quarantine(bundle, "another record of this attempt is stored")
    return Verdict.CORRUPT


def _store(match: Match, games: Sequence[Game], bundle: FinishedMatch) -> None:
    versions = list(MatchSeat.objects.filter(match=match).order_by("index").values_list("version_id", flat=True))
    GameResult.objects.bulk_create(
        result for game, finished in zip(games, bundle.games, strict=True) for result in _results(game, finished, versions)
    )
    Replay.objects.bulk_create(
        Replay(
            game=game,
            data=finished.replay,
            sha256=finished.sha256.hex(),
            size=len(finished.replay),
            decisions=finished.decisions,
        )
        for game, finished in zip(games, bundle.games, strict=True)
    )
    Game.objects.filter(pk__in=[game.pk for game in games]).update(state=Game.State.FINISHED)
    Attempt.objects.filter(match=match, number=match.attempt).update(state=Attempt.State.FINISHED, ended_at=Now())
    Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED, lease_until=None, finished_at=Now())


def _results(game: Game, finished: FinishedGame, versions: Sequence[int]) -> list[GameResult]:
    size = len(versions)
    return [
        GameResult(
            game=game,
            seat=seat,
            version_id=versions[index_at(seat, game.index, size)],
            place=finished.places[seat],
            points=finished.points[seat],
            phases=finished.phases[seat],
            faults=finished.faults[seat],
            forfeit=finished.forfeits[seat] or GameResult.Forfeit.NONE,
        )
        for seat in range(size)
    ]


def _quarantine(bundle: FinishedMatch, reason: str) -> None:
    # The reason may show cards: it is kept with the record, not in the log.
    log.error("the record of match %s, attempt %d, is corrupt; it is kept aside", bundle.match_id, bundle.attempt)
    QuarantinedRecord.objects.bulk_create(
        [
            QuarantinedRecord(
                match_id=bundle.match_id,
                attempt=bundle.attempt,
                game_id=game.game_id,
                sha256=hashlib.sha256(game.replay).hexdigest(),
                data=game.replay,
                reason=reason,
            )
            for game in bundle.games
        ],
        ignore_conflicts=True,
    )
