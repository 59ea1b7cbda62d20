"""The example in `proto/SHUFFLE.md`, worked out again from the steps of the text, with nothing of ours but its labels."""

import hashlib
import hmac
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from phaseten.v1 import cards_pb2

from referee.engine import NO_NONCE, SeededDecks, full_deck, match_key
from referee.wire.cards import packed_cards

TEXT = (Path(__file__).parents[2] / "proto" / "SHUFFLE.md").read_text()
SEATS = 2


def shown(name: str) -> str:
    """What stands indented below a name, without line breaks."""
    found = re.search(rf"(?m)^`{re.escape(name)}`[^\n]*:\n\n((?: {{4}}[^\n]+\n)+)", TEXT)
    assert found, f"the text shows no {name}"
    return " ".join(found[1].split())


def value(name: str) -> bytes:
    return bytes.fromhex(shown(name))


def label(name: str) -> bytes:
    """A label that the text names, with its zero byte."""
    assert f'"p10/{name}/1" 00' in TEXT
    return f"p10/{name}/1".encode() + b"\0"


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha512")


def stream(key: bytes) -> Iterator[int]:
    for block in count():
        yield from mac(key, block.to_bytes(4, "big"))


def uniform(source: Iterator[int], n: int) -> int:
    return next(byte % n for byte in source if byte < 256 - 256 % n)


def test_the_commitments_of_the_example() -> None:
    context = value("context")
    assert context == value("game_id") + (1).to_bytes(4, "big") + bytes([SEATS])
    said = hashlib.sha512(label("server-commit") + context + value("seed")).digest()
    assert said == value("commitment of the referee")
    for seat in range(SEATS):
        nonce = value(f"nonce of seat {seat}")
        said = hashlib.sha512(label("nonce-commit") + context + bytes([seat]) + nonce).digest()
        assert said == value(f"commitment of seat {seat}")
    assert (len(value("seed")), len(NO_NONCE), len(value("nonce of seat 0"))) == (64, 32, 32)


def test_the_deck_of_the_example() -> None:
    nonces = tuple(value(f"nonce of seat {seat}") for seat in range(SEATS))
    key = mac(value("seed"), label("match-key") + value("context") + b"".join(nonces))
    assert key == value("key") == match_key(value("context"), value("seed"), nonces)
    own = mac(key, label("shuffle") + (0).to_bytes(4, "big"))
    assert own == value("stream key of shuffle 0")
    assert mac(own, bytes(4)) == value("block 0 of shuffle 0")
    cards = [number for number in cards_pb2.Card.values() if 0 < number <= 48 for _ in range(2)]
    cards += [cards_pb2.CARD_WILD] * 8 + [cards_pb2.CARD_SKIP] * 4
    assert cards == sorted(cards)
    source = stream(own)
    for i in range(len(cards) - 1, 0, -1):
        other = uniform(source, i + 1)
        cards[i], cards[other] = cards[other], cards[i]
    assert cards == list(map(int, shown("deck of shuffle 0").split()))
    assert bytes(cards) == packed_cards(SeededDecks(key)(0, full_deck()))


def test_the_first_dealer_of_the_example() -> None:
    dealer = uniform(stream(mac(value("key"), label("first-dealer") + bytes(4))), SEATS)
    assert f"`first dealer`, where it is drawn: seat {dealer}." in TEXT
    assert dealer == SeededDecks(value("key")).first_dealer(SEATS)
