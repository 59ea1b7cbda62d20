"""A case out of a replay: the position before a move, the move, and what it led to."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Final, assert_never

from referee.cases.errors import CaseError
from referee.cases.hiding import copied
from referee.cases.lines import event_line
from referee.cases.notation import hit_text, lay_text, seat_text, table_text
from referee.engine.cards import SKIP, format_cards
from referee.engine.check import LoggedDecks
from referee.engine.errors import CorruptLog, IllegalMove, UnsupportedRules
from referee.engine.events import (
    CardDiscarded,
    CardDrawn,
    CardHit,
    DealEnd,
    DealEnded,
    DealStarted,
    Event,
    FaultKind,
    ForfeitCause,
    GameStarted,
    PhaseLaid,
    SeatFaulted,
    SeatForfeited,
    SkipPlayed,
    StockRebuilt,
    WildTaken,
)
from referee.engine.game import Game
from referee.engine.moves import Draw, Hit, Meld, Play, Seat
from referee.engine.presets import OFFICIAL, PRESETS
from referee.engine.ruleset import Advance, Ruleset, SeatDealer, SkipTarget, Terms
from referee.engine.state import State
from referee.wire.replay import ReplayRecord

Deed = Draw | Play | FaultKind | ForfeitCause


@dataclass(frozen=True, slots=True)
class Move:
    """A move of a finished game: the position before it, what was done, and the events `first` to `last` of the log."""

    before: State
    seat: Seat
    deed: Deed
    first: int
    last: int


def moves(log: Sequence[Event]) -> Iterator[Move]:
    """Every decision of a game in order, faults and forfeits included, each made again. Raises CorruptLog."""
    if not log or not isinstance(log[0], GameStarted):
        raise CorruptLog("a log begins with the start of a game")
    start = log[0]
    try:
        game = Game(start.ruleset, start.terms, start.seats, LoggedDecks(log))
        while (first := len(game.log)) < len(log):
            before = copied(game.state)
            seat, deed = _deed(log, first, before)
            events = _done(game, seat, deed)
            if not events or tuple(log[first : len(game.log)]) != events:
                raise CorruptLog(f"event {first} does not follow from the log")
            yield Move(before, seat, deed, first, len(game.log) - 1)
    except (IllegalMove, IndexError, UnsupportedRules) as problem:
        raise CorruptLog(f"the log cannot be played again: {problem}") from problem


def _done(game: Game, seat: Seat, deed: Deed) -> tuple[Event, ...]:
    match deed:
        case Draw() | Play():
            return game.submit(seat, deed)
        case FaultKind():
            return game.fault(seat, deed)
        case ForfeitCause():
            return game.forfeit(seat, deed)
        case _:
            assert_never(deed)


def _deed(log: Sequence[Event], at: int, state: State) -> tuple[Seat, Deed]:
    """Who did what that led to event `at`."""
    event = log[at]
    match event:
        case SeatFaulted():
            return event.seat, event.kind
        case SeatForfeited() if event.cause is not ForfeitCause.FAULTS:
            return event.seat, event.cause
        case CardDrawn():
            return event.seat, Draw(event.from_discard)
        case StockRebuilt() | DealEnded(cause=DealEnd.STOCK_EMPTY):
            return state.to_move, Draw()
        case PhaseLaid() | CardHit() | WildTaken() | CardDiscarded() | SkipPlayed():
            return event.seat, _play(log[at:], state.ruleset)
        case _:
            raise CorruptLog(f"event {at} ({type(event).__name__}) does not follow from a move")


def _play(events: Iterable[Event], ruleset: Ruleset) -> Play:
    """The play that reads as these events."""
    lay: tuple[Meld, ...] = ()
    phase = None
    hits: list[Hit] = []
    for event in events:
        match event:
            case PhaseLaid() if not lay:
                lay = tuple(Meld(meld.cards, meld.value) for meld in event.melds)
                phase = event.phase if ruleset.advance is Advance.FREE_CHOICE else None
            case CardHit():
                hits.append(Hit(event.owner, event.meld, event.card, event.end))
            case WildTaken():
                hits.append(Hit(event.owner, event.meld, event.card, for_wild=True))
            case CardDiscarded():
                return Play(lay, tuple(hits), event.card, None, phase)
            case SkipPlayed():
                target = event.target if ruleset.skip_target is SkipTarget.CHOSEN else None
                return Play(lay, tuple(hits), SKIP, target, phase)
            case _:
                break
    return Play(lay, tuple(hits), None, None, phase)


def case_at_move(record: ReplayRecord, number: int) -> str:
    """The case file for move `number`, from 1, of a replay. Raises CaseError if there is none, CorruptLog for a bad log."""
    count = 0
    for count, move in enumerate(moves(record.events), 1):
        if count == number:
            return case_text(record, move, count)
    raise CaseError(f"this game has the moves 1 to {count}, so there is no move {number}")


def case_at_event(record: ReplayRecord, number: int) -> str:
    """The case file for the move that led to event `number`, as the game's page counts them. Raises as `case_at_move`."""
    for count, move in enumerate(moves(record.events), 1):
        if number <= move.last:
            if number < move.first:
                break
            return case_text(record, move, count)
    raise CaseError(f"event {number} of this game follows from no move; there are events 0 to {len(record.events) - 1}")


