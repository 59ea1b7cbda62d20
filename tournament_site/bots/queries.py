"""What bots can be asked."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now

from tournament_site.accounts.models import User
from tournament_site.bots.models import Bot, BotToken, BotVersion, Presence
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
