"""Just enough HTTP/2 to talk to a gRPC server by hand, so that what no library would send can be sent too (RFC 9113, 7541).

Header blocks are written without compression. The server is told that there is no dynamic table, so what it writes can be
read with the static table alone, and that binary metadata may come as it is.
"""

import asyncio
import struct
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, Self, TypeVar, cast

from google.rpc import error_details_pb2, status_pb2

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM = ACK = 0x1
END_HEADERS = 0x4
PADDED = 0x8
PRIORITISED = 0x20

HEADER_TABLE_SIZE, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 1, 3, 4
TRUE_BINARY_METADATA = 0xFE03  # gRPC's own

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
CONNECT = "/phaseten.v1.BotService/Connect"
FLOW_CONTROL_ERROR, REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM = 3, 7, 8, 11
WINDOW = 2**31 - 1
FRAME_BYTES = 16384
REPAID = 16384
PATIENCE = 15.0

# The entries of RFC 7541, appendix A, that a gRPC server names by number, up to its last one.
_LAST_STATIC: Final = 61
_STATIC: Final = {8: (":status", "200"), 13: (":status", "404"), 14: (":status", "500"), 31: ("content-type", "")}


class Frame(NamedTuple):
    """One HTTP/2 frame; `stream` 0 is the connection."""

    kind: int
    flags: int
    stream: int
    payload: bytes


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    """A frame as it is sent."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values: int) -> bytes:
    """A SETTINGS frame, by the names of this module in lower case."""
    numbers = {name.lower(): value for name, value in globals().items() if name.isupper() and isinstance(value, int)}
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", numbers[name], value) for name, value in values.items()))


def greeting(window: int = 2**20) -> bytes:
    """What a client says first: it takes so many bytes of each stream before it must ask for more."""
    return PREFACE + settings(header_table_size=0, initial_window_size=window, true_binary_metadata=1)


def credit(amount: int, stream: int = 0) -> bytes:
    """A WINDOW_UPDATE."""
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", amount))


def message(data: bytes, *, compressed: bool = False) -> bytes:
    """A gRPC message, as it stands in DATA frames."""
    return struct.pack(">BI", compressed, len(data)) + data


def _string(data: bytes) -> bytes:
    return _integer(len(data), 7) + data


def _integer(value: int, bits: int) -> bytes:
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([value])
    out = bytearray([limit])
    value -= limit
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    out.append(value)
    return bytes(out)


def header_block(pairs: Iterable[tuple[str, str]]) -> bytes:
    """These headers, none of them compressed; surrogates stand for bytes that are no UTF-8."""
    encoded = ((name.encode(), value.encode(errors="surrogateescape")) for name, value in pairs)
    return b"".join(b"\x00" + _string(name) + _string(value) for name, value in encoded)


def request(ticket: str | None, *extra: tuple[str, str], path: str = CONNECT) -> bytes:
    """The header block of a call."""
    pairs = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"), ("te", "trailers")]
    pairs.append(("content-type", "application/grpc"))
    if ticket is not None:
        pairs.append(("authorization", f"Bearer {ticket}"))
    return header_block([*pairs, *extra])


class _Block:
    """Reads a header block that was written without a dynamic table."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def pairs(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        while self._at < len(self._data):
            first = self._data[self._at]
            if first & 0x80:
                name, value = _STATIC[self._integer(7)]
                found[name] = value.encode()
            elif first & 0xE0 == 0x20:
                self._integer(5)  # the size of the dynamic table
            else:
                index = self._integer(6 if first & 0x40 else 4)
                assert index <= _LAST_STATIC
                name = _STATIC[index][0] if index else self._string().decode()
                found[name] = self._string()
        return found

    def _integer(self, bits: int) -> int:
        limit = (1 << bits) - 1
        value = self._data[self._at] & limit
        self._at += 1
        shift = 0
        while value >= limit:
            byte = self._data[self._at]
            self._at += 1
            value += (byte & 127) << shift
            shift += 7
            if not byte & 128:
                break
        return value

    def _string(self) -> bytes:
        assert not self._data[self._at] & 0x80, "no Huffman codes are read here"
        size = self._integer(7)
        self._at += size
        return self._data[self._at - size : self._at]


