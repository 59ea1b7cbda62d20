"""P10-SHUFFLE-1: how decks are made from a key that no single party could choose."""

from typing import Protocol

from referee.engine.cards import Card


class DeckSource(Protocol):
    """Where card orders come from. Must be a pure function of its arguments."""

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """The order, top first, of `cards` (given ascending). `number` is deal << 16 | reshuffle."""

    def first_dealer(self, seats: int) -> int:
        """The seat that deals first where the terms say `seeded`."""


class SeededDecks:
    """The decks of one game, from its 64-byte key."""

    def __init__(self, key: bytes) -> None: ...


def server_commit(context: bytes, seed: bytes) -> bytes: ...
def nonce_commit(context: bytes, seat: int, nonce: bytes) -> bytes: ...
def match_key(context: bytes, seed: bytes, nonces: tuple[bytes, ...]) -> bytes: ...
def game_context(game_id: bytes, attempt: int, seats: int) -> bytes:
    """`game_id`: the 16 bytes of a UUID in network order."""
