"""The ledger as values: what one more match adds to it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from tournament_site.ratings import elo


@dataclass(frozen=True, slots=True)
class Standing:
    """A version's place in the ledger: its rating and the games its K is made of."""

    value: float
    games: int


@dataclass(frozen=True, slots=True)
class Result:
    """A rated match to be applied.

    Attributes:
        versions: ids by index.
        places: for each game by index, version id -> place.

    """

    match_id: UUID
    versions: tuple[int, ...]
    places: Sequence[Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Line:
    """What a match does to one version."""

    version: int
    before: float
    after: float
    games: int
    k: float


NEW = Standing(elo.START, 0)


def carried(old: Standing) -> Standing:
    """Where a new version of a rated bot begins."""
    return Standing(old.value, min(old.games, elo.CARRIED_GAMES))


def lines(result: Result, standings: Mapping[int, Standing]) -> tuple[Line, ...]:
    """The lines of a match, by index.

    Args:
        result: the match.
        standings: version id -> where it stands before the match; all of the match's.

    """
    before = [standings[version] for version in result.versions]
    after, ks = elo.after_match(
        [standing.value for standing in before],
        [standing.games for standing in before],
        [[game[version] for version in result.versions] for game in result.places],
    )
    return tuple(
        Line(version, standing.value, value, standing.games, k)
        for version, standing, value, k in zip(result.versions, before, after, ks, strict=True)
    )


def moved(line: Line, games: int) -> Standing:
    """Where a version stands after a line of a match of so many games."""
    return Standing(line.after, line.games + games)
