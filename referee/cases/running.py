"""Cases are run here: what is done, what is expected of it, and what is true after every step."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from referee.cases.choosing import options_text, ruleset_with, terms_with
from referee.cases.dealing import begin
from referee.cases.drawing import draw
from referee.cases.errors import CaseError
from referee.cases.hiding import copied
from referee.cases.lines import event_line, line_fits, lines_contain, lines_fit, seen_line
from referee.cases.looking import Difference, Moment, all_cards, differences
from referee.cases.notation import play_text, seat_text
from referee.cases.standing import stand
from referee.cases.values import Case, Opening, Outcome, Step, Turns
from referee.engine.apply import apply
from referee.engine.cards import format_cards, full_deck
from referee.engine.default_move import default_move
from referee.engine.errors import IllegalMove, Reason, UnsupportedRules
from referee.engine.events import Event, FaultKind, ForfeitCause
from referee.engine.game import Game, fold
from referee.engine.moves import Draw, Play, Seat
from referee.engine.observe import public_event
from referee.engine.ruleset import Ruleset
from referee.engine.state import State


@dataclass(frozen=True, slots=True)
class Failure:
    """What was not as expected. `step` counts from 1 and is 0 for the beginning; `before` draws the position it began in."""

    step: int
    done: str
    before: str
    differences: tuple[Difference, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A case under one rule set. `outcome` counts from 1; `options` are the changes in words; no failure: it passed."""

    file: str
    case: Case
    outcome: int
    ruleset: str
    options: str
    failure: Failure | None


def case_verdicts(file: str, case: Case, only: Ruleset | None = None) -> Iterator[Verdict]:
    """Run one case. Raises CaseError if it cannot be run."""
    for number, outcome in enumerate(case.outcomes, 1):
        for ruleset in outcome.rulesets:
            if only is None or ruleset == only:
                try:
                    failure = run(case, outcome, ruleset)
                except CaseError as problem:
                    sentence = f"under {ruleset.name}: {problem.sentence}"
                    raise CaseError(sentence, problem.case or case.id, problem.file or file) from problem
                yield Verdict(file, case, number, ruleset.name, options_text(outcome.options), failure)


def run(case: Case, outcome: Outcome, ruleset: Ruleset) -> Failure | None:
    """Run one outcome of a case under one rule set. None if all is as expected; raises CaseError if it cannot be run."""
    try:
        game, logged = _game(case, outcome, ruleset)
    except UnsupportedRules as problem:
        if outcome.refuse is None:
            raise CaseError(f"these rules cannot be played: {problem}") from problem
        if any(option == outcome.refuse for option, _ in problem.problems):
            return None
        return _at_the_beginning(Difference("the rules", f"refused for {outcome.refuse}", f"refused: {problem}"))
    if outcome.refuse is not None:
        return _at_the_beginning(Difference("the rules", f"refused for {outcome.refuse}", "they can be played"))
    events = tuple(game.log[1:]) if logged else ()  # the start of the game is known
    for number, step in enumerate(outcome.steps, 1):
        before = copied(game.state)
        try:
            refused, done = _do(game, step)
            if step.deeds or number > 1:
                events = done
            found = (*_judged(game, step, refused, events), *_sound(game, before, done, logged=logged))
        except CaseError as problem:
            raise CaseError(f"step {number}: {problem.sentence}", problem.case, problem.file) from problem
        if found:
            return Failure(number, step_text(step, before.to_move), draw(before), found, step.note)
    return None


def _at_the_beginning(difference: Difference) -> Failure:
    return Failure(0, "begin a game", "", (difference,))


def _game(case: Case, outcome: Outcome, ruleset: Ruleset) -> tuple[Game, bool]:
    """The game at the beginning of a case, and whether its log tells how it got there."""
    rules, terms = ruleset_with(ruleset, outcome.options), terms_with(outcome.terms)
    if isinstance(case.start, Opening):
        return begin(case.start, case.deals, case.reshuffles, rules, terms), True
    return stand(case.start, rules, terms, case.deals, case.reshuffles), False


def _do(game: Game, step: Step) -> tuple[tuple[Reason, int] | None, tuple[Event, ...]]:
    """Do what a step says: the events, and for a refusal its reason and how many deeds were still to be done."""
    events: tuple[Event, ...] = ()
    for number, deed in enumerate(step.deeds, 1):
        seat = step.seat if step.seat is not None else game.to_move
        if seat is None:
            raise CaseError("the game is over, so nobody is to move; name a seat")
        try:
            events += _deed(game, seat, deed)
        except IllegalMove as problem:
            return (problem.reason, len(step.deeds) - number), events
    return None, events


def _deed(game: Game, seat: Seat, deed: Draw | Play | FaultKind | ForfeitCause | Turns) -> tuple[Event, ...]:
    match deed:
        case Draw() | Play():
            return game.submit(seat, deed)
        case Turns():
            return _turns(game, deed.count)
        case FaultKind() | ForfeitCause():
            if seat >= game.seats:
                raise CaseError(f"there is no seat {seat_text(seat)}")
            if isinstance(deed, FaultKind):
                return game.fault(seat, deed)
            if deed is ForfeitCause.FAULTS:
                raise CaseError("a seat forfeits by its faults when there are too many: use `fault`")
            return game.forfeit(seat, deed)
        case _:
            assert_never(deed)


