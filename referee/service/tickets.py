"""Tickets of bots and tokens of the site: EdDSA JWTs, checked with the site's public keys. The referee can make none.

Only the end of a ticket is looked at (no `iat`, no `nbf`): a clock that is set back must not lock anybody out.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Final, Self

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from referee.service.errors import CallReason, CallRefused

BOT_AUDIENCE: Final = "referee"
CONTROL_AUDIENCE: Final = "referee-control"
CONTROL_SCOPE: Final = "control"

_PEM: Final = re.compile(rb"-----BEGIN PUBLIC KEY-----.+?-----END PUBLIC KEY-----", re.DOTALL)
_CHECKS: Final = {
    "require": ["exp", "aud"],
    "verify_iat": False,
    "verify_nbf": False,
}


class BadKey(ValueError):
    """A file that holds no public key of the right kind."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Who a bot is, by its site's word.

    `capacity` is the number of games it may play at once, `credential` the id of the bot token that the ticket is for.
    """

    bot: str
    name: str
    version: str
    version_id: int
    capacity: int
    credential: str = ""


def key_id(key: Ed25519PublicKey) -> str:
    """A key's name in a ticket's header: 16 hexadecimal digits of the SHA-256 of its raw bytes."""
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The public keys that are trusted, by id: one, or two while the site changes its key."""

    keys: dict[str, Ed25519PublicKey]

    @classmethod
    def parse(cls, pem: bytes) -> Self:
        """The keys of a PEM file, one or more. Raises BadKey."""
        found: dict[str, Ed25519PublicKey] = {}
        for block in _PEM.findall(pem):
            try:
                key = serialization.load_pem_public_key(block)
            except (ValueError, UnsupportedAlgorithm) as problem:
                raise BadKey("holds a public key that cannot be read") from problem
            if not isinstance(key, Ed25519PublicKey):
                raise BadKey("holds a key that is not Ed25519")
            found[key_id(key)] = key
        if not found:
            raise BadKey("holds no public key in PEM")
        return cls(found)

    def bot(self, token: str) -> Ticket:
        """The ticket of a bot. Raises CallRefused."""
        claims = self._claims(token, BOT_AUDIENCE)
        try:
            ticket = Ticket(
                bot=_text(claims.get("bot", claims.get("sub"))),
                name=_text(claims["bot_name"]),
                version=_text(claims["version"]),
                version_id=_number(claims["version_id"]),
                capacity=max(1, _number(claims.get("capacity", 1))),
                credential=_text(claims["token"]) if "token" in claims else "",
            )
        except (KeyError, ValueError):
            raise CallRefused(CallReason.TICKET_INVALID, "a claim is missing or wrong") from None
        return ticket

    def control(self, token: str) -> None:
        """Check a token of the site's own processes. Raises CallRefused."""
        claims = self._claims(token, CONTROL_AUDIENCE)
        scope = claims.get("scope")
        if not isinstance(scope, str) or CONTROL_SCOPE not in scope.split():
            raise CallRefused(CallReason.TICKET_WITHOUT_SCOPE)

    def _claims(self, token: str, audience: str) -> dict[str, Any]:
        try:
            key = self.keys[str(jwt.get_unverified_header(token).get("kid"))]
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=["EdDSA"],
                audience=audience,
                options=_CHECKS,  # type: ignore[arg-type]  # a plain dict
            )
        except jwt.ExpiredSignatureError:
            raise CallRefused(CallReason.TICKET_EXPIRED) from None
        except jwt.InvalidAudienceError:
            raise CallRefused(CallReason.TICKET_WRONG_AUDIENCE) from None
        except (jwt.InvalidTokenError, KeyError):
            raise CallRefused(CallReason.TICKET_INVALID) from None
        return claims


def bearer(authorization: str | None) -> str:
    """The token of an `authorization` header. Raises CallRefused."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise CallRefused(CallReason.TICKET_MISSING)
    return token.strip()


def _text(value: object) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= 200:
        raise ValueError("no short text")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ValueError("no number")
    return value
