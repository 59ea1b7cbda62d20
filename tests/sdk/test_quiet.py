"""What gRPC notes for its own makers is kept out of the command line, and left alone in other programs."""

import asyncio
import signal
import struct

import pytest

from tests.faults.http2 import GOAWAY, PREFACE, SETTINGS, frame
from tests.sdk.command import Shell
from tests.sdk.fake_site import fake_site
from tests.sdk.test_run import SESSIONS, ended

INTERNAL_ERROR = 2  # a code of HTTP/2, of which gRPC makes a note
PRINTS = "import os; print(os.environ.get('GRPC_VERBOSITY'))"
GREEDY = "from bots_sdk.house_bots import GreedyBot"


async def send_away(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readexactly(len(PREFACE))
    writer.write(frame(SETTINGS) + frame(GOAWAY, 0, 0, struct.pack(">II", 0, INTERNAL_ERROR)))
    await writer.drain()
    await reader.read()  # until the bot hangs up
    writer.close()


async def test_a_referee_that_goes_away_leaves_one_line_of_our_own(shell: Shell) -> None:
    async with await asyncio.start_server(send_away, "127.0.0.1", 0) as server:
        with fake_site() as site:
            where = {"id": "tiny", "address": f"127.0.0.1:{server.sockets[0].getsockname()[1]}"}
            site.answer(SESSIONS, 201, {"ticket": "t", "capacity": 8, "referees": [where]})
            process = await shell.start("bots_sdk.cli", "run", "greedy", PHASETEN_SERVER=site.url, PHASETEN_TOKEN="t")
            assert process.stdout is not None
            async with asyncio.timeout(60):
                lines = [(await process.stdout.readline()).decode() for _ in range(2)]
            process.send_signal(signal.SIGTERM)
            status, _, err = await ended(process)
    assert "lost referee tiny (" in lines[1]
    assert (status, err) == (0, "")


@pytest.mark.parametrize(("given", "seen"), [({}, "ERROR"), ({"GRPC_VERBOSITY": "debug"}, "debug")])
def test_the_command_line_quiets_grpc_unless_it_is_told_otherwise(shell: Shell, given: dict[str, str], seen: str) -> None:
    shell.write("mine.py", [PRINTS, GREEDY, "class Mine(GreedyBot): pass"])
    done = shell.phaseten("play", "mine.py:Mine", "greedy", "--games", "1", **given)
    assert done.out.splitlines()[0] == seen


async def test_a_program_of_an_authors_own_is_not_meddled_with(shell: Shell) -> None:
    shell.write("mine.py", [GREEDY, "from bots_sdk import run", "try: run(GreedyBot)", f"finally: {PRINTS}"])
    process = await shell.start("mine", PHASETEN_SERVER="http://127.0.0.1:9")
    status, out, err = await ended(process)
    assert (status, out) == (2, "None\n")
    assert "PHASETEN_TOKEN must be set" in err
