"""An address at which no site is, or none that can be reached: told in words, once for each try, and tried again."""

import asyncio
import signal
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import pytest

from bots_sdk.bot import maker
from bots_sdk.client import Backoff, Client, Timing
from bots_sdk.errors import SiteRefused, SiteUnavailable
from bots_sdk.http import Site
from bots_sdk.tickets import Ticket
from bots_sdk.watcher import again
from tests.sdk.command import Shell
from tests.sdk.scripted import Recorder
from tests.sdk.test_client import run_until, stay
from tests.sdk.test_run import ended
from tests.sdk.tiny_referee import QUICK, Diary, TinyReferee, Visit

CHUNKED = b"HTTP/1.1 %d X\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{"


@contextmanager
def answering(raw: bytes) -> Iterator[str]:
    """The address of a server that says these bytes to every request, and hangs up."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(raw)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"SSH-2.0-OpenSSH_9.9\r\n", "is no phaseten site; is this a referee's port"),
        (b"HTTP/1.1 200 " + b"x" * 70_000, "is no phaseten site"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000, "is no phaseten site"),
        (CHUNKED % 200, "broke off in the middle of its answer"),
        (CHUNKED % 502, "answered with 502"),
        (b"", "cannot be reached: Remote end closed connection"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 200_000, "did not answer as a phaseten site does"),
    ],
    ids=["not HTTP", "a long first line", "a long header", "half an answer", "half an error", "nothing", "a deep answer"],
)
def test_whatever_answers_there_is_an_error_of_the_sdk(raw: bytes, text: str) -> None:
    with answering(raw) as url, pytest.raises(SiteUnavailable, match=text):
        Site(url).get("seasons")


def test_an_address_with_a_space_is_one_too() -> None:
    with pytest.raises(SiteUnavailable, match=r"is no address of a site.*Is the address right\?$"):
        Site("http://127.0.0.1:9/a b").get("seasons")


async def test_run_at_a_referees_port_says_so(shell: Shell) -> None:
    async def nobody(visit: Visit) -> None:
        raise AssertionError("let in")

    async with TinyReferee(nobody) as referee:
        env = {"PHASETEN_SERVER": f"http://127.0.0.1:{referee.port}", "PHASETEN_TOKEN": "t"}
        process = await shell.start("bots_sdk.cli", "run", "greedy", **env)
        assert process.stdout is not None
        async with asyncio.timeout(60):
            _who, line = [(await process.stdout.readline()).decode() for _ in range(2)]
        process.send_signal(signal.SIGTERM)
        status, _, err = await ended(process)
    assert "is no phaseten site; is this a referee's port? Is the address right? Trying again in" in line
    assert (status, err) == (0, "")


class Away:
    """A way to fetch tickets that fails as long as it is told to, and counts how often it did."""

    def __init__(self, error: Exception | None, ticket: Ticket) -> None:
        self.error = error
        self.ticket = ticket
        self.failed = 0

    def __call__(self) -> Ticket:
        if self.error is not None:
            self.failed += 1
            raise self.error
        return self.ticket


def waits(diary: Diary) -> list[str]:
    return [line for line in diary.lines if line.startswith("waiting")]


async def test_the_address_is_in_doubt_until_it_gave_a_ticket() -> None:
    diary, often = Diary(), Timing(ping=60.0, silence=60.0, shortest=0.01, longest=0.02, refresh=0.02)
    async with TinyReferee(stay) as referee:
        away = Away(SiteUnavailable("nobody there"), referee.ticket())
        task = asyncio.create_task(run_until(Client(maker(Recorder), away, 8, diary, often), lambda: done))
        done = False
        while away.failed < 3:  # noqa: ASYNC110 - a condition of another thread
            await asyncio.sleep(0.005)
        away.error = None
        while not diary.lines[-1].startswith("connected"):  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.005)
        assert set(waits(diary)) == {"waiting: nobody there. Is the address right?"}
        before = len(diary.lines)
        away.error = SiteUnavailable("nobody there")
        while len(diary.lines) < before + 3:  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.005)
        done = True
        await task
    assert set(diary.lines[before:]) == {"waiting: nobody there"}


async def test_a_site_that_says_to_wait_is_in_no_doubt() -> None:
    diary = Diary()
    async with TinyReferee(stay) as referee:
        away = Away(SiteRefused(429, "too_many_requests", "Slow down."), referee.ticket())
        await run_until(Client(maker(Recorder), away, 8, diary, QUICK), lambda: len(diary.lines) > 1)
    assert not any("address" in line for line in diary.lines)


async def test_a_failed_try_is_told_once_however_many_wait_for_a_ticket() -> None:
    diary, turned_away = Diary(), 0

    async def refuse(visit: Visit) -> None:
        nonlocal turned_away
        turned_away += 1
        if turned_away == 2:
            away.error = SiteUnavailable("down")
        await visit.refuse(grpc.StatusCode.UNAUTHENTICATED, "the ticket has expired")

    async with TinyReferee(refuse) as first, TinyReferee(refuse) as second:
        away = Away(None, Ticket("t", 8, (first.address("a"), second.address("b"))))
        running = Client(maker(Recorder), away, 8, diary, QUICK)
        await run_until(running, lambda: turned_away >= 2 and len(waits(diary)) >= 5)
    assert 0 <= away.failed - len(waits(diary)) <= 1  # the last one was not told yet


def test_steady_pauses_grow() -> None:
    for _ in range(200):
        backoff = Backoff(Timing(), steady=True)
        first = [backoff.next() for _ in range(4)]
        assert first == sorted(first)
        assert all(2.5 <= backoff.next() <= 5.0 for _ in range(5))


@pytest.mark.parametrize(
    ("why", "line"),
    [
        ("nobody there", "nobody there; trying again in 0.5 s"),
        ("Nobody there. Is the address right?", "Nobody there. Is the address right? Trying again in 0.5 s"),
    ],
)
def test_a_line_reads_well(why: str, line: str) -> None:
    assert again(why, 0.5) == line
