"""Account tokens over HTTP, and what lets a program act for a person."""

from django.contrib.auth import authenticate
from django.http import HttpRequest
from ninja import Router, Status
from ninja.security import HttpBearer

from tournament_site.accounts import queries, services
from tournament_site.accounts.models import User
from tournament_site.common.api import ERRORS, Input, Output, Text
from tournament_site.common.errors import Reason, Refused
from tournament_site.common.throttle import BAD_TOKENS_BY_ADDRESS, address_of, spend

router = Router(tags=["accounts"])


class AccountAuth(HttpBearer):
    """`Authorization: Bearer phasetenacc_...`"""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        row = queries.user_of(token)
        if row is None:
            spend(BAD_TOKENS_BY_ADDRESS, address_of(request))
            return None
        services.note_use(row)
        return row.user


class Credentials(Input):
    username: Text
    password: Text


class NewAccountToken(Output):
    token: str
    username: str


@router.post("/account-tokens", response={201: NewAccountToken, **ERRORS}, summary="Log in for a program")
def create(request: HttpRequest, credentials: Credentials) -> Status[NewAccountToken]:
    """Makes a token that lets a program act for you. It is shown this once."""
    user = authenticate(request, username=credentials.username, password=credentials.password)
    if not isinstance(user, User):
        raise Refused(Reason.BAD_CREDENTIALS)
    token = services.new_account_token(user)
    return Status(201, NewAccountToken(token=token.text, username=user.username))
