"""A bot's session: it hands answers to games, keeps the talk within bounds, and measures the network."""

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Final

from google.protobuf.message import DecodeError
from phaseten.v1 import bot_pb2 as pb

from referee.service import messages
from referee.service.batch import Batch
from referee.service.clock import RefereeTime, monotonic_ms
from referee.service.errors import CallReason, CallRefused
from referee.service.outbox import Outbox, Pacer
from referee.service.seats import TableSeat
from referee.service.tickets import Ticket
from referee.wire.coarse import ConnectRequest

PROTOCOL: Final = 1
MAX_FRAME_BYTES: Final = 64 * 1024
MAX_MESSAGE_BYTES: Final = 4 * 1024
PING_SECONDS: Final = 5  # between pings of a bot that plays
# And of one that does not. They are many and nobody waits for them; keepalive of the transport finds those that are gone.
IDLE_PING_SECONDS: Final = 12 * PING_SECONDS
ANSWER_SECONDS: Final = 5  # at least, for a sign of life after a ping
UNASKED_PER_SECOND: Final = 50.0  # for each game that is played
UNASKED_BURST: Final = 100.0
MAX_UNREAD_BYTES: Final = 4 * 1024 * 1024
NAME_LENGTH: Final = 100


class Allowance:
    """A token bucket: what a bot may say without having been asked."""

    __slots__ = ("_at", "_left")

    def __init__(self, now: float) -> None:
        """`now` in seconds."""
        self._left = UNASKED_BURST
        self._at = now

    def take(self, now: float, games: int) -> bool:
        """Whether one message more is allowed."""
        rate = UNASKED_PER_SECOND * max(1, games)
        self._left = min(self._left + (now - self._at) * rate, UNASKED_BURST + rate)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


def decode_frame(data: bytes) -> Any:
    """A frame from a bot as a coarse ConnectRequest, its bounds checked. Raises CallRefused."""
    if len(data) > MAX_FRAME_BYTES:
        raise CallRefused(CallReason.FRAME_TOO_LARGE, f"{len(data)} bytes, {MAX_FRAME_BYTES} are allowed")
    try:
        frame = ConnectRequest.FromString(data)
    except DecodeError:
        raise CallRefused(CallReason.FRAME_MALFORMED) from None
    if len(data) > MAX_MESSAGE_BYTES and any(message.ByteSize() > MAX_MESSAGE_BYTES for message in frame.messages):
        raise CallRefused(CallReason.MESSAGE_TOO_LARGE, f"{MAX_MESSAGE_BYTES} bytes are allowed")
    return frame


def take_hello(frame: Any) -> pb.Hello:
    """The Hello that must begin a session. Raises CallRefused."""
    if not frame.messages or frame.messages[0].WhichOneof("kind") != "hello":
        raise CallRefused(CallReason.HELLO_MISSING)
    hello: pb.Hello = frame.messages[0].hello
    if hello.protocol != PROTOCOL:
        raise CallRefused(CallReason.PROTOCOL_UNSUPPORTED, f"{hello.protocol}; this referee speaks {PROTOCOL}")
    return hello


