"""Players for tests and measurements: they look at a View alone, as a bot does."""

from collections.abc import Callable

from referee.engine import (
    SKIP,
    WILD,
    Card,
    Draw,
    Game,
    Move,
    Plan,
    Play,
    Ruleset,
    Seat,
    Turn,
    View,
    draws,
    plan,
    plans,
    skip_targets,
)
from referee.engine.legal import DRAW_DISCARD, DRAW_STOCK
from referee.engine.values import maker

_play = maker(Play)

Policy = Callable[[View, Ruleset], Move]
Choose = Callable[[int], int]  # a number below the argument


def play_out(game: Game, policy: Policy) -> int:
    """Play a game to its end, the same policy in every seat; returns the number of decisions."""
    ruleset, decisions = game.ruleset, 0
    while (seat := game.to_move) is not None:
        game.submit(seat, policy(game.view(seat), ruleset))
        decisions += 1
    return decisions


# What one would rather throw: numbers by their points (penalties of the official leaflet), a Wild last of all.
_WEIGHT = [*(5 if kind % 12 < 9 else 10 for kind in range(48)), 0, 15]


def greedy(view: View, ruleset: Ruleset) -> Move:
    """Takes a discard that brings the phase nearer, lays and hits at once, throws what is dear and not needed."""
    me = view.table.seats[view.seat]
    if me.laid:
        return DRAW_STOCK if view.drawn is None else _finish(Turn(view, ruleset))
    if view.drawn is None:
        return _greedy_draw(view, ruleset)
    aim = _aim(view, ruleset)
    if aim.distance:
        return _throw(view, aim.leftover, ruleset)
    turn = Turn(view, ruleset)
    best = turn.best_lay()
    assert best is not None, "a phase at distance 0 can be laid"
    turn.lay(best)
    return _finish(turn)


def _aim(view: View, ruleset: Ruleset) -> Plan:
    """The nearest phase. Where it may not be chosen there is one only, which is asked for with less ado."""
    phase = view.table.seats[view.seat].phase
    return plan(view.hand, phase, ruleset) if phase else plans(view, ruleset)[0]


def _greedy_draw(view: View, ruleset: Ruleset) -> Draw:
    """Before the phase is laid; after that, taking discards can go in circles for ever."""
    top = view.table.discard_top
    if top is None or top == SKIP:
        return DRAW_STOCK
    return DRAW_DISCARD if top == WILD or top in _aim(view, ruleset).useful else DRAW_STOCK


def _throw(view: View, spare: tuple[Card, ...], ruleset: Ruleset) -> Play:
    card = spare[-1]
    if card == SKIP:
        return Play(discard=card, skip_target=next(iter(skip_targets(view, ruleset)), None))
    return _play(discard=max(spare, key=_WEIGHT.__getitem__))


def _finish(turn: Turn) -> Play:
    for hit in turn.best_hits():
        turn.hit(hit)
    return turn.end(max(turn.hand, key=_WEIGHT.__getitem__, default=None))


def random_player(choose: Choose) -> Policy:
    """Takes from either pile, lays when it can in any of the ways found, hits and throws at random."""

    def policy(view: View, ruleset: Ruleset) -> Move:
        if view.drawn is None:
            options = draws(view, ruleset)
            return options[choose(len(options))]
        return random_play(view, ruleset, choose)

    return policy


def random_play(view: View, ruleset: Ruleset, choose: Choose) -> Play:
    """Any of the plays that `Turn` offers."""
    turn = Turn(view, ruleset)
    ways = turn.lays()
    if ways and choose(4):
        turn.lay(ways[choose(len(ways))])
    while (hits := turn.hits()) and choose(4):
        turn.hit(hits[choose(len(hits))])
    discards = turn.discards()
    if not discards:
        return turn.end()
    card = discards[choose(len(discards))]
    targets = turn.targets() if card.is_skip else ()
    target: Seat | None = targets[choose(len(targets))] if targets else None
    return turn.end(card, target)
