"""The site's side of the control conversation with a referee: messages stop here.

Channels are opened by the process that uses them, never before a fork, so a client is made inside a task or the collector.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import UUID

import grpc
from phaseten.v1 import referee_pb2 as pb
from phaseten.v1.referee_pb2_grpc import RefereeServiceStub

from referee.engine.events import PublicEvent
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.view import PublicView
from referee.wire.errors import MalformedMessage
from referee.wire.events import decode_public_event
from referee.wire.replay import SeatInfo, decode_uuid, encode_seat_info
from referee.wire.rules import encode_ruleset, encode_terms
from referee.wire.view import decode_table
from tournament_site.matches.bundle import Shuffle

OPTIONS = (
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    ("grpc.max_send_message_length", 16 * 1024 * 1024),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # Two clients of one process must not share a connection: a stuck one would take the other along.
    ("grpc.use_local_subchannel_pool", 1),
    # Referees are neighbours: a proxy for the web outside knows nothing of them.
    ("grpc.enable_http_proxy", 0),
)


class RefereeUnavailable(Exception):
    """The referee did not answer, or not in time. Nothing is known of what it did."""


class RefereeRefused(Exception):
    """The referee answered that it will not: a wrong token, a request that it does not understand. Ours to mend."""


class Outcome(Enum):
    """What became of an order; ALREADY_* also mean that it will be played once."""

    STARTED = pb.START_OUTCOME_STARTED
    ALREADY_RUNNING = pb.START_OUTCOME_ALREADY_RUNNING
    ALREADY_FINISHED = pb.START_OUTCOME_ALREADY_FINISHED
    REFUSED = pb.START_OUTCOME_REFUSED


class Refusal(Enum):
    """Why an order was refused."""

    UNSPECIFIED = pb.REFUSAL_UNSPECIFIED
    BOTS_ABSENT = pb.REFUSAL_BOTS_ABSENT
    NO_CAPACITY = pb.REFUSAL_NO_CAPACITY
    VERSION_CHANGED = pb.REFUSAL_VERSION_CHANGED
    REFEREE_BUSY = pb.REFUSAL_REFEREE_BUSY
    DRAINING = pb.REFUSAL_DRAINING
    INVALID_ORDER = pb.REFUSAL_INVALID_ORDER
    CANCELLED = pb.REFUSAL_CANCELLED
    STALE_ATTEMPT = pb.REFUSAL_STALE_ATTEMPT


_KNOWN_REFUSALS = frozenset(refusal.value for refusal in Refusal)


class AttemptState(Enum):
    """What a referee knows of an attempt."""

    RUNNING = pb.ATTEMPT_STATE_RUNNING
    FINISHED = pb.ATTEMPT_STATE_FINISHED
    UNKNOWN = pb.ATTEMPT_STATE_UNKNOWN
    VOID = pb.ATTEMPT_STATE_VOID
    CALLED_OFF = pb.ATTEMPT_STATE_CALLED_OFF


class Answer(Enum):
    """What the site says to a record."""

    STORED = pb.VERDICT_STORED
    DUPLICATE = pb.VERDICT_DUPLICATE
    STALE = pb.VERDICT_STALE
    CORRUPT = pb.VERDICT_CORRUPT


@dataclass(frozen=True, slots=True)
class AttemptRef:
    match_id: UUID
    attempt: int


@dataclass(frozen=True, slots=True)
class Order:
    """An order to play: in game r of the match, bot i has seat (i + r) mod k."""

    ref: AttemptRef
    ruleset: Ruleset
    terms: Terms
    bots: tuple[SeatInfo, ...]
    game_ids: tuple[UUID, ...]
    mirrored: bool = False


@dataclass(frozen=True, slots=True)
class StartResult:
    ref: AttemptRef
    outcome: Outcome
    refusal: Refusal
    bots: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """A bot that is connected with a token of this id. `games` is how many it plays or is promised to."""

    bot: str
    version: str
    version_id: int
    credential: str
    capacity: int
    games: int


@dataclass(frozen=True, slots=True)
class Sessions:
    """Who is connected, and the referee's own room for games (0 while it is going away)."""

    sessions: tuple[Session, ...]
    free_games: int


