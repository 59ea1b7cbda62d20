"""Account tokens over HTTP, and what lets a program act for a person."""

from django.contrib.auth import authenticate
from django.http import HttpRequest
from ninja import Router, Status
from ninja.security import HttpBearer

from tournament_site.accounts import queries, services
from tournament_site.accounts.models import AccountToken, User
from tournament_site.common.api import ERRORS, Input, Output, Text, caller
from tournament_site.common.errors import Reason, Refused
from tournament_site.common.throttle import BAD_TOKENS_BY_ADDRESS, address_of, spend

router = Router(tags=["accounts"])


class AccountTokenAuth(HttpBearer):
    """`Authorization: Bearer phasetenacc_...`, where the call is about the token itself."""

    def authenticate(self, request: HttpRequest, token: str) -> AccountToken | None:
        return _known(request, token)


class AccountAuth(HttpBearer):
    """`Authorization: Bearer phasetenacc_...`"""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        row = _known(request, token)
        return None if row is None else row.user


def _known(request: HttpRequest, token: str) -> AccountToken | None:
    row = queries.user_of(token)
    if row is None:
        spend(BAD_TOKENS_BY_ADDRESS, address_of(request))
        return None
    services.note_use(row)
    return row


class Credentials(Input):
    username: Text
    password: Text


class NewAccountToken(Output):
    token: str
    username: str


@router.post("/account-tokens", response={201: NewAccountToken, **ERRORS}, summary="Log in for a program")
def create(request: HttpRequest, credentials: Credentials) -> Status[NewAccountToken]:
    """Makes a token that lets a program act for you, for 30 days or until it is given back. It is shown this once."""
    user = authenticate(request, username=credentials.username, password=credentials.password)
    if not isinstance(user, User):
        raise Refused(Reason.BAD_CREDENTIALS)
    token = services.new_account_token(user)
    return Status(201, NewAccountToken(token=token.text, username=user.username))


@router.delete(
    "/account-tokens/current", auth=AccountTokenAuth(), response={204: None, **ERRORS}, summary="Log a program out"
)
def revoke_current(request: HttpRequest) -> Status[None]:
    """Gives the token back with which this is asked: it opens nothing any more."""
    token = caller(request, AccountToken)
    services.revoke_account_token(token.user, token.pk)
    return Status(204, None)
