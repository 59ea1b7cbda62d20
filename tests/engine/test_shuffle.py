"""P10-SHUFFLE-1 against vectors that three implementations agree on."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from referee.engine import (
    SeededDecks,
    full_deck,
    game_context,
    match_key,
    nonce_commit,
    server_commit,
    shuffle_number,
    shuffled,
)
from referee.engine.cards import CARDS, SKIP, WILD, Card
from referee.engine.shuffle import stream, stream_key, uniform

VECTORS = json.loads((Path(__file__).parent / "data" / "shuffle_vectors.json").read_text())
SHUFFLES = [(vector, shuffle) for vector in VECTORS for shuffle in vector["shuffles"]]


def _context(vector: dict[str, Any]) -> bytes:
    return game_context(UUID(vector["match_id"]).bytes, vector["attempt"], vector["seats"])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_commitments_key_and_first_dealer(vector):
    context = _context(vector)
    seed = bytes.fromhex(vector["server_seed"])
    nonces = tuple(map(bytes.fromhex, vector["nonces"]))
    assert server_commit(context, seed).hex() == vector["server_commit"]
    assert [nonce_commit(context, seat, nonce).hex() for seat, nonce in enumerate(nonces)] == vector["nonce_commits"]
    key = match_key(context, seed, nonces)
    assert key.hex() == vector["match_key"]
    assert SeededDecks(key).first_dealer(vector["seats"]) == vector["first_dealer"]


@pytest.mark.parametrize(("vector", "shuffle"), SHUFFLES, ids=lambda part: str(part.get("name", part.get("index"))))
def test_shuffles(vector, shuffle):
    key = bytes.fromhex(vector["match_key"])
    own = stream_key(key, b"p10/shuffle/1", shuffle["index"])
    assert own.hex() == shuffle["stream_key"]
    source = stream(own)
    assert bytes(next(source) for _ in range(64)).hex() == shuffle["block0"]
    # The vectors are written in card numbers 0-107. The shuffle never looks at a face, so any integers do.
    order = shuffled(key, shuffle["index"], tuple(map(Card, shuffle["input"])))
    assert list(map(int, order)) == shuffle["deck"]
    assert hashlib.sha256(bytes(order)).hexdigest() == shuffle["deck_sha256"]


def _kind(number: int) -> Card:
    """The kind of card 0-107: two of each number by colour, then Wilds, then Skips."""
    if number >= 96:
        return WILD if number < 104 else SKIP
    return CARDS[number // 24 * 12 + number % 24 // 2]


@pytest.mark.parametrize(("vector", "shuffle"), SHUFFLES, ids=lambda part: str(part.get("name", part.get("index"))))
def test_shuffling_kinds_is_shuffling_numbered_cards_and_looking_at_them(vector, shuffle):
    key = bytes.fromhex(vector["match_key"])
    kinds = tuple(map(_kind, shuffle["input"]))
    assert list(kinds) == sorted(kinds)
    assert shuffled(key, shuffle["index"], kinds) == tuple(map(_kind, shuffle["deck"]))


def test_the_whole_deck_in_ascending_order_is_the_input_of_a_deal():
    assert tuple(map(_kind, range(108))) == full_deck()
    decks = SeededDecks(bytes(64))
    assert decks(shuffle_number(3, 0), full_deck()) == shuffled(bytes(64), 3 << 16, full_deck())
    assert decks(shuffle_number(3, 2), full_deck()) == shuffled(bytes(64), 3 << 16 | 2, full_deck())


@pytest.mark.parametrize("cards", [(), (WILD,)])
def test_nothing_to_shuffle(cards):
    assert shuffled(bytes(64), 0, cards) == cards


def test_uniform_rejects_what_would_favour_small_numbers():
    # 256 = 2 * 100 + 56: bytes from 200 on are thrown away.
    assert uniform(iter([200, 255, 199]), 100) == 99
    assert uniform(iter([100, 7]), 100) == 0
    assert uniform(iter([255]), 256) == 255


def test_every_order_of_four_cards_comes_as_often():
    cards = tuple(CARDS[:4])
    seen = Counter(shuffled(bytes(64), number, cards) for number in range(12_000))
    assert len(seen) == 24
    # Chi squared with 23 degrees of freedom: above 60 once in 30,000 tries, and the key is fixed.
    assert sum((count - 500) ** 2 / 500 for count in seen.values()) < 60