class Session:
    """A bot that is connected. It lives between its Hello and the end of its stream.

    `ending` is set when the stream is to end: to the reason if the referee wants it, to None if the stream ends by itself.
    """

    __slots__ = (
        "_allowance",
        "_games",
        "_heard_at",
        "_last_handle",
        "_ping",
        "_ping_at",
        "_shared",
        "_time",
        "capacity",
        "connected_at",
        "ending",
        "language",
        "number",
        "outbox",
        "push",
        "round_trip",
        "sdk",
        "ticket",
    )

    def __init__(self, number: int, ticket: Ticket, hello: pb.Hello, pacer: Pacer, time: RefereeTime) -> None:
        self.number = number
        self.ticket = ticket
        self.capacity = min(ticket.capacity, hello.capacity or 1)
        self.sdk = hello.sdk[:NAME_LENGTH]
        self.language = hello.language[:NAME_LENGTH]
        self.outbox = Outbox(pacer, MAX_UNREAD_BYTES, lambda: self.end(CallReason.SLOW_READER))
        self.push = self.outbox.push  # sends serialised messages
        self.ending: asyncio.Future[CallRefused | None] = asyncio.get_running_loop().create_future()
        self.round_trip = 0.0
        self.connected_at = monotonic_ms()
        self._heard_at = self.connected_at
        self._time = time
        self._games: dict[int, TableSeat] = {}
        self._last_handle = 0
        self._allowance = Allowance(self.connected_at / 1000.0)
        self._ping = 0
        self._ping_at = 0.0
        self._shared: set[tuple[int, str]] = set()  # games that it has committed to, or revealed its share of

    @property
    def session_id(self) -> str:
        """Its name in logs and in the Welcome."""
        return f"s{self.number}"

    @property
    def playing(self) -> bool:
        """Whether there is a game that waits for it now and then."""
        return bool(self._games)

    @property
    def seats(self) -> tuple[TableSeat, ...]:
        """The seats that it plays now."""
        return tuple(self._games.values())

    # What games do to it (`seats.Link`).

    def seat(self, seat: TableSeat) -> int:
        """Take part in a game; returns the number by which the session calls it."""
        self._last_handle += 1
        self._games[self._last_handle] = seat
        self.outbox.expect(len(self._games))
        return self._last_handle

    def unseat(self, handle: int) -> None:
        """The game is over."""
        self._games.pop(handle, None)
        self._shared -= {(handle, "nonce_commit"), (handle, "nonce_reveal")}
        self.outbox.expect(len(self._games))

    # What the lobby does to it.

    def send(self, message: pb.RefereeMessage) -> None:
        self.outbox.push(messages.framed(message))

    def end(self, reason: CallReason, detail: str = "") -> None:
        """Let the stream come to an end, after what is waiting to be written."""
        if not self.ending.done():
            self.ending.set_result(CallRefused(reason, detail))
        self.outbox.close()

    def stream_ended(self, _task: "asyncio.Task[None]") -> None:
        """The stream can no longer be read or written."""
        if not self.ending.done():
            self.ending.set_result(None)

    def leave_games(self) -> None:
        """The stream is gone, or another session takes over: the seats are played by nobody."""
        for seat in self._games.values():
            seat.link = None
        self._games.clear()

    # What the pulse does to it.

    def ping(self, number: int, frame: bytes, now: float) -> bool:
        """Send a ping; `frame` holds it, `now` is in milliseconds. False if one is still to be answered."""
        if self._ping_at:
            return False
        self._ping = number
        self._ping_at = now
        self.push(frame)
        return True

    def expire(self, now: float) -> bool:
        """The time to answer a ping is over. True if the bot has it once more: it was heard, or has a question.

        If it was silent the session ends.
        """
        if not self._ping_at:
            return False
        if self._heard_at > self._ping_at or any(seat.table.waits_for(seat) for seat in self._games.values()):
            self._ping_at = now
            return True
        self.end(CallReason.SILENT)
        return False

    # What the bot does.

    def receive(self, data: bytes) -> None:
        """Take a frame from the bot. Raises CallRefused if the stream must end for it."""
        frame = decode_frame(data)
        if not frame.messages:  # nobody asked for an empty one either
            self._charge()
        self.take(frame)

    def take(self, frame: Any, start: int = 0) -> None:
        """Take the messages of a frame from number `start` on. Raises CallRefused."""
        self._heard_at = monotonic_ms()
        batch = Batch(self._time.now())
        try:
            for message in frame.messages[start:]:  # a slice is a list, which is gone through in half the time
                if message.WhichOneof("kind") == "answer":
                    self._take_answer(message.answer, batch)
                else:
                    batch.play()  # what was said before comes before
                    self._take_unasked(message)
        finally:
            batch.play()

    def _take_answer(self, answer: Any, batch: Batch) -> None:
        seat = self._games.get(answer.game)
        if seat is None:
            self._charge()
            self.push(messages.rejected(answer.game, answer.id, messages.UNKNOWN_GAME))
        elif not seat.table.answer(seat, answer, batch):
            self._charge()

    def _take_unasked(self, message: Any) -> None:
        if message.WhichOneof("kind") == "pong" and self._ping_at and message.pong.id == self._ping:
            self.round_trip = self._heard_at - self._ping_at
            self._ping_at = 0.0
        elif not self._take_share(message):
            self._charge()
            self._take_other(message)

    def _take_share(self, message: Any) -> bool:
        """Take a share in a shuffle, or the commitment to one. False if it is none that was waited for.

        A session may say each of them once a game: who has come back does not know what was heard.
        """
        kind = message.WhichOneof("kind")
        if kind not in {"nonce_commit", "nonce_reveal"}:
            return False
        share = getattr(message, kind)
        seat = self._games.get(share.game)
        if seat is None:
            return False
        first = (share.game, kind) not in self._shared
        self._shared.add((share.game, kind))
        if kind == "nonce_commit":
            return seat.table.commit(seat, share.commitment) and first
        return seat.table.reveal(seat, share.nonce) and first

    def _take_other(self, message: Any) -> None:
        match message.WhichOneof("kind"):
            case "ping":
                self.send(pb.RefereeMessage(pong=pb.Pong(id=message.ping.id)))
            case "resign":
                seat = self._games.get(message.resign.game)
                if seat is None:
                    self.push(messages.rejected(message.resign.game, 0, messages.UNKNOWN_GAME))
                else:
                    seat.table.resign(seat)
            case _:
                pass  # a second Hello, a pong or a share that nobody waits for, and what a later protocol may add

    def _charge(self) -> None:
        if not self._allowance.take(time.monotonic(), len(self._games)):
            raise CallRefused(CallReason.FLOODING)


