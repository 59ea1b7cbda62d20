"""Forgeries of the log, the result and the answers."""

from dataclasses import replace

from referee.engine import events as ev
from referee.engine.cards import CARDS, Card
from referee.engine.game import fold
from referee.engine.moves import Seat
from referee.verify.report import Check
from referee.wire.replay import ReplayRecord
from tests.replays.forging import Forged, another, change, find, first, forgery, put

# Decks and dealers


def _swapped(cards: tuple[Card, ...], at: int) -> tuple[Card, ...]:
    other = next(place for place in range(at + 1, len(cards)) if cards[place] != cards[at])
    order = list(cards)
    order[at], order[other] = order[other], order[at]
    return tuple(order)


@forgery
def two_cards_of_the_first_deck(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealStarted)
    deck = event.deck
    return Forged(change(record, at, deck=_swapped(deck, 17)), Check.SHUFFLES, at, "card 18 of the deck")


@forgery
def two_cards_of_a_later_deck(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealStarted, 1)
    deck = event.deck
    return Forged(change(record, at, deck=_swapped(deck, 0)), Check.SHUFFLES, at, "card 1 of the deck")


@forgery
def a_card_of_the_deck(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealStarted, 1)
    deck = event.deck
    forged = change(record, at, deck=(*deck[:5], another(deck[5]), *deck[6:]))
    return Forged(forged, Check.SHUFFLES, at, "card 6 of the deck")


@forgery
def a_deck_cut_short(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealStarted)
    deck = event.deck
    return Forged(change(record, at, deck=deck[:-1]), Check.SHUFFLES, at, "deck")


@forgery
def another_first_dealer(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealStarted)
    dealer = event.dealer
    return Forged(change(record, at, dealer=(dealer + 1) % len(record.seats)), Check.DEALER, at, "dealer")


@forgery
def another_later_dealer(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealStarted, 1)
    dealer = event.dealer
    return Forged(change(record, at, dealer=(dealer + 1) % len(record.seats)), Check.EVENTS, at, "dealer")


# Moves


@forgery
def a_card_drawn(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.CardDrawn, 5)
    card = event.card
    return Forged(change(record, at, card=another(card)), Check.EVENTS, at, "card")


@forgery
def the_pile_drawn_from(record: ReplayRecord) -> Forged:
    at, _ = first(record, ev.CardDrawn, lambda _, event: not event.from_discard)
    return Forged(change(record, at, from_discard=True), Check.EVENTS, at)


@forgery
def who_drew(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.CardDrawn, 4)
    seat = event.seat
    return Forged(change(record, at, seat=(seat + 1) % len(record.seats)), Check.EVENTS, at)


@forgery
def a_card_of_a_meld(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.PhaseLaid)
    melds = event.melds
    first = replace(melds[0], cards=(another(melds[0].cards[0]), *melds[0].cards[1:]))
    return Forged(change(record, at, melds=(first, *melds[1:])), Check.EVENTS, at)


@forgery
def what_a_meld_stands_for(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.PhaseLaid)
    melds = event.melds
    first = replace(melds[0], value=melds[0].value % 12 + 1)
    return Forged(change(record, at, melds=(first, *melds[1:])), Check.EVENTS, at)


@forgery
def the_phase_that_was_laid(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.PhaseLaid)
    phase = event.phase
    return Forged(change(record, at, phase=phase % 10 + 1), Check.EVENTS, at)


@forgery
def a_meld_less(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.PhaseLaid)
    melds = event.melds
    return Forged(change(record, at, melds=melds[1:]), Check.EVENTS, at)


@forgery
def a_card_hit(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.CardHit)
    card = event.card
    return Forged(change(record, at, card=another(card)), Check.EVENTS, at)


@forgery
def the_meld_that_was_hit(record: ReplayRecord) -> Forged:
    at, _ = find(record, ev.CardHit)
    return Forged(change(record, at, meld=7), Check.EVENTS, at)


@forgery
def a_card_discarded(record: ReplayRecord) -> Forged:
    """A card that the hand does not hold."""
    at, event = find(record, ev.CardDiscarded, 3)
    hands = fold(record.events[:at]).hands
    missing = next(card for card in CARDS if card not in hands[event.seat])
    return Forged(change(record, at, card=missing), Check.EVENTS, at)


@forgery
def the_target_of_a_skip(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.SkipPlayed)
    return Forged(change(record, at, target=event.seat), Check.EVENTS, at)


