"""`phaseten run` and the house bots as processes: they connect, show what they play, and end when told to."""

import asyncio
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from phaseten.v1 import bot_pb2 as pb

from bots_sdk.store import BotStore, KnownBot
from tests.certificates import self_signed
from tests.sdk.command import Shell
from tests.sdk.fake_site import FakeSite, fake_site
from tests.sdk.scripted import ScriptedGame, frame
from tests.sdk.tiny_referee import TinyReferee, Visit

SESSIONS = "POST /api/v1/sessions"


@pytest.fixture
def site() -> Iterator[FakeSite]:
    with fake_site() as made:
        yield made


def offer(site: FakeSite, referee: TinyReferee, scheme: str = "") -> None:
    """Let the site send bots to this referee."""
    where = {"id": "tiny", "address": f"{scheme}127.0.0.1:{referee.port}"}
    site.answer(SESSIONS, 201, {"ticket": "t", "capacity": 8, "referees": [where]})


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str, str]:
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


class Hall:
    """A script that plays one game with whoever comes, and says when it is over."""

    def __init__(self) -> None:
        self.script = ScriptedGame(seats=3)
        self.over = asyncio.Event()

    async def __call__(self, visit: Visit) -> None:
        await visit.welcome()
        await visit.say(self.script.opening())
        await visit.play(self.script)
        self.over.set()
        while True:
            await visit.read()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
async def test_run_shows_games_and_ends_with_0(shell: Shell, site: FakeSite, stop: signal.Signals) -> None:
    BotStore(shell.home / "config" / "phaseten").save(KnownBot(site.url, "ada", "Ada", "phaseten_ada", "greedy", "v3"))
    hall = Hall()
    async with TinyReferee(hall) as referee:
        offer(site, referee)
        process = await shell.start("bots_sdk.cli", "run", "greedy")
        async with asyncio.timeout(60):
            await hall.over.wait()
            assert process.stdout is not None
            lines = [(await process.stdout.readline()).decode() for _ in range(3)]
        process.send_signal(stop)
        status, out, err = await ended(process)
    assert (status, err) == (0, "")
    assert f"Ada (ada), version v3, from greedy, at {site.url}\n" in lines[0]
    assert "connected to referee tiny, up to 8 games at once" in lines[1]
    assert "won against Bot 1, Bot 2: place 1 of 3, " in lines[2]
    assert "stopped: 1 games played, 1 won, 0 tied" in out
    assert [(request.token, request.body["version"]) for request in site.asked] == [("phaseten_ada", "v3")]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_what_is_on_this_machine_is_asked_without_a_proxy(shell: Shell, site: FakeSite, host: str) -> None:
    hall, nowhere = Hall(), "http://127.0.0.1:9"
    async with TinyReferee(hall) as referee:
        site.answer(
            SESSIONS, 201, {"ticket": "t", "capacity": 8, "referees": [{"id": "tiny", "address": f"{host}:{referee.port}"}]}
        )
        server = site.url.replace("127.0.0.1", host)
        env = {"http_proxy": nowhere, "https_proxy": nowhere, "all_proxy": nowhere, "grpc_proxy": nowhere, "no_proxy": ""}
        process = await shell.start("bots_sdk.cli", "run", "greedy", PHASETEN_SERVER=server, PHASETEN_TOKEN="t", **env)
        async with asyncio.timeout(60):
            await hall.over.wait()
        process.send_signal(signal.SIGINT)
        status, _, err = await ended(process)
    assert (status, err) == (0, "")


async def test_run_connects_again_and_says_so(shell: Shell, site: FakeSite) -> None:
    hall = Hall()

    async def hang_up(visit: Visit) -> None:
        await visit.welcome()

    async with TinyReferee(hang_up, hall) as referee:
        offer(site, referee)
        env = {"PHASETEN_SERVER": site.url, "PHASETEN_TOKEN": "phaseten_x"}
        process = await shell.start("bots_sdk.cli", "run", "greedy", **env)
        async with asyncio.timeout(60):
            await hall.over.wait()
        process.send_signal(signal.SIGINT)
        status, out, _ = await ended(process)
    assert status == 0
    assert "lost referee tiny (the referee ended the session); connecting again" in out
    assert out.count("connected to referee tiny") == 2


async def take_over(visit: Visit) -> None:
    """Welcome the bot, and put it out for a newer session."""
    await visit.welcome()
    await visit.say(frame(superseded=pb.Superseded(text="a newer session took over")))
    await visit.read()


