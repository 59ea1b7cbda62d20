"""P10-SHUFFLE-1: decks from a key that no single party could choose, checkable with nothing but HMAC-SHA-512.

The server commits to a seed, the seats commit to nonces, then all are shown; the key mixes them. From the key comes one
byte stream per shuffle, and Fisher-Yates takes uniform numbers from it by rejection. All integers are big-endian.
"""

import hashlib
import hmac
from collections.abc import Iterator
from itertools import chain, count
from typing import Final, Protocol

from referee.engine.cards import Card

NO_NONCE: Final = bytes(32)  # the share of a seat that takes no part in making the key


class DeckSource(Protocol):
    """Where the order of cards comes from. Must be a pure function of its arguments."""

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """The order, top first, of `cards` (given ascending). `number` is `shuffle_number(deal, reshuffle)`."""

    def first_dealer(self, seats: int) -> int:
        """The seat that deals first where the terms say `seeded`."""


def shuffle_number(deal: int, reshuffle: int) -> int:
    """The number of a shuffle: a reshuffle (1, 2 ... within its deal; 0 is the deal itself) moves no later deal."""
    return deal << 16 | reshuffle


def game_context(game_id: bytes, attempt: int, seats: int) -> bytes:
    """What binds commitments to one try at one game. `game_id` is the 16 bytes of its UUID in network order."""
    return game_id + attempt.to_bytes(4, "big") + seats.to_bytes(1, "big")


def server_commit(context: bytes, seed: bytes) -> bytes:
    """The server's commitment (64 bytes) to its 64-byte seed."""
    return hashlib.sha512(b"p10/server-commit/1\0" + context + seed).digest()


def nonce_commit(context: bytes, seat: int, nonce: bytes) -> bytes:
    """A seat's commitment (64 bytes) to its 32-byte nonce."""
    return hashlib.sha512(b"p10/nonce-commit/1\0" + context + seat.to_bytes(1, "big") + nonce).digest()


def match_key(context: bytes, seed: bytes, nonces: tuple[bytes, ...]) -> bytes:
    """The 64-byte key of a game, from the server's seed and the nonces in seat order (`NO_NONCE` for a seat without)."""
    return hmac.digest(seed, b"p10/match-key/1\0" + context + b"".join(nonces), "sha512")


def stream_key(key: bytes, label: bytes, index: int) -> bytes:
    """The key of one byte stream; `label` is the bare name, such as b"p10/shuffle/1"."""
    return hmac.digest(key, label + b"\0" + index.to_bytes(4, "big"), "sha512")


def stream(key: bytes) -> Iterator[int]:
    """The endless bytes of a stream key: blocks of 64, numbered from 0."""
    return chain.from_iterable(_blocks(key))


def _blocks(key: bytes) -> Iterator[bytes]:
    for block in count():
        yield hmac.digest(key, block.to_bytes(4, "big"), "sha512")


_LIMIT: Final = (0, *(256 - 256 % n for n in range(1, 257)))
# For each number of cards: the place that a byte stands for; 255, which is no place among fewer than 256, for none.
_PLACES: Final = (b"", *(bytes([value % n if value < _LIMIT[n] else 255 for value in range(256)]) for n in range(1, 257)))


def uniform(source: Iterator[int], n: int) -> int:
    """A number below `n` (1 to 256), every one equally likely.

    Bytes at or above the largest multiple of n are thrown away.
    """
    limit = _LIMIT[n]
    value = next(source)
    while value >= limit:
        value = next(source)
    return value % n


def shuffled(key: bytes, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The cards (at most 256, given ascending) in the order of shuffle `number`, top first.

    Shuffling kinds is the same as shuffling numbered cards and then looking at their faces: the swaps do not look.
    """
    order = list(cards)
    last = len(order) - 1
    if last < 1:
        return cards
    # `uniform` looked up: this loop is the dearest part of a deal.
    places = _PLACES[last + 1]
    for value in stream(stream_key(key, b"p10/shuffle/1", number)):
        place = places[value]
        if place <= last:
            order[last], order[place] = order[place], order[last]
            places = _PLACES[last]
            last -= 1
            if not last:
                break
    return tuple(order)


class SeededDecks:
    """The decks of one game, from its 64-byte key."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return shuffled(self._key, number, cards)

    def first_dealer(self, seats: int) -> int:
        return uniform(stream(stream_key(self._key, b"p10/first-dealer/1", 0)), seats)
