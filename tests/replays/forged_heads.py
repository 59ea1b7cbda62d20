"""Forgeries of what stands before the log: seed, commitments, shares, ids, rules."""

from dataclasses import replace
from uuid import UUID

from referee.engine import events as ev
from referee.engine.ruleset import CardPoints
from referee.engine.shuffle import NO_NONCE, nonce_commit
from referee.verify.report import Check
from referee.verify.seeds import context_of
from referee.wire.replay import ReplayRecord, SeatNonce
from tests.replays.forging import Forged, change, find, flip, forgery

# Seed, commitments, nonces


@forgery
def seed_bit(record: ReplayRecord) -> Forged:
    return Forged(replace(record, server_seed=flip(record.server_seed)), Check.COMMITMENT, place="commitment")


@forgery
def seed_cut_short(record: ReplayRecord) -> Forged:
    return Forged(replace(record, server_seed=record.server_seed[:-1]), Check.COMMITMENT, place="seed")


@forgery
def commitment_bit(record: ReplayRecord) -> Forged:
    return Forged(replace(record, commitment=flip(record.commitment)), Check.COMMITMENT, place="commitment")


@forgery
def commitment_missing(record: ReplayRecord) -> Forged:
    return Forged(replace(record, commitment=b""), Check.COMMITMENT, place="commitment")


def _with_share(record: ReplayRecord, seat: int, share: SeatNonce) -> ReplayRecord:
    nonces = list(record.nonces)
    nonces[seat] = share
    return replace(record, nonces=tuple(nonces))


@forgery
def nonce_bit(record: ReplayRecord) -> Forged:
    share = record.nonces[0]
    forged = _with_share(record, 0, replace(share, nonce=flip(share.nonce)))
    return Forged(forged, Check.NONCES, place="commitment of seat 0")


@forgery
def nonce_and_its_commitment(record: ReplayRecord) -> Forged:
    nonce = flip(record.nonces[0].nonce)
    forged = _with_share(record, 0, SeatNonce(nonce_commit(context_of(record), 0, nonce), nonce))
    return Forged(forged, *_first_shuffle(record))


def _first_shuffle(record: ReplayRecord) -> tuple[Check, int]:
    """What another key shows first: another deck, or where it is drawn another dealer."""
    _, start = find(record, ev.GameStarted)
    assert start.terms.first_dealer != "seeded", "forge a replay whose terms name the first dealer"
    return Check.SHUFFLES, 1


@forgery
def nonce_of_another_seat(record: ReplayRecord) -> Forged:
    return Forged(_with_share(record, 0, record.nonces[1]), Check.NONCES, place="commitment of seat 0")


@forgery
def nonce_without_commitment(record: ReplayRecord) -> Forged:
    forged = _with_share(record, 1, replace(record.nonces[1], commitment=b""))
    return Forged(forged, Check.NONCES, place="nonce of seat 1")


@forgery
def nonce_cut_short(record: ReplayRecord) -> Forged:
    forged = _with_share(record, 1, replace(record.nonces[1], nonce=bytes(31)))
    return Forged(forged, Check.NONCES, place="nonce of seat 1")


@forgery
def share_taken_away(record: ReplayRecord) -> Forged:
    return Forged(_with_share(record, 0, SeatNonce(b"", NO_NONCE)), *_first_shuffle(record))


@forgery
def share_never_shown(record: ReplayRecord) -> Forged:
    forged = _with_share(record, 0, replace(record.nonces[0], nonce=NO_NONCE))
    return Forged(forged, Check.NONCES, place="commitment of seat 0")


@forgery
def share_of_nobody(record: ReplayRecord) -> Forged:
    return Forged(replace(record, nonces=record.nonces[:-1]), Check.NONCES, place="number of shares")


# Which game it is


@forgery
def attempt(record: ReplayRecord) -> Forged:
    return Forged(replace(record, attempt=record.attempt + 1), Check.COMMITMENT, place="commitment")


@forgery
def id_that_the_cards_are_bound_to(record: ReplayRecord) -> Forged:
    other = UUID(int=7)
    forged = replace(record, match_id=other) if record.mirrored else replace(record, game_id=other)
    return Forged(forged, Check.COMMITMENT, place="commitment")


@forgery
def mirrored_flag(record: ReplayRecord) -> Forged:
    return Forged(replace(record, mirrored=not record.mirrored), Check.COMMITMENT, place="commitment")


@forgery
def a_seat_more(record: ReplayRecord) -> Forged:
    return Forged(replace(record, seats=(*record.seats, record.seats[0])), Check.RULES, 0, "seats")


# Rules


@forgery
def rules_that_are_not_what_they_are_called(record: ReplayRecord) -> Forged:
    _, start = find(record, ev.GameStarted)
    rules = replace(start.ruleset, card_points=CardPoints(5, 10, 15, 20))
    return Forged(change(record, 0, ruleset=rules), Check.RULES, 0, "ruleset")


@forgery
def rules_that_make_no_sense(record: ReplayRecord) -> Forged:
    _, start = find(record, ev.GameStarted)
    return Forged(change(record, 0, ruleset=replace(start.ruleset, hand_size=6)), Check.RULES, 0, "hand_size")


@forgery
def no_beginning(record: ReplayRecord) -> Forged:
    return Forged(replace(record, events=record.events[1:]), Check.RULES, 0)


@forgery
def no_log(record: ReplayRecord) -> Forged:
    return Forged(replace(record, events=()), Check.RULES, 0)