async def test_run_ends_with_1_when_another_process_takes_over(shell: Shell, site: FakeSite) -> None:
    async with TinyReferee(take_over) as referee:
        offer(site, referee)
        env = {"PHASETEN_SERVER": site.url, "PHASETEN_TOKEN": "phaseten_x"}
        process = await shell.start("bots_sdk.cli", "run", "greedy", **env)
        status, _, err = await ended(process)
    assert status == 1
    assert "a newer session took over" in err


async def test_a_wrong_token_ends_with_1_and_says_what_to_do(shell: Shell, site: FakeSite) -> None:
    site.refuse(SESSIONS, 401, "sign_in_needed", "A valid token is needed.")
    env = {"PHASETEN_SERVER": site.url, "PHASETEN_TOKEN": "phaseten_x"}
    process = await shell.start("bots_sdk.cli", "run", "greedy", **env)
    status, _, err = await ended(process)
    assert status == 1
    assert "A valid token is needed." in err
    assert "Make a new one on the bot's page" in err
    assert "Traceback" not in err


async def test_a_house_bot_is_a_process_of_its_own(shell: Shell, site: FakeSite) -> None:
    hall = Hall()
    async with TinyReferee(hall) as referee:
        offer(site, referee)
        env = {"PHASETEN_SERVER": site.url, "PHASETEN_TOKEN": "phaseten_house"}
        process = await shell.start("bots_sdk.house_bots", "denier", **env)
        async with asyncio.timeout(60):
            await hall.over.wait()
        process.send_signal(signal.SIGTERM)
        status, _, err = await ended(process)
    assert status == 0
    assert "connected to referee tiny" in err
    assert hall.script.rejected == []
    (request,) = site.asked
    assert (request.token, request.body["version"], request.body["capacity"]) == ("phaseten_house", "denier-1", 64)


async def test_a_house_bot_without_its_settings_ends_with_2(shell: Shell) -> None:
    process = await shell.start("bots_sdk.house_bots", "greedy")
    status, out, err = await ended(process)
    assert (status, out) == (2, "")
    assert "PHASETEN_SERVER and PHASETEN_TOKEN must be set" in err


async def test_an_authors_own_file_runs_by_itself(shell: Shell, site: FakeSite) -> None:
    shell.phaseten("new", "mine")
    hall = Hall()
    async with TinyReferee(hall) as referee:
        offer(site, referee)
        env = shell.env(PHASETEN_SERVER=site.url, PHASETEN_TOKEN="phaseten_mine")
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(Path("mine") / "bot.py"), cwd=shell.home, env=env, stderr=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(60):
            await hall.over.wait()
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            _, err = await process.communicate()
    assert process.returncode == 0
    assert b"Mine, version 1, plays at" in err


async def test_a_referee_may_speak_tls(shell: Shell, site: FakeSite) -> None:
    hall, (private, certificate) = Hall(), self_signed()
    roots = shell.write("roots.pem", [certificate.decode()])
    async with TinyReferee(hall, credentials=grpc.ssl_server_credentials([(private, certificate)])) as referee:
        offer(site, referee, "https://")
        env = {"PHASETEN_SERVER": site.url, "PHASETEN_TOKEN": "t", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(roots)}
        process = await shell.start("bots_sdk.house_bots", "greedy", **env)
        async with asyncio.timeout(60):
            await hall.over.wait()
        process.send_signal(signal.SIGTERM)
        status, _, _ = await ended(process)
    assert status == 0


async def test_a_certificate_that_is_not_trusted_is_not_accepted(shell: Shell, site: FakeSite) -> None:
    async def nobody(visit: Visit) -> None:
        raise AssertionError("let in")

    credentials = grpc.ssl_server_credentials([self_signed()])
    async with TinyReferee(nobody, credentials=credentials) as referee:
        offer(site, referee, "https://")
        process = await shell.start("bots_sdk.cli", "run", "greedy", PHASETEN_SERVER=site.url, PHASETEN_TOKEN="t")
        assert process.stdout is not None
        async with asyncio.timeout(60):
            _who, line = [(await process.stdout.readline()).decode() for _ in range(2)]
        process.send_signal(signal.SIGTERM)
        await ended(process)
        assert referee.visits == []
    assert "lost referee tiny (UNAVAILABLE: " in line
