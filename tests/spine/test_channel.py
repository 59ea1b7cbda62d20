"""What the site asks gRPC for on its way to a referee, seen by one that has gone deaf: gRPC ignores what it does not know.

The times are made smaller; the numbers themselves are looked up.
"""

import asyncio
import queue
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from tests.deaf_peer import PATIENCE, DeafPeer, quicker
from tournament_site.matches import referee_client
from tournament_site.matches.referee_client import OPTIONS, AttemptRef, RefereeClient, RefereeUnavailable

LONG = 600_000
SLACK = 3_000  # for a ping or a call to reach a peer, and for what it says to come back, on a machine that stands still
REF = AttemptRef(UUID(int=1), 1)
SHORT_CALLS: dict[str, Callable[[RefereeClient], Any]] = {
    "start_matches": lambda client: client.start_matches([]),
    "get_matches": lambda client: client.get_matches([REF]),
    "cancel_matches": lambda client: client.cancel_matches([REF], "no more"),
    "close_sessions": lambda client: client.close_sessions(["1"], "no more"),
    "list_sessions": lambda client: client.list_sessions(),
}


def test_the_numbers_are_those_that_were_chosen() -> None:
    chosen = {
        "grpc.keepalive_time_ms": 10_000,
        "grpc.keepalive_timeout_ms": 5_000,
        "grpc.http2.ping_timeout_ms": 5_000,
        "grpc.http2.max_pings_without_data": 0,
        "grpc.use_local_subchannel_pool": 1,
    }
    assert dict(OPTIONS).items() >= chosen.items()


def client_of(peer: DeafPeer, seconds: float = LONG) -> RefereeClient:
    return RefereeClient(f"127.0.0.1:{peer.port}", lambda: "token", seconds)


async def watch(peer: DeafPeer) -> None:
    """Watch a peer as the collector does, from a thread, until the stream ends. Raises what ended it, or TimeoutError."""
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    with client_of(peer) as client:
        stream = client.watch(iter(answers.get, None))
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.to_thread(list, stream)
        finally:
            answers.put(None)
            stream.cancel()


async def test_a_referee_that_answers_no_ping_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    quicker(monkeypatch, referee_client)
    async with DeafPeer() as peer:
        with pytest.raises(RefereeUnavailable, match=r"^UNAVAILABLE"):
            await watch(peer)
        left = await peer.until_closed()
        assert (left.calls, left.pings, len(peer.guests)) == (1, 1, 1)


async def test_it_is_asked_for_ever_though_no_data_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise gRPC falls silent, or asks ever more rarely, after two pings."""
    quicker(monkeypatch, referee_client, keepalive_timeout_ms=SLACK, http2__ping_timeout_ms=SLACK)
    async with DeafPeer(answers=5) as peer:
        with pytest.raises(RefereeUnavailable, match=r"^UNAVAILABLE"):
            await watch(peer)
        left = await peer.until_closed()
        assert (left.calls, left.pings, len(peer.guests)) == (1, 6, 1)


async def test_pings_have_a_time_limit_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute unless it is set; the limit of keepalive does not shorten it."""
    quicker(monkeypatch, referee_client, keepalive_timeout_ms=LONG)
    async with DeafPeer() as peer:
        with pytest.raises(RefereeUnavailable, match=r"^UNAVAILABLE"):
            await watch(peer)
        assert (await peer.until_closed()).pings == 1


async def asked_in_vain(ask: Callable[[RefereeClient], Any]) -> tuple[str, int, int]:
    """How a short call to a deaf referee ends, and how many calls and connections it made."""
    async with DeafPeer() as peer:
        with client_of(peer, seconds=SLACK / 1000) as client, pytest.raises(RefereeUnavailable) as ended:
            async with asyncio.timeout(PATIENCE):
                await asyncio.to_thread(ask, client)
        left = await peer.until_closed()
        return str(ended.value).partition(":")[0], left.calls, len(peer.guests)


async def test_no_short_call_waits_for_a_deaf_referee_longer_than_it_was_told() -> None:
    """All of them wait at once."""
    ends = await asyncio.gather(*map(asked_in_vain, SHORT_CALLS.values()))
    assert dict(zip(SHORT_CALLS, ends, strict=True)) == dict.fromkeys(SHORT_CALLS, ("DEADLINE_EXCEEDED", 1, 1))


async def test_each_client_has_a_connection_of_its_own() -> None:
    async with DeafPeer() as peer:
        with client_of(peer) as one, client_of(peer) as other:
            streams = [client.watch(iter(())) for client in (one, other)]
            assert [guest.calls for guest in await peer.until_called(2)] == [1, 1]
            for stream in streams:
                stream.cancel()
        for number in range(2):
            await peer.until_closed(number)
