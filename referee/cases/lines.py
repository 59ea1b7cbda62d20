"""Events as lines of text: what happened, and what everybody saw of it."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from referee.cases.notation import meld_name, seat_text, table_text
from referee.engine import events as ev
from referee.engine.observe import public_event
from referee.engine.ruleset import Ruleset


def event_line(event: ev.Event, ruleset: Ruleset) -> str:
    """An event, hidden cards included."""
    if isinstance(event, ev.GameStarted):
        return f"game: {event.seats} seats, {event.ruleset.name}"
    if isinstance(event, ev.CardDrawn):
        return f"{seat_text(event.seat)} draws {event.card} from {'discard' if event.from_discard else 'stock'}"
    seen = public_event(event, ruleset)
    assert seen is not None, "only a game's start is seen by nobody"
    return seen_line(seen)


def seen_line(event: ev.PublicEvent) -> str:  # noqa: C901, PLR0911, PLR0912  one case per event
    """An event as everybody sees it."""
    match event:
        case ev.DrawSeen(seat, None):
            return f"{seat_text(seat)} draws from stock"
        case ev.DrawSeen(seat, card):
            return f"{seat_text(seat)} draws {card} from discard"
        case ev.PhaseLaid(seat, phase, melds):
            return f"{seat_text(seat)} lays phase {phase}: {table_text(melds)}"
        case ev.CardHit(seat, owner, meld, card, end):
            where = f" {end.value}" if end else ""
            return f"{seat_text(seat)} hits {card} on {meld_name(owner, meld)}{where}"
        case ev.WildTaken(seat, owner, meld, place, card):
            return f"{seat_text(seat)} takes W from {meld_name(owner, meld)} with {card}, place {place + 1}"
        case ev.CardDiscarded(seat, card):
            return f"{seat_text(seat)} discards {card}"
        case ev.SkipPlayed(seat, target):
            return f"{seat_text(seat)} skips {seat_text(target)}"
        case ev.TurnSkipped(seat, by_start_card):
            return f"{seat_text(seat)} is skipped{' by the start card' if by_start_card else ''}"
        case ev.StockRenewed(size):
            return f"stock rebuilt: {size} {'card' if size == 1 else 'cards'}"
        case ev.SeatFaulted(seat, kind, count):
            return f"{seat_text(seat)} faults: {kind.value}, {count} so far"
        case ev.SeatForfeited(seat, cause):
            return f"{seat_text(seat)} forfeits: {cause.value}"
        case ev.DealOpened():
            tie_break = "; tie-break" if event.tie_break else ""
            start = "" if event.start_card is None else f"; start {event.start_card}"
            players = " ".join(map(seat_text, event.players))
            dealer = seat_text(event.dealer)
            return f"deal {event.deal}: dealer {dealer}; players {players}{tie_break}{start}; stock {event.stock_size}"
        case ev.DealEnded(cause, out, penalties, totals, completed):
            who = "" if out is None else f" {seat_text(out)}"
            numbers = f"points {_numbers(penalties)}; totals {_numbers(totals)}; completed {_numbers(completed)}"
            return f"deal ends: {cause.value}{who}; {numbers}"
        case ev.GameEnded(cause, places):
            return f"game ends: {cause.value}; places {_numbers(places)}"
        case _:
            assert_never(event)


def _numbers(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


_SEAT, _CARD, _MELD = r"[A-F]", r"(?:[RBGY]\d\d?|W|S)", r"[A-F]\d"
_FORMS: Final = re.compile(
    rf"{_SEAT} (?:draws (?:{_CARD} )?from (?:stock|discard)|draws {_CARD}|draws|lays(?: phase \d+(?::.*)?)?"
    rf"|hits(?: {_CARD}(?: on {_MELD}(?: low| high)?)?)?|takes W(?: from {_MELD}(?: with {_CARD}(?:, place \d+)?)?)?"
    rf"|discards(?: {_CARD})?|skips(?: {_SEAT})?|is skipped(?: by the start card)?"
    r"|faults(?:: \w+(?:, \d+ so far)?)?|forfeits(?:: \w+)?)"
    r"|stock rebuilt(?:: \d+ cards?)?|deal ends(?:: \w+.*)?|deal \d+(?::.*)?|game ends(?:: \w+.*)?"
)


def read_line(text: str) -> str:
    """An expected line, with single blanks. Raises ValueError for one that no event can look like."""
    line = " ".join(text.split())
    if not _FORMS.fullmatch(line):
        raise ValueError(
            f"{text!r} is no event; one looks like `A draws R5 from stock`, `A skips C` or `deal ends: went_out A`"
        )
    return line


def line_fits(expected: str, line: str) -> bool:
    """Whether an expected line is this one, or its beginning up to the end of a word."""
    following = line[len(expected) : len(expected) + 1]
    return line.startswith(expected) and not (following.isalnum() or following == "_")


def lines_fit(expected: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether these are exactly the expected lines."""
    return len(expected) == len(lines) and all(map(line_fits, expected, lines))


def lines_contain(expected: Iterable[str], lines: Iterable[str]) -> bool:
    """Whether the expected lines are among these, in this order."""
    rest = iter(lines)
    return all(any(line_fits(one, line) for line in rest) for one in expected)
