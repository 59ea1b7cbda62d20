"""How many different positions follow from some fixed ones in one, two and three decisions.

One wrong rule anywhere changes such numbers. They are counted twice: with the moves that `legal` offers, and with every wish
that the rules accept, tried one by one. In both counts the lays are those that are offered; how many positions one Play
with any lay leads to, those of fewer cards or more Wilds than need be included, is the last number of a line.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace

import pytest

from referee.engine import (
    OFFICIAL,
    PRESETS,
    SKIP,
    WILD,
    Card,
    Game,
    GoalKind,
    Hit,
    Meld,
    Move,
    Play,
    Ruleset,
    SeededDecks,
    Stage,
    TableMeld,
    Terms,
    Turn,
    draws,
)
from referee.engine.ruleset import WinCheck
from referee.engine.state import State
from tests.engine.brute import accepted_draws, accepted_finishes, accepted_hits, accepted_lays
from tests.players import greedy

Generator = Callable[[Game], Iterable[Move]]


def position(rules: Ruleset, seats: int, decisions: int) -> Game:
    """A game of greedy seats after so many decisions; its cards are always the same."""
    key = hashlib.sha512(f"perft {rules.name} {seats}".encode()).digest()
    game = Game(rules, Terms(), seats, SeededDecks(key))
    for _ in range(decisions):
        seat = game.to_move
        assert seat is not None
        game.submit(seat, greedy(game.view(seat), rules))
    return game


def offered(game: Game) -> Iterator[Move]:
    """Every move that is put together from what `legal` offers; hits that lead to the same hand and table count once."""
    assert game.to_move is not None
    view = game.view(game.to_move)
    if game.stage is Stage.DRAW:
        yield from draws(view, game.ruleset)
        return
    for way in (None, *Turn(view, game.ruleset).lays()):
        turn = Turn(view, game.ruleset)
        if way is not None:
            turn.lay(way)
        waiting, seen = [turn], set()
        while waiting:
            turn = waiting.pop()
            alike = turn.hand, tuple(tuple(map(plain, melds)) for melds in turn.table)
            if alike in seen:
                continue
            seen.add(alike)
            yield from finished(turn)
            for hit in turn.hits():
                longer = Turn(view, game.ruleset)
                if way is not None:
                    longer.lay(way)
                for earlier in (*turn.end().hits, hit):
                    longer.hit(earlier)
                waiting.append(longer)


def finished(turn: Turn) -> Iterator[Play]:
    if turn.over:
        yield turn.end()
    for card in turn.discards():
        for target in (turn.targets() or (None,)) if card == SKIP else (None,):
            yield turn.end(card, target)


def accepted(game: Game) -> Iterator[Move]:
    """Every move that the rules accept, lays as they are offered."""
    assert game.to_move is not None
    if game.stage is Stage.DRAW:
        yield from accepted_draws(game)
        return
    ways = Turn(game.view(game.to_move), game.ruleset).lays()
    free = not game.state.phase(game.to_move)
    yield from plays(game, [((), None), *((way.melds, way.phase if free else None) for way in ways)])


def plays(game: Game, lays: Iterable[tuple[tuple[Meld, ...], int | None]]) -> Iterator[Play]:
    for lay, phase in lays:
        waiting: list[tuple[Hit, ...]] = [()]
        seen = set()
        while waiting:
            play = Play(lay, waiting.pop(), phase=phase)
            for card, target in accepted_finishes(game, play):
                yield replace(play, discard=card, skip_target=target)
            for hit in accepted_hits(game, play, cards_of(game)):
                hits = (*play.hits, hit)
                if (alike := tuple(sorted(map(str, hits)))) not in seen:
                    seen.add(alike)
                    waiting.append(hits)


def cards_of(game: Game) -> set[Card]:
    """What may be hit in a turn: the hand, and a Wild that is taken from the table."""
    assert game.to_move is not None
    return {*game.state.hands[game.to_move], WILD}


def after(game: Game, move: Move) -> Game:
    """A copy of the game in which the move was made."""
    copy = Game(game.ruleset, game.terms, game.seats, game._decks)
    copy._log, copy._state = list(game.log), clone(game.state)
    assert copy.to_move is not None
    copy.submit(copy.to_move, move)
    return copy


def clone(state: State) -> State:
    copy = State.new(state.ruleset, state.terms, state.seats)
    for field in fields(State):
        if field.compare:
            value = getattr(state, field.name)
            if isinstance(value, list):
                value = [list(part) if isinstance(part, list) else part for part in value]
            setattr(copy, field.name, value)
    return copy


def written(state: State) -> tuple[object, ...]:
    """A state as a value that can be looked up. The order in which cards came to a set or colour is left out."""
    parts = (getattr(state, field.name) for field in fields(State) if field.compare and field.name != "melds")
    return (*map(str, parts), tuple(tuple(map(plain, melds)) for melds in state.melds))


def plain(meld: TableMeld) -> TableMeld:
    return meld if meld.kind is GoalKind.RUN else replace(meld, cards=tuple(sorted(meld.cards)))


def count(game: Game, moves: Generator, depth: int) -> list[int]:
    """The different positions after 1, 2 ... `depth` decisions."""
    games = [game]
    found = []
    for _ in range(depth):
        following = {}
        for one in games:
            if one.to_move is not None:
                for move in moves(one):
                    child = after(one, move)
                    following[written(child.state)] = child
        games = list(following.values())
        found.append(len(games))
    return found


MIXED = replace(
    OFFICIAL, name="mixed", phases=(2, 3, 8), wild_replaceable=True, lay_extra=False, win_check=WinCheck.ON_LAY, wilds=16
)

# Rules, seats, decisions before; positions after one, two and three more; different lays and what may follow them.
GOLDEN = [
    (OFFICIAL, 2, 29, [16, 32, 65], 0),
    (OFFICIAL, 4, 49, [11, 22, 267], 0),
    (PRESETS["app163"], 2, 63, [19, 38, 527], 8),
    (PRESETS["sv"], 2, 35, [14, 28, 382], 4),
    (PRESETS["sv"], 3, 49, [3, 6, 97], 0),
    (PRESETS["bg"], 3, 7, [16, 32, 421], 0),
    (PRESETS["bg+free"], 3, 7, [23, 42, 771], 18),
    (PRESETS["bg+free"], 3, 49, [15, 30, 235], 10),
    (PRESETS["da-literal"], 2, 49, [27, 54, 541], 16),
    (PRESETS["da-literal"], 3, 23, [29, 58, 423], 0),
    (PRESETS["bg-literal"], 4, 35, [19, 38, 168], 0),
    (PRESETS["fundex"], 4, 39, [37, 74, 556], 0),
    (PRESETS["fundex+ten-hands"], 3, 17, [37, 74, 248], 0),
    (MIXED, 2, 11, [13, 26, 92], 0),
    (MIXED, 3, 45, [17, 34, 81], 0),
    (MIXED, 3, 5, [16, 32, 241], 0),
]


@pytest.mark.parametrize(
    ("rules", "seats", "decisions", "positions", "lays"),
    [pytest.param(*line, id=f"{line[0].name} {line[1]} {line[2]}") for line in GOLDEN],
)
def test_the_positions_that_follow(rules, seats, decisions, positions, lays):
    game = position(rules, seats, decisions)
    assert count(game, offered, 3) == positions
    assert count(game, accepted, 3) == positions
    assert game.to_move is not None
    free = not game.state.phase(game.to_move)
    every = [(melds, phase if free else None) for phase, melds in accepted_lays(game)]
    assert len({written(after(game, play).state) for play in plays(game, every)}) == lays
