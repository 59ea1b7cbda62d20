"""A replay as a film: one frame per event, each holding only what changed. Pure; the replay page draws what it says.

Cards are kinds (0-49) here and in the browser. A line of text is a list of parts: a string, a kind, or a list with one seat.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from referee.engine import events as ev
from referee.engine.apply import apply
from referee.engine.cards import Card
from referee.engine.moves import Seat
from referee.engine.ruleset import PHASES, GoalKind
from referee.engine.state import NOBODY, State
from referee.engine.view import PublicView, SeatView, Stage
from referee.wire.errors import MalformedMessage
from referee.wire.replay import AnswerRecord, ReplayRecord

Part = str | int | list[int]
Line = list[Part]
Frame = dict[str, Any]

NOTE_LENGTH = 280
NAME_LENGTH = 60
DISCARDS_SHOWN = 4
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})

_GOALS = {GoalKind.SET: "set of {}", GoalKind.RUN: "run of {}", GoalKind.COLOR: "{} of one colour"}
_FAULTS = {
    ev.FaultKind.ILLEGAL: "an illegal move",
    ev.FaultKind.MALFORMED: "an answer that makes no sense",
    ev.FaultKind.LATE: "an answer too late",
    ev.FaultKind.GONE: "no connection",
}
_FORFEITS = {
    ev.ForfeitCause.FAULTS: "too many faults",
    ev.ForfeitCause.CLOCK: "time is up",
    ev.ForfeitCause.RESIGNED: "resigned",
    ev.ForfeitCause.NO_SHOW: "never came",
}
_DEAL_ENDS = {
    ev.DealEnd.WENT_OUT: "went out",
    ev.DealEnd.TURN_CAP: "the deal reached its last turn",
    ev.DealEnd.STOCK_EMPTY: "the draw pile is empty",
    ev.DealEnd.DECIDED: "the game is decided",
}
_GAME_ENDS = {
    ev.GameEnd.PHASES_DONE: "all phases are done",
    ev.GameEnd.TIE_BREAK: "the tie is broken",
    ev.GameEnd.DEAL_CAP: "the last deal is played",
    ev.GameEnd.FORFEITS: "nobody else is left",
}


@dataclass(frozen=True, slots=True)
class Move:
    """A line of the move list. `frame` is the event's number in the log; `think_ms` is None where nobody was asked."""

    frame: int
    seat: int | None
    line: Line
    think_ms: int | None
    note: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """One deal: the frame it starts at, its moves, and how it ended (None and empty in a film that breaks off).

    `penalties` and `totals` are penalty points by seat, `laid` the phase each seat laid in this deal (0: none).
    """

    deal: int
    frame: int
    dealer: int
    tie_break: bool
    moves: tuple[Move, ...]
    out: int | None
    ending: str
    penalties: tuple[int, ...]
    totals: tuple[int, ...]
    laid: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Film:
    """A replay ready to be shown: frames for the viewer, chapters for the page without one."""

    frames: tuple[Frame, ...]
    chapters: tuple[Chapter, ...]


def harmless(text: str, limit: int = NOTE_LENGTH) -> str:
    """A stranger's text, fit to be shown: one line, nothing invisible or direction-turning, at most `limit` characters."""
    cut = text[: limit * 4]
    seen = "".join(" " if c.isspace() else c for c in cut if c.isspace() or unicodedata.category(c) not in _UNSEEN)
    words = " ".join(seen.split())
    return words if len(words) <= limit and len(text) == len(cut) else words[: limit - 1].rstrip() + "…"


def phase_text(phase: int) -> str:
    """What a phase asks for, as in `set of 3 + run of 4`; "done" for 0."""
    if phase not in PHASES:
        return "done"
    return " + ".join(_GOALS[goal.kind].format(goal.size) for goal in PHASES[phase])


def film(record: ReplayRecord) -> Film:
    """The film of a replay. Raises MalformedMessage if its log cannot be shown."""
    if not record.events or not isinstance(record.events[0], ev.GameStarted):
        raise MalformedMessage("a log that does not begin with the start of a game")
    started = record.events[0]
    if started.seats != len(record.seats):
        raise MalformedMessage("a log for another number of seats")
    answers = {answer.event: answer for answer in record.answers}
    state = State.new(started.ruleset, started.terms, started.seats)
    frames: list[Frame] = []
    shown: Frame = {}
    for number, event in enumerate(record.events):
        try:
            if number:  # the start made the state
                apply(state, event)
        except (IndexError, ValueError) as error:
            raise MalformedMessage(f"event {number} does not follow from the log") from error
        table = _table(state)
        frames.append(_frame(event, answers.get(number), _changes(shown, table)))
        shown = table
    return Film(tuple(frames), _chapters(record.events, answers, started.seats))


