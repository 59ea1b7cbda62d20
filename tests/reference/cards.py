"""The deck, the printed phases and the points, written down once more: cards are the words `R7`, `W`, `S` in lists."""

from typing import NamedTuple

COLOURS = ["R", "B", "G", "Y"]  # red, blue, green, yellow: a colour's place here is its number
FACES = [colour + str(number) for colour in COLOURS for number in range(1, 13)] + ["W", "S"]

NUMBER = {colour + str(number): number for colour in COLOURS for number in range(1, 13)}
COLOUR = {colour + str(number): COLOURS.index(colour) for colour in COLOURS for number in range(1, 13)}
PLACE = {face: place for place, face in enumerate(FACES)}  # the order of a sorted hand and of an unshuffled deck

# The ten printed phases (official leaflet): what each meld is and how many cards it has at least.
PHASES = {
    1: [("set", 3), ("set", 3)],
    2: [("set", 3), ("run", 4)],
    3: [("set", 4), ("run", 4)],
    4: [("run", 7)],
    5: [("run", 8)],
    6: [("run", 9)],
    7: [("set", 4), ("set", 4)],
    8: [("color", 7)],
    9: [("set", 5), ("set", 2)],
    10: [("set", 5), ("set", 3)],
}


class Refused(Exception):
    """A move is against the rules; `reason` is the name of the reason."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class Draw(NamedTuple):
    pile: str  # "stock" or "discard"


class Meld(NamedTuple):
    cards: list[str]
    meaning: int | None = None


class Hit(NamedTuple):
    owner: int
    meld: int
    card: str
    end: str | None = None  # "low" or "high"
    for_wild: bool = False


class Play(NamedTuple):
    lay: list[Meld]
    hits: list[Hit]
    discard: str | None = None
    target: int | None = None
    phase: int | None = None


class Laid(NamedTuple):
    """A meld on the table; `value` is a set's number, a run's lowest number, or the number of a colour."""

    kind: str
    cards: list[str]
    value: int


def whole_deck(wilds, skips):
    """All cards in ascending order: two of each number in each colour, then Wilds, then Skips."""
    return [card for card in FACES[:48] for _ in range(2)] + ["W"] * wilds + ["S"] * skips


def in_order(cards):
    return sorted(cards, key=PLACE.__getitem__)


def points(card, prices):
    if card == "W":
        return prices["wild"]
    if card == "S":
        return prices["skip"]
    return prices["low"] if NUMBER[card] < 10 else prices["high"]
