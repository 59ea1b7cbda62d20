"""Bots, their tokens and their sessions over HTTP."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from django.conf import settings
from django.http import HttpRequest
from ninja import Router, Status
from ninja.security import HttpBearer
from pydantic import Field

from tournament_site.accounts.api import AccountAuth
from tournament_site.accounts.models import User
from tournament_site.bots import queries, services, tickets
from tournament_site.bots.models import Bot, BotToken
from tournament_site.common import tokens
from tournament_site.common.api import ERRORS, AnyText, Input, Output, Slug, TokenId, caller
from tournament_site.common.errors import Reason, Refused
from tournament_site.common.throttle import (
    BAD_TOKENS_BY_ADDRESS,
    NEW_BOTS_BY_OWNER,
    NEW_TOKENS_BY_OWNER,
    SESSIONS_BY_BOT,
    VALIDATIONS_BY_BOT,
    address_of,
    spend,
)

router = Router(tags=["bots"])


class BotAuth(HttpBearer):
    """`Authorization: Bearer phaseten_...`"""

    def authenticate(self, request: HttpRequest, token: str) -> BotToken | None:
        row = queries.token_of(token)
        if row is None:
            spend(BAD_TOKENS_BY_ADDRESS, address_of(request))
            return None
        services.note_use(row)
        return row


class EitherAuth(HttpBearer):
    """An account token, or a bot's own token."""

    def authenticate(self, request: HttpRequest, token: str) -> User | BotToken | None:
        wanted: BotAuth | AccountAuth = AccountAuth() if tokens.read(tokens.BOT, token) is None else BotAuth()
        return wanted.authenticate(request, token)


class NewBot(Input):
    name: AnyText
    version: AnyText | None = None


class MadeBot(Output):
    name: str
    slug: str
    token: str
    token_id: str
    url: str


class MadeToken(Output):
    token: str
    token_id: str


class NewSession(Input):
    version: AnyText
    sdk: AnyText = ""
    language: AnyText = ""
    capacity: Annotated[int, Field(ge=1, le=1000)] = 1


class RefereeAddress(Output):
    id: str
    address: str


class Validation(Output):
    """Whether the active version may play rated matches.

    Attributes:
        state: exempt, passed, failed, playing or waiting.
        text: the same for people, and why.
        match: address of the match that decides or has decided; null if there is none.

    """

    state: str
    text: str
    match: str | None


class Session(Output):
    """A ticket and where it is good.

    Attributes:
        capacity: games at once.
        expires_at: until when the ticket opens the door.
        validation: whether the version may play rated matches.

    """

    ticket: str
    expires_at: datetime
    bot: str
    version: str
    capacity: int
    referees: list[RefereeAddress]
    validation: Validation | None


class Connection(Output):
    """Where a bot is connected now.

    Attributes:
        referees: their ids.
        games: those it plays, or is promised to, at all of them together.
        capacity: games it may play at once.

    """

    referees: list[str]
    games: int
    capacity: int


class BotFacts(Output):
    """A bot.

    Attributes:
        connection: null while it is away.
        validation: null before its first version.

    """

    name: str
    slug: str
    owner: str
    house: bool
    active_version: str | None
    online: bool
    connection: Connection | None
    validation: Validation | None
    url: str


class OwnBots(Output):
    bots: list[BotFacts]


def _facts(bots: Sequence[Bot]) -> list[BotFacts]:
    ids = [bot.pk for bot in bots]
    connections, validations = queries.connections(ids), queries.validations(ids)
    return [_facts_of(bot, connections.get(bot.pk), validations.get(bot.pk)) for bot in bots]


def _validation(found: queries.Validation | None) -> Validation | None:
    if found is None:
        return None
    match = None if found.match_id is None else f"{settings.SITE.url}/matches/{found.match_id}"
    return Validation(state=found.state.value, text=found.text, match=match)


def _facts_of(bot: Bot, found: queries.Connection | None, validation: queries.Validation | None) -> BotFacts:
    connection = None
    if found is not None:
        connection = Connection(referees=list(found.referees), games=found.games, capacity=found.capacity)
    return BotFacts(
        name=bot.name,
        slug=bot.slug,
        owner=bot.owner.username,
        house=bot.owner.is_house,
        active_version=bot.active_version.label if bot.active_version else None,
        online=found is not None,
        connection=connection,
        validation=_validation(validation),
        url=_url(bot),
    )


def _url(bot: Bot) -> str:
    return f"{settings.SITE.url}/bots/{bot.slug}"


