from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from tournament_site.bots.models import Bot
from tournament_site.matches.models import Match


class League(models.Model):
    """Fixes rule set, table size and clock for all its seasons."""

    name = models.CharField(max_length=40, unique=True)
    slug = models.CharField(max_length=50, unique=True)
    table_size = models.PositiveSmallIntegerField()
    ruleset = models.CharField(max_length=60, help_text="Name of a preset.")
    terms = models.JSONField(help_text="Clock, faults, dealer and caps.")
    reopens = models.BooleanField(
        default=False,
        db_default=False,
        help_text="When a season starts, the next one opens: with the same settings, and the house's bots in it.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(table_size__range=(2, 6)), name="league_table_size"),
            models.CheckConstraint(condition=Q(slug__regex=r"^[a-z0-9-]{1,50}$"), name="league_slug_plain"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def scale(self) -> str:
        """Key of the scale its bots are rated on, over seasons."""
        return f"{self.slug}/{self.table_size}"


class Season(models.Model):
    """One numbered edition of a league."""

    class State(models.TextChoices):
        OPEN = "OPEN"
        RUNNING = "RUNNING"
        FINISHED = "FINISHED"

    class StartsWhen(models.TextChoices):
        BY_HAND = "BY_HAND", "an organiser says so"
        FULL = "FULL", "it is full"
        VISITOR = "VISITOR", "a bot that is not the house's has entered"

    league = models.ForeignKey(League, on_delete=models.PROTECT, related_name="seasons")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    starts_when = models.CharField(max_length=8, choices=StartsWhen, default=StartsWhen.BY_HAND)
    cycles = models.PositiveSmallIntegerField(help_text="How often the whole schedule is played.")
    min_bots = models.PositiveSmallIntegerField()
    max_bots = models.PositiveSmallIntegerField()
    lasts_hours = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        verbose_name="hours to play",
        help_text="What has not begun so long after the start is called off. Empty: it lasts until all is played.",
    )
    seed = models.CharField(max_length=64, help_text="Decides who is who in the schedule.")
    opened_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="From then on what has not begun is called off."
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    ledger_number = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        help_text="The last line of its scale's ledger when it ended: live Elo in its table is from there.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["league", "number"], name="season_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="season_number_from_one"),
            models.CheckConstraint(condition=Q(cycles__range=(1, 20)), name="season_cycles"),
            models.CheckConstraint(
                condition=Q(min_bots__gte=2, max_bots__lte=200, min_bots__lte=F("max_bots")), name="season_size"
            ),
            models.CheckConstraint(condition=Q(lasts_hours=None) | Q(lasts_hours__range=(1, 8784)), name="season_hours"),
            models.CheckConstraint(condition=Q(seed__regex=r"^[0-9a-f]{64}$"), name="season_seed"),
            models.CheckConstraint(
                condition=Q(state="OPEN", started_at__isnull=True, finished_at__isnull=True)
                | Q(state="RUNNING", started_at__isnull=False, finished_at__isnull=True)
                | Q(state="FINISHED", started_at__isnull=False, finished_at__isnull=False),
                name="season_state_has_times",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return f"{self.league.name}, season {self.number}"


class Entry(models.Model):
    """A bot takes part in a season."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entries")
    entered_at = models.DateTimeField(db_default=Now(), editable=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["season", "bot"], name="entry_once")]

    def __str__(self) -> str:
        return f"{self.bot} in {self.season}"


class Round(models.Model):
    """A set of disjoint matches: an order and a heading, never a barrier."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["season", "number"], name="round_number_once")]

    def __str__(self) -> str:
        return f"{self.season}, round {self.number}"


class Pairing(models.Model):
    """Which match is which table of a round."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="pairings")
    table_no = models.PositiveSmallIntegerField()
    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="pairing")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "table_no"], name="pairing_table_once")]

    def __str__(self) -> str:
        return f"{self.round}, table {self.table_no}"


class Standing(models.Model):
    """A bot's line in the final table of a season, as it was when the season ended."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="standings")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="standings")
    rank = models.PositiveSmallIntegerField()
    score = models.FloatField()
    games = models.PositiveIntegerField()
    wins = models.PositiveIntegerField()
    live = models.FloatField(null=True, blank=True, help_text="Live Elo at the end.")
    change = models.FloatField(null=True, blank=True, help_text="What its matches did to live Elo.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["season", "bot"], name="standing_once"),
            models.CheckConstraint(condition=Q(rank__gte=1), name="standing_rank_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.bot}"
