"""What the watch streams get: openings, moves a few times a second, records until they are acknowledged.

Nothing is built while nobody watches. Messages are kept as serialised frames, which join to longer frames.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Protocol

from phaseten.v1 import referee_pb2 as pb

from referee.service.journal import Leftover
from referee.service.order import Attempt, encode_attempt
from referee.service.records import Records
from referee.wire.fields import Heading

UPDATE_SECONDS: Final = 0.5
UPDATES_PER_SECOND: Final = 100  # of all games together: whoever takes them home stores each of them
RUNNING_SECONDS: Final = 5.0
FRAME_BYTES: Final = 4 * 1024 * 1024
MOST_WAITING: Final = 32 * 1024 * 1024  # bytes that may wait for a slow watcher
MOST_VOIDS: Final = 1000  # void attempts that are remembered until somebody knows of them; one to five kilobytes each

_GAME_UPDATE: Final = Heading(pb.WatchMessage, "game_update", Heading(pb.WatchResponse, "messages"))


def framed(message: pb.WatchMessage) -> bytes:
    return pb.WatchResponse(messages=[message]).SerializeToString()


def _update(game: "Shown") -> bytes:
    return _GAME_UPDATE.wrap(game.update())


class Announced(Protocol):
    """A game as far as it is shown to the public before its first card: who plays, and the referee's commitment."""

    def opening(self) -> pb.GameOpened: ...


class Shown(Announced, Protocol):
    """A running game, as far as it is shown to the public."""

    def update(self) -> bytes:
        """A serialised GameUpdate: what happened since the last call, and the table."""


