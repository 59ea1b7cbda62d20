"""A game that stands at a position: what a case does not say is filled in here."""

from collections.abc import Sequence
from dataclasses import fields
from typing import TypeVar

from referee.cases.dealing import CaseDecks
from referee.cases.errors import CaseError
from referee.cases.lines import event_line
from referee.cases.notation import seat_text
from referee.cases.placing import cards_placed
from referee.cases.values import BySeat, Deal, Position, seats_named
from referee.engine.cards import Card
from referee.engine.game import Game
from referee.engine.moves import Seat
from referee.engine.presets import check_ruleset
from referee.engine.ruleset import Advance, Ruleset, Terms
from referee.engine.settle import follow
from referee.engine.state import NOBODY, State

T = TypeVar("T")


def stand(
    position: Position,
    ruleset: Ruleset,
    terms: Terms,
    later: Sequence[Deal] = (),
    reshuffles: Sequence[tuple[Card, ...]] = (),
) -> Game:
    """A game at a position, to be played on; its log does not tell how it got there, so it cannot be folded.

    `later` are the deals to come, `reshuffles` those of this one. Raises CaseError for what cannot be, and UnsupportedRules.
    """
    check_ruleset(ruleset, terms, seat_count(position))
    state = state_at(position, ruleset, terms)
    decks = CaseDecks(state.seats, ruleset.hand_size, later, state.deal + 1, reshuffles, state.reshuffles)
    _check_that_somebody_is_asked(state, decks)
    game = Game(ruleset, terms, state.seats, decks)
    for part in fields(State):
        setattr(game.state, part.name, getattr(state, part.name))
    return game


def seat_count(position: Position) -> int:
    """How many seats a position has: as many as it says, or as it needs for all it names."""
    if position.seats is not None:
        return position.seats
    named = [position.to_move, *(position.players or ()), *([] if position.dealer is None else [position.dealer])]
    return max(2, seats_named(_by_seat(position)), *(seat + 1 for seat in named))


def _by_seat(position: Position) -> list[BySeat[object]]:
    values = (getattr(position, part.name) for part in fields(Position))
    return [value for value in values if isinstance(value, BySeat)]


def state_at(position: Position, ruleset: Ruleset, terms: Terms) -> State:
    """The state of a position under rules that can be played. Raises CaseError."""
    seats = seat_count(position)
    state = State.new(ruleset, terms, seats)
    _seat_players(state, position)
    _count_progress(state, position)
    _count_slots(state, position)
    cards_placed(state, position)
    state.totals = _each(position.points, seats, 0)
    state.faults = _each(position.faults, seats, 0)
    state.forfeits = [position.forfeited.at(seat) for seat in range(seats)]
    state.active = state.forfeits.count(None)
    state.reshuffles = position.reshuffles
    return state


def _each(values: BySeat[T], seats: int, default: T) -> list[T]:
    found = [values.at(seat) for seat in range(seats)]
    return [default if value is None else value for value in found]


def _seat_players(state: State, position: Position) -> None:
    seats = state.seats
    most = max(seats_named(_by_seat(position)), position.to_move + 1, (position.dealer or 0) + 1)
    if most > seats:
        raise CaseError(f"seat {seat_text(most - 1)} is named, but there are {seats} seats; say seats = {most}")
    state.players = tuple(sorted(position.players or map(Seat, range(seats))))
    if len(set(state.players)) != len(state.players) or len(state.players) < 2 or state.players[-1] >= seats:
        raise CaseError("players: at least two different seats of the table play a deal")
    if position.to_move not in state.players:
        raise CaseError(f"to_move: {seat_text(position.to_move)} takes no part in this deal")
    state.to_move = position.to_move
    state.next_player = [NOBODY] * seats
    for place, seat in enumerate(state.players):
        state.next_player[seat] = state.players[(place + 1) % len(state.players)]
    state.melds = _each(position.melds, seats, ())
    state.waiting = _each(position.waiting, seats, 0)
    state.tie_break, state.tie_breaks = position.tie_break > 0, position.tie_break