def film_json(record: ReplayRecord) -> dict[str, Any]:
    """What the viewer loads: `seats`, `phases` (number -> text) and `frames`. Raises MalformedMessage as `film`."""
    return {
        "seats": [seat_json(seat.bot, seat.name, seat.version) for seat in record.seats],
        "phases": {str(phase): phase_text(phase) for phase in PHASES},
        "frames": film(record).frames,
    }


def seat_json(bot: str, name: str, version: str) -> dict[str, str]:
    """Who sits on a seat, as the viewer wants it."""
    return {"bot": bot, "name": harmless(name, NAME_LENGTH), "version": harmless(version, NAME_LENGTH)}


def live_json(number: int, view: PublicView, events: Iterable[ev.PublicEvent]) -> dict[str, Any]:
    """The public table of a running game, in the viewer's words: hands are numbers of cards."""
    return {
        "number": number,
        "over": view.stage is Stage.OVER,
        "table": {
            "hands": [seat.hand_size for seat in view.seats],
            "melds": [_melds(seat.melds) for seat in view.seats],
            "facts": [_public_facts(seat) for seat in view.seats],
            "stock": view.stock_size,
            "discard": [view.discard_size, [] if view.discard_top is None else [int(view.discard_top)]],
            "deal": [view.deal, view.dealer, int(view.tie_break)],
            "turn": view.turn,
            "next": None if view.to_move is None else view.to_move,
        },
        "moves": [{"k": kind_of(event), "s": seat_of(event), "t": line_of(event)} for event in events],
    }


def _table(state: State) -> Frame:
    """All there is to see after an event. Lists by seat; `facts` as in `_facts`."""
    seats = range(state.seats)
    return {
        "hands": [[int(card) for card in hand] for hand in state.hands],
        "melds": [_melds(melds) for melds in state.melds],
        "facts": [_facts(state, seat) for seat in seats],
        "stock": len(state.stock),
        "discard": [len(state.discard), [int(card) for card in state.discard[-DISCARDS_SHOWN:]]],
        "deal": [state.deal, state.dealer, int(state.tie_break)],
        "turn": state.turn,
        "next": None if state.to_move == NOBODY or state.deal_end is not None else state.to_move,
    }


def _facts(state: State, seat: int) -> list[int]:
    """Phase, phases completed, laid, points, Skip waiting, faults, forfeited."""
    return [
        state.phase(Seat(seat)),
        state.completed[seat],
        int(state.laid[seat] != 0),
        state.totals[seat],
        int(state.waiting[seat] > 0),
        state.faults[seat],
        int(state.forfeits[seat] is not None),
    ]


def _public_facts(seat: SeatView) -> list[int]:
    return [
        seat.phase, seat.completed, int(seat.laid), seat.points, int(seat.skip_pending), seat.faults, int(seat.forfeited),
    ]  # fmt: skip


def _melds(melds: Sequence[ev.TableMeld]) -> list[list[Any]]:
    return [[meld.kind.value, meld.value, [int(card) for card in meld.cards]] for meld in melds]


def _changes(before: Frame, after: Frame) -> Frame:
    """What differs: whole values, and for lists by seat a mapping from seat to its new value."""
    changed: Frame = {}
    for name, value in after.items():
        if name not in before:
            changed[name] = value
        elif name in {"hands", "melds", "facts"}:
            seats = {str(i): new for i, (old, new) in enumerate(zip(before[name], value, strict=True)) if old != new}
            if seats:
                changed[name] = seats
        elif before[name] != value:
            changed[name] = value
    return changed


def _frame(event: ev.Event, answer: AnswerRecord | None, changes: Frame) -> Frame:
    frame: Frame = {"k": kind_of(event), "t": line_of(event), **changes}
    seat = seat_of(event)
    if seat is not None:
        frame["s"] = seat
    if isinstance(event, ev.CardDrawn) and not event.from_discard:
        frame["secret"] = 1
    if answer is not None:
        frame["clock"] = [answer.think_ms, answer.lag_ms, answer.bank_ms]
        if answer.note:
            frame["note"] = harmless(answer.note)
    return frame


def _chapters(events: Sequence[ev.Event], answers: Mapping[int, AnswerRecord], seats: int) -> tuple[Chapter, ...]:
    starts = [number for number, event in enumerate(events) if isinstance(event, ev.DealStarted)]
    return tuple(
        _chapter(events, answers, seats, start, end) for start, end in zip(starts, [*starts[1:], len(events)], strict=True)
    )


def _chapter(events: Sequence[ev.Event], answers: Mapping[int, AnswerRecord], seats: int, start: int, end: int) -> Chapter:
    opening = events[start]
    assert isinstance(opening, ev.DealStarted)
    laid = [0] * seats
    ended: ev.DealEnded | None = None
    for event in events[start:end]:
        if isinstance(event, ev.PhaseLaid):
            laid[event.seat] = event.phase
        elif isinstance(event, ev.DealEnded):
            ended = event
    return Chapter(
        deal=opening.deal,
        frame=start,
        dealer=opening.dealer,
        tie_break=opening.tie_break,
        moves=tuple(_move(number, events[number], answers.get(number)) for number in range(start, end)),
        out=None if ended is None else ended.out,
        ending="" if ended is None else _DEAL_ENDS[ended.cause],
        penalties=() if ended is None else ended.penalties,
        totals=() if ended is None else ended.totals,
        laid=tuple(laid),
    )


