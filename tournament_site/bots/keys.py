"""The site's Ed25519 key: it signs tickets, the referees hold its public half. Pure."""

import hashlib
from dataclasses import dataclass, field

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class BadKey(ValueError):
    """A file that holds no such key."""


@dataclass(frozen=True, slots=True)
class TicketKey:
    """A private key in PEM; empty where no settings are at hand."""

    pem: bytes = field(repr=False)

    @classmethod
    def parse(cls, pem: bytes) -> "TicketKey":
        """The key in a PEM file. Raises BadKey."""
        key = cls(pem)
        key.private()
        return key

    @classmethod
    def new(cls) -> "TicketKey":
        """A fresh key."""
        return cls(
            Ed25519PrivateKey.generate().private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )

    def private(self) -> Ed25519PrivateKey:
        """The key, for signing. Raises BadKey."""
        try:
            key = serialization.load_pem_private_key(self.pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise BadKey("holds no private key in PEM") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise BadKey("holds a key that is not Ed25519")
        return key

    def public_pem(self) -> bytes:
        """The public half, for the referees."""
        return (
            self.private()
            .public_key()
            .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        )

    def kid(self) -> str:
        """The key's name in a ticket's header: 16 hexadecimal digits of the SHA-256 of its raw public half."""
        raw = self.private().public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return hashlib.sha256(raw).hexdigest()[:16]
