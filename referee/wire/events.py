"""Events: the full ones of replays, and the public ones that seats and onlookers get."""

from collections.abc import Iterable
from functools import lru_cache
from typing import assert_never

from google.protobuf.message import DecodeError
from phaseten.v1 import game_pb2 as pb

from referee.engine import events as ev
from referee.engine.moves import Seat
from referee.wire.cards import (
    decode_card,
    decode_cards,
    decode_optional_card,
    encode_card,
    encode_cards,
    encode_optional_card,
)
from referee.wire.enums import DEAL_ENDS, ENDS, FAULTS, FORFEITS, GAME_ENDS
from referee.wire.errors import MalformedMessage
from referee.wire.melds import decode_table_meld, encode_table_meld
from referee.wire.rules import decode_ruleset, decode_terms, encode_ruleset, encode_terms

Shared = (
    ev.PhaseLaid
    | ev.CardHit
    | ev.WildTaken
    | ev.CardDiscarded
    | ev.SkipPlayed
    | ev.TurnSkipped
    | ev.SeatFaulted
    | ev.SeatForfeited
    | ev.DealEnded
    | ev.GameEnded
)


def _seats(values: Iterable[int]) -> tuple[Seat, ...]:
    return tuple([Seat(value) for value in values])


def _encode_shared(event: Shared, message: pb.Event | pb.PublicEvent) -> None:
    match event:
        case ev.PhaseLaid(seat, phase, melds):
            laid = pb.PhaseLaid(seat=seat, phase=phase, melds=[encode_table_meld(meld) for meld in melds])
            message.phase_laid.CopyFrom(laid)
        case ev.CardHit(seat, owner, meld, card, end):
            hit = message.card_hit
            hit.seat, hit.owner, hit.meld, hit.card = seat, owner, meld, encode_card(card)
            if end is not None:
                hit.end = ENDS.encode(end)
        case ev.WildTaken(seat, owner, meld, place, card):
            taken = pb.WildTaken(seat=seat, owner=owner, meld=meld, place=place, card=encode_card(card))
            message.wild_taken.CopyFrom(taken)
        case ev.CardDiscarded(seat, card):
            message.card_discarded.seat = seat
            message.card_discarded.card = encode_card(card)
        case ev.SkipPlayed(seat, target):
            message.skip_played.seat = seat
            message.skip_played.target = target
        case ev.TurnSkipped(seat, by_start_card):
            message.turn_skipped.seat = seat
            message.turn_skipped.by_start_card = by_start_card
        case ev.SeatFaulted(seat, kind, count):
            message.seat_faulted.CopyFrom(pb.SeatFaulted(seat=seat, kind=FAULTS.encode(kind), count=count))
        case ev.SeatForfeited(seat, cause):
            message.seat_forfeited.CopyFrom(pb.SeatForfeited(seat=seat, cause=FORFEITS.encode(cause)))
        case ev.DealEnded(deal_end, out, penalties, totals, completed):
            ended = pb.DealEnded(
                cause=DEAL_ENDS.encode(deal_end), out=out, penalties=penalties, totals=totals, completed=completed
            )
            message.deal_ended.CopyFrom(ended)
        case ev.GameEnded(game_end, places):
            message.game_ended.CopyFrom(pb.GameEnded(cause=GAME_ENDS.encode(game_end), places=places))
        case _:
            assert_never(event)


def encode_event(event: ev.Event) -> pb.Event:
    """A full event, hidden cards included: for replays only."""
    message = pb.Event()
    match event:
        case ev.GameStarted(ruleset, terms, seats):
            started = pb.GameStarted(ruleset=encode_ruleset(ruleset), terms=encode_terms(terms), seats=seats)
            message.game_started.CopyFrom(started)
        case ev.DealStarted(deal, dealer, players, tie_break, deck):
            deal_started = pb.DealStarted(
                deal=deal, dealer=dealer, players=players, tie_break=tie_break, deck=encode_cards(deck)
            )
            message.deal_started.CopyFrom(deal_started)
        case ev.StockRebuilt(stock):
            message.stock_rebuilt.stock.extend(encode_cards(stock))
        case ev.CardDrawn(seat, card, from_discard):
            drawn = message.card_drawn
            drawn.seat, drawn.card, drawn.from_discard = seat, encode_card(card), from_discard
        case _:
            _encode_shared(event, message)
    return message


