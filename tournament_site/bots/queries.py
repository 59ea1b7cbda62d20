"""What bots can be asked."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from tournament_site.accounts.models import User
from tournament_site.bots.models import VALIDATED, Bot, BotToken, BotVersion, Presence
from tournament_site.common import tokens

# Three ticks: after that a referee's list says nothing any more.
PRESENCE_LASTS = timedelta(seconds=10)


def token_of(text: str) -> BotToken | None:
    """The valid bot token with this text, with its bot; None if there is no such."""
    token = tokens.read(tokens.BOT, text)
    if token is None:
        return None
    row = (
        BotToken.objects.select_related("bot__owner")
        .filter(pk=token.id, revoked_at=None, bot__owner__is_active=True)
        .first()
    )
    return row if row is not None and token.opens(row.digest) else None


def bot_by_slug(slug: str) -> Bot | None:
    """A bot with owner and active version."""
    return Bot.objects.select_related("owner", "active_version").filter(slug=slug).first()


def owned_bot(user: User, slug: str) -> Bot | None:
    """The user's own bot with this slug; other people's bots are as good as none."""
    return Bot.objects.select_related("owner", "active_version").filter(slug=slug, owner=user).first()


def bots_of(user: User) -> QuerySet[Bot]:
    """A user's bots, oldest first."""
    return Bot.objects.select_related("active_version").filter(owner=user).order_by("created_at", "pk")


def tokens_of(bot: Bot) -> QuerySet[BotToken]:
    """A bot's tokens that still open something, newest first."""
    return BotToken.objects.filter(bot=bot, revoked_at=None).order_by("-created_at", "pk")


def versions_of(bot: Bot) -> QuerySet[BotVersion]:
    """A bot's versions, newest first."""
    return BotVersion.objects.filter(bot=bot).order_by("-created_at", "-pk")


def unused_versions(bot: Bot) -> QuerySet[BotVersion]:
    """Versions to which nothing refers: not active, not connected, without a seat, a result or a rating; oldest first."""
    referring = {relation.name: None for relation in BotVersion._meta.related_objects}  # noqa: SLF001 - Django documents it
    return BotVersion.objects.filter(bot=bot, **referring).order_by("created_at", "pk")


@dataclass(frozen=True, slots=True)
class FreeGames:
    """Who is connected now, and how much more they could play.

    Attributes:
        by_referee: referee id -> version id -> further games there.
        in_all: version id -> further games at all its referees together: one program plays them all.

    """

    by_referee: Mapping[str, Mapping[int, int]]
    in_all: Mapping[int, int]


