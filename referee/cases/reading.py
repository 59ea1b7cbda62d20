"""A case file from its text."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields as parts_of
from typing import Any, Final

from referee.cases import fields as read
from referee.cases.choosing import chosen, read_options, read_terms
from referee.cases.errors import CaseError
from referee.cases.fields import Fields
from referee.cases.lines import read_line
from referee.cases.looking import read_after
from referee.cases.notation import read_hit, read_lay, read_seat, read_table
from referee.cases.values import Case, CaseFile, Deal, Opening, Outcome, Pile, Position, Step, Turns
from referee.engine.errors import Reason
from referee.engine.events import FaultKind, ForfeitCause
from referee.engine.moves import Draw, Play
from referee.engine.ruleset import Ruleset, Terms

_ID: Final = re.compile(r"[A-Za-z0-9._-]+")
_RULES: Final = ("rules", "refuse")
_NO_CHANGES: Final[Mapping[str, Any]] = {}


def read_cases(text: str, name: str) -> CaseFile:
    """The cases of a file; `name` is what it is called in problems. Raises CaseError."""
    try:
        return _file(tomllib.loads(text), name)
    except tomllib.TOMLDecodeError as problem:
        raise CaseError(f"this is not TOML: {problem}", file=name) from problem
    except CaseError as problem:
        raise problem.at(file=name) from problem


def _file(table: object, name: str) -> CaseFile:
    fields = Fields(table, "the file")
    title, about = fields.need("title", read.text), fields.get("about", read.text, "")
    tables = fields.need("case", read.listed)
    fields.finish()
    if not tables:
        raise CaseError("the file has no [[case]]")
    cases: list[Case] = []
    for number, one in enumerate(tables, 1):
        known = one.get("id") if isinstance(one, dict) else None
        try:
            cases.append(_case(one))
        except CaseError as problem:
            raise problem.at(case=known if isinstance(known, str) else f"number {number}") from problem
        if any(other.id == known for other in cases[:-1]):
            raise CaseError("another case of this file has the same id", case=known)
    return CaseFile(name, title, tuple(cases), about)


def _case(table: object) -> Case:
    fields = Fields(table, "the case")
    name = fields.need("id", _word)
    title, about = fields.need("title", read.text), fields.get("about", read.text, "")
    if "position" in fields and "deal" in fields:
        raise CaseError("a case begins with a position or with a deal, not with both")
    opening = fields.take("deal", _opening)
    position = fields.get("position", _position, Position())
    case = Case(
        name,
        title,
        opening or position,
        _outcomes(fields),
        about,
        fields.many("reshuffles", read.cards),
        fields.many("next_deal", _deal),
    )
    fields.finish()
    for outcome in case.outcomes:
        if not outcome.steps and not outcome.refuse:
            raise CaseError("nothing is done and nothing is looked at: steps are missing")
        if outcome.steps and outcome.refuse:
            raise CaseError("where the rules are refused there are no steps")
    return case


def _outcomes(fields: Fields) -> tuple[Outcome, ...]:
    """The outcomes of a case: those it lists, or the one that it is itself."""
    common = _outcome_of(fields, Outcome((), ()), alone="outcome" not in fields)
    tables = fields.take("outcome", read.listed)
    return (common,) if tables is None else tuple(_outcome(table, common) for table in tables)


def _outcome(table: object, common: Outcome) -> Outcome:
    fields = Fields(table, "the outcome")
    outcome = _outcome_of(fields, common, alone=True)
    fields.get("about", read.text, "")
    fields.finish()
    return outcome


def _outcome_of(fields: Fields, common: Outcome, *, alone: bool) -> Outcome:
    """What is said by a case or an outcome, on top of what holds for all; rules are said by the one that stands alone."""
    if not alone and (misplaced := [key for key in _RULES if key in fields]):
        raise CaseError(f"{misplaced[0]!r} stands with each outcome, or with a case that has no outcomes")
    return Outcome(
        fields.get("rules", lambda value: chosen(read.text(value)), chosen("every")),
        common.steps + fields.many("steps", _step),
        {**common.options, **fields.get("options", read_options, _NO_CHANGES)},
        {**common.terms, **fields.get("terms", read_terms, _NO_CHANGES)},
        fields.take("refuse", _option),
    )


def _word(value: object) -> str:
    text = read.text(value)
    if not _ID.fullmatch(text):
        raise ValueError(f"{text!r} must be one word of letters, digits, `.`, `_` and `-`")
    return text


def _option(value: object) -> str:
    text = read.text(value)
    read.refuse_unknown([text], [part.name for kind in (Ruleset, Terms) for part in parts_of(kind)], "refuse")
    return text


def _position(table: object) -> Position:
    fields = Fields(table, "the position")
    numbers = read.by_seat(read.number)
    drawn = fields.take("drawn", read.card)
    stage = fields.take("stage", read.text)
    if stage not in {None, "draw", "play"} or (stage == "draw" and drawn is not None):
        raise CaseError("the position: stage is `draw`, or `play` where a card was drawn")
    default = Position()
    position = Position(
        seats=fields.take("seats", read.number),
        hands=fields.get("hands", read.by_seat(_hand), default.hands),
        melds=fields.get("melds", read.by_seat(lambda value: read_table(read.text(value))), default.melds),
        phases=fields.get("phases", numbers, default.phases),
        points=fields.get("points", numbers, default.points),
        to_move=fields.get("to_move", read_seat, default.to_move),
        plays=drawn is not None or stage == "play",
        drawn=drawn,
        discard=fields.take("discard", read.pile),
        stock=fields.take("stock", read.pile),
        waiting=fields.get("waiting", numbers, default.waiting),
        dealer=fields.take("dealer", read_seat),
        turn=fields.take("turn", read.number),
        players=fields.take("players", read.seats),
        tie_break=fields.get("tie_break", read.count_or_flag, 0),
        deal=fields.take("deal", read.number),
        completed=fields.get("completed", numbers, default.completed),
        done=fields.get("done", read.by_seat(read.list_of(read.number)), default.done),
        faults=fields.get("faults", numbers, default.faults),
        forfeited=fields.get("forfeited", read.by_seat(read.member(ForfeitCause)), default.forfeited),
        skipped_at=fields.get("skipped_at", read.by_seat(read.slot), default.skipped_at),
        played_at=fields.get("played_at", read.by_seat(read.slot), default.played_at),
        reshuffles=fields.get("reshuffles", read.number, 0),
    )
    fields.finish()
    return position


def _hand(value: object) -> Pile | int:
    return read.number(value) if isinstance(value, int) else read.pile(value)


def _opening(table: object) -> Opening:
    fields = Fields(table, "the deal")
    opening = Opening(
        seats=fields.take("seats", read.number),
        dealer=fields.take("dealer", read_seat),
        hands=fields.get("hands", read.by_seat(read.cards), Opening().hands),
        start=fields.take("start", read.cards) or (),
        stock=fields.take("stock", read.cards) or (),
        seed=fields.take("seed", read.text),
        deck=fields.take("deck", read.cards),
    )
    fields.finish()
    described = opening.hands != Opening().hands or opening.start or opening.stock
    if (opening.seed is not None) + (opening.deck is not None) + bool(described) > 1:
        raise CaseError("the deal: give a seed, a deck, or hands, start and stock")
    return opening


def _deal(table: object) -> Deal:
    fields = Fields(table, "next_deal")
    deal = Deal(
        hands=fields.many("hands", read.cards),
        start=fields.take("start", read.cards) or (),
        stock=fields.take("stock", read.cards) or (),
        deck=fields.take("deck", read.cards),
        players=fields.take("players", read.number),
        reshuffles=fields.many("reshuffles", read.cards),
    )
    fields.finish()
    if deal.deck is not None and (deal.hands or deal.start or deal.stock):
        raise CaseError("next_deal: give a deck, or hands, start and stock")
    return deal


def _step(table: object) -> Step:
    fields = Fields(table, "the step")
    lines = read.list_of(_line)
    draw = fields.take("draw", _draw)
    deeds = [
        draw,
        _play(fields),
        fields.take("fault", read.member(FaultKind)),
        fields.take("forfeit", read.member(ForfeitCause)),
        fields.take("turns", lambda value: Turns(read.number(value))),
    ]
    done = tuple(deed for deed in deeds if deed is not None)
    step = Step(
        done,
        fields.take("seat", read_seat),
        fields.take("reject", read.reason(Reason)),
        fields.take("events", lines),
        fields.many("contains", _line),
        fields.many("absent", _line),
        fields.take("seen", lines),
        fields.get("after", read_after, _NO_CHANGES),
        fields.get("note", read.text, ""),
    )
    fields.finish()
    _check_step(step, drew=draw is not None)
    return step


def _line(value: object) -> str:
    return read_line(read.text(value))


def _check_step(step: Step, *, drew: bool) -> None:
    plays = any(isinstance(deed, Play) for deed in step.deeds)
    if len(step.deeds) > 1 + (drew and plays):
        raise CaseError("the step: one thing is done at a time (a draw and a play go together)")
    if step.reject is not None and not (drew or plays):
        raise CaseError("the step: only a draw or a play can be refused")
    if step.reject is not None and (step.events or step.contains or step.seen):
        raise CaseError("the step: a refused move leads to no events")
    looks = step.after or step.events is not None or step.contains or step.absent or step.seen is not None
    if not step.deeds and (step.seat is not None or not looks):
        raise CaseError("the step: it neither does nor looks at anything")


def _draw(value: object) -> Draw:
    if value not in ("stock", "discard"):
        raise ValueError(f"{value!r} must be `stock` or `discard`")
    return Draw(from_discard=value == "discard")


def _play(fields: Fields) -> Play | None:
    keys = ("lay", "phase", "hits", "discard", "target")
    plays = any(key in fields for key in keys)
    play = Play(
        fields.take("lay", lambda value: read_lay(read.text(value))) or (),
        fields.many("hits", lambda value: read_hit(read.text(value))),
        fields.take("discard", read.card_or_none),
        fields.take("target", read_seat),
        fields.take("phase", read.number),
    )
    return play if plays else None
