import uuid

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from tournament_site.bots.models import Bot, BotVersion

# After so many voided attempts nobody tries again: a person looks.
MAX_COUNTED = 3


class Match(models.Model):
    """k games between the same k bots: the atom of scheduling, failing and rating. It knows no league."""

    class State(models.TextChoices):
        QUEUED = "QUEUED"
        RUNNING = "RUNNING"
        FINISHED = "FINISHED"
        VOID = "VOID"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    scale = models.CharField(max_length=80, help_text="Key of the rating scale it counts for.")
    sort_key = models.BigIntegerField(default=0, help_text="Lower is played earlier.")
    rated = models.BooleanField()
    mirrored = models.BooleanField(default=False, help_text="All its games share their decks.")
    fixed_versions = models.BooleanField(
        default=False, help_text="Its seats' versions are given; otherwise each bot plays its active one."
    )
    table_size = models.PositiveSmallIntegerField()
    ruleset = models.CharField(max_length=60)
    terms = models.JSONField()
    attempt = models.PositiveIntegerField(default=0, help_text="Number of the newest attempt, and the fence.")
    attempts_counted = models.PositiveSmallIntegerField(default=0, help_text="Attempts that we spoilt.")
    lease_until = models.DateTimeField(null=True, blank=True)
    referee = models.CharField(max_length=40, blank=True)
    queued_at = models.DateTimeField(db_default=Now(), editable=False)
    not_before = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    rated_at = models.DateTimeField(null=True, blank=True, help_text="When the ledger took it.")
    void_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name_plural = "matches"
        constraints = [
            models.CheckConstraint(condition=Q(table_size__range=(2, 6)), name="match_table_size"),
            models.CheckConstraint(condition=Q(attempts_counted__lte=MAX_COUNTED), name="match_attempts_counted"),
            models.CheckConstraint(
                condition=(
                    Q(state="RUNNING", lease_until__isnull=False, started_at__isnull=False, attempt__gte=1) & ~Q(referee="")
                )
                | (~Q(state="RUNNING") & Q(lease_until__isnull=True)),
                name="match_running_has_lease",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("FINISHED", "VOID"), finished_at__isnull=False)
                | Q(state__in=("QUEUED", "RUNNING"), finished_at__isnull=True),
                name="match_over_has_time",
            ),
            models.CheckConstraint(
                condition=(Q(state="VOID") & ~Q(void_reason="")) | (~Q(state="VOID") & Q(void_reason="")),
                name="match_void_has_reason",
            ),
            models.CheckConstraint(condition=Q(rated=False) | Q(mirrored=False), name="match_mirrored_unrated"),
            models.CheckConstraint(
                condition=Q(rated_at__isnull=True) | Q(state="FINISHED", rated=True), name="match_rated_when_finished"
            ),
        ]
        indexes = [
            models.Index(fields=["sort_key", "id"], name="match_queue", condition=Q(state="QUEUED")),
            models.Index(fields=["lease_until"], name="match_leases", condition=Q(state="RUNNING")),
            models.Index(
                fields=["scale", "finished_at", "id"],
                name="match_unrated",
                condition=Q(state="FINISHED", rated=True, rated_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class MatchSeat(models.Model):
    """Bot number `index` of a match. In game r it sits at (index + r) mod k."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="seats")
    version = models.ForeignKey(
        BotVersion,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="seats",
        help_text="Who plays or played; set when the match is claimed.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="match_seat_once"),
            models.UniqueConstraint(fields=["match", "version"], name="match_version_once"),
            models.CheckConstraint(condition=Q(index__lte=5), name="match_seat_index"),
        ]

    def __str__(self) -> str:
        return f"{self.bot} at {self.index}"


class Attempt(models.Model):
    """One try at a match. At most one counts."""

    class State(models.TextChoices):
        RUNNING = "RUNNING"
        FINISHED = "FINISHED"
        VOID = "VOID"
        REFUSED = "REFUSED"

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.RUNNING)
    reason = models.CharField(max_length=200, blank=True)
    referee = models.CharField(max_length=40)
    started_at = models.DateTimeField(db_default=Now(), editable=False)
    confirmed_at = models.DateTimeField(null=True, blank=True, help_text="When the referee said it plays it.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="attempt_number_once"),
            models.UniqueConstraint(fields=["match"], condition=Q(state="RUNNING"), name="attempt_one_running"),
            models.UniqueConstraint(fields=["match"], condition=Q(state="FINISHED"), name="attempt_one_counts"),
            models.CheckConstraint(condition=Q(number__gte=1), name="attempt_number_from_one"),
            models.CheckConstraint(
                condition=Q(state="RUNNING", ended_at__isnull=True) | (~Q(state="RUNNING") & Q(ended_at__isnull=False)),
                name="attempt_over_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} #{self.number}"


class Game(models.Model):
    """Game number `index` of an attempt."""

    class State(models.TextChoices):
        RUNNING = "RUNNING"
        FINISHED = "FINISHED"
        VOID = "VOID"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="games")
    index = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.RUNNING)
    commitment = models.BinaryField(null=True, help_text="The referee's commitment to its seed, 64 bytes.")
    # A finished game has these in its replay.
    server_seed = models.BinaryField(null=True, help_text="The referee's seed of a void game, 64 bytes.")
    shares = models.JSONField(
        null=True, blank=True, help_text="Commitment and nonce of each seat of a void game, in hexadecimal."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "index"], name="game_index_once"),
            models.CheckConstraint(condition=Q(index__lte=5), name="game_index"),
            models.CheckConstraint(
                condition=Q(server_seed__isnull=True, shares__isnull=True) | Q(state="VOID"), name="game_seed_when_void"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class GameResult(models.Model):
    """How a finished game ended for one seat."""

    class Forfeit(models.TextChoices):
        NONE = ""
        FAULTS = "FAULTS"
        CLOCK = "CLOCK"
        RESIGNED = "RESIGNED"
        NO_SHOW = "NO_SHOW"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="results")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="results")
    place = models.PositiveSmallIntegerField(help_text="1 = best; ties share.")
    points = models.PositiveIntegerField(help_text="Penalty points.")
    phases = models.PositiveSmallIntegerField(help_text="Phases completed.")
    faults = models.PositiveSmallIntegerField()
    forfeit = models.CharField(max_length=8, choices=Forfeit, default=Forfeit.NONE, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "seat"], name="result_seat_once"),
            models.UniqueConstraint(fields=["game", "version"], name="result_version_once"),
            models.CheckConstraint(condition=Q(place__range=(1, 6)), name="result_place"),
            models.CheckConstraint(condition=Q(phases__lte=10), name="result_phases"),
            models.CheckConstraint(condition=Q(seat__lte=5), name="result_seat"),
        ]

    def __str__(self) -> str:
        return f"{self.game_id} seat {self.seat}: {self.place}"


class Replay(models.Model):
    """The bytes a referee wrote once. Nobody writes them again; their SHA-256 names them."""

    game = models.OneToOneField(Game, on_delete=models.CASCADE, primary_key=True, related_name="replay")
    data = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    decisions = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="replay_sha256"),
            models.CheckConstraint(condition=Q(size__gte=1), name="replay_not_empty"),
        ]

    def __str__(self) -> str:
        return f"replay of {self.game_id}"


class QuarantinedRecord(models.Model):
    """Bytes of a record that does not add up, for a person to look at."""

    match_id = models.UUIDField()
    attempt = models.PositiveIntegerField()
    game_id = models.UUIDField()
    sha256 = models.CharField(max_length=64, help_text="Of the bytes as they came.")
    data = models.BinaryField()
    reason = models.TextField()
    received_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(F("match_id"), F("attempt"), F("game_id"), F("sha256"), name="quarantined_once")
        ]

    def __str__(self) -> str:
        return f"{self.match_id} #{self.attempt}"