def free_games() -> FreeGames:
    """Who is connected now, and how much more they could play."""
    found: dict[str, dict[int, int]] = defaultdict(dict)
    capacity: dict[int, int] = defaultdict(int)
    games: dict[int, int] = defaultdict(int)
    for row in Presence.objects.filter(seen_at__gt=Now() - PRESENCE_LASTS):
        found[row.referee][row.version_id] = row.free_games
        capacity[row.version_id] = max(capacity[row.version_id], row.capacity)
        games[row.version_id] += row.games
    return FreeGames(dict(found), {version: max(0, most - games[version]) for version, most in capacity.items()})


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a bot is connected now, and its games at all these referees together."""

    referees: tuple[str, ...]
    games: int
    capacity: int

    def __str__(self) -> str:
        return f"connected to {', '.join(self.referees)}; {self.games} of {self.capacity} games"


def connections(bots: Collection[int]) -> Mapping[int, Connection]:
    """Bot (by primary key) -> its connection, for those that have a session of their active version now."""
    rows: dict[int, list[Presence]] = defaultdict(list)
    now = Presence.objects.filter(version__active_in__in=bots, seen_at__gt=Now() - PRESENCE_LASTS)
    for row in now.select_related("version").order_by("referee"):
        rows[row.version.bot_id].append(row)
    return {
        bot: Connection(
            referees=tuple(row.referee for row in theirs),
            games=sum(row.games for row in theirs),
            capacity=max(row.capacity for row in theirs),
        )
        for bot, theirs in rows.items()
    }


class ValidationState(StrEnum):
    """Whether a version may play rated matches, and if not, why."""

    EXEMPT = "exempt"
    PASSED = "passed"
    FAILED = "failed"
    PLAYING = "playing"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Validation:
    """How far the validation of a version is: a word, a sentence for its owner, and the match that decides or decided."""

    state: ValidationState
    text: str
    match_id: UUID | None = None

    @property
    def done(self) -> bool:
        """Whether the version may play rated matches."""
        return self.state in {ValidationState.EXEMPT, ValidationState.PASSED}


def validations(bots: Collection[int]) -> Mapping[int, Validation]:
    """Bot (by primary key) -> the validation of its active version, for those that have one."""
    versions = BotVersion.objects.filter(active_in__in=bots).select_related("bot__owner")
    connected = connections(bots)
    attended = _referees_of_the_house()
    return {version.bot_id: _validation(version, connected.get(version.bot_id), attended) for version in versions}


def _validation(version: BotVersion, connection: Connection | None, attended: frozenset[str]) -> Validation:
    match_id = version.validation_match
    if version.bot.owner.is_house:
        return Validation(ValidationState.EXEMPT, "It belongs to the house, which needs no validation.")
    match BotVersion.Validation(version.validation):
        case BotVersion.Validation.PASSED:
            return Validation(ValidationState.PASSED, f"Version {version.label} is validated.", match_id)
        case BotVersion.Validation.GRANTED:
            return Validation(ValidationState.PASSED, f"Version {version.label} needs no validation match.", match_id)
        case BotVersion.Validation.FAILED:
            return Validation(ValidationState.FAILED, version.validation_note, match_id)
        case BotVersion.Validation.NEEDED if match_id is not None:
            text = f"Version {version.label} plays its validation match, against a house bot and unrated."
            return Validation(ValidationState.PLAYING, text, match_id)
        case BotVersion.Validation.NEEDED:
            return Validation(ValidationState.WAITING, f"Version {version.label} {_waits_for(connection, attended)}")


def _waits_for(connection: Connection | None, attended: frozenset[str]) -> str:
    if connection is None:
        return "plays a validation match, against a house bot and unrated, as soon as it is connected."
    if not attended & set(connection.referees):
        return "waits for a house bot: it plays its validation match against one, and none is connected."
    return "plays its validation match, against a house bot and unrated, as soon as one has room."


def _referees_of_the_house() -> frozenset[str]:
    """The referees at which a bot of the house is connected now."""
    here = Presence.objects.filter(version__bot__owner__is_house=True, seen_at__gt=Now() - PRESENCE_LASTS)
    return frozenset(here.values_list("referee", flat=True))


def to_validate(present: Collection[int]) -> QuerySet[BotVersion]:
    """Those of the versions that are active, need a validation match and have none, the oldest first."""
    waiting = BotVersion.objects.filter(
        pk__in=present,
        active_in__isnull=False,
        validation=BotVersion.Validation.NEEDED,
        validation_match=None,
        bot__owner__is_house=False,
    )
    return waiting.select_related("bot").order_by("created_at", "pk")


def undecided() -> QuerySet[BotVersion]:
    """Versions with a validation match whose end was not looked at yet."""
    return BotVersion.objects.filter(validation=BotVersion.Validation.NEEDED, validation_match__isnull=False)


def of_the_house(present: Collection[int]) -> QuerySet[BotVersion]:
    """Those of the versions that are active ones of house bots."""
    return BotVersion.objects.filter(pk__in=present, active_in__isnull=False, bot__owner__is_house=True).order_by("pk")


def ratable(versions: Collection[int]) -> QuerySet[BotVersion]:
    """Those of the versions that may play rated matches."""
    return BotVersion.objects.filter(Q(validation__in=VALIDATED) | Q(bot__owner__is_house=True), pk__in=versions)


def online(bots: Collection[int]) -> frozenset[int]:
    """Those of the bots (by primary key) that have a session of their active version now."""
    return frozenset(
        Bot.objects.filter(pk__in=bots, active_version__presences__seen_at__gt=Now() - PRESENCE_LASTS).values_list(
            "pk", flat=True
        )
    )


def valid_tokens(ids: Collection[str]) -> frozenset[str]:
    """Those of the token ids that still let somebody in."""
    valid = BotToken.objects.filter(pk__in=ids, revoked_at=None, bot__owner__is_active=True)
    return frozenset(valid.values_list("pk", flat=True))
