"""Ways to forge a replay, one for each thing that a forger could want; and random ones.

A forgery takes a record and says what a verifier must find: the check, the event it is about, and the place within it.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any
from uuid import UUID

from referee.engine import events as ev
from referee.engine.cards import CARDS, Card
from referee.engine.moves import Seat
from referee.engine.ruleset import CardPoints
from referee.engine.shuffle import NO_NONCE, nonce_commit
from referee.verify.report import Check
from referee.verify.seeds import context_of
from referee.wire.replay import ReplayRecord, SeatNonce


@dataclass(frozen=True, slots=True)
class Forged:
    """A forged record and what is wrong with it. `place` None: any place will do."""

    record: ReplayRecord
    check: Check
    event: int | None = None
    place: str | None = None


Forgery = Callable[[ReplayRecord], Forged]
FORGERIES: dict[str, Forgery] = {}


def forgery(function: Forgery) -> Forgery:
    FORGERIES[function.__name__] = function
    return function


def flip(data: bytes) -> bytes:
    """One bit is another one."""
    return bytes([data[0] ^ 1]) + data[1:]


def find(record: ReplayRecord, kind: type[ev.Event], number: int = 0) -> int:
    """The place of event `number` of a kind in the log."""
    return [at for at, event in enumerate(record.events) if isinstance(event, kind)][number]


def put(record: ReplayRecord, at: int, *events: ev.Event, drop: int = 1) -> ReplayRecord:
    """The record with other events from `at` on, instead of `drop` ones."""
    return replace(record, events=(*record.events[:at], *events, *record.events[at + drop :]))


def change(record: ReplayRecord, at: int, **values: Any) -> ReplayRecord:
    return put(record, at, replace(record.events[at], **values))


def another(card: Card) -> Card:
    """A number card of another kind."""
    return CARDS[(card + 1) % 48]


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
    start = record.events[0]
    assert isinstance(start, ev.GameStarted)
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
    name = "match_id" if record.mirrored else "game_id"
    return Forged(replace(record, **{name: UUID(int=7)}), Check.COMMITMENT, place="commitment")


@forgery
def mirrored_flag(record: ReplayRecord) -> Forged:
    return Forged(replace(record, mirrored=not record.mirrored), Check.COMMITMENT, place="commitment")


@forgery
def a_seat_more(record: ReplayRecord) -> Forged:
    return Forged(replace(record, seats=(*record.seats, record.seats[0])), Check.RULES, 0, "seats")


# Rules


@forgery
def rules_that_are_not_what_they_are_called(record: ReplayRecord) -> Forged:
    start = record.events[0]
    assert isinstance(start, ev.GameStarted)
    rules = replace(start.ruleset, card_points=CardPoints(5, 10, 15, 20))
    return Forged(change(record, 0, ruleset=rules), Check.RULES, 0, "ruleset")


@forgery
def rules_that_make_no_sense(record: ReplayRecord) -> Forged:
    start = record.events[0]
    assert isinstance(start, ev.GameStarted)
    return Forged(change(record, 0, ruleset=replace(start.ruleset, hand_size=6)), Check.RULES, 0, "hand_size")


@forgery
def no_beginning(record: ReplayRecord) -> Forged:
    return Forged(replace(record, events=record.events[1:]), Check.RULES, 0)


@forgery
def no_log(record: ReplayRecord) -> Forged:
    return Forged(replace(record, events=()), Check.RULES, 0)


# Decks and dealers


def _swapped(cards: tuple[Card, ...], at: int) -> tuple[Card, ...]:
    other = next(place for place in range(at + 1, len(cards)) if cards[place] != cards[at])
    order = list(cards)
    order[at], order[other] = order[other], order[at]
    return tuple(order)


@forgery
def two_cards_of_the_first_deck(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealStarted)
    deck = record.events[at].deck  # type: ignore[union-attr]  # found as a DealStarted
    return Forged(change(record, at, deck=_swapped(deck, 17)), Check.SHUFFLES, at, "card 18 of the deck")


@forgery
def two_cards_of_a_later_deck(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealStarted, 1)
    deck = record.events[at].deck  # type: ignore[union-attr]  # found as a DealStarted
    return Forged(change(record, at, deck=_swapped(deck, 0)), Check.SHUFFLES, at, "card 1 of the deck")


@forgery
def a_card_of_the_deck(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealStarted, 1)
    deck = record.events[at].deck  # type: ignore[union-attr]  # found as a DealStarted
    forged = change(record, at, deck=(*deck[:5], another(deck[5]), *deck[6:]))
    return Forged(forged, Check.SHUFFLES, at, "card 6 of the deck")


@forgery
def a_deck_cut_short(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealStarted)
    deck = record.events[at].deck  # type: ignore[union-attr]  # found as a DealStarted
    return Forged(change(record, at, deck=deck[:-1]), Check.SHUFFLES, at, "deck")


@forgery
def another_first_dealer(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealStarted)
    dealer = record.events[at].dealer  # type: ignore[union-attr]  # found as a DealStarted
    return Forged(change(record, at, dealer=(dealer + 1) % len(record.seats)), Check.DEALER, at, "dealer")


@forgery
def another_later_dealer(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealStarted, 1)
    dealer = record.events[at].dealer  # type: ignore[union-attr]  # found as a DealStarted
    return Forged(change(record, at, dealer=(dealer + 1) % len(record.seats)), Check.EVENTS, at, "dealer")


# Moves


@forgery
def a_card_drawn(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDrawn, 5)
    card = record.events[at].card  # type: ignore[union-attr]  # found as a CardDrawn
    return Forged(change(record, at, card=another(card)), Check.EVENTS, at, "card")


@forgery
def the_pile_drawn_from(record: ReplayRecord) -> Forged:
    at = next(at for at, e in enumerate(record.events) if isinstance(e, ev.CardDrawn) and not e.from_discard)
    return Forged(change(record, at, from_discard=True), Check.EVENTS, at)


@forgery
def who_drew(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDrawn, 4)
    seat = record.events[at].seat  # type: ignore[union-attr]  # found as a CardDrawn
    return Forged(change(record, at, seat=(seat + 1) % len(record.seats)), Check.EVENTS, at)


@forgery
def a_card_of_a_meld(record: ReplayRecord) -> Forged:
    at = find(record, ev.PhaseLaid)
    melds = record.events[at].melds  # type: ignore[union-attr]  # found as a PhaseLaid
    first = replace(melds[0], cards=(another(melds[0].cards[0]), *melds[0].cards[1:]))
    return Forged(change(record, at, melds=(first, *melds[1:])), Check.EVENTS, at)


@forgery
def what_a_meld_stands_for(record: ReplayRecord) -> Forged:
    at = find(record, ev.PhaseLaid)
    melds = record.events[at].melds  # type: ignore[union-attr]  # found as a PhaseLaid
    first = replace(melds[0], value=melds[0].value % 12 + 1)
    return Forged(change(record, at, melds=(first, *melds[1:])), Check.EVENTS, at)


@forgery
def the_phase_that_was_laid(record: ReplayRecord) -> Forged:
    at = find(record, ev.PhaseLaid)
    phase = record.events[at].phase  # type: ignore[union-attr]  # found as a PhaseLaid
    return Forged(change(record, at, phase=phase % 10 + 1), Check.EVENTS, at)


@forgery
def a_meld_less(record: ReplayRecord) -> Forged:
    at = find(record, ev.PhaseLaid)
    melds = record.events[at].melds  # type: ignore[union-attr]  # found as a PhaseLaid
    return Forged(change(record, at, melds=melds[1:]), Check.EVENTS, at)


@forgery
def a_card_hit(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardHit)
    card = record.events[at].card  # type: ignore[union-attr]  # found as a CardHit
    return Forged(change(record, at, card=another(card)), Check.EVENTS, at)


@forgery
def the_meld_that_was_hit(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardHit)
    return Forged(change(record, at, meld=7), Check.EVENTS, at)


@forgery
def a_card_discarded(record: ReplayRecord) -> Forged:
    """A card that the hand does not hold."""
    at = find(record, ev.CardDiscarded, 3)
    hands = _hands_before(record, at)
    event = record.events[at]
    assert isinstance(event, ev.CardDiscarded)
    missing = next(card for card in CARDS if card not in hands[event.seat])
    return Forged(change(record, at, card=missing), Check.EVENTS, at)


def _hands_before(record: ReplayRecord, at: int) -> Sequence[Sequence[Card]]:
    from referee.engine.game import fold

    return fold(record.events[:at]).hands


@forgery
def the_target_of_a_skip(record: ReplayRecord) -> Forged:
    at = find(record, ev.SkipPlayed)
    event = record.events[at]
    assert isinstance(event, ev.SkipPlayed)
    return Forged(change(record, at, target=event.seat), Check.EVENTS, at)


# Points, places, ends


def _raised(values: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(value + (number == seat) for number, value in enumerate(values))


@forgery
def points_of_a_deal(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealEnded)
    penalties = record.events[at].penalties  # type: ignore[union-attr]  # found as a DealEnded
    return Forged(change(record, at, penalties=_raised(penalties, 1)), Check.EVENTS, at, "penalties of seat 1")


@forgery
def points_so_far(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealEnded, 1)
    totals = record.events[at].totals  # type: ignore[union-attr]  # found as a DealEnded
    return Forged(change(record, at, totals=_raised(totals, 0)), Check.EVENTS, at, "totals of seat 0")


@forgery
def phases_done(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealEnded, 1)
    completed = record.events[at].completed  # type: ignore[union-attr]  # found as a DealEnded
    return Forged(change(record, at, completed=_raised(completed, 1)), Check.EVENTS, at, "completed of seat 1")


@forgery
def who_went_out(record: ReplayRecord) -> Forged:
    at = next(at for at, event in enumerate(record.events) if isinstance(event, ev.DealEnded) and event.out is not None)
    return Forged(change(record, at, out=None), Check.EVENTS, at, "out")


@forgery
def places_in_the_log(record: ReplayRecord) -> Forged:
    at = len(record.events) - 1
    places = record.events[at].places  # type: ignore[union-attr]  # the last event is a GameEnded
    return Forged(change(record, at, places=places[::-1]), Check.EVENTS, at, "places of seat 0")


@forgery
def places_in_the_result(record: ReplayRecord) -> Forged:
    result = replace(record.result, places=record.result.places[::-1])
    return Forged(replace(record, result=result), Check.RESULT, place="places of seat 0")


@forgery
def points_in_the_result(record: ReplayRecord) -> Forged:
    result = replace(record.result, totals=_raised(record.result.totals, 1))
    return Forged(replace(record, result=result), Check.RESULT, place="points of seat 1")


@forgery
def a_forfeit_in_the_result(record: ReplayRecord) -> Forged:
    result = replace(record.result, forfeits=(ev.ForfeitCause.CLOCK, *record.result.forfeits[1:]))
    return Forged(replace(record, result=result), Check.RESULT, place="forfeits of seat 0")


@forgery
def deals_in_the_result(record: ReplayRecord) -> Forged:
    result = replace(record.result, deals=record.result.deals + 1)
    return Forged(replace(record, result=result), Check.RESULT, place="deals")


# Events that are not there, or should not be


@forgery
def a_draw_dropped(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDrawn, 6)
    return Forged(put(record, at), Check.EVENTS, at)


@forgery
def a_discard_dropped(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDiscarded, 6)
    return Forged(put(record, at), Check.EVENTS, at)


@forgery
def a_lay_dropped(record: ReplayRecord) -> Forged:
    """Nothing is missed before the seat adds to its melds or the deal ends; the discard fits both hands."""
    at = find(record, ev.PhaseLaid)
    return Forged(put(record, at), Check.EVENTS)


@forgery
def the_last_event_dropped(record: ReplayRecord) -> Forged:
    at = len(record.events) - 1
    return Forged(put(record, at), Check.EVENTS, at)


@forgery
def the_second_half_dropped(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDrawn, len(record.answers) // 4)
    return Forged(replace(record, events=record.events[:at]), Check.EVENTS, at)


@forgery
def an_event_twice(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDiscarded, 4)
    return Forged(put(record, at, record.events[at], record.events[at]), Check.EVENTS, at + 1)


@forgery
def an_end_twice(record: ReplayRecord) -> Forged:
    at = len(record.events) - 1
    return Forged(put(record, at, record.events[at], record.events[at]), Check.EVENTS, at + 1)


@forgery
def a_second_beginning(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDrawn, 3)
    return Forged(put(record, at, record.events[0], drop=0), Check.EVENTS, at)


@forgery
def a_fault_for_nothing(record: ReplayRecord) -> Forged:
    """Whoever is charged with a fault plays the default move: the draw that follows was no such thing."""
    at = next(
        at
        for at, event in enumerate(record.events)
        if isinstance(event, ev.CardDrawn) and event.from_discard and not _faults_before(record, event.seat, at)
    )
    seat = record.events[at].seat  # type: ignore[union-attr]  # found as a CardDrawn
    return Forged(put(record, at, ev.SeatFaulted(seat, ev.FaultKind.LATE, 1), drop=0), Check.EVENTS, at + 1)


def _faults_before(record: ReplayRecord, seat: int, at: int) -> bool:
    return any(isinstance(event, ev.SeatFaulted | ev.SeatForfeited) and event.seat == seat for event in record.events[:at])


@forgery
def a_forfeit_for_nothing(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDrawn, 2)
    return Forged(put(record, at, ev.SeatForfeited(Seat(0), ev.ForfeitCause.FAULTS), drop=0), Check.EVENTS, at)


@forgery
def a_turn_skipped_for_nothing(record: ReplayRecord) -> Forged:
    at = find(record, ev.CardDrawn, 2)
    seat = record.events[at].seat  # type: ignore[union-attr]  # found as a CardDrawn
    return Forged(put(record, at, ev.TurnSkipped(seat, by_start_card=False), drop=0), Check.EVENTS, at)


# Answers


@forgery
def answers_out_of_order(record: ReplayRecord) -> Forged:
    one, two, *rest = record.answers
    forged = replace(record, answers=(two, one, *rest))
    return Forged(forged, Check.ANSWERS, one.event, "answer 1")


@forgery
def an_answer_twice(record: ReplayRecord) -> Forged:
    one, *rest = record.answers
    return Forged(replace(record, answers=(one, one, *rest)), Check.ANSWERS, one.event, "answer 1")


@forgery
def an_answer_of_another_seat(record: ReplayRecord) -> Forged:
    one, *rest = record.answers
    forged = replace(one, seat=(one.seat + 1) % len(record.seats))
    return Forged(replace(record, answers=(forged, *rest)), Check.ANSWERS, one.event, "answer 0")


@forgery
def an_answer_where_nobody_was_asked(record: ReplayRecord) -> Forged:
    at = find(record, ev.DealStarted)
    one, *rest = record.answers
    return Forged(replace(record, answers=(replace(one, event=at), *rest)), Check.ANSWERS, at, "answer 0")


@forgery
def an_answer_after_the_end(record: ReplayRecord) -> Forged:
    end = len(record.events)
    forged = replace(record.answers[-1], event=end)
    place = f"answer {len(record.answers)}"
    return Forged(replace(record, answers=(*record.answers, forged)), Check.ANSWERS, end, place)


# At random


def mutate(record: ReplayRecord, rng: random.Random) -> ReplayRecord:
    """One random change of the log; now and then it changes nothing."""
    events = list(record.events)
    at = rng.randrange(1, len(events))
    match rng.randrange(8):
        case 0:
            del events[at]
        case 1:
            events.insert(at, events[at])
        case 2:
            events.insert(at, rng.choice(events))
        case 3:
            events[at - 1 : at + 1] = events[at - 1 : at + 1][::-1]
        case 4:
            del events[at:]
        case _:
            events[at] = _mutated(events[at], rng)
    return replace(record, events=tuple(events))


def _mutated(value: Any, rng: random.Random) -> Any:
    """A value like this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Card):
        return rng.choice(CARDS)
    if isinstance(value, int):
        return max(0, value + rng.choice([-1, 1, 2, 100]))
    if isinstance(value, Enum):
        return rng.choice(list(type(value)))
    if value is None:
        return Seat(rng.randrange(6))
    if isinstance(value, tuple):
        if not value or rng.random() < 0.2:
            return value[:-1] if rng.random() < 0.5 else (*value, *value[:1])
        at = rng.randrange(len(value))
        return (*value[:at], _mutated(value[at], rng), *value[at + 1 :])
    assert is_dataclass(value)
    name = rng.choice([field.name for field in fields(value)])
    return replace(value, **{name: _mutated(getattr(value, name), rng)})
