"""What is left of attempts: records that wait to be taken home, and the memory that keeps us from dealing one twice."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final
from uuid import UUID

from phaseten.v1 import referee_pb2 as pb

from referee.service.order import Attempt, encode_attempt
from referee.wire.replay import replay_digest

PART_BYTES: Final = 4 * 1024 * 1024
REMEMBERED: Final = 200_000  # matches
EXPECTED_GAME_BYTES: Final = 64 * 1024  # what a running game's replay is reckoned at


class State(Enum):
    """What is known of an attempt."""

    RUNNING = "running"
    FINISHED = "finished"
    UNKNOWN = "unknown"
    VOID = "void"
    CALLED_OFF = "called off"  # on purpose: nothing went wrong

    @classmethod
    def void(cls, *, planned: bool) -> "State":
        """What an attempt has come to that brings no record."""
        return cls.CALLED_OFF if planned else cls.VOID


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """The record of a finished match, in parts that fit a message."""

    attempt: Attempt
    parts: tuple[bytes, ...]
    size: int

    def frames(self) -> Iterator[bytes]:
        """A serialised WatchResponse for each part."""
        for number, data in enumerate(self.parts):
            part = pb.RecordPart(attempt=encode_attempt(self.attempt), part=number, parts=len(self.parts), data=data)
            yield pb.WatchResponse(messages=[pb.WatchMessage(record=part)]).SerializeToString()


def make_record(attempt: Attempt, replays: tuple[tuple[UUID, bytes], ...], part_bytes: int = PART_BYTES) -> KeptRecord:
    """The record of a match from its games' ids and replays, in order."""
    games = [pb.GameRecord(game_id=game.bytes, replay=replay, sha256=replay_digest(replay)) for game, replay in replays]
    data = pb.MatchRecord(attempt=encode_attempt(attempt), games=games).SerializeToString()
    parts = tuple(data[start : start + part_bytes] for start in range(0, len(data), part_bytes))
    return KeptRecord(attempt, parts, len(data))


class Records:
    """Records that nobody has acknowledged yet, oldest first."""

    __slots__ = ("_kept", "_limit", "size")

    def __init__(self, limit: int) -> None:
        """`limit`: bytes that may wait."""
        self._limit = limit
        self._kept: dict[Attempt, KeptRecord] = {}
        self.size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Attempt]:
        return iter(self._kept)

    def __contains__(self, attempt: object) -> bool:
        return attempt in self._kept

    def get(self, attempt: Attempt) -> KeptRecord | None:
        return self._kept.get(attempt)

    def keep(self, record: KeptRecord) -> None:
        self._kept[record.attempt] = record
        self.size += record.size

    def acknowledge(self, attempt: Attempt) -> bool:
        """Forget a record. False if it is not kept (any more)."""
        record = self._kept.pop(attempt, None)
        if record is None:
            return False
        self.size -= record.size
        return True

    @property
    def room(self) -> int:
        """Of how many games more the records would still fit, by a generous guess."""
        return max(0, (self._limit - self.size) // EXPECTED_GAME_BYTES)


class Outcomes:
    """The newest attempt of each match and what became of it. The oldest matches are forgotten at a bound."""

    __slots__ = ("_bound", "_latest")

    def __init__(self, bound: int = REMEMBERED) -> None:
        self._bound = bound
        self._latest: dict[UUID, tuple[int, State]] = {}

    def note(self, attempt: Attempt, state: State) -> None:
        """Remember a state, unless a newer attempt is known."""
        known = self._latest.pop(attempt.match, (0, State.UNKNOWN))
        self._latest[attempt.match] = known if known[0] > attempt.number else (attempt.number, state)
        while len(self._latest) > self._bound:
            match, (number, oldest) = next(iter(self._latest.items()))
            del self._latest[match]
            if oldest is State.RUNNING:  # never forgotten, it goes to the end of the queue
                self._latest[match] = (number, oldest)
                return

    def newest(self, match: UUID) -> int:
        """The number of the newest attempt, 0 if none is known."""
        return self._latest.get(match, (0, State.UNKNOWN))[0]

    def state(self, attempt: Attempt) -> State:
        """What became of an attempt; one that a newer attempt replaced is CALLED_OFF."""
        number, state = self._latest.get(attempt.match, (0, State.UNKNOWN))
        if number == attempt.number:
            return state
        return State.CALLED_OFF if number > attempt.number else State.UNKNOWN
