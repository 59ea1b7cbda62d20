"""What the client asks gRPC for, seen by the other side: gRPC ignores what it does not know.

The times are made smaller; the numbers themselves are looked up.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bots_sdk import client
from bots_sdk.bot import maker
from bots_sdk.client import OPTIONS, Client, Timing
from bots_sdk.house_bots import GreedyBot
from bots_sdk.tickets import RefereeAddress, Ticket
from tests.deaf_peer import ANSWER, KEEPALIVE, DeafPeer, quicker
from tests.sdk.tiny_referee import Diary

PATIENT = Timing(ping=600.0, silence=600.0, tick=0.05, shortest=0.01, longest=0.05)  # it never gives up by itself


def test_the_numbers_are_those_that_were_chosen() -> None:
    chosen = {
        "grpc.keepalive_time_ms": 30_000,
        "grpc.keepalive_timeout_ms": 10_000,
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.http2.ping_timeout_ms": 10_000,
        "grpc.http2.max_pings_without_data": 0,
        "grpc.use_local_subchannel_pool": 1,
    }
    assert dict(OPTIONS).items() >= chosen.items()


@asynccontextmanager
async def running(peer: DeafPeer, bots: int = 1) -> AsyncIterator[Diary]:
    """Bots that dial a peer, and what they tell."""
    diary = Diary()
    ticket = Ticket("ticket", 1, (RefereeAddress("deaf", f"127.0.0.1:{peer.port}", tls=False),))
    clients = [Client(maker(GreedyBot), lambda: ticket, 1, diary, PATIENT) for _ in range(bots)]
    tasks = [asyncio.create_task(one.run()) for one in clients]
    try:
        yield diary
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def test_a_referee_that_answers_no_ping_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    quicker(monkeypatch, client)
    async with DeafPeer() as peer, running(peer) as diary:
        start = time.monotonic()
        left = await peer.until_closed()
        assert (left.calls, left.pings) == (1, 1)
        assert time.monotonic() - start > (KEEPALIVE + ANSWER) / 1000
        await peer.until_called(2)  # and it is dialled again, on another connection
        assert len(peer.guests) == 2
        assert [line.split(":")[1] for line in diary.lines] == [" UNAVAILABLE"]


async def test_it_is_asked_for_ever_though_no_data_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise gRPC falls silent, or asks ever more rarely, after two pings."""
    patient = 3 * ANSWER  # also where a machine stands still for a second, no ping is given up but the last one
    quicker(monkeypatch, client, keepalive_timeout_ms=patient, http2__ping_timeout_ms=patient)
    async with DeafPeer(answers=5) as peer, running(peer):
        left = await peer.until_closed()
        assert (left.calls, left.pings) == (1, 6)
        assert len(peer.guests) == 1


async def test_pings_have_a_time_limit_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute unless it is set; the limit of keepalive does not shorten it."""
    quicker(monkeypatch, client, keepalive_timeout_ms=60_000)
    async with DeafPeer() as peer, running(peer):
        assert (await peer.until_closed()).pings == 1


async def test_each_client_has_a_connection_of_its_own() -> None:
    async with DeafPeer() as peer, running(peer, bots=2):
        assert [guest.calls for guest in await peer.until_called(2)] == [1, 1]
