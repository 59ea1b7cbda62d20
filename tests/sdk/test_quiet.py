"""In our own programs gRPC notes nothing for its own makers and wakes few threads. In other programs it is left alone."""

import asyncio
import os
import signal
import struct

import pytest

from bots_sdk.settings import environment_of_bot, prepare_grpc
from referee.engine.ruleset import Terms
from referee.wire.grpc_engine import OLDER_ENGINE, has_older_engine
from tests.faults.http2 import GOAWAY, PREFACE, SETTINGS, frame
from tests.sdk.command import Shell
from tests.sdk.fake_site import fake_site
from tests.sdk.scripted import ScriptedGame
from tests.sdk.test_run import SESSIONS, Hall, ended, offer
from tests.sdk.tiny_referee import TinyReferee
from tests.wakings import needs_proc, wakings

INTERNAL_ERROR = 2  # a code of HTTP/2, of which gRPC makes a note
PRINTS = "import os; print(os.environ.get('GRPC_VERBOSITY'), os.environ.get('GRPC_EXPERIMENTS'))"
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


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ({}, f"ERROR {OLDER_ENGINE}"),
        ({"GRPC_VERBOSITY": "debug"}, f"debug {OLDER_ENGINE}"),
        ({"GRPC_EXPERIMENTS": ""}, "ERROR "),
        ({"GRPC_EXPERIMENTS": "-event_engine_client"}, "ERROR -event_engine_client"),
    ],
)
def test_the_command_line_prepares_grpc_unless_it_is_told_otherwise(shell: Shell, given: dict[str, str], seen: str) -> None:
    shell.write("mine.py", [PRINTS, GREEDY, "class Mine(GreedyBot): pass"])
    done = shell.phaseten("play", "mine.py:Mine", "greedy", "--games", "1", **given)
    assert done.out.splitlines()[0] == seen


async def test_a_program_of_an_authors_own_is_not_meddled_with(shell: Shell) -> None:
    shell.write("mine.py", [GREEDY, "from bots_sdk import run", "try: run(GreedyBot)", f"finally: {PRINTS}"])
    process = await shell.start("mine", PHASETEN_SERVER="http://127.0.0.1:9")
    status, out, err = await ended(process)
    assert (status, out) == (2, "None None\n")
    assert "PHASETEN_TOKEN must be set" in err


def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nobody had prepared gRPC in this process; what is done to its environment is undone after the test."""
    monkeypatch.setattr("bots_sdk.settings._set_here", set())
    for name in ("GRPC_EXPERIMENTS", "GRPC_VERBOSITY"):
        monkeypatch.setenv(name, "")  # or what is set later would stay
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("version", "known"),
    [
        *((version, True) for version in ("1.76.0", "1.80.0rc1", "1.85.3")),
        *((version, False) for version in ("1.75.1", "1.86.0", "1.100.0", "2.0.0", "0.80.0", "unknown", "")),
    ],
)
def test_the_engine_is_chosen_where_grpc_is_known_to_have_it(
    monkeypatch: pytest.MonkeyPatch, version: str, known: bool
) -> None:
    forgotten(monkeypatch)
    monkeypatch.setattr("bots_sdk.settings.installed_grpc", lambda: version)
    prepare_grpc()
    assert has_older_engine(version) is known
    assert os.environ.get("GRPC_EXPERIMENTS") == (OLDER_ENGINE if known else None)


@pytest.mark.parametrize("given", [None, "", OLDER_ENGINE])
def test_a_bot_that_is_started_is_told_what_we_were_told(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    forgotten(monkeypatch)
    if given is not None:
        monkeypatch.setenv("GRPC_EXPERIMENTS", given)
    prepare_grpc()
    assert environment_of_bot("http://127.0.0.1:9", "t").get("GRPC_EXPERIMENTS") == given


async def played(shell: Shell, *command: str, **env: str) -> tuple[int, int]:
    """How many questions a bot of a process answered, and how often threads of gRPC's present engine were woken."""
    hall = Hall()
    hall.script = ScriptedGame(terms=Terms())  # a whole game: what the start needs is little beside it
    with fake_site() as site:
        async with TinyReferee(hall) as referee:
            offer(site, referee)
            process = await shell.start(*command, PHASETEN_SERVER=site.url, PHASETEN_TOKEN="t", **env)
            async with asyncio.timeout(60):
                await hall.over.wait()
            woken = wakings(process.pid)
            process.send_signal(signal.SIGTERM)
            await ended(process)
    return hall.script.question, woken


COMMANDS = [("bots_sdk.cli", "run", "greedy"), ("bots_sdk.house_bots", "greedy")]


@needs_proc
@pytest.mark.parametrize("command", COMMANDS)
async def test_questions_wake_no_thread_of_the_present_engine(shell: Shell, command: tuple[str, ...]) -> None:
    questions, woken = await played(shell, *command)
    assert woken < questions


@needs_proc
@pytest.mark.parametrize("command", COMMANDS)
async def test_an_empty_variable_gives_the_present_engine_back(shell: Shell, command: tuple[str, ...]) -> None:
    questions, woken = await played(shell, *command, GRPC_EXPERIMENTS="")
    assert woken >= questions