def _move(number: int, event: ev.Event, answer: AnswerRecord | None) -> Move:
    return Move(
        frame=number,
        seat=seat_of(event),
        line=line_of(event),
        think_ms=None if answer is None else answer.think_ms,
        note="" if answer is None else harmless(answer.note),
    )


def seat_of(event: ev.Event | ev.PublicEvent) -> int | None:
    """Whose doing an event is, if anybody's."""
    if isinstance(event, ev.DealStarted | ev.DealOpened):
        return event.dealer
    seat = getattr(event, "seat", None)
    return None if seat is None else int(seat)


def kind_of(event: ev.Event | ev.PublicEvent) -> str:
    """A short word for the kind of an event; the page picks marks and colours by it."""
    return _KINDS[type(event)]


_KINDS: Mapping[type, str] = {
    ev.GameStarted: "start",
    ev.DealStarted: "deal",
    ev.DealOpened: "deal",
    ev.StockRebuilt: "shuffle",
    ev.StockRenewed: "shuffle",
    ev.CardDrawn: "draw",
    ev.DrawSeen: "draw",
    ev.PhaseLaid: "lay",
    ev.CardHit: "hit",
    ev.WildTaken: "hit",
    ev.CardDiscarded: "discard",
    ev.SkipPlayed: "skip",
    ev.TurnSkipped: "skipped",
    ev.SeatFaulted: "fault",
    ev.SeatForfeited: "forfeit",
    ev.DealEnded: "end",
    ev.GameEnded: "over",
}


def line_of(event: ev.Event | ev.PublicEvent) -> Line:  # noqa: C901, PLR0911, PLR0912  one sentence per event
    """What happened, as parts. The sentence's subject is the seat of `seat_of`."""
    match event:
        case ev.GameStarted():
            return ["The game begins"]
        case ev.DealStarted() | ev.DealOpened():
            return [f"deals {'the tie-break' if event.tie_break else f'deal {event.deal + 1}'}"]
        case ev.StockRebuilt(stock):
            return [f"The discards are shuffled into a new draw pile of {len(stock)}"]
        case ev.StockRenewed(size):
            return [f"The discards are shuffled into a new draw pile of {size}"]
        case ev.CardDrawn(_, card, from_discard):
            return ["takes ", int(card), " from the discards"] if from_discard else ["draws ", int(card)]
        case ev.DrawSeen(_, seen):
            return ["draws a card"] if seen is None else ["takes ", int(seen), " from the discards"]
        case ev.PhaseLaid(_, phase, melds):
            return [f"lays phase {phase}: ", *_joined([meld.cards for meld in melds])]
        case ev.CardHit(seat, owner, _, card, _):
            return ["hits ", int(card), *([" on its own meld"] if owner == seat else [" on a meld of ", [int(owner)]])]
        case ev.WildTaken(seat, owner, _, _, card):
            return [
                "takes a Wild for ",
                int(card),
                *([" of its own meld"] if owner == seat else [" of a meld of ", [int(owner)]]),
            ]
        case ev.CardDiscarded(_, card):
            return ["discards ", int(card)]
        case ev.SkipPlayed(_, target):
            return ["plays a Skip against ", [int(target)]]
        case ev.TurnSkipped(_, by_start_card):
            return ["misses a turn", " (the start card is a Skip)" if by_start_card else ""]
        case ev.SeatFaulted(_, kind, count):
            return [f"fault {count}: {_FAULTS[kind]}"]
        case ev.SeatForfeited(_, cause):
            return [f"forfeits: {_FORFEITS[cause]}"]
        case ev.DealEnded():
            return _deal_end(event)
        case ev.GameEnded(game_end, places):
            winners: list[Part] = [[seat] for seat, place in enumerate(places) if place == 1]
            return [f"The game is over, {_GAME_ENDS[game_end]}: ", *_with_commas(winners), " first"]
        case _:
            assert_never(event)


def _deal_end(event: ev.DealEnded) -> Line:
    if event.out is not None:
        return ["The deal ends: ", [int(event.out)], " went out"]
    return [f"The deal ends: {_DEAL_ENDS[event.cause]}"]


def _joined(groups: Sequence[Sequence[Card]]) -> Line:
    parts: Line = []
    for number, group in enumerate(groups):
        parts += [" and "] if number else []
        parts += [int(card) for card in group]
    return parts


def _with_commas(parts: Sequence[Part]) -> Line:
    found: Line = []
    for number, part in enumerate(parts):
        found += [", "] if number else []
        found.append(part)
    return found
