"""Who plays now: matches in order, bots with room, referees that all of them attend. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Candidate:
    """A queued match.

    Attributes:
        versions: ids of the versions that would play it, by index.

    """

    match_id: UUID
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A match and the referee that is to play it."""

    match_id: UUID
    referee: str


def choose(
    candidates: Iterable[Candidate],
    free_games: Mapping[str, Mapping[int, int]],
    rooms: Mapping[str, int],
    in_all: Mapping[int, int],
) -> tuple[Assignment, ...]:
    """Hand out matches in their order, as long as there is room.

    A match of k bots is k games; a bot with less room plays them in waves, so one free place is enough to begin.

    Args:
        candidates: queued matches, the first to be served first.
        free_games: referee -> version -> further games it could play there.
        rooms: referee -> further games the referee itself would take.
        in_all: version -> further games it could play at all referees together.

    """
    total = dict(in_all)
    left = {referee: dict(versions) for referee, versions in free_games.items() if rooms.get(referee, 0) > 0}
    room = {referee: rooms[referee] for referee in left}
    chosen: list[Assignment] = []
    for candidate in candidates:
        size = len(candidate.versions)
        able = [
            referee
            for referee, free in left.items()
            if room[referee] >= size
            and all(min(free.get(version, 0), total.get(version, 0)) > 0 for version in candidate.versions)
        ]
        if not able:
            continue
        referee = max(able, key=lambda name: (room[name], name))
        room[referee] -= size
        for version in candidate.versions:
            taken = min(size, left[referee][version], total[version])
            left[referee][version] -= taken
            total[version] -= taken
        chosen.append(Assignment(candidate.match_id, referee))
    return tuple(chosen)
