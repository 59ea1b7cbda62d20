"""What a game's cards come from: the seed that was committed to, the shares of the seats, and the key they make."""

import hmac
from collections.abc import Sequence

from referee.engine.events import CardDrawn, Event, ForfeitCause, SeatForfeited
from referee.engine.shuffle import NO_NONCE, game_context, match_key, nonce_commit, server_commit
from referee.verify.report import Check, differs
from referee.wire.replay import ReplayRecord, SeatNonce

SEED_BYTES = 64
COMMITMENT_BYTES = 64


def context_of(record: ReplayRecord) -> bytes:
    """What the commitments of a replay are bound to: a mirrored game's cards are those of its match."""
    named = record.match_id if record.mirrored else record.game_id
    return game_context(named.bytes, record.attempt, len(record.seats))


def check_commitment(record: ReplayRecord, shown: bytes | None) -> str:
    """The seed is the one that was committed to. `shown` is the commitment that was known before the first card.

    Returns how it went. Raises Differs.
    """
    check = Check.COMMITMENT
    if len(record.server_seed) != SEED_BYTES:
        raise differs(check, f"{len(record.server_seed)} bytes", f"{SEED_BYTES} bytes", place="seed")
    if shown is not None and not hmac.compare_digest(shown, record.commitment):
        raise differs(check, record.commitment.hex(), f"{shown.hex()}, shown before the game", place="commitment")
    made = server_commit(context_of(record), record.server_seed)
    if not hmac.compare_digest(made, record.commitment):
        raise differs(check, record.commitment.hex(), f"{made.hex()}, from the seed", place="commitment")
    known = "" if shown is None else ", and was shown before the game"
    return f"belongs to the referee's seed{known}"


def check_nonces(record: ReplayRecord) -> str:
    """Every share is the one that its seat committed to. Returns how it went. Raises Differs."""
    seats = len(record.seats)
    if len(record.nonces) != seats:
        raise differs(Check.NONCES, f"{len(record.nonces)} shares", f"{seats}, one a seat", place="number of shares")
    context = context_of(record)
    kept: list[int] = []
    apart: list[int] = []
    silent: list[int] = []
    for seat, share in enumerate(record.nonces):
        if not share.commitment:
            _must_be_nothing(seat, share)
            apart.append(seat)
        elif _is_kept(context, seat, share):
            kept.append(seat)
        else:
            _must_be_absent(record.events, seat, share, nonce_commit(context, seat, share.nonce))
            silent.append(seat)
    parts = (
        (kept, "shared in as committed"),
        (apart, "took no part"),
        (silent, "kept the share back and forfeited"),
    )
    return "; ".join(f"{_seats(seats)} {words}" for seats, words in parts if seats)


def _seats(numbers: Sequence[int]) -> str:
    return f"seat{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _must_be_nothing(seat: int, share: SeatNonce) -> None:
    if share.nonce != NO_NONCE:
        says = f"{share.nonce.hex()} without a commitment"
        raise differs(Check.NONCES, says, f"{len(NO_NONCE)} zero bytes", place=f"nonce of seat {seat}")


def _is_kept(context: bytes, seat: int, share: SeatNonce) -> bool:
    for name, value, size in (("commitment", share.commitment, COMMITMENT_BYTES), ("nonce", share.nonce, len(NO_NONCE))):
        if len(value) != size:
            raise differs(Check.NONCES, f"{len(value)} bytes", f"{size} bytes", place=f"{name} of seat {seat}")
    return hmac.compare_digest(nonce_commit(context, seat, share.nonce), share.commitment)


def _must_be_absent(events: Sequence[Event], seat: int, share: SeatNonce, made: bytes) -> None:
    """A seat that kept its share back forfeits before it draws a card: else somebody could choose between two decks."""
    place = f"commitment of seat {seat}"
    if share.nonce != NO_NONCE:
        raise differs(Check.NONCES, share.commitment.hex(), f"{made.hex()}, from the nonce", place=place)
    for event in events:
        match event:
            case SeatForfeited(seat=who, cause=ForfeitCause.NO_SHOW) if who == seat:
                return
            case CardDrawn(seat=who) if who == seat:
                break
    raise differs(Check.NONCES, "a share that was never shown", "a seat that forfeits as no_show at once", place=place)


def key_of(record: ReplayRecord) -> bytes:
    """The 64-byte key that all shuffles of the game come from."""
    return match_key(context_of(record), record.server_seed, tuple(share.nonce for share in record.nonces))
