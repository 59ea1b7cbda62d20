import hashlib
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from tournament_site.bots import tickets
from tournament_site.bots.keys import BadKey, TicketKey
from tournament_site.common import tokens

NO_END: Any = {"verify_exp": False}
NOW = 1_800_000_000.5
CLAIMS = tickets.Claims("ada", "Ada <3", "1.0", 7, "0123456789ab", 4, ("referee-1", "referee-2"))


@pytest.mark.parametrize("kind", [tokens.BOT, tokens.ACCOUNT])
def test_a_token_is_read_back_and_opens_its_digest(kind):
    token = tokens.mint(kind)
    read = tokens.read(kind, token.text)
    assert read == token
    assert token.text.startswith(f"{kind}_{token.id}_")
    assert read.opens(token.digest)
    assert not read.opens(tokens.mint(kind).digest)


def test_a_stored_digest_tells_nothing_of_the_secret():
    token = tokens.mint(tokens.BOT)
    assert token.digest == hashlib.sha256(token.secret.encode()).hexdigest()
    assert token.secret not in repr(token)


def test_a_token_opens_only_its_own_kind():
    assert tokens.read(tokens.ACCOUNT, tokens.mint(tokens.BOT).text) is None
    assert tokens.read(tokens.BOT, tokens.mint(tokens.ACCOUNT).text) is None


@pytest.mark.parametrize(
    "text", ["", "phaseten", "phaseten_", "phaseten_zz_x", "phaseten_0123456789ab_", "x" * 10_000, "\0"]
)
def test_no_token(text):
    assert tokens.read(tokens.BOT, text) is None
    assert tokens.read(tokens.BOT, tokens.mint(tokens.BOT).text + "\n") is None


def public_half(key: TicketKey) -> Any:
    return serialization.load_pem_public_key(key.public_pem())


def test_a_ticket_says_who_comes_and_is_checked_with_the_public_half_alone():
    key = TicketKey.new()
    text = tickets.ticket(key, CLAIMS, NOW)
    claims = jwt.decode(text, public_half(key), ["EdDSA"], audience="referee", options=NO_END)
    assert claims == {
        "aud": "referee",
        "sub": "ada",
        "bot": "ada",
        "bot_name": "Ada <3",
        "version": "1.0",
        "token": "0123456789ab",
        "version_id": 7,
        "capacity": 4,
        "referees": ["referee-1", "referee-2"],
        "exp": 1_800_000_600,
    }
    assert jwt.get_unverified_header(text) == {"alg": "EdDSA", "typ": "JWT", "kid": key.kid()}


def test_a_control_token_is_for_the_control_side_alone():
    key = TicketKey.new()
    text = tickets.control_token(key, NOW)
    assert jwt.decode(text, public_half(key), ["EdDSA"], audience="referee-control", options=NO_END) == {
        "aud": "referee-control",
        "scope": "control",
        "exp": 1_800_000_600,
    }
    with pytest.raises(jwt.InvalidAudienceError):
        jwt.decode(text, public_half(key), ["EdDSA"], audience="referee", options=NO_END)


def test_another_key_s_ticket_is_forged():
    text = tickets.ticket(TicketKey.new(), CLAIMS, NOW)
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(text, public_half(TicketKey.new()), ["EdDSA"], audience="referee", options=NO_END)


def test_only_an_ed25519_key_in_pem_is_taken():
    other = generate_private_key(SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with pytest.raises(BadKey, match="not Ed25519"):
        TicketKey.parse(other)
    for pem in (b"", b"hello", TicketKey.new().public_pem()):
        with pytest.raises(BadKey, match="no private key"):
            TicketKey.parse(pem)
    key = TicketKey.new()
    assert TicketKey.parse(key.pem).kid() == key.kid()
    assert "PRIVATE" not in repr(key)