def case_text(record: ReplayRecord, move: Move, number: int) -> str:
    """A file with one case that says what `move` says."""
    state, rules = move.before, move.before.ruleset
    events = record.events[move.first : move.last + 1]
    names = ", ".join(f"{seat_text(seat)} {info.name}" for seat, info in enumerate(record.seats))
    lines = [
        f"title = {_value(f'Game {record.game_id}, move {number}')}",
        f"about = {_value(f'Out of a replay: {names}.')}",
        "",
        "[[case]]",
        f'id = "move-{number}"',
        f"title = {_value(event_line(events[0], rules))}",
        *_rules(rules),
        *_pairs({"terms": _terms(state.terms)} if _terms(state.terms) else {}),
        *_reshuffles(events),
        "",
        "[case.position]",
        *_pairs(_position(state)),
        "",
        "[[case.steps]]",
        *_pairs(_step(move)),
        "events = [",
        *(f"  {_value(event_line(event, rules))}," for event in events),
        "]",
        *_deals(events),
    ]
    return "\n".join(lines) + "\n"


def _rules(rules: Ruleset) -> list[str]:
    if PRESETS.get(rules.name) == rules:
        return _pairs({"rules": rules.name})
    return _pairs({"rules": OFFICIAL.name, "options": _changes(rules, OFFICIAL)})


def _changes(value: Any, usual: Any) -> dict[str, Any]:
    """The fields of a value that are not as usual."""
    found = {}
    for field in fields(value):
        part, other = getattr(value, field.name), getattr(usual, field.name)
        if part != other:
            found[field.name] = part
    return found


def _terms(terms: Terms) -> dict[str, Any]:
    changes = _changes(terms, Terms())
    if isinstance(changes.get("first_dealer"), SeatDealer):
        changes["first_dealer"] = seat_text(changes["first_dealer"].seat)
    return {name: "none" if value is None else value for name, value in changes.items()}


def _reshuffles(events: Iterable[Event]) -> list[str]:
    """The reshuffles of the deal in which the move was made."""
    found = []
    for event in events:
        if isinstance(event, DealStarted):
            break
        if isinstance(event, StockRebuilt):
            found.append(format_cards(event.stock))
    return _pairs({"reshuffles": found} if found else {})


def _deals(events: Iterable[Event]) -> list[str]:
    """The deals that began because of the move, with their reshuffles."""
    found: list[dict[str, Any]] = []
    for event in events:
        if isinstance(event, DealStarted):
            found.append({"deck": format_cards(event.deck)})
        elif isinstance(event, StockRebuilt) and found:
            found[-1].setdefault("reshuffles", []).append(format_cards(event.stock))
    return [line for deal in found for line in ("", "[[case.next_deal]]", *_pairs(deal))]


_LAST_COLUMN: Final = 110


def _position(state: State) -> dict[str, Any]:
    """All of a position: what the reader would fill in is said as well, so that nothing depends on it."""
    rules = state.ruleset
    position: dict[str, Any] = {
        "hands": [_hand(state, Seat(seat)) for seat in range(state.seats)],
        "melds": {seat_text(seat): table_text(melds) for seat, melds in enumerate(state.melds) if melds},
        "phases": {seat_text(seat): state.laid[seat] or state.phase(Seat(seat)) for seat in range(state.seats)},
        "completed": state.completed,
        "points": state.totals,
        "to_move": seat_text(state.to_move),
        "discard": format_cards(state.discard),
        "stock": format_cards(reversed(state.stock)),
        "dealer": seat_text(state.dealer),
        "turn": state.turn,
        "deal": state.deal,
        "skipped_at": state.skipped_at,
        "played_at": state.played_at,
    }
    position["phases"] = {seat: phase for seat, phase in position["phases"].items() if phase}
    if state.drawn is not None:
        position["drawn"] = str(state.drawn)
    if any(state.waiting):
        position["waiting"] = state.waiting
    if len(state.players) < state.seats:
        position["players"] = " ".join(map(seat_text, state.players))
    if state.tie_break:
        position["tie_break"] = state.tie_breaks
    if rules.advance is not Advance.ON_LAY:
        position["done"] = [list(done) for done in state.done]
    if any(state.faults):
        position["faults"] = state.faults
    gone = {seat_text(seat): cause for seat, cause in enumerate(state.forfeits) if cause is not None}
    return position | ({"forfeited": gone} if gone else {}) | ({"reshuffles": state.reshuffles} if state.reshuffles else {})


def _hand(state: State, seat: Seat) -> str:
    return format_cards(state.hands[seat])


def _step(move: Move) -> dict[str, Any]:
    step: dict[str, Any] = {"seat": seat_text(move.seat)}
    match move.deed:
        case Draw(from_discard):
            return step | {"draw": "discard" if from_discard else "stock"}
        case FaultKind():
            return step | {"fault": move.deed}
        case ForfeitCause():
            return step | {"forfeit": move.deed}
        case Play(lay, hits, discard, target, phase):
            step |= {"lay": lay_text(lay)} if lay else {}
            step |= {"phase": phase} if phase is not None else {}
            step |= {"hits": [hit_text(hit) for hit in hits]} if hits else {}
            step |= {"discard": "" if discard is None else str(discard)}
            return step | ({"target": seat_text(target)} if target is not None else {})


def _pairs(values: dict[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in values.items()]


def _value(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, Enum):
        return _value(value.value)
    if isinstance(value, bool | int):
        return str(value).lower()
    if isinstance(value, str):
        # A string of JSON is one of TOML, but for the one control character that JSON leaves alone.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        parts = [_value(part) for part in value]
        line = f"[{', '.join(parts)}]"
        return line if len(line) < _LAST_COLUMN else "[\n" + "".join(f"  {part},\n" for part in parts) + "]"
    if not isinstance(value, dict):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    return f"{{ {', '.join(f'{key} = {_value(part)}' for key, part in value.items())} }}" if value else "{}"
