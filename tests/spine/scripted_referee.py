"""A referee that says what a test tells it to say, on a real gRPC socket."""

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from phaseten.v1 import referee_pb2 as pb
from phaseten.v1.referee_pb2_grpc import RefereeServiceServicer, add_RefereeServiceServicer_to_server

Answer = Callable[[Any], Any]


class ScriptedReferee(RefereeServiceServicer):
    """Remembers every request by method; `answers` holds what it says, or raises, to each method."""

    def __init__(self) -> None:
        self.asked: dict[str, list[Any]] = {}
        self.answers: dict[str, Answer] = {
            "ListSessions": lambda _: pb.ListSessionsResponse(free_games=100),
            "CancelMatches": lambda _: pb.CancelMatchesResponse(),
            "CloseSessions": lambda _: pb.CloseSessionsResponse(),
        }
        self.tokens: list[str] = []
        self.patience: list[float] = []  # seconds that each call had left when it came
        self._refusal: grpc.StatusCode | None = None
        # Frames for the next watcher; None ends its stream.
        self.updates: queue.SimpleQueue[pb.WatchResponse | None] = queue.SimpleQueue()
        self._last_words: pb.WatchResponse | None = None
        self.acknowledged: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.address = ""

    def _answer(self, method: str, request: Any, context: Any) -> Any:
        self.asked.setdefault(method, []).append(request)
        self.patience.append(context.time_remaining())
        self.tokens.append(dict(context.invocation_metadata()).get("authorization", ""))
        if self._refusal is not None:
            context.abort(self._refusal, "the script says no")
        answer = self.answers.get(method)
        if answer is None:
            context.abort(grpc.StatusCode.UNAVAILABLE, "the script ends here")
            raise AssertionError
        return answer(request)

    def StartMatches(self, request: Any, context: Any) -> Any:
        return self._answer("StartMatches", request, context)

    def GetMatches(self, request: Any, context: Any) -> Any:
        return self._answer("GetMatches", request, context)

    def CancelMatches(self, request: Any, context: Any) -> Any:
        return self._answer("CancelMatches", request, context)

    def CloseSessions(self, request: Any, context: Any) -> Any:
        return self._answer("CloseSessions", request, context)

    def ListSessions(self, request: Any, context: Any) -> Any:
        return self._answer("ListSessions", request, context)

    def GetStatus(self, request: Any, context: Any) -> Any:
        return self._answer("GetStatus", request, context)

    def Watch(self, requests: Iterator[Any], context: Any) -> Iterator[Any]:
        def hear() -> None:
            try:
                for request in requests:
                    for message in request.messages:
                        self.acknowledged.put(message)
            except grpc.RpcError:
                return  # the stream is over

        listener = ThreadPoolExecutor(1)
        listener.submit(hear)
        while (update := self.updates.get()) is not None:
            yield update
            if update is self._last_words:
                break
        listener.shutdown(wait=False)

    def last_words(self, update: pb.WatchResponse) -> None:
        """Say this and end the stream. A watcher may hang up on it, and then nothing more must be said to that one."""
        self._last_words = update
        self.updates.put(update)

    def refuses_with(self, code: grpc.StatusCode) -> None:
        """Answer every call with this status."""
        self._refusal = code

    def has_sessions(self, *sessions: tuple[str, str, int, int]) -> None:
        """Say that these are connected: (bot, id of its token, version id, capacity)."""
        infos = [
            pb.SessionInfo(bot=bot, version="1.0", version_id=pk, capacity=capacity, credential=token)
            for bot, token, pk, capacity in sessions
        ]
        self.answers["ListSessions"] = lambda _: pb.ListSessionsResponse(sessions=infos, free_games=100)

    def starts_everything(self, outcome: Any = pb.START_OUTCOME_STARTED, refusal: Any = pb.REFUSAL_UNSPECIFIED) -> None:
        """Answer every order alike."""

        def answer(request: Any) -> Any:
            return pb.StartMatchesResponse(
                results=[
                    pb.StartResult(
                        attempt=pb.AttemptRef(match_id=order.match_id, attempt=order.attempt),
                        outcome=outcome,
                        refusal=refusal,
                        text="as the script says",
                    )
                    for order in request.matches
                ]
            )

        self.answers["StartMatches"] = answer

    def knows(self, state: Any) -> None:
        """Answer every question about an attempt alike."""
        self.answers["GetMatches"] = lambda request: pb.GetMatchesResponse(
            attempts=[pb.AttemptStatus(attempt=ref, state=state) for ref in request.attempts]
        )


@contextmanager
def listening() -> Iterator[ScriptedReferee]:
    """A scripted referee at `address`."""
    scripted = ScriptedReferee()
    server = grpc.server(ThreadPoolExecutor(8))
    add_RefereeServiceServicer_to_server(scripted, server)
    scripted.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield scripted
    finally:
        scripted.updates.put(None)
        server.stop(0.2).wait()
