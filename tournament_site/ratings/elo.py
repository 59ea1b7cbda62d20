"""Live Elo for tables of two to six. Pure, and the same to the last bit wherever it runs.

For a finished game of k seats with places p (1 = best, ties allowed):

    E_ij = 1 / (1 + 10 ** ((R_j - R_i) / 400))        Elo's expectation (A. Elo, The Rating of Chessplayers, 1978)
    S_ij = 1 if p_i < p_j, 1/2 if equal, 0 otherwise
    dR_i = K_i * (2 / k) * sum over j != i of (S_ij - E_ij)
    K_i  = max(8, 64 / (1 + n_i / 10))                n_i = rated games of the version before the match

With k = 2 this is classic Elo. 2/k instead of 1/(k-1) keeps the noise of a settled rating nearly equal over table sizes.
"""

from collections.abc import Sequence

START = 1500.0
# A new version of a rated bot begins with the old one's value and at most this many games: it moves fast, not wildly.
CARRIED_GAMES = 10


def k_factor(games: int) -> float:
    """K of a version that has played so many rated games."""
    return max(8.0, 64.0 / (1.0 + games / 10.0))


def expected(mine: float, other: float) -> float:
    """The share of a point that a rating expects against another."""
    return float(1.0 / (1.0 + 10.0 ** ((other - mine) / 400.0)))


def score(mine: int, other: int) -> float:
    """1 for the better place, 1/2 for the same, 0 for the worse."""
    if mine < other:
        return 1.0
    return 0.5 if mine == other else 0.0


def change(ratings: Sequence[float], ks: Sequence[float], places: Sequence[int]) -> tuple[float, ...]:
    """What one game does to each rating.

    Args:
        ratings: before the game, one a bot, in a fixed order: sums run in that order, so results are repeatable.
        ks: K of each bot.
        places: place of each bot, 1 = best; ties share.

    """
    size = len(ratings)
    changes: list[float] = []
    for i in range(size):
        surplus = 0.0
        for j in range(size):
            if j != i:
                surplus += score(places[i], places[j]) - expected(ratings[i], ratings[j])
        changes.append(ks[i] * (2.0 / size) * surplus)
    return tuple(changes)


def after_match(
    ratings: Sequence[float], games: Sequence[int], places: Sequence[Sequence[int]]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The ratings after a match, and the Ks it was played with.

    All games of a match are applied together from the ratings before it, so their order does not matter.

    Args:
        ratings: before the match, one a bot, by index.
        games: rated games before the match, one a bot.
        places: for each game, the place of each bot, by index.

    """
    ks = tuple(k_factor(n) for n in games)
    after = list(ratings)
    for game in places:
        for i, delta in enumerate(change(ratings, ks, game)):
            after[i] += delta
    return tuple(after), ks
