"""Cards: fifty kinds, their notation, and the deck they make.

Copies of a kind cannot be told apart, so a card *is* its kind: a small integer with a face. Numbers 0-47 are
`colour * 12 + (number - 1)`, 48 is the Wild, 49 the Skip. `R7`, `B12`, `G1`, `Y10`, `W` and `S` are the notation used in
logs, tests and texts.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final


class Color(IntEnum):
    """The four colours, in deck order."""

    RED = 0
    BLUE = 1
    GREEN = 2
    YELLOW = 3


_LETTERS: Final = "RBGY"
KINDS: Final = 50
NUMBERS: Final = 48  # kinds below this one are number cards
WILD_KIND: Final = 48
SKIP_KIND: Final = 49


class Card(int):
    """One kind of card. Take them from `CARDS`, `WILD`, `SKIP` or `parse_card`; there are fifty, all alike as integers."""

    __slots__ = ()

    @property
    def color(self) -> Color | None:
        """The colour of a number card, None for a Wild or a Skip."""
        return Color(self // 12) if self < NUMBERS else None

    @property
    def number(self) -> int | None:
        """1 to 12 for a number card, None for a Wild or a Skip."""
        return self % 12 + 1 if self < NUMBERS else None

    @property
    def is_number(self) -> bool:
        return self < NUMBERS

    @property
    def is_wild(self) -> bool:
        return self == WILD_KIND

    @property
    def is_skip(self) -> bool:
        return self == SKIP_KIND

    def __str__(self) -> str:
        if self < NUMBERS:
            return f"{_LETTERS[self // 12]}{self % 12 + 1}"
        return "W" if self == WILD_KIND else "S"

    def __repr__(self) -> str:
        return str(self)


CARDS: Final[tuple[Card, ...]] = tuple(Card(kind) for kind in range(KINDS))
WILD: Final = CARDS[WILD_KIND]
SKIP: Final = CARDS[SKIP_KIND]

_BY_NAME: Final = {str(card): card for card in CARDS}


def number_card(color: Color, number: int) -> Card:
    """The number card of this colour. Raises ValueError unless number is 1 to 12."""
    if not 1 <= number <= 12:
        raise ValueError(f"no card has the number {number}")
    return CARDS[color * 12 + number - 1]


def parse_card(text: str) -> Card:
    """Read one card such as `R7`, `W` or `S` (case does not matter). Raises ValueError for anything else."""
    try:
        return _BY_NAME[text.strip().upper()]
    except KeyError:
        raise ValueError(f"no such card: {text!r} (R1-R12, B1-B12, G1-G12, Y1-Y12, W or S)") from None


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards separated by blanks. Raises ValueError with the first word that is no card."""
    return tuple(parse_card(word) for word in text.split())


def format_cards(cards: Iterable[Card]) -> str:
    """The cards in notation, separated by blanks; `parse_cards` reads it back."""
    return " ".join(map(str, cards))


def full_deck(wilds: int = 8, skips: int = 4) -> tuple[Card, ...]:
    """Every card of a deck in ascending order: two of each number card, then Wilds, then Skips (108 by default)."""
    numbers = tuple(card for card in CARDS[:NUMBERS] for _ in range(2))
    return numbers + (WILD,) * wilds + (SKIP,) * skips
