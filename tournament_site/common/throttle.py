"""Rate limits: so many of a thing in so many seconds, counted in Valkey."""

import hashlib
import logging
from dataclasses import dataclass

from django.core.cache import cache
from django.http import HttpRequest
from redis.exceptions import RedisError

from tournament_site.common.errors import Reason, Refused

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `times` in each window of `seconds`, per key."""

    name: str
    times: int
    seconds: int


LOG_IN_BY_NAME = Limit("log-in-name", 20, 300)
# A whole course may sit behind one address, and sign up in its first lesson; whoever guesses passwords is held up by name.
LOG_IN_BY_ADDRESS = Limit("log-in-address", 600, 300)
SIGN_UP_BY_ADDRESS = Limit("sign-up-address", 600, 3600)
SESSIONS_BY_BOT = Limit("sessions-bot", 60, 60)
BAD_TOKENS_BY_ADDRESS = Limit("bad-tokens-address", 120, 60)
NEW_BOTS_BY_OWNER = Limit("new-bots-owner", 30, 3600)
VALIDATIONS_BY_BOT = Limit("validations-bot", 20, 3600)
NEW_TOKENS_BY_OWNER = Limit("new-tokens-owner", 60, 3600)


def spend(limit: Limit, key: str) -> None:
    """Count one use.

    A counter that cannot be reached counts nothing: the limits are losable, the log-in is not.

    Raises:
        Refused: TOO_MANY_REQUESTS once the window's allowance is used up.

    """
    # The key is a stranger's text: hashed, it can hold and grow to nothing that matters.
    name = f"limit:{limit.name}:{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:32]}"
    try:
        used = _count(name, limit.seconds)
    except RedisError as error:
        log.warning("rate limit %s not counted: %s", limit.name, type(error).__name__)
        return
    if used > limit.times:
        raise Refused(Reason.TOO_MANY_REQUESTS, wait=limit.seconds)


def _count(name: str, seconds: int) -> int:
    cache.add(name, 0, timeout=seconds)
    try:
        return cache.incr(name)
    except ValueError:  # it ran out between the two calls
        cache.set(name, 1, timeout=seconds)
        return 1


def address_of(request: HttpRequest) -> str:
    """The caller's address as the server saw it."""
    return str(request.META.get("REMOTE_ADDR") or "unknown")