class Watcher:
    """One watch stream. What waits is written in order: frames of messages, and records, which are taken from the store."""

    __slots__ = ("_bytes", "_closed", "_pending", "_store", "_wake", "too_slow")

    def __init__(self, store: Records) -> None:
        self._store = store
        self._pending: deque[bytes | Attempt] = deque()
        self._bytes = 0
        self._wake = asyncio.Event()
        self._closed = False
        self.too_slow: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def push(self, frame: bytes) -> None:
        self._pending.append(frame)
        self._bytes += len(frame)
        self._wake.set()
        if self._bytes > MOST_WAITING and not self.too_slow.done():
            self.too_slow.set_result(None)

    def record(self, attempt: Attempt) -> None:
        """A record waits in the store."""
        self._pending.append(attempt)
        self._wake.set()

    def close(self) -> None:
        """No more messages: `pump` writes what is left and returns."""
        self._closed = True
        self._wake.set()

    async def pump(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        """Write until the watcher is closed and nothing waits. Records go out one at a time, in their turn."""
        while self._pending or not self._closed:
            if not self._pending:
                self._wake.clear()
                await self._wake.wait()
                continue
            following = self._pending[0]
            if isinstance(following, bytes):
                await write(self._take())
                continue
            self._pending.popleft()
            record = self._store.get(following)
            for frame in record.frames() if record is not None else ():
                await write(frame)

    def _take(self) -> bytes:
        """The messages up to the next record, as far as they fit a frame."""
        frames: list[bytes] = []
        size = 0
        while self._pending and size < FRAME_BYTES and isinstance(following := self._pending[0], bytes):
            frames.append(following)
            size += len(following)
            self._pending.popleft()
        self._bytes -= size
        return b"".join(frames)


class Feed:
    """All watch streams."""

    __slots__ = (
        "_announced",
        "_dirty",
        "_games",
        "_greeting",
        "_leftovers",
        "_loop",
        "_running",
        "_store",
        "_timer",
        "_voids",
        "_watchers",
        "watched",
    )

    def __init__(self, store: Records, greeting: pb.WatchGreeting, running: Callable[[], Iterable[Attempt]]) -> None:
        """`running` names the attempts that are running."""
        self._store = store
        self._greeting = greeting
        self._running = running
        self._loop = asyncio.get_running_loop()
        self._watchers: set[Watcher] = set()
        self.watched = False  # whether there are any; asked at every decision
        self._announced: dict[Announced, None] = {}
        self._games: dict[Shown, None] = {}
        self._dirty: dict[Shown, None] = {}
        self._voids: dict[Attempt, bytes] = {}
        self._leftovers: deque[Leftover] = deque()  # of earlier processes, for which there was no room yet
        self._timer: asyncio.TimerHandle | None = None

    @property
    def watchers(self) -> int:
        """How many there are."""
        return len(self._watchers)

    @property
    def voids(self) -> int:
        """Void attempts of which nobody knows yet."""
        return len(self._voids) + len(self._leftovers)

    def join(self) -> Watcher:
        """A new stream: it is greeted, told what is running and what is void, and gets every record that is kept."""
        watcher = Watcher(self._store)
        watcher.push(framed(pb.WatchMessage(greeting=self._greeting)))
        watcher.push(self._running_frame())
        for frame in self._voids.values():
            watcher.push(frame)
        for attempt in self._store:
            watcher.record(attempt)
        for announced in (*self._announced, *self._games):
            watcher.push(framed(pb.WatchMessage(game_opened=announced.opening())))
        self._watchers.add(watcher)
        self.watched = True
        for game in self._games:
            self.touched(game)
        return watcher

    def leave(self, watcher: Watcher) -> None:
        self._watchers.discard(watcher)
        self.watched = bool(self._watchers)

    def close(self) -> None:
        """Let every stream come to its end."""
        self._flush()
        for watcher in self._watchers:
            watcher.close()

    def announced(self, game: Announced) -> None:
        """A game will begin. Its commitment is shown before anybody has a share in the shuffle."""
        self._announced[game] = None
        if self._watchers:
            self._push(pb.WatchMessage(game_opened=game.opening()))

    def began(self, announced: Announced, game: Shown) -> None:
        """An announced game has become a running one."""
        self._announced.pop(announced, None)
        self._games[game] = None
        self.touched(game)

    def touched(self, game: Shown) -> None:
        """Something happened in a game."""
        if self._watchers:
            self._dirty[game] = None
            if self._timer is None:
                wait = max(UPDATE_SECONDS, len(self._games) / UPDATES_PER_SECOND)
                self._timer = self._loop.call_later(wait, self._flush)

    def closed(self, game: Shown) -> None:
        """A game is over: its last events go out now."""
        self._games.pop(game, None)
        self._dirty.pop(game, None)
        if self._watchers:
            self._send(_update(game))

    def withdrawn(self, announced: Announced) -> None:
        """An announced game came to nothing."""
        self._announced.pop(announced, None)

    def dropped(self, game: Shown) -> None:
        """A running game came to nothing."""
        self._games.pop(game, None)
        self._dirty.pop(game, None)

    def void(self, attempt: Attempt, text: str, games: Iterable[pb.VoidGame], *, planned: bool) -> None:
        """An attempt came to nothing; `planned` says that nothing went wrong. It is told until somebody knows of it."""
        message = pb.AttemptVoid(attempt=encode_attempt(attempt), text=text, planned=planned, games=games)
        self._voids[attempt] = frame = framed(pb.WatchMessage(attempt_void=message))
        if len(self._voids) > MOST_VOIDS:
            del self._voids[next(iter(self._voids))]
        self._send(frame)

    def void_known(self, attempt: Attempt) -> bool:
        """Somebody knows now that the attempt is void. False if that was not waited for."""
        known = self._voids.pop(attempt, None) is not None
        self._tell_leftovers()
        return known

    def recall(self, leftovers: Iterable[Leftover]) -> None:
        """Tell void attempts of earlier processes, as many at a time as are remembered."""
        self._leftovers.extend(leftovers)
        self._tell_leftovers()

    def _tell_leftovers(self) -> None:
        while self._leftovers and len(self._voids) < MOST_VOIDS:
            left = self._leftovers.popleft()
            self.void(left.attempt, left.text, left.games, planned=left.planned)

    def recorded(self, attempt: Attempt) -> None:
        """A record was put into the store."""
        for watcher in self._watchers:
            watcher.record(attempt)

    def tell_running(self) -> None:
        """Tell every stream what is running; to be called every RUNNING_SECONDS."""
        if self._watchers:
            frame = self._running_frame()
            for watcher in self._watchers:
                watcher.push(frame)

    def _running_frame(self) -> bytes:
        attempts = [encode_attempt(attempt) for attempt in self._running()]
        return framed(pb.WatchMessage(running=pb.RunningAttempts(attempts=attempts)))

    def _flush(self) -> None:
        self._timer = None
        dirty, self._dirty = self._dirty, {}
        if self._watchers:
            for game in dirty:
                self._send(_update(game))

    def _push(self, message: pb.WatchMessage) -> None:
        self._send(framed(message))

    def _send(self, frame: bytes) -> None:
        for watcher in self._watchers:
            watcher.push(frame)
