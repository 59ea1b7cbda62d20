"""Recomputing the ledger from the stored results: every line has to come out the same to the last bit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.db import transaction

from tournament_site.ratings import ledger, queries
from tournament_site.ratings.ledger import Line, Standing
from tournament_site.ratings.models import LedgerEntry, Rating, Scale


@dataclass(frozen=True, slots=True)
class Difference:
    """A line of the ledger, or a rating (number 0), that is not what the results say."""

    scale: str
    number: int
    version: int
    stored: float
    recomputed: float


@transaction.atomic
def rebuild(*, write: bool) -> tuple[Difference, ...]:
    """Recompute all ledgers in their order from the stored results.

    Args:
        write: also store what came out, where it differs.

    Returns:
        Every difference found.

    """
    found: list[Difference] = []
    for scale in Scale.objects.select_for_update().order_by("pk"):
        standings: dict[int, Standing] = {}
        changed = [entry for entry in _recomputed(scale, standings, found) if write]
        LedgerEntry.objects.bulk_update(changed, ["before", "after", "games", "k"], batch_size=500)
        _compare_ratings(scale, standings, found, write=write)
    return tuple(found)


def _recomputed(scale: Scale, standings: dict[int, Standing], found: list[Difference]) -> Iterable[LedgerEntry]:
    """Fold a ledger into `standings`; yields the lines that differ, put right, and notes them in `found`."""
    for match_id, group in groupby(queries.entries(scale.pk), key=_match_of):
        entries = list(group)
        lines, size = _carries(entries, standings) if match_id is None else _match_lines(match_id, standings)
        for entry in entries:
            line = lines[entry.version_id]
            standings[line.version] = ledger.moved(line, size)
            if (entry.before, entry.after, entry.games, entry.k) == (line.before, line.after, line.games, line.k):
                continue
            found.append(Difference(scale.key, entry.number, entry.version_id, entry.after, line.after))
            entry.before, entry.after, entry.games, entry.k = line.before, line.after, line.games, line.k
            yield entry


def _match_of(entry: LedgerEntry) -> UUID | None:
    return entry.match_id


def _match_lines(match_id: UUID, standings: Mapping[int, Standing]) -> tuple[dict[int, Line], int]:
    result = queries.results([match_id])[match_id]
    known = {version: standings.get(version, ledger.NEW) for version in result.versions}
    return {line.version: line for line in ledger.lines(result, known)}, len(result.places)


def _carries(entries: list[LedgerEntry], standings: Mapping[int, Standing]) -> tuple[dict[int, Line], int]:
    lines = {}
    for entry in entries:
        old = standings[entry.carried_from_id] if entry.carried_from_id is not None else ledger.NEW
        begins = ledger.carried(old)
        lines[entry.version_id] = Line(entry.version_id, begins.value, begins.value, begins.games, 0.0)
    return lines, 0


def _compare_ratings(scale: Scale, standings: Mapping[int, Standing], found: list[Difference], *, write: bool) -> None:
    stored = {row.version_id: row for row in Rating.objects.filter(scale=scale)}
    for version, standing in standings.items():
        row = stored.get(version)
        if row is not None and (row.value, row.games) == (standing.value, standing.games):
            continue
        found.append(Difference(scale.key, 0, version, row.value if row else 0.0, standing.value))
        if write:
            Rating.objects.update_or_create(
                scale=scale, version_id=version, defaults={"value": standing.value, "games": standing.games}
            )
