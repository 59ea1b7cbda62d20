"""Melds on the table."""

from typing import Final

from phaseten.v1 import game_pb2

from referee.engine.events import TableMeld
from referee.wire.cards import decode_cards, packed_cards
from referee.wire.enums import MELD_KINDS
from referee.wire.fields import Heading, IntField

_KIND: Final = IntField(game_pb2.TableMeld, "kind")
_CARDS: Final = Heading(game_pb2.TableMeld, "cards")
_VALUE: Final = IntField(game_pb2.TableMeld, "value")


def write_table_meld(meld: TableMeld) -> bytes:
    """A serialised TableMeld."""
    cards = _CARDS.optional(packed_cards(meld.cards))
    return b"".join((_KIND[MELD_KINDS.encode(meld.kind)], cards, _VALUE[meld.value]))


def encode_table_meld(meld: TableMeld) -> game_pb2.TableMeld:
    return game_pb2.TableMeld.FromString(write_table_meld(meld))


def decode_table_meld(message: game_pb2.TableMeld) -> TableMeld:
    """Raises MalformedMessage."""
    return TableMeld(MELD_KINDS.decode(message.kind), decode_cards(message.cards), message.value)