def encode_public_event(event: ev.PublicEvent) -> pb.PublicEvent:
    """An event as everybody sees it."""
    message = pb.PublicEvent()
    match event:
        case ev.DealOpened(deal, dealer, players, tie_break, start_card, stock_size):
            opened = pb.DealOpened(
                deal=deal,
                dealer=dealer,
                players=players,
                tie_break=tie_break,
                start_card=encode_optional_card(start_card),
                stock_size=stock_size,
            )
            message.deal_opened.CopyFrom(opened)
        case ev.StockRenewed(stock_size):
            message.stock_renewed.CopyFrom(pb.StockRenewed(stock_size=stock_size))
        case ev.DrawSeen(seat, card):
            seen = message.draw_seen
            seen.seat, seen.card = seat, encode_optional_card(card)
        case _:
            _encode_shared(event, message)
    return message


def _decode_shared(message: pb.Event | pb.PublicEvent) -> Shared:  # noqa: PLR0911 - one arm a kind
    match message.WhichOneof("kind"):
        case "phase_laid":
            laid = message.phase_laid
            return ev.PhaseLaid(Seat(laid.seat), laid.phase, tuple([decode_table_meld(meld) for meld in laid.melds]))
        case "card_hit":
            hit = message.card_hit
            end = ENDS.decode_optional(hit.end)
            return ev.CardHit(Seat(hit.seat), Seat(hit.owner), hit.meld, decode_card(hit.card), end)
        case "wild_taken":
            taken = message.wild_taken
            return ev.WildTaken(Seat(taken.seat), Seat(taken.owner), taken.meld, taken.place, decode_card(taken.card))
        case "card_discarded":
            return ev.CardDiscarded(Seat(message.card_discarded.seat), decode_card(message.card_discarded.card))
        case "skip_played":
            return ev.SkipPlayed(Seat(message.skip_played.seat), Seat(message.skip_played.target))
        case "turn_skipped":
            return ev.TurnSkipped(Seat(message.turn_skipped.seat), message.turn_skipped.by_start_card)
        case "seat_faulted":
            faulted = message.seat_faulted
            return ev.SeatFaulted(Seat(faulted.seat), FAULTS.decode(faulted.kind), faulted.count)
        case "seat_forfeited":
            forfeited = message.seat_forfeited
            return ev.SeatForfeited(Seat(forfeited.seat), FORFEITS.decode(forfeited.cause))
        case "deal_ended":
            ended = message.deal_ended
            return ev.DealEnded(
                DEAL_ENDS.decode(ended.cause),
                Seat(ended.out) if ended.HasField("out") else None,
                tuple(ended.penalties),
                tuple(ended.totals),
                tuple(ended.completed),
            )
        case "game_ended":
            return ev.GameEnded(GAME_ENDS.decode(message.game_ended.cause), tuple(message.game_ended.places))
        case other:
            raise MalformedMessage(f"an event of no known kind: {other}")


def decode_event(message: pb.Event) -> ev.Event:
    """Raises MalformedMessage."""
    match message.WhichOneof("kind"):
        case "game_started":
            started = message.game_started
            return ev.GameStarted(decode_ruleset(started.ruleset), decode_terms(started.terms), started.seats)
        case "deal_started":
            deal = message.deal_started
            return ev.DealStarted(
                deal.deal, Seat(deal.dealer), _seats(deal.players), deal.tie_break, decode_cards(deal.deck)
            )
        case "stock_rebuilt":
            return ev.StockRebuilt(decode_cards(message.stock_rebuilt.stock))
        case "card_drawn":
            drawn = message.card_drawn
            return ev.CardDrawn(Seat(drawn.seat), decode_card(drawn.card), drawn.from_discard)
        case _:
            return _decode_shared(message)


def decode_public_event(message: pb.PublicEvent) -> ev.PublicEvent:
    """Raises MalformedMessage."""
    match message.WhichOneof("kind"):
        case "deal_opened":
            opened = message.deal_opened
            return ev.DealOpened(
                opened.deal,
                Seat(opened.dealer),
                _seats(opened.players),
                opened.tie_break,
                decode_optional_card(opened.start_card),
                opened.stock_size,
            )
        case "stock_renewed":
            return ev.StockRenewed(message.stock_renewed.stock_size)
        case "draw_seen":
            return ev.DrawSeen(Seat(message.draw_seen.seat), decode_optional_card(message.draw_seen.card))
        case _:
            return _decode_shared(message)


@lru_cache(maxsize=8192)
def read_public_event(data: bytes) -> ev.PublicEvent:
    """The value of a serialised PublicEvent: most of them were read before. Raises MalformedMessage."""
    try:
        return decode_public_event(pb.PublicEvent.FromString(data))
    except DecodeError:
        raise MalformedMessage("an event cannot be read") from None
