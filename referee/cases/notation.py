"""Seats, melds and moves as text, both ways. Readers raise ValueError with a sentence."""

from typing import Final

from referee.engine.cards import format_cards, parse_card, parse_cards
from referee.engine.errors import IllegalMove
from referee.engine.events import TableMeld
from referee.engine.melds import meet
from referee.engine.moves import End, Hit, Meld, Play, Seat
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Goal, GoalKind
from referee.engine.state import NOBODY

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # there are six seats at most; the others name one that does not exist
COLORS: Final = ("red", "blue", "green", "yellow")
KINDS: Final = {kind.value: kind for kind in GoalKind} | {"colour": GoalKind.COLOR}


def seat_text(seat: int) -> str:
    """The letter of a seat; nothing for nobody."""
    return "" if seat == NOBODY else LETTERS[seat]


def read_seat(value: object) -> Seat:
    """A seat by its letter, or by its number from 0."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Seat(value)
    if isinstance(value, str) and len(value) == 1 and value.upper() in LETTERS:
        return Seat(LETTERS.index(value.upper()))
    raise ValueError(f"{value!r} is no seat; seats are A to F")


def meld_text(meld: TableMeld) -> str:
    """As in `set 7: R7 B7 W`."""
    value = COLORS[meld.value] if meld.kind is GoalKind.COLOR else meld.value
    return f"{meld.kind.value} {value}: {format_cards(meld.cards)}"


def table_text(melds: tuple[TableMeld, ...]) -> str:
    """The melds of a seat, separated by slashes."""
    return " / ".join(map(meld_text, melds))


def read_table(text: str) -> tuple[TableMeld, ...]:
    """The melds of a seat; an empty text for none."""
    return tuple(_table_meld(part) for part in text.split("/")) if text.strip() else ()


def _table_meld(text: str) -> TableMeld:
    head, colon, cards = text.partition(":")
    words = head.split()
    kind = KINDS.get(words[0].lower()) if words else None
    if not colon or kind is None or len(words) > 2:
        raise ValueError(
            f"{text.strip()!r} is no meld; one looks like `set 7: R7 B7 W`, `run 3: R3 W R5` or `color red: R1 R2`"
        )
    meaning = _meaning(words[1]) if len(words) == 2 else None
    try:
        return meet(Goal(kind, 1), Meld(parse_cards(cards), meaning), OFFICIAL)
    except IllegalMove as problem:
        raise ValueError(f"{text.strip()!r}: {problem}") from None


def _meaning(word: str) -> int:
    if word.lower() in COLORS:
        return COLORS.index(word.lower())
    if not word.isdecimal():
        raise ValueError(f"{word!r} is neither a number nor a colour ({', '.join(COLORS)})")
    return int(word)


def lay_text(melds: tuple[Meld, ...]) -> str:
    """Melds as a play lists them, with `=n` where they say what they stand for."""
    return " / ".join(format_cards(meld.cards) + ("" if meld.meaning is None else f" ={meld.meaning}") for meld in melds)


def read_lay(text: str) -> tuple[Meld, ...]:
    """Melds as a play lists them, separated by slashes; an empty text for none."""
    return tuple(_meld(part) for part in text.split("/")) if text.strip() else ()


def _meld(text: str) -> Meld:
    cards, equals, meaning = text.partition("=")
    return Meld(parse_cards(cards), _meaning(meaning.strip()) if equals else None)


def meld_name(owner: int, meld: int) -> str:
    """`B1` is the first meld of seat B."""
    return f"{seat_text(owner)}{meld + 1}"


def hit_text(hit: Hit) -> str:
    """As in `R5 on B1`, `W on B1 high`, `R5 for W on B1`."""
    how = f"{hit.card} for W" if hit.for_wild else str(hit.card)
    return f"{how} on {meld_name(hit.owner, hit.meld)}" + (f" {hit.end.value}" if hit.end else "")


def read_hit(text: str) -> Hit:
    """A hit from its text."""
    words = text.split()
    for_wild = len(words) > 2 and words[1].lower() == "for" and words[2].upper() == "W"
    if for_wild:
        del words[1:3]
    if len(words) not in {3, 4} or words[1].lower() != "on" or not words[2][1:].isdecimal():
        raise ValueError(f"{text!r} is no hit; one looks like `R5 on B1`, `W on B1 high` or `R5 for W on B1`")
    end = End(words[3].lower()) if len(words) == 4 else None
    return Hit(read_seat(words[2][0]), int(words[2][1:]) - 1, parse_card(words[0]), end, for_wild)


def play_text(play: Play) -> str:
    """A whole play in words, for people."""
    parts = []
    if play.lay:
        parts.append(f"lay {lay_text(play.lay)}")
    if play.phase is not None:
        parts.append(f"as phase {play.phase}")
    parts += [f"hit {hit_text(hit)}" for hit in play.hits]
    parts.append("no discard" if play.discard is None else f"discard {play.discard}")
    if play.skip_target is not None:
        parts.append(f"against {seat_text(play.skip_target)}")
    return ", ".join(parts)
