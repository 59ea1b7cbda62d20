from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from tournament_site.bots.models import BotVersion
from tournament_site.matches.models import Match


class Scale(models.Model):
    """What ratings are comparable on: one league at one table size, over its seasons.

    Its row is the lock of the ledger: numbers are given while it is held, so they have no gaps.
    """

    key = models.CharField(max_length=80, unique=True)
    table_size = models.PositiveSmallIntegerField()
    last_number = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(table_size__range=(2, 6)), name="scale_table_size")]

    def __str__(self) -> str:
        return self.key


class Rating(models.Model):
    """A version's live Elo: the newest line of the ledger, kept handy."""

    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="ratings")
    scale = models.ForeignKey(Scale, on_delete=models.PROTECT, related_name="ratings")
    value = models.FloatField()
    games = models.PositiveIntegerField(help_text="Games that its K is made of.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "scale"], name="rating_once")]
        indexes = [models.Index(fields=["scale", "-value"], name="rating_order")]

    def __str__(self) -> str:
        return f"{self.version}: {self.value:.0f}"


class LedgerEntry(models.Model):
    """One line of a scale's history. Lines are added, never changed: anybody can recompute them in their order."""

    class Kind(models.TextChoices):
        RESULT = "RESULT"
        CARRY = "CARRY"

    scale = models.ForeignKey(Scale, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveBigIntegerField(help_text="1, 2, 3 ... within the scale.")
    kind = models.CharField(max_length=6, choices=Kind)
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="entries")
    match = models.ForeignKey(Match, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    carried_from = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="carried_entries"
    )
    before = models.FloatField()
    after = models.FloatField()
    games = models.PositiveIntegerField(help_text="RESULT: games before the match. CARRY: games it begins with.")
    k = models.FloatField(help_text="RESULT: the K it was played with. CARRY: 0.")
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name_plural = "ledger entries"
        constraints = [
            models.UniqueConstraint(fields=["scale", "number"], name="ledger_number_once"),
            models.UniqueConstraint(fields=["match", "version"], name="ledger_match_version_once"),
            models.UniqueConstraint(fields=["scale", "version"], condition=Q(kind="CARRY"), name="ledger_carry_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="ledger_number_from_one"),
            models.CheckConstraint(
                condition=Q(kind="RESULT", match__isnull=False, carried_from__isnull=True)
                | Q(kind="CARRY", match__isnull=True, carried_from__isnull=False, before=F("after")),
                name="ledger_kind",
            ),
        ]
        indexes = [models.Index(fields=["version", "scale", "number"], name="ledger_history")]

    def __str__(self) -> str:
        return f"{self.scale} {self.number}"