@dataclass(frozen=True, slots=True)
class Greeting:
    """The first update of a stream. `incarnation` is new for every start of the referee's process."""

    referee: str
    incarnation: str


@dataclass(frozen=True, slots=True)
class Running:
    refs: tuple[AttemptRef, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A game begins; everybody may see its commitment (64 bytes)."""

    ref: AttemptRef
    game_id: UUID
    index: int
    commitment: bytes


@dataclass(frozen=True, slots=True)
class Update:
    """Public events of a game from number `first` on, and the table after them."""

    game_id: UUID
    first: int
    events: tuple[PublicEvent, ...]
    table: PublicView


@dataclass(frozen=True, slots=True)
class Record:
    """The bytes of a finished match's record, all parts together."""

    ref: AttemptRef
    data: bytes


@dataclass(frozen=True, slots=True)
class Void:
    """An attempt came to nothing at the referee; `planned` says that nothing went wrong. It is told until it is answered.

    `games` shows what made the cards of those that were announced.
    """

    ref: AttemptRef
    text: str
    planned: bool
    games: tuple[Shuffle, ...] = ()


WatchUpdate = Greeting | Running | Opened | Update | Record | Void


class RefereeClient:
    """Calls to one referee. Each method raises RefereeUnavailable or RefereeRefused."""

    def __init__(self, address: str, token: Callable[[], str], seconds: float) -> None:
        """`address` is host:port of the control side, `token` makes a control token, `seconds` bounds each short call."""
        self._channel = grpc.insecure_channel(address, options=OPTIONS)
        self._stub = RefereeServiceStub(self._channel)
        self._token = token
        self._seconds = seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._channel.close()

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=self._seconds, metadata=self._metadata())
        except grpc.RpcError as error:
            raise translate(error) from error

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._token()}"),)

    def start_matches(self, orders: Sequence[Order]) -> tuple[StartResult, ...]:
        """Orders matches; the answers come in the order of the orders."""
        response = self._call(self._stub.StartMatches, pb.StartMatchesRequest(matches=map(_encode_order, orders)))
        return _understood(lambda: tuple(_decode_start(result) for result in response.results))

    def get_matches(self, refs: Sequence[AttemptRef]) -> dict[AttemptRef, AttemptState]:
        """What the referee knows of these attempts."""
        response = self._call(self._stub.GetMatches, pb.GetMatchesRequest(attempts=map(_encode_ref, refs)))
        return _understood(lambda: {_decode_ref(status.attempt): AttemptState(status.state) for status in response.attempts})

    def cancel_matches(self, refs: Sequence[AttemptRef], text: str) -> None:
        """Calls attempts off; their bots are told `text`."""
        self._call(self._stub.CancelMatches, pb.CancelMatchesRequest(attempts=map(_encode_ref, refs), text=text))

    def close_sessions(self, credentials: Sequence[str], text: str) -> int:
        """Closes the sessions that were opened with these tokens (ids); returns how many there were."""
        response = self._call(self._stub.CloseSessions, pb.CloseSessionsRequest(credentials=credentials, text=text))
        return int(response.closed)

    def list_sessions(self) -> Sessions:
        """Who is connected now."""
        response = self._call(self._stub.ListSessions, pb.ListSessionsRequest())
        sessions = tuple(
            Session(entry.bot, entry.version, entry.version_id, entry.credential, entry.capacity, entry.games)
            for entry in response.sessions
        )
        return Sessions(sessions, 0 if response.draining else response.free_games)

    def watch(self, acknowledgements: Iterator[tuple[AttemptRef, Answer]]) -> "Watch":
        """Opens the long stream. `acknowledgements` blocks until there is one, and ends when the stream should."""
        return Watch(self._stub.Watch(map(_encode_acknowledgement, acknowledgements), metadata=self._metadata()))


