"""Every setting of the two ports that can be seen from outside, seen from outside: gRPC ignores what it does not know.

Where a number is too large to be reached here, the same setting is given a smaller one, and the number itself is looked up.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from threading import Event

import pytest

from referee.service import server
from referee.service.server import BOT_OPTIONS, CONTROL_OPTIONS, CannotListen
from referee.service.settings import Tls
from tests.certificates import self_signed
from tests.faults.attacked import Attacked
from tests.faults.http2 import (
    ENHANCE_YOUR_CALM,
    INITIAL_WINDOW_SIZE,
    MAX_CONCURRENT_STREAMS,
    PING,
    PREFACE,
    REFUSED_STREAM,
    Closed,
    Connection,
    frame,
    message,
)
from tests.faults.players import Player, hello
from tests.service.client import House, control_claims, signed

STATUS = "/phaseten.v1.RefereeService/GetStatus"
OK, CANCELLED, RESOURCE_EXHAUSTED = "0", "1", "8"
PATIENCE = 30.0
MANY_TRIES = 20  # each is refused with a chance of some 95 in a hundred
ONE_PING = frame(PING, 0, 0, b"are you?")


def test_the_numbers_are_those_that_were_chosen() -> None:
    """Also those that no test here can reach, or that cannot be seen (channelz would keep a history of every call)."""
    chosen = {
        "grpc.max_allowed_incoming_connections": 6000,
        "grpc.server_handshake_timeout_ms": 5000,
        "grpc.http2.min_ping_interval_without_data_ms": 15000,
        "grpc.server.max_pending_requests": 10000,
        "grpc.server.max_pending_requests_hard_limit": 20000,
        "grpc.max_connection_idle_ms": 20000,
        "grpc.enable_channelz": 0,
    }
    assert dict(BOT_OPTIONS).items() >= chosen.items()
    assert dict(CONTROL_OPTIONS)["grpc.http2.min_ping_interval_without_data_ms"] == 5000


@asynccontextmanager
async def house_with(monkeypatch: pytest.MonkeyPatch, **changes: int) -> AsyncIterator[House]:
    """A referee with some settings of both ports changed; dots are written as two underscores."""
    for name in ("BOT_OPTIONS", "CONTROL_OPTIONS"):
        options = dict(getattr(server, name)) | {f"grpc.{key.replace('__', '.')}": value for key, value in changes.items()}
        monkeypatch.setattr(server, name, tuple(options.items()))
    async with House() as house:
        yield house


async def greeted(port: int) -> Connection:
    connection = await Connection.open(port)
    connection.greet()
    await connection.until(lambda one: one.settings)
    return connection


# The running server.


async def test_eight_streams_and_a_window_of_one_frame(referee: Attacked) -> None:
    with closing(await greeted(referee.port)) as connection:
        assert connection.settings[MAX_CONCURRENT_STREAMS] == 8
        assert connection.settings[INITIAL_WINDOW_SIZE] == 65536
        calls = [connection.begin(referee.ticket("many")) for _ in range(12)]
        await connection.until(lambda one: len(one.resets) >= 4)
        assert connection.resets == dict.fromkeys(calls[8:], REFUSED_STREAM)


async def test_nobody_else_listens_on_the_ports(referee: Attacked) -> None:
    with pytest.raises(CannotListen):
        await House(bind=f"127.0.0.1:{referee.port}").server.start()
    with pytest.raises(CannotListen):
        await House(control_bind=f"127.0.0.1:{referee.control_port}").server.start()


async def answer_to_metadata(referee: Attacked, length: int) -> bytes:
    with closing(await greeted(referee.port)) as connection:
        call = connection.begin("e30.e30.e30", ("x-long", "y" * length))
        await connection.until(lambda one: call in one.trailers)
        return connection.trailers[call]["grpc-message"]


async def test_metadata_have_a_soft_and_a_hard_limit(referee: Attacked) -> None:
    """Between the two gRPC refuses by chance, the more likely the longer they are; it names the soft one."""
    assert b"not one of this site" in await answer_to_metadata(referee, 7_000)
    for _ in range(MANY_TRIES):
        if b"vs. 8192" in await answer_to_metadata(referee, 15_800):
            break
    else:
        pytest.fail(f"{MANY_TRIES} times nothing was said of the soft limit")
    with closing(await greeted(referee.port)) as connection:
        connection.begin("e30.e30.e30", ("x-long", "y" * 17_000))
        await connection.until_closed()
        assert not connection.trailers


async def test_data_cost_no_pings(referee: Attacked) -> None:
    """To measure the network gRPC would ping with the first data that come."""
    connection, stream = await referee.bot("quiet")
    with closing(connection):
        for _ in range(20):
            connection.say(stream, hello())
            pongs = connection.pongs
            connection.send(ONE_PING if pongs == 0 else b"")
            await connection.until(lambda one: one.pongs)
            await asyncio.sleep(0.01)
        assert connection.pings == 0


async def test_three_pings_too_many_are_forgiven(referee: Attacked) -> None:
    """The first is nobody's fault, three are strikes, and the next is the last."""
    connection, _ = await referee.bot("pinger")
    with closing(connection):
        for number in range(1, 6):
            connection.send(ONE_PING)
            await connection.until(lambda one, number=number: one.pongs == number)  # type: ignore[misc]  # bound at once
        await connection.until_closed()
        assert connection.goaway == (ENHANCE_YOUR_CALM, b"too_many_pings")


