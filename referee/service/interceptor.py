"""The outermost layer of every call: our errors become status codes with details, mistakes of ours become INTERNAL."""

import asyncio
import contextlib
import inspect
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2
from grpc._cython import cygrpc
from grpc.aio import _server as aio_server

from referee.service.containment import contained_call
from referee.service.errors import CallReason, CallRefused
from referee.service.log import EventLog, Sparing
from referee.service.meter import Meter
from referee.service.session import Allowance

DOMAIN: Final = "phaseten"
OURS: Final = "/phaseten."
VISIT_SECONDS: Final = 10.0  # of a stream of health or reflection, which need no ticket, where bots dial

Context = grpc.aio.ServicerContext[Any, Any]
Handler = Callable[[Any, Context], Awaitable[Any]]
Methods = dict[str, "grpc.RpcMethodHandler[Any, Any]"]
Options = tuple[tuple[str, int], ...]

_MEANT: Final = (CallRefused,)

log = EventLog(__name__)


def metadata_value(context: Context, name: str) -> str | None:
    """The first value of a metadata key."""
    for key, value in context.invocation_metadata() or ():
        if key == name:
            return value if isinstance(value, str) else value.decode(errors="replace")
    return None


def refuse(context: Context, refused: CallRefused) -> None:
    """Give a call its end, with the reason as `google.rpc.ErrorInfo`; the handler has to return now.

    `context.abort` would raise, and gRPC keep the error: a circle through every frame that it passed, for the collector.
    """
    code = grpc.StatusCode[refused.reason.status]
    status = status_pb2.Status(code=code.value[0], message=str(refused))
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason=refused.reason.name, domain=DOMAIN))
    context.set_code(code)
    context.set_details(str(refused))
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))


class _KnownMethods(cygrpc.AioServer):  # type: ignore[misc]  # gRPC has no types for it
    """A server that looks at no call but those of methods that were registered with it.

    To find a handler for any other, gRPC decodes its name in the loop that takes all calls. A name that is not UTF-8 ended
    that loop, with it the port, and with it every session. Here such calls are answered before anybody looks at the name.
    """

    async def _request_call(self) -> NoReturn:
        loop = asyncio.get_running_loop()
        while True:
            context = cygrpc._ServicerContext(await super()._request_call(), None, None, loop)  # noqa: SLF001  see above
            await contained_call(_answered, (), context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no such method"))


async def _answered(_error: Exception) -> None:
    """An aborted call always raises; and whoever called may be gone already."""


class _Server(aio_server.Server):
    """As gRPC makes it, around another core.

    It makes none of its own: one that is thrown away before it was started writes itself to the log, at level DEBUG, while
    it is being freed, and whoever keeps that line crashes.
    """

    def __init__(self, guard: "Guard", options: Options) -> None:
        self._loop = cygrpc.get_working_loop()
        self._server = _KnownMethods(self._loop, None, (), [guard], options, None)


def make_server(guard: "Guard", options: Options) -> grpc.aio.Server:
    """A server behind a guard. Handlers are to be added as registered methods: it knows no others."""
    return _Server(guard, options)  # type: ignore[return-value]  # the types that are published know another class


def _visited(handler: Any) -> "grpc.RpcMethodHandler[Any, Any]":
    """The same stream with an end: thousands who have no ticket and watch for ever would fill the port."""
    inner = handler.unary_stream or handler.stream_stream
    make = grpc.unary_stream_rpc_method_handler if handler.unary_stream else grpc.stream_stream_rpc_method_handler

    async def visit(request: Any, context: Context) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(VISIT_SECONDS):
                if inspect.isasyncgenfunction(inner):
                    async for answer in inner(request, context):
                        await context.write(answer)
                else:
                    await inner(request, context)

    return make(visit, handler.request_deserializer, handler.response_serializer)


class Guard(grpc.aio.ServerInterceptor):
    """Stands around every handler of ours. `admit` looks at the `authorization` of a call before anything else happens.

    Requests are decoded here, so that bytes which are no message are the caller's error and not ours.
    """

    def __init__(
        self, meter: Meter, admit: Callable[[str | None], None] | None = None, open_to_all: Collection[str] = ()
    ) -> None:
        """`admit` raises CallRefused; without it the handlers see to that themselves. It is not asked for `open_to_all`."""
        self._meter = meter
        self._admit = admit
        self._open_to_all = open_to_all
        allowance = Allowance(time.monotonic())
        self._lines = Sparing(lambda now: allowance.take(now, 1))

    async def intercept_service(
        self,
        # The handler type is generic in the stubs alone, hence the quotes.
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        handler: Any = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is not None and not method.startswith(OURS) and handler.response_streaming and self._admit is None:
            return _visited(handler)
        if handler is None or not method.startswith(OURS):
            return handler  # type: ignore[no-any-return]  # handlers are looked into, which their stub does not allow
        if handler.stream_stream is not None:
            return grpc.stream_stream_rpc_method_handler(self._guarded(method, handler.stream_stream))
        step = self._decoding(handler.request_deserializer, handler.unary_unary)
        return grpc.unary_unary_rpc_method_handler(
            self._guarded(method, step), response_serializer=handler.response_serializer
        )

    @staticmethod
    def _decoding(decode: Callable[[bytes], Message], inner: Handler) -> Handler:
        async def step(data: bytes, context: Context) -> Any:
            try:
                request = decode(data)
            except DecodeError:
                raise CallRefused(CallReason.REQUEST_MALFORMED) from None
            return await inner(request, context)

        return step

    def _guarded(self, method: str, inner: Handler) -> Handler:
        async def failed(error: Exception, context: Context) -> None:
            self._meter.refused(CallReason.INTERNAL.name)
            log.bug("call failed", error, method=method)
            refuse(context, CallRefused(CallReason.INTERNAL))

        async def admitted(request: Any, context: Context) -> Any:
            if self._admit is not None and method not in self._open_to_all:
                self._admit(metadata_value(context, "authorization"))
            return await inner(request, context)

        async def call(request: Any, context: Context) -> Any:
            try:
                return await contained_call(lambda error: failed(error, context), _MEANT, admitted(request, context))
            except CallRefused as refused:
                self._meter.refused(refused.reason.name)
                self._tell(method, refused.reason, context.peer())
                refuse(context, refused)

        return call

    def _tell(self, method: str, reason: CallReason, peer: str) -> None:
        """Log a refusal, as a warning where a ticket was not good. Whoever floods us does not flood the log."""
        tell = log.warning if reason.name.startswith("TICKET_") else log.info
        self._lines.tell(tell, "call refused", method=method, reason=reason.name, peer=peer)
