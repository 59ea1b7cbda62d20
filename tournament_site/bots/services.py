"""What changes bots."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from tournament_site.accounts.models import User
from tournament_site.bots import queries
from tournament_site.bots.models import Bot, BotToken, BotVersion, Presence
from tournament_site.common import tokens
from tournament_site.common.errors import Reason, Refused
from tournament_site.common.text import clean_label, clean_name, clean_word, slug_of

MAX_BOTS = 50
MAX_TOKENS = 10
MAX_VERSIONS = 500
USED_EVERY = timedelta(minutes=1)


@transaction.atomic
def create_bot(owner: User, name: str) -> Bot:
    """A new bot, without a token.

    Raises:
        Refused: NAME_INVALID; NAME_TAKEN, also when only case or accents differ; TOO_MANY_BOTS.

    """
    name = clean_name(name)
    User.objects.select_for_update().get(pk=owner.pk)  # so that nobody passes the limit twice at once
    if not owner.is_house and Bot.objects.filter(owner=owner).count() >= MAX_BOTS:
        raise Refused(Reason.TOO_MANY_BOTS)
    try:
        with transaction.atomic():
            return Bot.objects.create(owner=owner, name=name, slug=slug_of(name))
    except IntegrityError as error:
        raise Refused(Reason.NAME_TAKEN, fields={"name": "There is a bot of this or a very similar name."}) from error


@transaction.atomic
def new_token(bot: Bot) -> tokens.Token:
    """A token for a bot; its text is nowhere else. Raises Refused TOO_MANY_TOKENS."""
    Bot.objects.select_for_update().get(pk=bot.pk)
    if BotToken.objects.filter(bot=bot, revoked_at=None).count() >= MAX_TOKENS:
        raise Refused(Reason.TOO_MANY_TOKENS)
    token = tokens.mint(tokens.BOT)
    BotToken.objects.create(id=token.id, bot=bot, digest=token.digest)
    return token


@dataclass(frozen=True, slots=True)
class MadeBot:
    """A bot and its first token."""

    bot: Bot
    token: tokens.Token


@transaction.atomic
def create_bot_with_token(owner: User, name: str, version: str | None = None) -> MadeBot:
    """A bot that can connect, with its first version if it is named. Raises what the parts raise; then nothing is made."""
    bot = create_bot(owner, name)
    if version is not None:
        declare_version(bot, version)
    return MadeBot(bot, new_token(bot))


def revoke_token(bot: Bot, token_id: str) -> None:
    """Close a token for ever; twice is once. Raises Refused NOT_FOUND."""
    if not BotToken.objects.filter(pk=token_id, bot=bot).exists():
        raise Refused(Reason.NOT_FOUND)
    BotToken.objects.filter(pk=token_id, bot=bot, revoked_at=None).update(revoked_at=Now())


def note_use(token: BotToken) -> None:
    """Remember that a token was used, to the minute."""
    stale = Q(used_at=None) | Q(used_at__lt=Now() - USED_EVERY)
    BotToken.objects.filter(stale, pk=token.pk).update(used_at=Now())


@transaction.atomic
def declare_version(bot: Bot, label: str, *, sdk: str = "", language: str = "") -> BotVersion:
    """The version a bot says it is, made if it is new, and from now on the active one.

    A bot that has as many versions as it may loses the oldest one that never played.

    Raises:
        Refused: LABEL_INVALID; TEXT_INVALID for sdk and language; TOO_MANY_VERSIONS.

    """
    label = clean_label(label)
    sdk, language = clean_word(sdk, field="sdk"), clean_word(language, field="language")
    locked = Bot.objects.select_for_update().get(pk=bot.pk)
    version = BotVersion.objects.filter(bot=bot, label=label).first()
    if version is None:
        _make_room(bot)
        version = BotVersion.objects.create(bot=bot, label=label, sdk=sdk, language=language)
    elif (sdk, language) != ("", "") and (sdk, language) != (version.sdk, version.language):
        BotVersion.objects.filter(pk=version.pk).update(sdk=sdk, language=language)
        version.sdk, version.language = sdk, language
    if locked.active_version_id != version.pk:
        Bot.objects.filter(pk=bot.pk).update(active_version=version)
    bot.active_version = version
    return version


def begin_validation(version: int, match_id: UUID) -> bool:
    """From now on this match decides on a version. False if another one does, or none is needed."""
    waiting = BotVersion.objects.filter(pk=version, validation=BotVersion.Validation.NEEDED, validation_match=None)
    return bool(waiting.update(validation_match=match_id))


def end_validation(match_id: UUID, problem: str) -> None:
    """The match that was to decide on a version is over; `problem` says why it failed, and is empty if it did not."""
    state = BotVersion.Validation.FAILED if problem else BotVersion.Validation.PASSED
    _undecided(match_id).update(validation=state, validation_note=problem[:200])


def call_validation_off(match_id: UUID) -> None:
    """The match that was to decide on a version is not played: another one will."""
    _undecided(match_id).update(validation_match=None)


def _undecided(match_id: UUID) -> QuerySet[BotVersion]:
    return BotVersion.objects.filter(validation_match=match_id, validation=BotVersion.Validation.NEEDED)


def validate_again(bot: Bot) -> None:
    """Give the active version of a bot another validation match. Raises Refused NOTHING_TO_VALIDATE if it has not failed."""
    failed = BotVersion.objects.filter(active_in=bot, validation=BotVersion.Validation.FAILED)
    if not _open_anew(failed):
        raise Refused(Reason.NOTHING_TO_VALIDATE)


def demand_validation(version: BotVersion) -> None:
    """Let a version be validated once more, whatever came of it before. It plays no rated match until it has passed."""
    _open_anew(BotVersion.objects.filter(pk=version.pk))


def _open_anew(versions: QuerySet[BotVersion]) -> int:
    return versions.update(validation=BotVersion.Validation.NEEDED, validation_match=None, validation_note="")


def grant_validation(version: BotVersion) -> None:
    """Let a version play rated matches without a validation match."""
    BotVersion.objects.filter(pk=version.pk).update(validation=BotVersion.Validation.GRANTED, validation_note="")


def _make_room(bot: Bot) -> None:
    """See to it that a bot may have one more version. Raises Refused TOO_MANY_VERSIONS."""
    surplus = BotVersion.objects.filter(bot=bot).count() + 1 - MAX_VERSIONS
    if surplus <= 0:
        return
    unused = list(queries.unused_versions(bot).values_list("pk", flat=True)[:surplus])
    if len(unused) < surplus:
        raise Refused(Reason.TOO_MANY_VERSIONS)
    BotVersion.objects.filter(pk__in=unused).delete()


@dataclass(frozen=True, slots=True)
class Room:
    """A session's games: how many it may play at once, and how many it plays or is promised to."""

    capacity: int
    games: int = 0

    @property
    def free(self) -> int:
        return max(0, self.capacity - self.games)


@transaction.atomic
def record_presence(referee: str, rooms: Mapping[int, Room]) -> None:
    """Replace what is known of one referee's sessions.

    Args:
        referee: the referee's id.
        rooms: version id -> its session's games there. Versions the site does not know are left out.

    """
    known = BotVersion.objects.filter(pk__in=rooms).values_list("pk", flat=True)
    rows = [
        Presence(
            version_id=pk,
            referee=referee,
            free_games=rooms[pk].free,
            capacity=rooms[pk].capacity,
            games=rooms[pk].games,
            seen_at=Now(),
        )
        for pk in sorted(known)
    ]
    Presence.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["version", "referee"],
        update_fields=["free_games", "capacity", "games", "seen_at"],
    )
    Presence.objects.filter(referee=referee).exclude(version_id__in=[row.version_id for row in rows]).delete()