class Watch:
    """An open stream of updates. Iterating raises RefereeUnavailable or RefereeRefused when it ends."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def cancel(self) -> None:
        """Ends the stream, from any thread."""
        self._call.cancel()

    def __iter__(self) -> Iterator[WatchUpdate]:
        parts: dict[AttemptRef, list[bytes]] = {}
        try:
            for frame in self._call:
                for message in frame.messages:
                    update = _decode_update(message, parts)
                    if update is not None:
                        yield update
        except grpc.RpcError as error:
            raise translate(error) from error
        except MalformedMessage as error:
            raise RefereeRefused(f"the referee sent nonsense: {error}") from error
        raise RefereeUnavailable("the referee ended the stream")


_REFUSALS = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
)


def translate(error: Any) -> Exception:
    """Our error for one of gRPC's."""
    code, details = error.code(), error.details()
    return (RefereeRefused if code in _REFUSALS else RefereeUnavailable)(f"{code.name}: {details}")


T = TypeVar("T")


def _understood(decode: Callable[[], T]) -> T:
    """What a response says. Raises RefereeRefused if it is nonsense to us."""
    try:
        return decode()
    except (MalformedMessage, ValueError) as error:
        raise RefereeRefused(f"the referee answered nonsense: {error}") from error


def _encode_ref(ref: AttemptRef) -> pb.AttemptRef:
    return pb.AttemptRef(match_id=ref.match_id.bytes, attempt=ref.attempt)


def _decode_ref(message: pb.AttemptRef) -> AttemptRef:
    return AttemptRef(decode_uuid(message.match_id), message.attempt)


def _encode_order(order: Order) -> pb.MatchOrder:
    return pb.MatchOrder(
        match_id=order.ref.match_id.bytes,
        attempt=order.ref.attempt,
        ruleset=encode_ruleset(order.ruleset),
        terms=encode_terms(order.terms),
        bots=[encode_seat_info(bot) for bot in order.bots],
        game_ids=[game_id.bytes for game_id in order.game_ids],
        mirrored=order.mirrored,
    )


def _decode_start(message: pb.StartResult) -> StartResult:
    outcome = Outcome(message.outcome)
    # A newer referee may have reasons that we do not know: the match waits, as for most of those we do know.
    refusal = Refusal(message.refusal) if message.refusal in _KNOWN_REFUSALS else Refusal.UNSPECIFIED
    return StartResult(_decode_ref(message.attempt), outcome, refusal, tuple(message.bots), message.text)


def _encode_acknowledgement(acknowledgement: tuple[AttemptRef, Answer]) -> pb.WatchRequest:
    ref, answer = acknowledgement
    return pb.WatchRequest(messages=[pb.Acknowledgement(attempt=_encode_ref(ref), verdict=answer.value)])


def _decode_update(  # noqa: PLR0911 - one arm a kind
    message: pb.WatchMessage, parts: dict[AttemptRef, list[bytes]]
) -> WatchUpdate | None:
    match message.WhichOneof("kind"):
        case "greeting":
            return Greeting(message.greeting.referee, message.greeting.incarnation)
        case "running":
            return Running(tuple(_decode_ref(ref) for ref in message.running.attempts))
        case "game_opened":
            opened = message.game_opened
            game_id = decode_uuid(opened.game_id)
            return Opened(_decode_ref(opened.attempt), game_id, opened.game_index, opened.commitment)
        case "game_update":
            update = message.game_update
            events = tuple(decode_public_event(event) for event in update.events)
            return Update(decode_uuid(update.game_id), update.first, events, decode_table(update.table))
        case "record":
            return _join(message.record, parts)
        case "attempt_void":
            void = message.attempt_void
            return Void(_decode_ref(void.attempt), void.text, void.planned, tuple(map(_decode_shuffle, void.games)))
        case None:
            return None  # a newer referee may say things that this site does not know


def _decode_shuffle(game: pb.VoidGame) -> Shuffle:
    shares = tuple((share.commitment, share.nonce) for share in game.nonces)
    return Shuffle(decode_uuid(game.game_id), game.server_seed, game.commitment, shares)


def _join(part: pb.RecordPart, parts: dict[AttemptRef, list[bytes]]) -> Record | None:
    """Puts a part to those before it; the record when it was the last one."""
    ref = _decode_ref(part.attempt)
    seen = parts.setdefault(ref, [])
    if part.part == 0:
        seen.clear()
    if part.part != len(seen):
        raise MalformedMessage(f"part {part.part} of a record came after {len(seen)} parts")
    seen.append(part.data)
    if len(seen) < part.parts:
        return None
    del parts[ref]
    return Record(ref, b"".join(seen))
