"""What pages show, ready to be shown: emblems, sentences with cards, heat, scores. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from referee.engine.cards import CARDS, NUMBERS, WILD_KIND, Card
from referee.engine.ruleset import PHASES
from tournament_site.matches import rulebook
from tournament_site.matches.frames import NAME_LENGTH, Line, harmless

TINTS: Final = 8
_LETTERS: Final = "rbgy"
_COLOURS: Final = ("red", "blue", "green", "yellow")
# Where the marks of an emblem lie, in a square of 20: (x, y, size).
_LAYOUTS: Final[tuple[tuple[tuple[float, float, float], ...], ...]] = (
    ((4, 4, 12),),
    ((2.5, 2.5, 7), (10.5, 10.5, 7)),
    ((10.5, 2.5, 7), (2.5, 10.5, 7)),
    ((3, 3, 6), (11, 3, 6), (3, 11, 6), (11, 11, 6)),
    ((7, 2.5, 6), (3, 10.5, 6), (11, 10.5, 6)),
    ((2.5, 7, 6), (11, 3, 6.5), (11, 11, 6)),
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A shape of an emblem: its letter and where it lies in a square of 20."""

    shape: str
    x: float
    y: float
    size: float


@dataclass(frozen=True, slots=True)
class Emblem:
    """A small picture that belongs to a bot for ever, made of its slug. `tint` is 0-7."""

    tint: int
    marks: tuple[Mark, ...]

    @classmethod
    def of(cls, slug: str) -> "Emblem":
        digest = hashlib.sha256(b"emblem\0" + slug.encode("utf-8", "replace")).digest()
        layout = _LAYOUTS[digest[1] % len(_LAYOUTS)]
        shape = _LETTERS[digest[2] % 4]
        other = _LETTERS[digest[3] % 4]
        marks = tuple(Mark(other if number % 2 else shape, *place) for number, place in enumerate(layout))
        return cls(digest[0] % TINTS, marks)


@dataclass(frozen=True, slots=True)
class Player:
    """A bot as pages name it. `version` and `owner` are empty where they do not matter."""

    slug: str
    name: str
    emblem: Emblem
    version: str = ""
    owner: str = ""

    @classmethod
    def of(cls, slug: str, name: str, version: str = "", owner: str = "") -> "Player":
        return cls(slug, harmless(name, NAME_LENGTH), Emblem.of(slug), harmless(version, NAME_LENGTH), owner)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence: words, a card (`colour` r, b, g, y, w or s; `title` its name) or the name of a seat."""

    words: str = ""
    colour: str = ""
    title: str = ""
    seat: str = ""


def pieces(line: Line, seats: Sequence[str]) -> tuple[Piece, ...]:
    """A sentence of the film with names for seats and faces for cards."""
    found = []
    for part in line:
        match part:
            case str():
                found.append(Piece(words=part))
            case int():
                found.append(_face(part))
            case list():
                found.append(Piece(seat=seats[part[0]]))
    return tuple(found)


def _face(kind: int) -> Piece:
    if kind < NUMBERS:
        colour, number = divmod(kind, 12)
        return Piece(str(number + 1), _LETTERS[colour], f"{_COLOURS[colour]} {number + 1}")
    return Piece("W", "w", "Wild") if kind == WILD_KIND else Piece("S", "s", "Skip")


@dataclass(frozen=True, slots=True)
class CardShown:
    """A card as a picture: colour r, b, g, y, w or s; the drawing of a card without a number; what a Wild stands for."""

    colour: str
    label: str
    art: str
    stands: str
    title: str

    @classmethod
    def of(cls, card: Card, stands: int | None = None) -> "CardShown":
        face = _face(card)
        art = {"w": "wild-art", "s": "skip-art"}.get(face.colour, "")
        title = face.title if stands is None else f"{face.title} as {stands}"
        return cls(face.colour, face.words, art, "" if stands is None else str(stands), title)


@dataclass(frozen=True, slots=True)
class RulesName:
    """The rule set of a league or match. Only a `known` one has a page; `summary` says in one sentence what it is."""

    name: str
    known: bool
    summary: str

    @classmethod
    def of(cls, name: str) -> "RulesName":
        try:
            return cls(name, known=True, summary=rulebook.summary(name))
        except rulebook.UnknownRules:
            return cls(harmless(name, NAME_LENGTH), known=False, summary="")


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One cell of a cross table: its text, its heat as a CSS class, and the sentence a reader hears."""

    text: str
    heat: str
    title: str


def heat(score: float, games: int) -> int:
    """0 (lost all) to 10 (won all), 5 in the middle."""
    return round(10 * score / games) if games else 5


def heat_cell(score: float, games: int) -> HeatCell:
    """What one bot did against another: `score` points of `games`."""
    return HeatCell(number(score), f"h h{heat(score, games)}", f"{number(score)} of {games}")


SELF_CELL: Final = HeatCell("", "self", "itself")
NO_CELL: Final = HeatCell("·", "none", "not met yet")


def number(value: float) -> str:
    """A score without needless zeros: 3, 2.5, 1.33."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def elo(value: float | None) -> str:
    """A rating as a whole number; a dash without one."""
    return "–" if value is None else f"{value:.0f}"


def change(value: float | None) -> str:
    """A change with its sign, in tenths; a dash without one."""
    if value is None:
        return "–"
    text = f"{abs(value):.1f}"
    if text == "0.0":
        return "±0"
    return f"+{text}" if value > 0 else f"−{text}"  # a real minus, as wide as the plus


def direction(value: float | None) -> str:
    """CSS class of a change."""
    if value is None or abs(value) < 0.05:
        return ""
    return "up" if value > 0 else "down"


def percent(part: int, whole: int) -> int:
    return 100 * part // whole if whole else 0


def lasted(milliseconds: int) -> str:
    """A stretch of time: 850 ms, 12.3 s, 4 min 05 s, 2 min."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f}".removesuffix(".0") + " s"
    minutes, rest = divmod(milliseconds // 1000, 60)
    return f"{minutes} min {rest:02d} s" if rest else f"{minutes} min"


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a match in words."""

    bank: str
    increment: str
    cap: str

    @classmethod
    def of(cls, terms: Mapping[str, object]) -> "Clock":
        """From a match's stored terms; what they leave out has no words."""
        return cls(*(_milliseconds(terms.get(key)) for key in ("bank_ms", "increment_ms", "cap_ms")))


def cut_short(terms: Mapping[str, object]) -> str:
    """After how many deals the games of a match end, where that is too few for all phases: "4 deals". Else empty."""
    deals = terms.get("max_deals")
    return rulebook.counted(deals, "deal") if isinstance(deals, int) and deals < len(PHASES) else ""


def _milliseconds(value: object) -> str:
    return lasted(value) if isinstance(value, int) else "as usual"


PIPS: Final = tuple(range(1, 11))
ALL_FACES: Final = tuple(_face(int(card)) for card in CARDS)
