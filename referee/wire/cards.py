"""Cards: a kind's number plus one, so that zero means none."""

from collections.abc import Iterable
from typing import Any, Final

from referee.engine.cards import CARDS, Card
from referee.wire.errors import MalformedMessage

_DECODE: Final = {kind + 1: card for kind, card in enumerate(CARDS)}
_DECODE_OPTIONAL: Final = {0: None, **_DECODE}
_PACKED: Final = bytes([kind + 1 if kind < len(CARDS) else 0 for kind in range(256)])


def encode_card(card: Card) -> Any:
    """The schema's enum value."""
    return card + 1


def decode_card(value: int) -> Card:
    """The card. Raises MalformedMessage for anything but 1 to 50."""
    try:
        return _DECODE[value]
    except KeyError:
        raise MalformedMessage(f"{value} is no card") from None


def encode_optional_card(card: Card | None) -> Any:
    """The schema's enum value, unspecified for None."""
    return 0 if card is None else card + 1


def decode_optional_card(value: int) -> Card | None:
    """The card, or None for the unspecified value. Raises MalformedMessage."""
    try:
        return _DECODE_OPTIONAL[value]
    except KeyError:
        raise MalformedMessage(f"{value} is no card") from None


def encode_cards(cards: Iterable[Card]) -> list[Any]:
    """A list of enum values. What is no card is written as none."""
    return list(packed_cards(cards))


def decode_cards(values: Iterable[int]) -> tuple[Card, ...]:
    """The cards in the same order. Raises MalformedMessage."""
    try:
        return tuple(map(_DECODE.__getitem__, values))
    except KeyError as wrong:
        raise MalformedMessage(f"{wrong.args[0]} is no card") from None


def packed_cards(cards: Iterable[Card]) -> bytes:
    """The content of a packed list of enum values. What is no card is written as none."""
    return bytes(tuple(cards)).translate(_PACKED)