# Points, places, ends


def _raised(values: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(value + (number == seat) for number, value in enumerate(values))


@forgery
def points_of_a_deal(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealEnded)
    penalties = event.penalties
    return Forged(change(record, at, penalties=_raised(penalties, 1)), Check.EVENTS, at, "penalties of seat 1")


@forgery
def points_so_far(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealEnded, 1)
    totals = event.totals
    return Forged(change(record, at, totals=_raised(totals, 0)), Check.EVENTS, at, "totals of seat 0")


@forgery
def phases_done(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.DealEnded, 1)
    completed = event.completed
    return Forged(change(record, at, completed=_raised(completed, 1)), Check.EVENTS, at, "completed of seat 1")


@forgery
def who_went_out(record: ReplayRecord) -> Forged:
    at, _ = first(record, ev.DealEnded, lambda _, event: event.out is not None)
    return Forged(change(record, at, out=None), Check.EVENTS, at, "out")


@forgery
def places_in_the_log(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.GameEnded)
    places = event.places
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
    at, _ = find(record, ev.CardDrawn, 6)
    return Forged(put(record, at), Check.EVENTS, at)


@forgery
def a_discard_dropped(record: ReplayRecord) -> Forged:
    at, _ = find(record, ev.CardDiscarded, 6)
    return Forged(put(record, at), Check.EVENTS, at)


@forgery
def a_lay_dropped(record: ReplayRecord) -> Forged:
    """Nothing is missed before the seat adds to its melds or the deal ends; the discard fits both hands."""
    at, _ = find(record, ev.PhaseLaid)
    return Forged(put(record, at), Check.EVENTS)


@forgery
def the_last_event_dropped(record: ReplayRecord) -> Forged:
    at = len(record.events) - 1
    return Forged(put(record, at), Check.EVENTS, at)


@forgery
def the_second_half_dropped(record: ReplayRecord) -> Forged:
    at, _ = find(record, ev.CardDrawn, len(record.answers) // 4)
    return Forged(replace(record, events=record.events[:at]), Check.EVENTS, at)


@forgery
def an_event_twice(record: ReplayRecord) -> Forged:
    at, _ = find(record, ev.CardDiscarded, 4)
    return Forged(put(record, at, record.events[at], record.events[at]), Check.EVENTS, at + 1)


@forgery
def an_end_twice(record: ReplayRecord) -> Forged:
    at = len(record.events) - 1
    return Forged(put(record, at, record.events[at], record.events[at]), Check.EVENTS, at + 1)


@forgery
def a_second_beginning(record: ReplayRecord) -> Forged:
    at, _ = find(record, ev.CardDrawn, 3)
    return Forged(put(record, at, record.events[0], drop=0), Check.EVENTS, at)


@forgery
def a_fault_for_nothing(record: ReplayRecord) -> Forged:
    """Whoever is charged with a fault plays the default move: the draw that follows was no such thing."""
    at, event = first(
        record, ev.CardDrawn, lambda at, event: event.from_discard and not _faults_before(record, event.seat, at)
    )
    seat = event.seat
    return Forged(put(record, at, ev.SeatFaulted(seat, ev.FaultKind.LATE, 1), drop=0), Check.EVENTS, at + 1)


def _faults_before(record: ReplayRecord, seat: int, at: int) -> bool:
    return any(isinstance(event, ev.SeatFaulted | ev.SeatForfeited) and event.seat == seat for event in record.events[:at])


@forgery
def a_forfeit_for_nothing(record: ReplayRecord) -> Forged:
    at, _ = find(record, ev.CardDrawn, 2)
    return Forged(put(record, at, ev.SeatForfeited(Seat(0), ev.ForfeitCause.FAULTS), drop=0), Check.EVENTS, at)


@forgery
def a_turn_skipped_for_nothing(record: ReplayRecord) -> Forged:
    at, event = find(record, ev.CardDrawn, 2)
    seat = event.seat
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
    at, _ = find(record, ev.DealStarted)
    one, *rest = record.answers
    return Forged(replace(record, answers=(replace(one, event=at), *rest)), Check.ANSWERS, at, "answer 0")


@forgery
def an_answer_after_the_end(record: ReplayRecord) -> Forged:
    end = len(record.events)
    forged = replace(record.answers[-1], event=end)
    place = f"answer {len(record.answers)}"
    return Forged(replace(record, answers=(*record.answers, forged)), Check.ANSWERS, end, place)
