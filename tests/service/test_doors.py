"""The doors: who gets in, and how a stream ends."""

import asyncio
import contextlib
import time
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.service import bot_api, interceptor, referee_api
from referee.service.errors import CallReason, CallRefused
from tests.service.client import Control, House, bot_claims, control_claims, new_key, reason_of, signed, until

REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
UNARY = sorted(set(referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].methods_by_name) - {"Watch"})


async def test_a_bot_is_welcomed(house: House) -> None:
    bot = await house.dial(house.ticket("ann", capacity=9))
    welcome = await bot.hello(capacity=5)
    assert welcome.protocol == 1
    assert welcome.capacity == 5
    assert welcome.referee == "test-referee"
    assert welcome.session_id
    assert abs(welcome.server_time_ms - time.time() * 1000) < 60_000
    assert (welcome.max_frame_bytes, welcome.max_message_bytes) == (65536, 4096)


async def test_capacity_is_the_smaller_of_ticket_and_hello_and_one_by_default(house: House) -> None:
    bot = await house.dial(house.ticket("ann", capacity=2))
    assert (await bot.hello(capacity=50)).capacity == 2
    other = await house.dial(house.ticket("bob", capacity=2))
    assert (await other.hello(capacity=0)).capacity == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"exp": 1}, "TICKET_EXPIRED"),
        ({"aud": "referee-control"}, "TICKET_WRONG_AUDIENCE"),
        ({"version_id": "x"}, "TICKET_INVALID"),
    ],
)
async def test_a_bad_ticket_is_unauthenticated(house: House, changes: dict[str, Any], reason: str) -> None:
    bot = await house.dial(house.ticket("ann", **changes))
    error = await bot.refused()
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    assert reason_of(error) == reason


async def test_a_forged_ticket_and_none_are_unauthenticated(house: House) -> None:
    forged = await house.dial(signed(new_key(), bot_claims("ann")))
    assert reason_of(await forged.refused()) == "TICKET_INVALID"
    without = await house.dial(None)
    error = await without.refused()
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    assert reason_of(error) == "TICKET_MISSING"


async def test_hello_comes_first(house: House) -> None:
    bot = await house.dial(house.ticket("ann"))
    await bot.send(pb.BotMessage(ping=pb.Ping(id=1)))
    error = await bot.refused()
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(error) == "HELLO_MISSING"


async def test_a_stream_that_closes_at_once_is_told_so(house: House) -> None:
    bot = await house.dial(house.ticket("ann"))
    await bot.call.done_writing()
    assert reason_of(await bot.refused()) == "HELLO_MISSING"


async def test_hello_comes_soon() -> None:
    house = House()
    house.hello_within(0.05)
    async with house:
        bot = await house.dial(house.ticket("ann"))
        error = await bot.refused()
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert reason_of(error) == "HELLO_TOO_LATE"


async def test_another_protocol_is_refused(house: House) -> None:
    bot = await house.dial(house.ticket("ann"))
    await bot.send(pb.BotMessage(hello=pb.Hello(protocol=2)))
    error = await bot.refused()
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert reason_of(error) == "PROTOCOL_UNSUPPORTED"


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"\xff\xff\xff", "FRAME_MALFORMED"),
        (b"\x0a\x05\x12\x03\x08\x01\xff", "FRAME_MALFORMED"),
        (b"\x0a\x00" * 32_769, "FRAME_TOO_LARGE"),
        (
            pb.ConnectRequest(messages=[pb.BotMessage(answer=pb.Answer(note="x" * 5000))]).SerializeToString(),
            "MESSAGE_TOO_LARGE",
        ),
    ],
    ids=["garbage", "garbage inside", "frame", "message"],
)
async def test_a_bad_frame_ends_the_stream(house: House, frame: bytes, reason: str) -> None:
    bot = await house.bot("ann")
    await bot.call.write(frame)
    error = await bot.refused()
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(error) == reason
    assert (await house.bot("ann")).heard  # and the next one is welcome


async def test_a_huge_frame_is_not_even_read(house: House) -> None:
    bot = await house.bot("ann")
    await bot.call.write(b"\x0a\x00" * 5_000_000)
    assert (await bot.refused()).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    await house.bot("ann")


async def test_the_newest_session_of_a_bot_wins(house: House) -> None:
    first = await house.bot("ann")
    second = await house.bot("ann")
    assert (await first.hear("superseded")).superseded.text
    error = await first.refused()
    assert error.code() is grpc.StatusCode.ABORTED
    assert reason_of(error) == "SUPERSEDED"
    await second.send(pb.BotMessage(ping=pb.Ping(id=7)))
    assert (await second.hear("pong")).pong.id == 7
    assert house.server.lobby.session_count == 1


async def test_the_same_ticket_twice_is_one_session(house: House) -> None:
    token = house.ticket("ann")
    first, second = await house.dial(token), await house.dial(token)
    await first.hello()
    await second.hello()
    await first.hear("superseded")
    assert house.server.lobby.session_count == 1


