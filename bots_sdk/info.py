"""What a bot is told about the games it plays, beside the views and events."""

from dataclasses import dataclass
from enum import Enum
from typing import assert_never
from uuid import UUID

from referee.engine.errors import Reason
from referee.engine.events import ForfeitCause
from referee.engine.game import Result
from referee.engine.moves import Move, Seat
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.values import quick
from referee.wire.replay import SeatInfo


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What is fixed for a whole game.

    `table` says who sits where, seat 0 first; `seat` is the bot's own. `match_id` is shared by the games that the same
    bots play in other seatings, and `attempt` counts from 1.
    """

    game_id: UUID
    match_id: UUID
    attempt: int
    ruleset: Ruleset
    terms: Terms
    seat: Seat
    table: tuple[SeatInfo, ...]

    @property
    def opponents(self) -> tuple[SeatInfo, ...]:
        """The other seats in order of play, beginning on the left."""
        after = self.seat + 1
        return self.table[after:] + self.table[: self.seat]


@quick
@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The time for one decision, in milliseconds.

    `limit_ms` is the most that this answer may take, `bank_ms` what is left for the whole game, `round_trip_ms` the
    network's last measured round trip.
    """

    bank_ms: int
    limit_ms: int
    round_trip_ms: int = 0


class NotARule(Enum):
    """Why an answer was not accepted where no rule of the game was broken."""

    MALFORMED = "the answer could not be understood"
    STALE = "the answer is not to the open question"
    LATE = "the time for the answer was over"
    UNKNOWN_GAME = "the session has no such game"
    OTHER = "a reason that this version of the SDK does not know"


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that was not accepted: why, in words, and what was played instead (None if nothing was)."""

    reason: Reason | NotARule
    text: str
    instead: Move | None


class Ending(Enum):
    """How a game came to its end for the bot."""

    FINISHED = "finished"
    VOID = "void"  # called off, does not count
    UNKNOWN = "unknown"  # while the bot was not connected, or in a way that this SDK does not know


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended. `result` is there if it was finished; `server_seed` (64 bytes) proves the shuffles.

    `shuffle_problem` says what the referee did wrong with them, as far as a seat can see it; empty if nothing.
    """

    ending: Ending
    result: Result | None = None
    server_seed: bytes = b""
    text: str = ""
    shuffle_problem: str = ""

    def place(self, seat: Seat) -> int | None:
        """The place of a seat, 1 is best; None if there is no result."""
        return self.result.places[seat] if self.result else None

    def forfeit(self, seat: Seat) -> ForfeitCause | None:
        """Why a seat lost the game before its end; None if it did not, or if there is no result."""
        return self.result.forfeits[seat] if self.result else None


def forfeit_in_words(cause: ForfeitCause) -> str:
    """A cause for its bot's owner, to stand behind "forfeited: "."""
    match cause:
        case ForfeitCause.FAULTS:
            return "too many faults"
        case ForfeitCause.CLOCK:
            return "its time ran out"
        case ForfeitCause.RESIGNED:
            return "it gave the game up"
        case ForfeitCause.NO_SHOW:
            return "it was not there at the start"
    assert_never(cause)
