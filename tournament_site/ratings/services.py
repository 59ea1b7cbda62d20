"""What changes ratings: results go into the ledger, once and in order."""

from django.db import transaction
from django.db.models.functions import Now

from tournament_site.bots.models import BotVersion
from tournament_site.matches.models import Match
from tournament_site.ratings import ledger, queries
from tournament_site.ratings.ledger import Standing
from tournament_site.ratings.models import LedgerEntry, Rating, Scale

BATCH = 200


def ensure_scale(key: str, table_size: int) -> Scale:
    """The scale with this key, made if there is none."""
    return Scale.objects.get_or_create(key=key, defaults={"table_size": table_size})[0]


def apply() -> int:
    """Put every finished rated match into the ledger that it lacks, in the order in which they were finished.

    Running it twice, or twice at once, puts nothing in twice.

    Returns:
        How many matches were put in.

    """
    done = 0
    for key, table_size in queries.scales_behind():
        ensure_scale(key, table_size)
        while batch := _apply_batch(key):
            done += batch
    return done


@transaction.atomic
def _apply_batch(key: str) -> int:
    scale = Scale.objects.select_for_update().get(key=key)
    matches = queries.unrated(key, BATCH)  # read under the lock: nobody else can put them in now
    results = queries.results([match.pk for match in matches])
    book = _Book(scale)
    for match in matches:
        book.add(results[match.pk])
    book.close()
    Match.objects.filter(pk__in=[match.pk for match in matches]).update(rated_at=Now())
    return len(matches)


class _Book:
    """A scale's ledger, open for writing; its row is locked."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        self.standings: dict[int, Standing] = {}
        self.entries: list[LedgerEntry] = []

    def add(self, result: ledger.Result) -> None:
        for version in result.versions:
            if version not in self.standings:
                self._open(version)
        size = len(result.places)
        for line in ledger.lines(result, self.standings):
            self._write(
                LedgerEntry(
                    kind=LedgerEntry.Kind.RESULT,
                    version_id=line.version,
                    match_id=result.match_id,
                    before=line.before,
                    after=line.after,
                    games=line.games,
                    k=line.k,
                ),
                ledger.moved(line, size),
            )

    def _open(self, version: int) -> None:
        """Find out where a version stands: its rating, or what it takes over from its bot's last one, or the start."""
        row = Rating.objects.filter(scale=self.scale, version=version).first()
        if row is not None:
            self.standings[version] = Standing(row.value, row.games)
            return
        old = self._last_version(version)
        if old is None:
            self.standings[version] = ledger.NEW
            return
        begins = ledger.carried(self.standings[old])
        self._write(
            LedgerEntry(
                kind=LedgerEntry.Kind.CARRY,
                version_id=version,
                carried_from_id=old,
                before=begins.value,
                after=begins.value,
                games=begins.games,
                k=0.0,
            ),
            begins,
        )

    def _last_version(self, version: int) -> int | None:
        """The version of the same bot that the ledger speaks of last, with its standing at hand."""
        siblings = set(BotVersion.objects.filter(bot__versions=version).exclude(pk=version).values_list("pk", flat=True))
        for entry in reversed(self.entries):
            if entry.version_id in siblings:
                return entry.version_id
        row = LedgerEntry.objects.filter(scale=self.scale, version__in=siblings).order_by("-number").first()
        if row is None:
            return None
        if row.version_id not in self.standings:
            rating = Rating.objects.get(scale=self.scale, version=row.version_id)
            self.standings[row.version_id] = Standing(rating.value, rating.games)
        return row.version_id

    def _write(self, entry: LedgerEntry, standing: Standing) -> None:
        self.scale.last_number += 1
        entry.scale = self.scale
        entry.number = self.scale.last_number
        self.entries.append(entry)
        self.standings[entry.version_id] = standing

    def close(self) -> None:
        LedgerEntry.objects.bulk_create(self.entries, batch_size=1000)
        touched = {entry.version_id for entry in self.entries}
        Rating.objects.bulk_create(
            [
                Rating(scale=self.scale, version_id=version, value=standing.value, games=standing.games)
                for version, standing in self.standings.items()
                if version in touched
            ],
            update_conflicts=True,
            unique_fields=["version", "scale"],
            update_fields=["value", "games"],
        )
        self.scale.save(update_fields=["last_number"])
