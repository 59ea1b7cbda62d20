"""Tickets: who is let in."""

import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from referee.service.errors import CallReason, CallRefused
from referee.service.tickets import KeyRing, Ticket, bearer, key_id
from tests.service.client import bot_claims, control_claims, new_key, public_pem, signed

KEY, OTHER = new_key(), new_key()
RING = KeyRing.parse(public_pem(KEY))


def why(token: str) -> CallReason:
    with pytest.raises(CallRefused) as refused:
        RING.bot(token)
    return refused.value.reason


def test_a_ticket_says_who_the_bot_is() -> None:
    token = signed(KEY, bot_claims("ann", bot_name="Ann 2", version="1.2", version_id=7, capacity=5))
    assert RING.bot(token) == Ticket("ann", "Ann 2", "1.2", 7, 5)


def test_capacity_is_one_unless_the_ticket_says_more() -> None:
    claims = bot_claims("ann")
    del claims["capacity"]
    assert RING.bot(signed(KEY, claims)).capacity == 1
    assert RING.bot(signed(KEY, bot_claims("ann", capacity=0))).capacity == 1


def test_the_subject_stands_in_for_the_bot() -> None:
    claims = bot_claims("ann")
    del claims["bot"]
    assert RING.bot(signed(KEY, claims)).bot == "ann"


def test_both_keys_are_taken_while_they_overlap() -> None:
    ring = KeyRing.parse(public_pem(KEY, OTHER))
    assert ring.bot(signed(KEY, bot_claims("ann"))).bot == "ann"
    assert ring.bot(signed(OTHER, bot_claims("bob"))).bot == "bob"


def test_tickets_of_the_future_are_taken() -> None:
    """A clock that was set back must not lock anybody out."""
    later = int(time.time()) + 3600
    assert RING.bot(signed(KEY, bot_claims("ann", iat=later, nbf=later, exp=later + 600))).bot == "ann"


def forged(key: str, algorithm: str) -> str:
    return jwt.encode(bot_claims("ann"), key, algorithm=algorithm, headers={"kid": key_id(KEY.public_key())})


# Made when they are tried: a ticket lasts minutes, and a whole run of the tests may be longer.
REFUSED: dict[str, tuple[Callable[[], str], CallReason]] = {
    "expired": (lambda: signed(KEY, bot_claims("ann", exp=int(time.time()) - 5)), CallReason.TICKET_EXPIRED),
    "audience": (lambda: signed(KEY, bot_claims("ann", aud="referee-control")), CallReason.TICKET_WRONG_AUDIENCE),
    "other key": (lambda: signed(OTHER, bot_claims("ann")), CallReason.TICKET_INVALID),
    "forged kid": (lambda: signed(OTHER, bot_claims("ann"), kid=key_id(KEY.public_key())), CallReason.TICKET_INVALID),
    "hmac": (lambda: forged("x" * 64, "HS256"), CallReason.TICKET_INVALID),
    "none": (lambda: forged("", "none"), CallReason.TICKET_INVALID),
    "no kid": (lambda: jwt.encode(bot_claims("ann"), KEY, algorithm="EdDSA"), CallReason.TICKET_INVALID),
    "empty": (lambda: "", CallReason.TICKET_INVALID),
    "dots": (lambda: "a.b.c", CallReason.TICKET_INVALID),
    "zeros": (lambda: "\x00" * 4000, CallReason.TICKET_INVALID),
    "cut": (lambda: signed(KEY, bot_claims("ann"))[:-8] + "AAAAAAAA", CallReason.TICKET_INVALID),
}


@pytest.mark.parametrize(("make", "reason"), REFUSED.values(), ids=REFUSED)
def test_anything_else_is_refused(make: Callable[[], str], reason: CallReason) -> None:
    assert why(make()) is reason


@pytest.mark.parametrize(
    "changes",
    [
        {"bot": ""},
        {"bot": 7},
        {"bot": "x" * 201},
        {"bot_name": None},
        {"version": []},
        {"version_id": "7"},
        {"version_id": -1},
        {"version_id": True},
        {"version_id": 2**63},
        {"capacity": "all"},
    ],
)
def test_claims_must_make_sense(changes: dict[str, Any]) -> None:
    assert why(signed(KEY, bot_claims("ann", **changes))) is CallReason.TICKET_INVALID


@pytest.mark.parametrize("claim", ["exp", "aud", "bot_name", "version", "version_id"])
def test_no_claim_may_be_missing(claim: str) -> None:
    claims = bot_claims("ann")
    del claims[claim]
    assert why(signed(KEY, claims)) in {CallReason.TICKET_INVALID, CallReason.TICKET_WRONG_AUDIENCE}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"aud": "referee"}, CallReason.TICKET_WRONG_AUDIENCE),
        ({"exp": 1}, CallReason.TICKET_EXPIRED),
        ({"scope": "watch"}, CallReason.TICKET_WITHOUT_SCOPE),
        ({"scope": None}, CallReason.TICKET_WITHOUT_SCOPE),
        ({"scope": ["control"]}, CallReason.TICKET_WITHOUT_SCOPE),
    ],
)
def test_control_needs_its_own_token(changes: dict[str, Any], reason: CallReason) -> None:
    with pytest.raises(CallRefused) as refused:
        RING.control(signed(KEY, control_claims(**changes)))
    assert refused.value.reason is reason


def test_control_is_one_scope_among_others() -> None:
    RING.control(signed(KEY, control_claims(scope="read control")))


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic abc", "abc"])
def test_a_header_without_a_token_is_refused(header: str | None) -> None:
    with pytest.raises(CallRefused) as refused:
        bearer(header)
    assert refused.value.reason is CallReason.TICKET_MISSING


def test_the_scheme_may_be_written_in_any_case() -> None:
    assert bearer("bearer  abc ") == "abc"
