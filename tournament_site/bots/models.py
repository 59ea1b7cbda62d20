from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Bot(models.Model):
    """A competitor with an owner. What plays is its active version."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="bots")
    name = models.CharField(max_length=40)
    slug = models.CharField(max_length=50, unique=True)
    active_version = models.OneToOneField(
        "BotVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="active_in"
    )
    max_games = models.PositiveSmallIntegerField(default=16, help_text="Games it may play at once, at most.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(slug__regex=r"^[a-z0-9-]{1,50}$"), name="bot_slug_plain"),
            models.CheckConstraint(condition=~Q(name=""), name="bot_has_name"),
            models.CheckConstraint(condition=Q(max_games__range=(1, 1000)), name="bot_max_games"),
        ]

    def __str__(self) -> str:
        return self.name


class BotVersion(models.Model):
    """What a bot declared on connecting. Ratings belong to versions.

    Before a version plays rated matches it has shown in an unrated one that it can play at all; the house's need not.
    """

    class Validation(models.TextChoices):
        NEEDED = "NEEDED", "to be validated"
        PASSED = "PASSED", "validated"
        FAILED = "FAILED", "failed"
        GRANTED = "GRANTED", "validated by hand"

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="versions")
    label = models.CharField(max_length=40)
    sdk = models.CharField(max_length=40, blank=True)
    language = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    validation = models.CharField(max_length=8, choices=Validation, default=Validation.NEEDED, db_default=Validation.NEEDED)
    # No foreign key: bots know nothing of matches.
    validation_match = models.UUIDField(
        null=True, blank=True, unique=True, help_text="The match that decides on it, or has decided."
    )
    validation_note = models.CharField(max_length=200, blank=True, db_default="", help_text="Why it failed.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(Q(validation="FAILED") & ~Q(validation_note=""))
                | (~Q(validation="FAILED") & Q(validation_note="")),
                name="version_failed_has_note",
            ),
            models.UniqueConstraint(fields=["bot", "label"], name="version_label_once"),
            models.CheckConstraint(
                condition=Q(label__regex=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$"), name="version_label_plain"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot} {self.label}"

    @property
    def may_be_rated(self) -> bool:
        """Whether it may play rated matches."""
        return self.validation in VALIDATED or self.bot.owner.is_house


VALIDATED = frozenset({BotVersion.Validation.PASSED, BotVersion.Validation.GRANTED})


class BotToken(models.Model):
    """Lets a process play as a bot. Only the secret's digest is stored."""

    id = models.CharField(primary_key=True, max_length=12)
    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="bot_token_digest")]

    def __str__(self) -> str:
        return f"{self.id} of {self.bot}"


class Presence(models.Model):
    """A version that was connected to a referee when it was last asked. Losable: the next tick writes it anew."""

    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="presences")
    referee = models.CharField(max_length=40)
    free_games = models.PositiveIntegerField(help_text="Further games it could play there.")
    capacity = models.PositiveIntegerField(default=1, db_default=1, help_text="Games it may play at once.")
    games = models.PositiveIntegerField(default=0, db_default=0, help_text="Games it plays there, or is promised to.")
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "referee"], name="presence_once")]
        indexes = [models.Index(fields=["referee", "seen_at"], name="presence_referee_seen")]

    def __str__(self) -> str:
        return f"{self.version} at {self.referee}"
