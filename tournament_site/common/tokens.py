"""Secrets that are shown once and stored as digests. Pure but for the operating system's dice."""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

BOT = "phaseten"
ACCOUNT = "phasetenacc"
_ID_BYTES = 6
_SECRET_BYTES = 32
_TEXT = re.compile(r"([a-z]{1,20})_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class Token:
    """A token in clear text; only its digest may be stored.

    Attributes:
        kind: the word before the first underscore; says what the token opens.
        id: 12 hexadecimal digits, public, the row it belongs to.
        secret: 32 random bytes in URL-safe base64.

    """

    kind: str
    id: str
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        """What the owner keeps."""
        return f"{self.kind}_{self.id}_{self.secret}"

    @property
    def digest(self) -> str:
        """SHA-256 of the secret in hexadecimal. The secret is random, so no salt or stretching is needed."""
        return hashlib.sha256(self.secret.encode()).hexdigest()

    def opens(self, digest: str) -> bool:
        """Whether this is the secret behind the stored digest; takes the same time for every wrong one."""
        return hmac.compare_digest(self.digest, digest)


def mint(kind: str) -> Token:
    """A new token of a kind."""
    return Token(kind, secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES))


def read(kind: str, text: str) -> Token | None:
    """The token in a text, or None if it is none of that kind."""
    found = _TEXT.fullmatch(text)
    if found is None or found[1] != kind:
        return None
    return Token(found[1], found[2], found[3])