async def closed_after(connection: Connection, start: float) -> float:
    await connection.until_closed(80)
    return time.monotonic() - start


@pytest.mark.timeout(120)
async def test_whoever_does_not_answer_is_let_go(referee: Attacked) -> None:
    """Handshakes of TLS and of HTTP/2 have five seconds. Pings are answered within five.

    They come after ten seconds of silence on the site's port, without a call, too, and after twenty where bots dial; there
    who has no call goes by then.
    """
    key, certificate = self_signed()
    async with House(tls=Tls(certificate, key)) as safe:
        start = time.monotonic()  # before any of them, so that none is let go earlier than it should be
        secret = await Connection.open(safe.server.port)
        begun = await Connection.open(referee.port)
        begun.send(PREFACE)
        deaf, guest = [await Connection.open(port) for port in (referee.control_port, referee.port)]
        for connection in (deaf, guest):
            connection.greet(acknowledges=False)
        calling = await Player.open(referee.port)
        await calling.enter(referee.ticket("caller"))
        calling.acknowledges = False
        lasted = await asyncio.gather(*(closed_after(one, start) for one in (secret, begun, guest, deaf, calling)))
    for seconds in lasted[:2]:
        assert 4.9 < seconds < 12.0
    assert 18.0 < lasted[2] < 45.0
    assert 14.9 < lasted[3] < 23.0
    assert 23.0 < lasted[4] < 50.0  # it may have answered a ping of the protocol in between, once
    assert [one.pings for one in (deaf, calling)] == [1, 1]
    assert {one.goaway for one in (deaf, calling)} == {(ENHANCE_YOUR_CALM, b"ping_timeout")}


async def test_the_control_port_takes_sixteen_megabytes(referee: Attacked) -> None:
    token = signed(referee.key, control_claims())
    ends = []
    for size in (16 * 1024 * 1024 - 100, 16 * 1024 * 1024 + 100):
        with closing(await greeted(referee.control_port)) as connection:
            call = connection.begin(token, path=STATUS)
            # A field that nobody knows: its number and type, its length, and as much of nothing.
            await connection.pour(call, message(b"\xfa\x07" + _varint(size) + bytes(size)))
            connection.finish(call)
            await connection.until(lambda one, call=call: call in one.trailers)  # type: ignore[misc]  # bound at once
            ends.append(connection.reason(call))
    assert ends == [OK, RESOURCE_EXHAUSTED]


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


# The same settings with other numbers.


@pytest.mark.parametrize("port", ["port", "control_port"])
async def test_who_pings_rarely_enough_may_ping_for_ever(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    async with house_with(monkeypatch, http2__min_ping_interval_without_data_ms=100) as house:
        with closing(await greeted(getattr(house.server, port))) as connection:
            for number in range(1, 13):
                connection.send(ONE_PING)
                await connection.until(lambda one, number=number: one.pongs == number)  # type: ignore[misc]  # bound at once
                await asyncio.sleep(0.15)  # from now, when the last one has been there for certain
            connection.send(ONE_PING * 10)
            await connection.until_closed()
            assert connection.goaway == (ENHANCE_YOUR_CALM, b"too_many_pings")


async def test_connections_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with house_with(monkeypatch, max_allowed_incoming_connections=3) as house:
        connections = [await greeted(house.server.port) for _ in range(3)]
        late = await Connection.open(house.server.port)
        await late.until_closed()
        assert not late.settings
        assert not any(one.closed for one in connections)
        connections[0].close()
        async with asyncio.timeout(60):
            while not await _is_let_in(visitor := await Connection.open(house.server.port)):
                visitor.close()
        for one in (*connections, visitor):
            one.close()


async def _is_let_in(connection: Connection) -> bool:
    connection.greet()
    with suppress(Closed):
        await connection.until(lambda one: one.settings)
    return bool(connection.settings)


async def test_connections_without_a_call_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with house_with(monkeypatch, max_connection_idle_ms=300) as house:
        idle = await greeted(house.server.port)
        bot = await house.bot("ann")
        await idle.until_closed()
        assert idle.goaway is not None
        assert idle.goaway[1] == b"connection idle"
        await asyncio.sleep(0.7)
        assert not bot.call.done()


async def test_calls_wait_in_a_queue_that_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the referee itself stands still."""
    refused = Event()  # all calls that are not let into the queue

    async def visit(port: int) -> list[str]:
        connections = [await greeted(port) for _ in range(4)]
        calls = [(one, one.begin("e30.e30.e30")) for one in connections for _ in range(8)]
        async with asyncio.timeout(PATIENCE):
            while sum(len(one.resets) for one in connections) < len(calls) - 8:  # noqa: ASYNC110  they tell one by one
                await asyncio.sleep(0.02)
        refused.set()
        for one in connections:
            await one.until(lambda one: len(one.resets) == 8)
            one.close()
        return [one.reason(call) if call in one.trailers else CANCELLED for one, call in calls]

    async with house_with(monkeypatch, server__max_pending_requests=4, server__max_pending_requests_hard_limit=6) as house:
        visiting = asyncio.create_task(asyncio.to_thread(asyncio.run, visit(house.server.port)))
        await asyncio.sleep(0)  # the thread begins
        refused.wait(PATIENCE)
        ends = await visiting
        assert 4 <= ends.count("TICKET_INVALID") <= 8
        assert set(ends) == {"TICKET_INVALID", CANCELLED}
