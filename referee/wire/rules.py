"""Rule sets and terms."""

from enum import Enum
from typing import Any, Final

from phaseten.v1 import rules_pb2 as pb

from referee.engine import ruleset as rules
from referee.engine.ruleset import CardPoints, Clock, Ruleset, SeatDealer, Terms
from referee.wire.enums import EnumCodec
from referee.wire.errors import MalformedMessage

_ENUMS: Final[dict[str, EnumCodec[Any]]] = {
    "dealer_rotation": EnumCodec(rules.DealerRotation, pb.DealerRotation),
    "initial_skip": EnumCodec(rules.InitialSkip, pb.InitialSkip),
    "initial_skip_deals": EnumCodec(rules.InitialSkipDeals, pb.InitialSkipDeals),
    "initial_wild": EnumCodec(rules.InitialWild, pb.InitialWild),
    "deck_exhausted": EnumCodec(rules.DeckExhausted, pb.DeckExhausted),
    "advance": EnumCodec(rules.Advance, pb.Advance),
    "natural_cards": EnumCodec(rules.NaturalCards, pb.NaturalCards),
    "hit_on_lay_turn": EnumCodec(rules.HitOnLayTurn, pb.HitOnLayTurn),
    "going_out": EnumCodec(rules.GoingOut, pb.GoingOut),
    "skip_target": EnumCodec(rules.SkipTarget, pb.SkipTarget),
    "skip_limit": EnumCodec(rules.SkipLimit, pb.SkipLimit),
    "skip_zone": EnumCodec(rules.SkipZone, pb.SkipZone),
    "win_check": EnumCodec(rules.WinCheck, pb.WinCheck),
    "score_tie": EnumCodec(rules.ScoreTie, pb.ScoreTie),
}
_PLAIN: Final = (
    "name",
    "players_min",
    "players_max",
    "wilds",
    "skips",
    "hand_size",
    "take_skip_from_discard",
    "lay_extra",
    "same_number_sets",
    "wild_replaceable",
    "tiebreak_max_deals",
)


def encode_ruleset(ruleset: Ruleset) -> pb.Ruleset:
    """Every option, the defaults included."""
    points = ruleset.card_points
    message = pb.Ruleset(
        phases=ruleset.phases,
        card_points=pb.CardPoints(low=points.low, high=points.high, skip=points.skip, wild=points.wild),
    )
    for option in _PLAIN:
        setattr(message, option, getattr(ruleset, option))
    for option, codec in _ENUMS.items():
        member: Enum = getattr(ruleset, option)
        setattr(message, option, codec.encode(member))
    return message


def decode_ruleset(message: pb.Ruleset) -> Ruleset:
    """The value. Raises MalformedMessage; whether it can be played is the engine's to say."""
    options: dict[str, Any] = {option: getattr(message, option) for option in _PLAIN}
    for option, codec in _ENUMS.items():
        options[option] = codec.decode(getattr(message, option))
    points = message.card_points
    return Ruleset(
        phases=tuple(message.phases),
        card_points=CardPoints(low=points.low, high=points.high, skip=points.skip, wild=points.wild),
        **options,
    )


_LAST_SEAT: Final = pb.FIRST_DEALER_RULE_LAST_SEAT
_SEEDED: Final = pb.FIRST_DEALER_RULE_SEEDED


def encode_terms(terms: Terms) -> pb.Terms:
    """Clock, faults, first dealer and caps."""
    clock = terms.clock
    message = pb.Terms(
        clock=pb.Clock(bank_ms=clock.bank_ms, increment_ms=clock.increment_ms, cap_ms=clock.cap_ms),
        max_faults=terms.max_faults,
        max_turns_per_deal=terms.max_turns_per_deal,
        max_deals=terms.max_deals,
    )
    if isinstance(terms.first_dealer, SeatDealer):
        message.first_dealer_seat = terms.first_dealer.seat
    else:
        message.first_dealer_rule = _LAST_SEAT if terms.first_dealer == "last_seat" else _SEEDED
    return message


def decode_terms(message: pb.Terms) -> Terms:
    """The value. Raises MalformedMessage."""
    clock = message.clock
    first: rules.FirstDealer
    if message.WhichOneof("first_dealer") == "first_dealer_seat":
        first = SeatDealer(message.first_dealer_seat)
    elif message.first_dealer_rule == _LAST_SEAT:
        first = "last_seat"
    elif message.first_dealer_rule == _SEEDED:
        first = "seeded"
    else:
        raise MalformedMessage("the terms name no first dealer")
    return Terms(
        clock=Clock(bank_ms=clock.bank_ms, increment_ms=clock.increment_ms, cap_ms=clock.cap_ms),
        max_faults=message.max_faults,
        first_dealer=first,
        max_turns_per_deal=message.max_turns_per_deal if message.HasField("max_turns_per_deal") else None,
        max_deals=message.max_deals if message.HasField("max_deals") else None,
    )
