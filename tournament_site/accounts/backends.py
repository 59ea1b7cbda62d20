"""Log-in, everywhere it happens: pages, administration, API."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from tournament_site.accounts.models import User
from tournament_site.common.throttle import LOG_IN_BY_ADDRESS, LOG_IN_BY_NAME, address_of, spend


class ThrottledBackend(ModelBackend):
    """Django's own check of name and password, so many times in a while."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        """The user, or None. Raises Refused TOO_MANY_REQUESTS."""
        if username is None or password is None or "\0" in username:
            return None
        if request is not None:
            spend(LOG_IN_BY_ADDRESS, address_of(request))
            spend(LOG_IN_BY_NAME, f"{username.lower()} {address_of(request)}")
        return super().authenticate(request, username=username, password=password, **kwargs)
