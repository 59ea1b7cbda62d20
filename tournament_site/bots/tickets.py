"""Tickets let a bot into the referees; control tokens let the site command them. Pure but for the clock it is given."""

from collections.abc import Sequence
from dataclasses import dataclass

import jwt

from tournament_site.bots.keys import TicketKey

AUDIENCE = "referee"
CONTROL_AUDIENCE = "referee-control"
LIFETIME = 600


@dataclass(frozen=True, slots=True)
class Claims:
    """What a ticket says of its bearer.

    Attributes:
        token: id of the bot token that it is given for.
        capacity: games it may play at once.
        referees: ids of the referees it attends.

    """

    bot: str
    bot_name: str
    version: str
    version_id: int
    token: str
    capacity: int
    referees: Sequence[str]


def ticket(key: TicketKey, claims: Claims, now: float) -> str:
    """A JWT (EdDSA) for one bot, good for ten minutes.

    Only the end is stamped: a clock that is set back must not make a fresh ticket one of the future.
    """
    return _signed(
        key,
        {
            "aud": AUDIENCE,
            "sub": claims.bot,
            "bot": claims.bot,
            "bot_name": claims.bot_name,
            "version": claims.version,
            "version_id": claims.version_id,
            "token": claims.token,
            "capacity": claims.capacity,
            "referees": list(claims.referees),
            "exp": int(now) + LIFETIME,
        },
    )


def control_token(key: TicketKey, now: float) -> str:
    """A JWT with which the site's own processes command the referees, good for ten minutes."""
    return _signed(key, {"aud": CONTROL_AUDIENCE, "scope": "control", "exp": int(now) + LIFETIME})


def _signed(key: TicketKey, claims: dict[str, object]) -> str:
    return jwt.encode(claims, key.private(), algorithm="EdDSA", headers={"kid": key.kid()})