async def test_a_bot_that_closes_its_side_is_let_go(house: House) -> None:
    bot = await house.bot("ann")
    await bot.call.done_writing()
    with pytest.raises(EOFError):
        await bot.hear("superseded")
    assert await bot.call.code() is grpc.StatusCode.OK
    assert house.server.lobby.session_count == 0


async def test_a_bot_that_vanishes_is_forgotten(house: House) -> None:
    bot = await house.bot("ann")
    await bot.close()
    await until(lambda: not house.server.lobby.session_count)
    assert house.server.lobby.sessions == ()


async def test_the_site_can_close_a_session(house: House) -> None:
    bot = await house.bot("ann")
    request = referee_pb2.CloseSessionsRequest(bots=["ann", "nobody"], text="the token was revoked")
    assert (await house.control.CloseSessions(request)).closed == 1
    error = await bot.refused()
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    assert reason_of(error) == "SESSION_CLOSED"
    assert "revoked" in str(error.details())


async def test_the_site_can_close_what_a_revoked_token_opened(house: House) -> None:
    ann, bob = await house.bot("ann", token="t1"), await house.bot("bob", token="t2")
    assert {session.ticket.credential for session, _ in house.server.lobby.sessions} == {"t1", "t2"}
    request = referee_pb2.CloseSessionsRequest(credentials=["t1", "t3"], text="revoked")
    assert (await house.control.CloseSessions(request)).closed == 1
    assert reason_of(await ann.refused()) == "SESSION_CLOSED"
    await bob.send(pb.BotMessage(ping=pb.Ping(id=1)))
    await bob.hear("pong")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"exp": 1}, "TICKET_EXPIRED"),
        ({"aud": "referee"}, "TICKET_WRONG_AUDIENCE"),
        ({"scope": "read"}, "TICKET_WITHOUT_SCOPE"),
    ],
)
async def test_control_wants_a_control_token(house: House, changes: dict[str, Any], reason: str) -> None:
    control = Control(house.channel, signed(house.key, control_claims(**changes)))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await control.ListSessions(referee_pb2.ListSessionsRequest())
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert reason_of(caught.value) == reason
    watch = await house.watch(signed(house.key, control_claims(**changes)))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await watch.hear("greeting")
    assert reason_of(caught.value) == reason


@pytest.mark.parametrize("method", [name for name in UNARY if name != "GetStatus"])
async def test_every_method_is_there_and_wants_a_token(house: House, method: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await getattr(Control(house.channel, None), method)(b"")
    assert reason_of(caught.value) == "TICKET_MISSING"


async def test_a_request_that_is_none_is_the_callers_fault(house: House) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await house.control.StartMatches(b"\xff\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(caught.value) == "REQUEST_MALFORMED"


async def test_a_mistake_of_ours_is_internal(house: House) -> None:
    house.server.lobby._here["ann"] = None  # type: ignore[assignment]  # broken on purpose
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await house.control.ListSessions(referee_pb2.ListSessionsRequest())
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert reason_of(caught.value) == "INTERNAL"
    del house.server.lobby._here["ann"]


@pytest.mark.parametrize("reason", list(CallReason))
def test_every_reason_has_a_status_and_a_sentence(reason: CallReason) -> None:
    assert reason.status in grpc.StatusCode.__members__
    assert str(CallRefused(reason)) == reason.text
    assert str(CallRefused(reason, "more")) == f"{reason.text}: more"


@pytest.mark.parametrize("method", ["/grpc.health.v1.Health/Watch", REFLECTION])
async def test_who_has_no_ticket_cannot_stay_where_bots_dial(
    house: House, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """Who looks after a referee watches it on the control port, for as long as it likes."""
    monkeypatch.setattr(interceptor, "VISIT_SECONDS", 0.2)
    async with (
        grpc.aio.insecure_channel(f"127.0.0.1:{house.server.port}") as outside,
        grpc.aio.insecure_channel(f"127.0.0.1:{house.server.control_port}") as inside,
    ):
        calls: list[Any] = [channel.stream_stream(method)() for channel in (outside, inside)]
        for call in calls:
            with contextlib.suppress(asyncio.InvalidStateError):  # the visit may be over before we say anything
                await call.write(b"")
        while await calls[0].read() is not grpc.aio.EOF:
            pass
        assert await calls[0].code() is grpc.StatusCode.OK
        assert not calls[1].done()


@pytest.mark.parametrize("port", ["port", "control_port"])
async def test_health_and_reflection_answer_on_both_ports(house: House, port: str) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{getattr(house.server, port)}") as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        service = bot_api.SERVICE if port == "port" else referee_api.SERVICE
        for name in ("", service):
            assert (await check(health_pb2.HealthCheckRequest(service=name))).status == 1
        info = channel.stream_stream(
            REFLECTION,
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )
        call: Any = info()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        await call.done_writing()
        names = {found.name for found in (await call.read()).list_services_response.service}
        assert service in names
