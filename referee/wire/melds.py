"""Melds on the table."""

from phaseten.v1 import game_pb2

from referee.engine.events import TableMeld
from referee.wire.cards import decode_cards, encode_cards
from referee.wire.enums import MELD_KINDS


def encode_table_meld(meld: TableMeld) -> game_pb2.TableMeld:
    return game_pb2.TableMeld(kind=MELD_KINDS.encode(meld.kind), cards=encode_cards(meld.cards), value=meld.value)


def decode_table_meld(message: game_pb2.TableMeld) -> TableMeld:
    """Raises MalformedMessage."""
    return TableMeld(MELD_KINDS.decode(message.kind), decode_cards(message.cards), message.value)
