"""`RefereeService`: the door for the site. It orders matches here and takes the records home."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError
from phaseten.v1 import referee_pb2 as pb

from referee.service.clock import RefereeTime, monotonic_ms
from referee.service.errors import CallReason, CallRefused, InvalidOrder
from referee.service.feed import Watcher
from referee.service.interceptor import Context, Methods
from referee.service.lobby import Lobby, Refusal, Refused, Started
from referee.service.meter import Meter
from referee.service.order import Attempt, decode_attempt, decode_order
from referee.service.records import State
from referee.wire.enums import EnumCodec
from referee.wire.errors import MalformedMessage

SERVICE: Final = pb.DESCRIPTOR.services_by_name["RefereeService"].full_name
LAST_WORDS_SECONDS: Final = 1.0
# What it says is no secret, and whoever looks after a referee has no key of the site.
OPEN_TO_ALL: Final = frozenset({f"/{SERVICE}/GetStatus"})

OUTCOMES: Final = EnumCodec(Started, pb.StartOutcome)
REFUSALS: Final = EnumCodec(Refusal, pb.Refusal)
STATES: Final = EnumCodec(State, pb.AttemptState)


class RefereeApi:
    """The handlers of `RefereeService`. Who calls has been admitted already."""

    def __init__(self, lobby: Lobby, meter: Meter, time: RefereeTime, greeting: pb.WatchGreeting, version: str) -> None:
        self._lobby = lobby
        self._meter = meter
        self._time = time
        self._greeting = greeting
        self._version = version
        self._started = monotonic_ms()

    def handlers(self) -> Methods:
        """For the server."""
        unary: dict[str, tuple[Callable[[Any, Context], Awaitable[Any]], Any]] = {
            "StartMatches": (self.start_matches, pb.StartMatchesRequest),
            "GetMatches": (self.get_matches, pb.GetMatchesRequest),
            "CancelMatches": (self.cancel_matches, pb.CancelMatchesRequest),
            "CloseSessions": (self.close_sessions, pb.CloseSessionsRequest),
            "ListSessions": (self.list_sessions, pb.ListSessionsRequest),
            "GetStatus": (self.get_status, pb.GetStatusRequest),
        }
        methods: Methods = {
            name: grpc.unary_unary_rpc_method_handler(
                handler, request_deserializer=request.FromString, response_serializer=_serialised
            )
            for name, (handler, request) in unary.items()
        }
        methods["Watch"] = grpc.stream_stream_rpc_method_handler(self.watch)
        return methods

    async def start_matches(self, request: pb.StartMatchesRequest, _context: Context) -> pb.StartMatchesResponse:
        response = pb.StartMatchesResponse()
        for order in request.matches:
            response.results.append(self._start(order))
            await asyncio.sleep(0)  # a long batch must not hold up the games that are running
        return response

    def _start(self, message: pb.MatchOrder) -> pb.StartResult:
        reference = pb.AttemptRef(match_id=message.match_id, attempt=message.attempt)
        try:
            # What was played here before is known by its number, whatever else the order says now.
            known = self._lobby.judge_known(decode_attempt(reference))
            outcome = known or self._lobby.start(decode_order(message))
        except (InvalidOrder, MalformedMessage) as problem:
            return _refused(reference, Refused(Refusal.INVALID_ORDER), str(problem))
        if isinstance(outcome, Refused):
            return _refused(reference, outcome, outcome.why.value)
        return pb.StartResult(attempt=reference, outcome=OUTCOMES.encode(outcome))

    async def get_matches(self, request: pb.GetMatchesRequest, _context: Context) -> pb.GetMatchesResponse:
        states = [self._lobby.state(attempt) for attempt in _attempts(request.attempts)]
        return pb.GetMatchesResponse(attempts=_statuses(request.attempts, states))

    async def cancel_matches(self, request: pb.CancelMatchesRequest, _context: Context) -> pb.CancelMatchesResponse:
        text = request.text or "the site called the match off"
        states = [self._lobby.cancel(attempt, text) for attempt in _attempts(request.attempts)]
        return pb.CancelMatchesResponse(attempts=_statuses(request.attempts, states))

    async def close_sessions(self, request: pb.CloseSessionsRequest, _context: Context) -> pb.CloseSessionsResponse:
        closed = self._lobby.close_sessions(set(request.bots), set(request.credentials), request.text)
        return pb.CloseSessionsResponse(closed=closed)

    async def list_sessions(self, _request: pb.ListSessionsRequest, _context: Context) -> pb.ListSessionsResponse:
        now = monotonic_ms()
        response = pb.ListSessionsResponse(free_games=self._lobby.free_games, draining=self._lobby.draining is not None)
        for session, games in self._lobby.sessions:
            response.sessions.add(
                bot=session.ticket.bot,
                version=session.ticket.version,
                version_id=session.ticket.version_id,
                capacity=session.capacity,
                games=games,
                connected_ms=int(now - session.connected_at),
                round_trip_ms=int(session.round_trip),
                sdk=session.sdk,
                language=session.language,
                credential=session.ticket.credential,
            )
        return response

    async def get_status(self, _request: pb.GetStatusRequest, _context: Context) -> pb.GetStatusResponse:
        lobby = self._lobby
        return pb.GetStatusResponse(
            referee=self._greeting.referee,
            version=self._version,
            incarnation=self._greeting.incarnation,
            draining=lobby.draining is not None,
            sessions=lobby.session_count,
            matches=lobby.match_count,
            games=lobby.game_count,
            records=len(lobby.records),
            record_bytes=lobby.records.size,
            uptime_ms=int(monotonic_ms() - self._started),
            decisions=self._meter.decisions,
            free_games=lobby.free_games,
            stalled_ms=int(self._time.stalled),
        )

    async def watch(self, _requests: Any, context: Context) -> None:
        """Everything that happens, until the collector goes away or reads too slowly."""
        # A call whose first write is still under way can no longer be refused, so this is not left to that write.
        await context.send_initial_metadata(())
        watcher = self._lobby.feed.join()
        reader = asyncio.create_task(self._acknowledgements(context))
        writer = asyncio.create_task(watcher.pump(context.write))
        try:
            await asyncio.wait({reader, writer, watcher.too_slow}, return_when=asyncio.FIRST_COMPLETED)
            await self._end_watch(watcher, reader, writer)
        finally:
            self._lobby.feed.leave(watcher)
            for task in (reader, writer):
                task.cancel()
            # A stream that broke is over, whatever it broke with.
            await asyncio.gather(reader, writer, return_exceptions=True)

    @staticmethod
    async def _end_watch(watcher: Watcher, reader: asyncio.Task[None], writer: asyncio.Task[None]) -> None:
        if watcher.too_slow.done():
            raise CallRefused(CallReason.SLOW_READER)
        if reader.done() and isinstance(refused := reader.exception(), CallRefused):
            raise refused
        watcher.close()
        if not writer.done():
            await asyncio.wait({writer}, timeout=LAST_WORDS_SECONDS)

    async def _acknowledgements(self, context: Context) -> None:
        while (data := await context.read()) is not grpc.aio.EOF:
            try:
                frame = pb.WatchRequest.FromString(data)
                for message in frame.messages:
                    self._lobby.acknowledge(decode_attempt(message.attempt))
            except (DecodeError, MalformedMessage) as problem:
                raise CallRefused(CallReason.REQUEST_MALFORMED, str(problem)) from None


def _serialised(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data


def _attempts(messages: Iterable[pb.AttemptRef]) -> list[Attempt]:
    """Raises CallRefused: a request that names no attempts is malformed as a whole."""
    try:
        return [decode_attempt(message) for message in messages]
    except MalformedMessage as problem:
        raise CallRefused(CallReason.REQUEST_MALFORMED, str(problem)) from None


def _statuses(attempts: Iterable[pb.AttemptRef], states: Iterable[State]) -> list[pb.AttemptStatus]:
    return [
        pb.AttemptStatus(attempt=attempt, state=STATES.encode(state))
        for attempt, state in zip(attempts, states, strict=True)
    ]


def _refused(reference: pb.AttemptRef, refused: Refused, text: str) -> pb.StartResult:
    return pb.StartResult(
        attempt=reference,
        outcome=pb.START_OUTCOME_REFUSED,
        refusal=REFUSALS.encode(refused.why),
        bots=refused.bots,
        text=text,
    )
