"""Connections that do nothing, or too much of what HTTP/2 has for free."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import closing

import pytest

from referee.service.interceptor import VISIT_SECONDS
from tests.faults.attacked import CROWDED, Attacked
from tests.faults.http2 import (
    ACK,
    CANCEL,
    CONTINUATION,
    END_HEADERS,
    ENHANCE_YOUR_CALM,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    Connection,
    frame,
    header_block,
    request,
)
from tests.faults.players import hello

OK, UNIMPLEMENTED = "0", "12"
HEALTH, REFLECTION = "/grpc.health.v1.Health/Watch", "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
VISITS = (HEALTH, REFLECTION) * 4  # as many as a connection may have
VISITORS = 400
SOCKETS = 500  # of each of four kinds
SOCKET_BYTES = 32 * 1024  # of memory, on average, while it is there
CLOSED_SECONDS = 10.0
CONNECTED_SECONDS = 5.0  # as long as silence is borne: whoever has to wait for the silent ones to go waits longer
SLACK = 2.0  # for a machine that is busy with something else


async def silent(referee: Attacked, _number: int) -> Connection:
    return await Connection.open(referee.port)


async def preface_only(referee: Attacked, _number: int) -> Connection:
    connection = await Connection.open(referee.port)
    connection.send(PREFACE)
    return connection


async def without_hello(referee: Attacked, number: int) -> Connection:
    connection = await referee.dial()
    connection.begin(referee.ticket(f"shy{number}"))
    return connection


async def never_reading(referee: Attacked, number: int) -> Connection:
    """It says Hello, and leaves everything that comes where it is."""
    connection = await referee.dial()
    stream = connection.begin(referee.ticket(f"deaf{number}"))
    connection.say(stream, hello())
    connection.read_nothing()
    return connection


KINDS: tuple[Callable[[Attacked, int], Awaitable[Connection]], ...] = (silent, preface_only, without_hello, never_reading)


async def refusals(referee: Attacked) -> tuple[float, float]:
    """Calls ended for want of a Hello, and for silence."""
    metrics = await referee.metrics()
    name = 'phaseten_referee_calls_refused_total{{reason="{}"}}'
    return metrics.get(name.format("HELLO_TOO_LATE"), 0.0), metrics.get(name.format("SILENT"), 0.0)


@pytest.mark.timeout(180)
async def test_two_thousand_silent_sockets(referee: Attacked) -> None:
    """What never becomes a connection is closed by the referee; calls without a Hello and sessions that read nothing end."""
    lasted: list[float] = []

    async def attack() -> None:
        lasted.clear()
        before = await refusals(referee)
        sockets: list[list[Connection]] = []
        gate = asyncio.Semaphore(100)

        async def open_one(make: Callable[[Attacked, int], Awaitable[Connection]], number: int) -> Connection:
            async with gate:
                return await make(referee, number)

        try:
            sockets += [await asyncio.gather(*(open_one(make, number) for number in range(SOCKETS))) for make in KINDS]
            start = time.monotonic()
            with closing(await referee.dial()) as connection:
                await connection.until(lambda one: one.settings)
                stream = connection.begin(referee.ticket("visitor"))
                connection.say(stream, hello())
                await connection.until(lambda one: one.messages.get(stream))
                lasted.append(time.monotonic() - start)
            await asyncio.gather(*(one.until_closed(CROWDED) for kind in sockets[:2] for one in kind))
            lasted.append(time.monotonic() - start)
            while [new - old for new, old in zip(await refusals(referee), before, strict=True)] < [SOCKETS, SOCKETS]:
                assert time.monotonic() - start < CROWDED
                await asyncio.sleep(0.1)
            lasted.append(time.monotonic() - start)
        finally:
            for one in (one for kind in sockets for one in kind):
                one.close()

    await attack()  # what allocators keep of such sockets is no leak: the next ones find it there
    await referee.survives(attack, added_memory=4 * SOCKETS * SOCKET_BYTES)
    connected, closed, ended = lasted
    assert connected < CONNECTED_SECONDS
    assert max(closed, ended) < CLOSED_SECONDS * SLACK


@pytest.mark.timeout(180)
async def test_visitors_without_a_ticket(referee: Attacked) -> None:
    """Whoever watches health or asks reflection is answered, and sent away when its time is over."""
    lasted: list[float] = []

    async def attack() -> None:
        lasted.clear()
        start = time.monotonic()
        connections = [await referee.dial() for _ in range(VISITORS // len(VISITS))]
        calls = [(one, one.begin(None, path=path)) for one in connections for path in VISITS]
        for connection, call in calls:
            connection.say(call, b"")
        for connection, call in calls:
            await connection.until(lambda one, call=call: call in one.trailers, CROWDED)  # type: ignore[misc]  # bound at once
            assert connection.reason(call) == OK
            assert connection.messages[call]
        lasted.append(time.monotonic() - start)
        for connection in connections:
            connection.close()

    await referee.survives(attack)
    assert VISIT_SECONDS <= lasted[0] < VISIT_SECONDS * SLACK


async def rapid_reset(referee: Attacked) -> None:
    """Calls that are taken back as soon as they are begun (CVE-2023-44487)."""
    with closing(await referee.dial()) as connection:
        block = request(referee.ticket("hasty"))
        for first in range(1, 4000, 200):
            calls = range(first, first + 200, 2)
            connection.send(
                b"".join(
                    frame(HEADERS, END_HEADERS, call, block) + frame(RST_STREAM, 0, call, CANCEL.to_bytes(4))
                    for call in calls
                )
            )
            await connection.flowed()
            await asyncio.sleep(0)
            if connection.closed:
                return


async def ping_flood(referee: Attacked) -> None:
    with closing(await referee.dial()) as connection:
        await connection.until(lambda one: one.settings)
        connection.send(frame(PING, 0, 0, b"12345678") * 1000)
        await connection.until_closed()
        assert connection.goaway is None or connection.goaway[0] == ENHANCE_YOUR_CALM


async def settings_flood(referee: Attacked) -> None:
    """Each has to be acknowledged (CVE-2019-9515), and nothing of that is read."""
    with closing(await referee.dial()) as connection:
        await connection.until(lambda one: one.settings)
        connection.read_nothing()
        for _ in range(20):
            connection.send(frame(SETTINGS) * 1000)
            await asyncio.wait({asyncio.create_task(connection.flowed())}, timeout=0.2)


async def endless_headers(referee: Attacked) -> None:
    """A header block that has no end (CVE-2024-27316)."""
    with closing(await referee.dial()) as connection:
        connection.send(frame(HEADERS, 0, 1, header_block([(":method", "POST")])))
        for number in range(2000):
            connection.send(frame(CONTINUATION, 0, 1, header_block([(f"x-{number}", "y" * 500)])))
            await connection.flowed()
            if connection.closed:
                return
        await connection.until_closed()


async def empty_frames(referee: Attacked) -> None:
    """Data frames without data (CVE-2019-9518), and acknowledgements of nothing."""
    connection, stream = await referee.bot("hollow")
    with closing(connection):
        for _ in range(20):
            connection.send(frame(0, 0, stream) * 1000 + frame(SETTINGS, ACK) * 10)
            await connection.flowed()


async def unknown_methods(referee: Attacked) -> None:
    """Among them names that are no text: one of those was enough to end every session there was."""
    with closing(await referee.dial()) as connection:
        for name in (
            "/phaseten.v1.BotService/Conn\udcffct",
            "\udcff",
            "/",
            "/phaseten.v1.BotService/",
            "/a.B/c",
            "/a/\x00",
        ) * 5:
            call = connection.begin(None, path=name)
            await connection.until(lambda one, call=call: call in one.resets)  # type: ignore[misc]  # bound at once
            assert connection.reason(call) == UNIMPLEMENTED


async def forged_calls(referee: Attacked) -> None:
    """Eight calls at a time with a ticket that nobody gave out."""
    with closing(await referee.dial()) as connection:
        for _ in range(20):
            calls = [connection.begin("e30.e30.e30") for _ in range(8)]
            await connection.until(lambda one, calls=calls: all(call in one.resets for call in calls))  # type: ignore[misc]  # bound at once
            assert {connection.reason(call) for call in calls if call in connection.trailers} == {"TICKET_INVALID"}


@pytest.mark.parametrize(
    "attack",
    [rapid_reset, ping_flood, settings_flood, endless_headers, empty_frames, unknown_methods, forged_calls],
    ids=lambda one: one.__name__,
)
@pytest.mark.timeout(180)
async def test_floods_of_http2(referee: Attacked, attack: Callable[[Attacked], Awaitable[None]]) -> None:
    async def several() -> None:
        await asyncio.gather(*(attack(referee) for _ in range(4)))

    await referee.survives(several, seconds=1.0)
