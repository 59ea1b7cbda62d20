"""The seats of a running game, and the sessions that play them."""

from typing import Any, Final, Protocol

from referee.engine.moves import Seat
from referee.engine.ruleset import Clock
from referee.service.batch import Batch
from referee.service.clock import SeatClock
from referee.wire.replay import SeatInfo

NOTE_BYTES: Final = 500
NOTES_OF_SEAT_BYTES: Final = 64 * 1024  # in one game; what goes beyond is left out of the replay


class Link(Protocol):
    """The session that plays a seat."""

    @property
    def round_trip(self) -> float:
        """Milliseconds, as last measured; 0 before the first time."""

    def push(self, frame: bytes) -> None:
        """Send serialised messages."""

    def seat(self, seat: "TableSeat") -> int:
        """Take part in a game; returns the number by which the session calls it."""

    def unseat(self, handle: int) -> None:
        """The game is over."""


class Table(Protocol):
    """What a session may do to the game at which it has a seat."""

    def answer(self, seat: "TableSeat", message: Any, batch: Batch) -> bool:
        """An answer came, as a coarse Answer; `batch` may take it with others. False if nobody had asked for it."""

    def commit(self, seat: "TableSeat", commitment: bytes) -> bool:
        """A commitment to a share in the shuffle. False if it makes no sense."""

    def reveal(self, seat: "TableSeat", nonce: bytes) -> bool:
        """A share in the shuffle. False if it makes no sense."""

    def resign(self, seat: "TableSeat") -> None: ...

    def waits_for(self, seat: "TableSeat") -> bool:
        """Whether this seat is being asked."""


class _NoTable:
    """Where a seat is when its game is over. The game is let go of, so that nothing keeps its log alive."""

    def answer(self, seat: "TableSeat", message: Any, batch: Batch) -> bool:  # noqa: ARG002  as in Table
        return False

    def commit(self, seat: "TableSeat", commitment: bytes) -> bool:  # noqa: ARG002  as in Table
        return False

    def reveal(self, seat: "TableSeat", nonce: bytes) -> bool:  # noqa: ARG002  as in Table
        return False

    def resign(self, seat: "TableSeat") -> None:  # noqa: ARG002  as in Table
        return

    def waits_for(self, seat: "TableSeat") -> bool:  # noqa: ARG002  as in Table
        return False


_NO_TABLE: Final = _NoTable()


class TableSeat:
    """One seat of a running game. `link` is the session that plays it now, and `handle` its number for the game.

    `seen` is the number of the first event that the seat has not been told. `last_question` is the last one it was asked.
    """

    __slots__ = ("_notes_left", "clock", "handle", "index", "info", "last_question", "link", "seen", "table")

    def __init__(self, table: Table, index: int, info: SeatInfo, clock: Clock) -> None:
        self.table: Table = table
        self.index = Seat(index)
        self.info = info
        self.clock = SeatClock(clock)
        self.link: Link | None = None
        self.handle = 0
        self.seen = 0
        self.last_question = 0
        self._notes_left = NOTES_OF_SEAT_BYTES

    @property
    def round_trip(self) -> float:
        """Milliseconds; 0 while nobody plays the seat."""
        return 0.0 if self.link is None else self.link.round_trip

    def say(self, frame: bytes) -> None:
        """Send something to the session, if there is one."""
        if self.link is not None:
            self.link.push(frame)

    def leave(self) -> None:
        """The game is over."""
        self.table = _NO_TABLE
        if self.link is not None:
            self.link.unseat(self.handle)
            self.link = None

    def kept_note(self, note: str) -> str:
        """As much of a note as the replay has room for."""
        if not note:
            return ""
        kept = note.encode()[: min(NOTE_BYTES, self._notes_left)].decode(errors="ignore")
        self._notes_left -= len(kept.encode())
        return kept
