"""A season's table out of its games. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One bot's line.

    Attributes:
        rank: 1 = best; bots that are equal in everything share it and leave a gap.
        score: points of the table: for each game, (seats beaten + half the ties) / (k - 1).
        games: games that count.
        wins: games with place 1, shared ones included.
        live: live Elo, or None without a rated game.

    """

    bot: int
    rank: int
    score: float
    games: int
    wins: int
    live: float | None


@dataclass(frozen=True, slots=True)
class Cell:
    """What one bot did against another: games in which both sat, and the part in which it was placed before it."""

    score: float
    games: int


def game_scores(places: Mapping[int, int]) -> dict[int, float]:
    """Bot -> (seats beaten + half the ties) / (k - 1); between 0 and 1.

    Args:
        places: bot -> place, 1 = best; ties share.

    """
    others = len(places) - 1
    return {
        bot: sum(_point(place, other) for rival, other in places.items() if rival != bot) / others
        for bot, place in places.items()
    }


def on_paper(score: float) -> float:
    """A sum of game scores to be compared: thirds and fifths do not add up exactly, and what is equal on paper is equal."""
    return round(score, 6)


def table(bots: Iterable[int], games: Sequence[Mapping[int, int]], live: Mapping[int, float]) -> tuple[Row, ...]:
    """All bots, the best first: by score, then wins, then live Elo.

    Args:
        bots: everybody who takes part, with or without a game.
        games: each bot -> place.
        live: bot -> live Elo.

    """
    score: dict[int, float] = defaultdict(float)
    played: dict[int, int] = defaultdict(int)
    wins: dict[int, int] = defaultdict(int)
    for places in games:
        for bot, points in game_scores(places).items():
            score[bot] += points
            played[bot] += 1
            wins[bot] += places[bot] == 1
    keys = {bot: (on_paper(score[bot]), wins[bot], live.get(bot, float("-inf"))) for bot in bots}
    order = sorted(keys, key=lambda bot: (keys[bot], -bot), reverse=True)
    return tuple(
        Row(
            bot=bot,
            rank=1 + sum(other > keys[bot] for other in keys.values()),
            score=keys[bot][0],
            games=played[bot],
            wins=wins[bot],
            live=live.get(bot),
        )
        for bot in order
    )


def cross_table(games: Sequence[Mapping[int, int]]) -> dict[tuple[int, int], Cell]:
    """(row bot, column bot) -> what the first did against the second; pairs that never met are left out."""
    score: dict[tuple[int, int], float] = defaultdict(float)
    met: dict[tuple[int, int], int] = defaultdict(int)
    for places in games:
        for bot, place in places.items():
            for rival, other in places.items():
                if rival != bot:
                    score[bot, rival] += _point(place, other)
                    met[bot, rival] += 1
    return {pair: Cell(score[pair], met[pair]) for pair in met}


def _point(mine: int, other: int) -> float:
    if mine < other:
        return 1.0
    return 0.5 if mine == other else 0.0