def _own(request: HttpRequest, slug: str) -> Bot:
    bot = queries.owned_bot(caller(request, User), slug)
    if bot is None:
        raise Refused(Reason.NOT_FOUND)
    return bot


@router.post("/bots", auth=AccountAuth(), response={201: MadeBot, **ERRORS}, summary="Make a bot")
def create_bot(request: HttpRequest, wish: NewBot) -> Status[MadeBot]:
    """Makes a bot and its first token, which is shown this once."""
    owner = caller(request, User)
    spend(NEW_BOTS_BY_OWNER, str(owner.pk))
    made = services.create_bot_with_token(owner, wish.name, wish.version)
    answer = MadeBot(
        name=made.bot.name, slug=made.bot.slug, token=made.token.text, token_id=made.token.id, url=_url(made.bot)
    )
    return Status(201, answer)


@router.get("/bots", auth=AccountAuth(), response={200: OwnBots, **ERRORS}, summary="Your bots")
def list_bots(request: HttpRequest) -> OwnBots:
    """Your own bots, oldest first."""
    bots = list(queries.bots_of(caller(request, User)).select_related("owner"))
    return OwnBots(bots=_facts(bots))


@router.get("/bots/{slug}", response={200: BotFacts, **ERRORS}, summary="A bot")
def show_bot(request: HttpRequest, slug: Slug) -> BotFacts:  # noqa: ARG001 - ninja knows it by this name
    """What everybody may know of a bot."""
    bot = queries.bot_by_slug(slug)
    if bot is None:
        raise Refused(Reason.NOT_FOUND)
    return _facts([bot])[0]


@router.post(
    "/bots/{slug}/validation",
    auth=EitherAuth(),
    response={200: BotFacts, **ERRORS},
    summary="Validate again",
)
def validate_again(request: HttpRequest, slug: Slug) -> BotFacts:
    """Orders another validation match for the active version of your bot, after one that it failed.

    The owner's account token and a token of the bot itself will do.
    """
    token = getattr(request, "auth", None)
    bot = _itself(token, slug) if isinstance(token, BotToken) else _own(request, slug)
    spend(VALIDATIONS_BY_BOT, str(bot.pk))
    services.validate_again(bot)
    return _facts([bot])[0]


def _itself(token: BotToken, slug: str) -> Bot:
    if token.bot.slug != slug:
        raise Refused(Reason.NOT_FOUND)
    return token.bot


@router.post("/bots/{slug}/tokens", auth=AccountAuth(), response={201: MadeToken, **ERRORS}, summary="Another token")
def create_token(request: HttpRequest, slug: Slug) -> Status[MadeToken]:
    """Makes another token for your bot. It is shown this once."""
    bot = _own(request, slug)
    spend(NEW_TOKENS_BY_OWNER, str(bot.owner_id))
    token = services.new_token(bot)
    return Status(201, MadeToken(token=token.text, token_id=token.id))


@router.delete(
    "/bots/{slug}/tokens/{token_id}", auth=AccountAuth(), response={204: None, **ERRORS}, summary="Revoke a token"
)
def revoke_token(request: HttpRequest, slug: Slug, token_id: TokenId) -> Status[None]:
    """Closes a token for ever. Revoking it twice is no error."""
    services.revoke_token(_own(request, slug), token_id)
    return Status(204, None)


@router.post("/sessions", auth=BotAuth(), response={201: Session, **ERRORS}, summary="A ticket to the referees")
def create_session(request: HttpRequest, wish: NewSession) -> Status[Session]:
    """Gives a bot a ticket for ten minutes, and the addresses of the referees. Its version becomes the active one."""
    token = caller(request, BotToken)
    bot = token.bot
    spend(SESSIONS_BY_BOT, str(bot.pk))
    version = services.declare_version(bot, wish.version, sdk=wish.sdk, language=wish.language)
    capacity = min(wish.capacity, bot.max_games)
    referees = settings.SITE.referees
    claims = tickets.Claims(
        bot=bot.slug,
        bot_name=bot.name,
        version=version.label,
        version_id=version.pk,
        token=token.pk,
        capacity=capacity,
        referees=[referee.id for referee in referees],
    )
    now = time.time()
    answer = Session(
        ticket=tickets.ticket(settings.SITE.ticket_key, claims, now),
        expires_at=datetime.fromtimestamp(int(now) + tickets.LIFETIME, UTC),
        bot=bot.slug,
        version=version.label,
        capacity=capacity,
        referees=[RefereeAddress(id=referee.id, address=referee.public) for referee in referees],
        validation=_validation(queries.validations([bot.pk]).get(bot.pk)),
    )
    return Status(201, answer)