def _turns(game: Game, count: int) -> tuple[Event, ...]:
    events: tuple[Event, ...] = ()
    for _ in range(count):
        seat = game.to_move
        if seat is None:
            break
        if game.state.drawn is None:
            events += game.submit(seat, Draw())
        if game.state.drawn is not None:  # otherwise the draw ended the deal
            events += game.submit(seat, default_move(game.state))
    return events


def _judged(game: Game, step: Step, refused: tuple[Reason, int] | None, events: tuple[Event, ...]) -> Iterator[Difference]:
    """What is not as the step expects."""
    lines = [event_line(event, game.ruleset) for event in events]
    allowed = "allowed: " + ("; ".join(lines) or "nothing happens")
    if refused is not None and (refused[0] is not step.reject or refused[1]):
        which = "the draw is refused" if refused[1] else "refused"
        wanted = "allowed" if step.reject is None else f"refused: {_reason(step.reject)}"
        yield Difference("the move", wanted, f"{which}: {_reason(refused[0])}")
        return
    if refused is None and step.reject is not None:
        yield Difference("the move", f"refused: {_reason(step.reject)}", allowed)
        return
    if step.events is not None and not lines_fit(step.events, lines):
        yield Difference("events", _list(step.events), _list(lines))
    if not lines_contain(step.contains, lines):
        yield Difference("events, among them in this order", _list(step.contains), _list(lines))
    if present := [one for one in step.absent if any(line_fits(one, line) for line in lines)]:
        yield Difference("events, none of these", _list(present), _list(lines))
    if step.seen is not None:
        told = [public_event(event, game.ruleset) for event in events]
        seen = [seen_line(event) for event in told if event is not None]
        if not lines_fit(step.seen, seen):
            yield Difference("what everybody sees", _list(step.seen), _list(seen))
    yield from differences(Moment(game, events), step.after)


def _reason(reason: Reason) -> str:
    return f"{reason.name} ({reason.value})"


def _list(lines: list[str] | tuple[str, ...]) -> str:
    return "\n".join(lines) or "none"


def _sound(game: Game, before: State, events: tuple[Event, ...], *, logged: bool) -> Iterator[Difference]:
    """What must be true after every step, whatever it is about. Without events nothing may have changed."""
    rules, state = game.ruleset, game.state
    found, deck = all_cards(state), Counter(full_deck(rules.wilds, rules.skips))
    if found != deck:
        much, little = format_cards(sorted((found - deck).elements())), format_cards(sorted((deck - found).elements()))
        yield Difference(
            "the cards", "each kind as often as in the deck", f"too many: {much or 'none'}; missing: {little or 'none'}"
        )
    for event in events:
        apply(before, event)
    if before != state:
        what = "the position before with the events" if events else "the position before: nothing happened"
        yield Difference("the position after", what, ", ".join(_unequal(before, state)))
    if logged and (told := fold(game.log)) != state:
        yield Difference("the log", "it gives the position", ", ".join(_unequal(told, state)))


def _unequal(one: State, other: State) -> list[str]:
    names = [part for part in State.__dataclass_fields__ if part not in {"seat_views", "public_view"}]
    return [
        f"{name} {getattr(one, name)} / {getattr(other, name)}"
        for name in names
        if getattr(one, name) != getattr(other, name)
    ]


def step_text(step: Step, to_move: Seat) -> str:
    """What a step does, in words."""
    who = seat_text(to_move if step.seat is None else step.seat)
    return ", then ".join(_deed_text(deed, who) for deed in step.deeds) or "look"


def _deed_text(deed: Draw | Play | FaultKind | ForfeitCause | Turns, who: str) -> str:
    match deed:
        case Draw():
            return f"{who}: draw from {'discard' if deed.from_discard else 'stock'}"
        case Play():
            return f"{who}: {play_text(deed)}"
        case FaultKind():
            return f"{who}: fault ({deed.value})"
        case ForfeitCause():
            return f"{who}: forfeit ({deed.value})"
        case Turns():
            return f"{deed.count} turns of drawing and throwing the dearest card"
        case _:
            assert_never(deed)


def failure_text(failure: Failure) -> str:
    """A failure for people: the step, the position before it, what was expected and what came."""
    lines = [f"step {failure.step}: {failure.done}"] if failure.step else [failure.done]
    if failure.note:
        lines.append(f"({failure.note})")
    if failure.before:
        lines += ["", failure.before]
    for difference in failure.differences:
        lines += ["", f"{difference.what}:", *_told("expected", difference.expected), *_told("came", difference.came)]
    return "\n".join(lines)


def _told(word: str, text: str) -> list[str]:
    first, *rest = text.splitlines()
    return [f"  {word + ':':<10}{first}", *(f"  {'':10}{line}" for line in rest)]