def _count_progress(state: State, position: Position) -> None:
    """Phases laid and done, and the number of the deal."""
    rules = state.ruleset
    every_deal = rules.advance is Advance.EVERY_DEAL
    for seat in range(state.seats):
        phase = _phase(state, position, Seat(seat))
        state.laid[seat] = phase if state.melds[seat] else 0
        counts = bool(state.laid[seat]) and not state.tie_break
        state.completed[seat] = _completed(state, position, Seat(seat), phase, lays=counts and not every_deal)
        before = state.completed[seat] - (counts and not every_deal)
        others = [done for done in rules.phases if not (counts and done == phase)][:before]
        done = position.done.at(seat)
        if done is not None and (
            not set(done) <= set(rules.phases) or (not every_deal and len(done) != state.completed[seat])
        ):
            raise CaseError(f"done: these are not {state.completed[seat]} phases of {rules.name}")
        state.done[seat] = (*others, *((phase,) if counts else ())) if done is None else done
    if every_deal and not state.tie_break and len(set(state.completed)) > 1:
        raise CaseError(f"under {rules.name} everybody moves on after every deal, so all are on the same phase: phases = 7")
    played = max(done - (bool(laid) and not every_deal) for done, laid in zip(state.completed, state.laid, strict=True))
    if state.tie_break:
        played = len(rules.phases) + state.tie_breaks - 1
    state.deal = played if position.deal is None else position.deal


def _phase(state: State, position: Position, seat: Seat) -> int:
    """The phase a seat works on or has laid."""
    phases = state.ruleset.phases
    phase = position.phases.at(seat)
    completed = position.completed.at(seat)
    if phase is not None:
        if phase not in phases:
            raise CaseError(f"phases: {state.ruleset.name} does not play phase {phase}; choose rules by phase={phase}")
        return phase
    if state.tie_break and seat in state.players:
        return phases[-1]
    if completed is not None:
        lays = bool(state.melds[seat]) and state.ruleset.advance is not Advance.EVERY_DEAL
        return phases[min(max(0, completed - lays), len(phases) - 1)]
    if state.ruleset.advance is Advance.EVERY_DEAL and position.phases.some:
        return _phase(state, position, Seat(min(position.phases.some)))  # all are on the same one
    return phases[0]


def _completed(state: State, position: Position, seat: Seat, phase: int, *, lays: bool) -> int:
    completed, done = position.completed.at(seat), position.done.at(seat)
    if completed is not None:
        if not lays <= completed <= len(state.ruleset.phases):
            raise CaseError(f"completed: {seat_text(seat)} has done {int(lays)} to {len(state.ruleset.phases)} phases")
        return completed
    if done is not None:
        return len(done)
    if state.tie_break and seat in state.players:
        return len(state.ruleset.phases)
    return state.ruleset.phases.index(phase) + lays


def _count_slots(state: State, position: Position) -> None:
    """Dealer, slots, and when each seat had its last turn."""
    players, count = state.players, len(state.players)
    here = players.index(position.to_move)
    if position.dealer is not None:
        if position.dealer not in players:
            raise CaseError(f"dealer: {seat_text(position.dealer)} takes no part in this deal")
        first = (players.index(position.dealer) + 1) % count
    else:
        first = 0 if position.turn is None else (here - position.turn) % count
    state.dealer = players[first - 1]
    place = (here - first) % count
    state.turn = count + place if position.turn is None else position.turn
    if state.turn % count != place:
        raise CaseError(
            f"turn: slot {state.turn} of this deal is not {seat_text(state.to_move)}'s; leave out turn or dealer"
        )
    for seat in players:
        slot = state.turn - 1 - (state.turn - 1 - (players.index(seat) - first)) % count
        waits = max(0, state.turn - 1) if state.waiting[seat] else -1
        played, skipped = position.played_at.at(seat), position.skipped_at.at(seat)
        state.played_at[seat] = max(-1, slot) if played is None else played
        state.skipped_at[seat] = waits if skipped is None else skipped
    cap = state.terms.max_turns_per_deal
    state.turn_cap = -1 if cap is None else cap * count


def _check_that_somebody_is_asked(state: State, decks: CaseDecks) -> None:
    for seat in state.players:
        if not state.hands[seat]:
            raise CaseError(f"hands: {seat_text(seat)} holds no card, so this deal would be over")
    event = follow(state, decks)
    if event is not None:
        line = event_line(event, state.ruleset)
        raise CaseError(f"in this position nobody is asked; this comes first: {line}")
    if state.forfeits[state.to_move] is not None:
        raise CaseError(f"in this position nobody is asked: {seat_text(state.to_move)} has forfeited")
