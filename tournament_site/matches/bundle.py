"""A finished match as it comes home, and what can be wrong with it. Pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from referee.engine.shuffle import NO_NONCE, game_context, nonce_commit, server_commit


class Forfeit(StrEnum):
    """Why a seat stopped counting."""

    FAULTS = "FAULTS"
    CLOCK = "CLOCK"
    RESIGNED = "RESIGNED"
    NO_SHOW = "NO_SHOW"


class Verdict(StrEnum):
    """What the site says to a record."""

    STORED = "STORED"
    DUPLICATE = "DUPLICATE"
    STALE = "STALE"
    CORRUPT = "CORRUPT"


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """One game. All tuples have one entry a seat, by seat.

    Attributes:
        index: the number of the game within the match, from 0.
        replay: the bytes as the referee wrote them.
        sha256: 32 bytes, as the referee sent them.
        places: 1 = best; ties share and leave a gap (1, 1, 3).
        points: penalty points.
        phases: phases completed, 0-10.
        faults: illegal, late or missing answers.
        forfeits: why a seat stopped counting; None for those that did not.
        decisions: draws and plays in the game.

    """

    game_id: UUID
    index: int
    replay: bytes = field(repr=False)
    sha256: bytes
    places: tuple[int, ...]
    points: tuple[int, ...]
    phases: tuple[int, ...]
    faults: tuple[int, ...]
    forfeits: tuple[Forfeit | None, ...]
    decisions: int


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """All games of one attempt, by index."""

    match_id: UUID
    attempt: int
    games: tuple[FinishedGame, ...]


@dataclass(frozen=True, slots=True)
class Shuffle:
    """What made the cards of a game that came to nothing.

    Attributes:
        seed: the referee's, 64 bytes.
        commitment: the referee's to its seed, 64 bytes.
        shares: by seat: commitment (64 bytes, empty if it took no part) and nonce (32 bytes, zeros if it was not shown).

    """

    game_id: UUID
    seed: bytes = field(repr=False)
    commitment: bytes
    shares: tuple[tuple[bytes, bytes], ...] = field(repr=False)

    def problem(self, named: UUID, attempt: int) -> str:
        """What does not fit together, as a sentence; empty if all does. `named` is the game, or a mirrored one's match."""
        context = game_context(named.bytes, attempt, len(self.shares))
        if server_commit(context, self.seed) != self.commitment:
            return "The seed is not the one that the referee had committed to."
        for seat, (commitment, nonce) in enumerate(self.shares):
            if nonce != NO_NONCE and nonce_commit(context, seat, nonce) != commitment:
                return f"The share of seat {seat + 1} is not the one that it had committed to."
        return ""


def problems(bundle: FinishedMatch, table_size: int, game_ids: Sequence[UUID]) -> tuple[str, ...]:
    """Everything that does not fit together, as sentences; empty if all is well.

    Args:
        bundle: what came.
        table_size: k.
        game_ids: the ids the attempt's games were given, by index.

    """
    if [game.game_id for game in bundle.games] != list(game_ids):
        return ("its games are not those of the attempt",)
    found: list[str] = []
    for number, game in enumerate(bundle.games):
        found.extend(f"game {number}: {problem}" for problem in _game_problems(game, number, table_size))
    return tuple(found)


def _game_problems(game: FinishedGame, number: int, table_size: int) -> list[str]:
    found: list[str] = []
    if game.index != number:
        found.append(f"says it is game {game.index}")
    if not game.replay:
        found.append("has no replay")
    if hashlib.sha256(game.replay).digest() != game.sha256:
        found.append("its bytes have another digest")
    columns = (game.places, game.points, game.phases, game.faults, game.forfeits)
    if any(len(column) != table_size for column in columns):
        return [*found, f"does not speak of {table_size} seats"]
    if any(place != 1 + sum(other < place for other in game.places) for place in game.places):
        found.append(f"has impossible places {game.places}")
    if not all(0 <= phases <= 10 for phases in game.phases):
        found.append(f"has impossible phases {game.phases}")
    if any(number < 0 for number in (*game.points, *game.faults, game.decisions)):
        found.append("counts below nothing")
    if _forfeiter_beats_player(game):
        found.append("places a seat that forfeited before one that did not")
    return found


def _forfeiter_beats_player(game: FinishedGame) -> bool:
    gone = [place for place, forfeit in zip(game.places, game.forfeits, strict=True) if forfeit is not None]
    stayed = [place for place, forfeit in zip(game.places, game.forfeits, strict=True) if forfeit is None]
    return bool(gone and stayed) and min(gone) <= max(stayed)


def seat_of(index: int, game: int, table_size: int) -> int:
    """Where bot number `index` of a match sits in its game number `game`: every cyclic seating once."""
    return (index + game) % table_size


def index_at(seat: int, game: int, table_size: int) -> int:
    """Which bot of a match sits at a seat in its game number `game`; undoes `seat_of`."""
    return (seat - game) % table_size