class Closed(Exception):
    """The server has closed the connection."""


class Connection(asyncio.Protocol):
    """A connection to a server. It notes what the server says.

    Once it has greeted it `acknowledges` SETTINGS and PINGs of the server; while it is `generous` it gives back the credit
    of what it has read.
    """

    def __init__(self) -> None:
        self.acknowledges = False
        self.generous = True
        self.settings: dict[int, int] = {}
        self.messages: dict[int, list[bytes]] = {}
        self.trailers: dict[int, dict[str, bytes]] = {}
        self.resets: dict[int, int] = {}
        self.pings = 0
        self.pongs = 0
        self.goaway: tuple[int, bytes] | None = None
        self.closed = False
        self._transport: asyncio.Transport
        self._buffer = bytearray()
        self._bodies: dict[int, bytearray] = {}
        self._owed: dict[int, int] = {}
        self._credit: dict[int, int] = {}
        self._next = 1
        self._news = asyncio.Event()
        self._flow = asyncio.Event()
        self._flow.set()

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect, and say nothing."""
        return await dialled(port, cls)

    # What it does.

    def greet(self, window: int = 2**20, *, acknowledges: bool = True) -> None:
        """Say what a client says first."""
        self.send(greeting(window))
        self.acknowledges = acknowledges
        if acknowledges and self.settings:
            self.send(frame(SETTINGS, ACK))

    def send(self, data: bytes) -> None:
        """Send any bytes; nothing happens if the connection is closed."""
        if not self.closed:
            self._transport.write(data)

    async def flowed(self) -> None:
        """Wait until what was sent is on its way, or the connection is closed."""
        await self._flow.wait()

    def begin(self, ticket: str | None, *extra: tuple[str, str], path: str = CONNECT) -> int:
        """Begin a call; returns the number of its stream."""
        stream, self._next = self._next, self._next + 2
        self.send(frame(HEADERS, END_HEADERS, stream, request(ticket, *extra, path=path)))
        return stream

    def finish(self, stream: int) -> None:
        """Say that this side of a call is done."""
        self.send(frame(DATA, END_STREAM, stream))

    def say(self, stream: int, data: bytes) -> None:
        """Send one small gRPC message, whether there is credit for it or not."""
        self._put(stream, message(data))

    def _put(self, stream: int, body: bytes) -> None:
        for owner in (0, stream):
            self._credit[owner] = self._credit_of(owner) - len(body)
        for start in range(0, len(body), FRAME_BYTES):
            self.send(frame(DATA, 0, stream, body[start : start + FRAME_BYTES]))

    async def pour(self, stream: int, body: bytes) -> None:
        """Send a gRPC message, head and all, as credit comes; what is left when the call ends stays here. Raises Closed."""
        while body and stream not in self.trailers:
            room = min(self._credit_of(0), self._credit_of(stream))
            if room > 0:
                self._put(stream, body[:room])
                body = body[room:]
            else:
                await self.until(lambda one: one.credited(stream) or stream in one.trailers)

    def credited(self, stream: int) -> bool:
        """Whether more may be sent."""
        return min(self._credit_of(0), self._credit_of(stream)) > 0

    def _credit_of(self, owner: int) -> int:
        return self._credit.get(owner, self.settings.get(INITIAL_WINDOW_SIZE, 65535) if owner else 65535)

    def read_nothing(self) -> None:
        """Leave everything that comes where it is."""
        self._transport.pause_reading()

    async def until(self, happened: Callable[[Self], Any], patience: float = PATIENCE) -> None:
        """Wait until something is so. Raises Closed if the connection ends before, TimeoutError."""
        async with asyncio.timeout(patience):
            while not happened(self):
                if self.closed:
                    raise Closed
                self._news.clear()
                await self._news.wait()

    async def until_closed(self, patience: float = PATIENCE) -> None:
        """Wait until the server closes the connection. Raises TimeoutError."""
        async with asyncio.timeout(patience):
            while not self.closed:
                self._news.clear()
                await self._news.wait()

    def hang_up(self) -> None:
        """Close the connection when everything is sent."""
        self._transport.close()

    def close(self) -> None:
        """Close the connection, whatever is still to be sent."""
        self._transport.abort()

    def forget(self, stream: int) -> None:
        """Drop what is known of a call that has ended."""
        for known in (self.messages, self.trailers, self.resets, self._bodies, self._owed, self._credit):
            known.pop(stream, None)

    def reason(self, stream: int) -> str:
        """The reason that ended a call, from its ErrorInfo; the gRPC status if there is none."""
        trailers = self.trailers[stream]
        details = trailers.get("grpc-status-details-bin")
        if details is None:
            return trailers["grpc-status"].decode()
        info = error_details_pb2.ErrorInfo()
        assert status_pb2.Status.FromString(details.removeprefix(b"\x00")).details[0].Unpack(info)
        return str(info.reason)

    def heard(self, stream: int, data: bytes) -> None:
        """A gRPC message came."""
        self.messages.setdefault(stream, []).append(data)

    # What asyncio tells it.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        self._flow.set()
        self._news.set()

    def pause_writing(self) -> None:
        self._flow.clear()

    def resume_writing(self) -> None:
        self._flow.set()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= 9:
            size = int.from_bytes(self._buffer[:3])
            if len(self._buffer) < 9 + size:
                break
            kind, flags, stream = struct.unpack_from(">BBI", self._buffer, 3)
            payload = bytes(self._buffer[9 : 9 + size])
            del self._buffer[: 9 + size]
            self._take(Frame(kind, flags, stream & 0x7FFFFFFF, payload))
        self._news.set()

    def _take(self, taken: Frame) -> None:
        kind, flags, stream, payload = taken
        if kind == DATA:
            self._take_data(stream, payload)
        elif kind == HEADERS and flags & END_STREAM:
            self.trailers[stream] = _Block(payload).pairs()
        elif kind == RST_STREAM:
            self.resets[stream] = int.from_bytes(payload)
        elif kind == SETTINGS and not flags & ACK:
            self.settings |= dict(struct.iter_unpack(">HI", payload))
            if self.acknowledges:
                self.send(frame(SETTINGS, ACK))
        elif kind == PING and flags & ACK:
            self.pongs += 1
        elif kind == PING:
            self.pings += 1
            if self.acknowledges:
                self.send(frame(PING, ACK, 0, payload))
        elif kind == WINDOW_UPDATE:
            self._credit[stream] = self._credit_of(stream) + int.from_bytes(payload)
        elif kind == GOAWAY:
            self.goaway = (int.from_bytes(payload[4:8]), payload[8:])

    def _take_data(self, stream: int, payload: bytes) -> None:
        if self.generous and payload:
            self._repay(stream, len(payload))
        body = self._bodies.setdefault(stream, bytearray())
        body += payload
        while len(body) >= 5 and len(body) >= (size := 5 + int.from_bytes(body[1:5])):
            self.heard(stream, bytes(body[5:size]))
            del body[:size]

    def _repay(self, stream: int, size: int) -> None:
        """Give credit back, but not for every little frame."""
        for owner in (0, stream):
            owed = self._owed[owner] = self._owed.get(owner, 0) + size
            if owed >= REPAID:
                self._owed[owner] = 0
                self.send(credit(owed, owner))


C = TypeVar("C", bound=Connection)
DIALS = 10


async def dialled(port: int, make: Callable[[], C]) -> C:
    """A new connection of some kind to this machine. Where thousands come and go, one may be reset before it is made."""
    for tries_left in range(DIALS - 1, -1, -1):
        try:
            _, connection = await asyncio.get_running_loop().create_connection(make, "127.0.0.1", port)
        except ConnectionResetError:
            if not tries_left:
                raise
        else:
            return connection
    raise AssertionError("unreachable")