class Pulse:
    """Pings all sessions and looks whether they live. One timer serves all, and what is due goes out together.

    Time is counted in beats of the timer, so what was lost while this process stood still is lost by nobody else.
    """

    __slots__ = ("_loop", "_pinged", "_round", "_slots", "_timer")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._slots: tuple[dict[Session, None], ...] = tuple({} for _ in range(IDLE_PING_SECONDS))
        self._pinged: deque[list[Session]] = deque([[]])  # who was pinged, beat by beat; older beats are settled
        self._round = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, session: Session) -> None:
        """Ping it now, so that the network's share of its first answer is known, and when its turn comes."""
        self._slot(session)[session] = None
        self._ping((session,), monotonic_ms())
        if self._timer is None:
            self._timer = self._loop.call_later(1.0, self._beat)

    def remove(self, session: Session) -> None:
        """Its stream has ended."""
        self._slot(session).pop(session, None)

    def _slot(self, session: Session) -> dict[Session, None]:
        return self._slots[session.number % IDLE_PING_SECONDS]

    def _beat(self) -> None:
        """Once a second, as long as there are sessions."""
        self._timer = self._loop.call_later(1.0, self._beat) if any(self._slots) else None
        now = monotonic_ms()
        self._round += 1
        due = self._pinged.popleft() if len(self._pinged) > ANSWER_SECONDS else []
        self._pinged.append([session for session in due if session in self._slot(session) and session.expire(now)])
        self._ping(self._slots[self._round % IDLE_PING_SECONDS], now)
        for later in range(PING_SECONDS, IDLE_PING_SECONDS, PING_SECONDS):
            others = self._slots[(self._round + later) % IDLE_PING_SECONDS]
            self._ping([session for session in others if session.playing], now)

    def _ping(self, sessions: Iterable[Session], now: float) -> None:
        number = self._round
        frame = messages.framed(pb.RefereeMessage(ping=pb.Ping(id=number)))
        self._pinged[-1].extend(session for session in sessions if session.ping(number, frame, now))
