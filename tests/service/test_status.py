"""`phaseten-referee status`: in words and in JSON, and what it says to those who ask in the wrong place."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from phaseten.v1 import referee_pb2

from referee.service import referee_api
from referee.service.settings import SettingsError, control_address
from tests.service.client import Control, House, order
from tests.service.player import play_all
from tests.service.test_process import running


async def command(*arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PHASETEN_")}
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "referee.service", *arguments],
        env=kept | {f"PHASETEN_REFEREE_{name}": value for name, value in env.items()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def at(house: House) -> str:
    return f"127.0.0.1:{house.server.control_port}"


async def test_a_ready_referee_says_how_it_is(house: House) -> None:
    ann, bob = await house.bot("ann"), await house.bot("bob")
    await house.play(order("ann", "bob"))
    done = await command("status", "--address", at(house))
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("test-referee (0.1.0): ready; up for ")
    words = {line.split()[0]: line.split()[1:] for line in rest}
    assert words["sessions"] == ["2"]
    assert words["matches"] == ["1", "running"]
    assert words["games"] == ["2", "running,", "room", "for", "1998", "more"]
    await play_all(ann, bob, games=2)
    facts = json.loads((await command("status", "--json", CONTROL_BIND=at(house))).stdout)
    assert (facts["state"], facts["sessions"], facts["games"], facts["records"]) == ("ready", 2, 0, 1)
    assert facts["record_bytes"] > 0
    assert facts["decisions"] == house.server.meter.decisions
    assert facts["uptime_seconds"] > 0


async def test_one_that_goes_away_says_so_with_its_exit_status(tmp_path: Path) -> None:
    async with running(tmp_path, GRACE_SECONDS="3600") as referee, referee.channel as channel:
        control = f"127.0.0.1:{referee.ports['control']}"
        ann, bob = await referee.bot("ann"), await referee.bot("bob")
        await Control(channel, referee.token).StartMatches(referee_pb2.StartMatchesRequest(matches=[order("ann", "bob")]))
        referee.process.terminate()
        await ann.hear("drain")
        done = await command("status", "--address", control)
        assert done.returncode == 3
        assert "north (0.1.0): going away, takes no new matches" in done.stdout
        assert "room for" not in done.stdout
        assert json.loads((await command("status", "--address", control, "--json")).stdout)["state"] == "draining"
        for bot in (ann, bob):
            await bot.channel.close()


async def test_where_no_referee_is_it_says_so() -> None:
    done = await command("status", "--address", "127.0.0.1:9")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("phaseten-referee: no referee answers at 127.0.0.1:9: ")
    assert "Traceback" not in done.stderr


async def test_the_bots_port_is_not_the_control_port(house: House) -> None:
    done = await command("status", "--address", f"127.0.0.1:{house.server.port}")
    assert done.returncode == 1
    assert "is no referee's control port: UNIMPLEMENTED" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (["status", "--address", "nowhere"], {}, "must be host:port, not 'nowhere'"),
        (["status", "--address", "host:99999"], {}, "must be host:port, not 'host:99999'"),
        (["status", "--loud"], {}, "unrecognized arguments: --loud"),
        (["stauts"], {}, "invalid choice: 'stauts'"),
        (["status"], {"CONTROL_BIND": "nonsense"}, "PHASETEN_REFEREE_CONTROL_BIND must be host:port, not 'nonsense'"),
        (["serve"], {}, "PHASETEN_REFEREE_ID is not set"),
    ],
)
async def test_wrong_input_is_said_plainly(arguments: list[str], env: dict[str, str], said: str) -> None:
    done = await command(*arguments, **env)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


async def test_help_names_the_commands() -> None:
    done = await command("--help")
    assert done.returncode == 0
    assert "serve" in done.stdout
    assert "status" in done.stdout


@pytest.mark.parametrize(
    ("bind", "address"),
    [(None, "127.0.0.1:7011"), ("10.0.0.5:7011", "10.0.0.5:7011"), ("0.0.0.0:9", "127.0.0.1:9"), ("[::]:9", "[::1]:9")],
)
def test_it_asks_where_the_referee_of_this_environment_listens(bind: str | None, address: str) -> None:
    assert control_address({} if bind is None else {"PHASETEN_REFEREE_CONTROL_BIND": bind}) == address


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError):
        control_address({"PHASETEN_REFEREE_CONTROL_BIND": "x"})


async def test_the_status_needs_no_token_and_everything_else_does(house: House) -> None:
    nobody = Control(house.channel, None)
    assert (await nobody.GetStatus(referee_pb2.GetStatusRequest())).referee == "test-referee"
    with pytest.raises(grpc.aio.AioRpcError):
        await nobody.ListSessions(referee_pb2.ListSessionsRequest())
    assert {f"/{referee_api.SERVICE}/GetStatus"} == referee_api.OPEN_TO_ALL


async def test_what_everybody_is_told_is_the_referees_own_name_and_figures(house: House) -> None:
    """A field that tells more would need a token: whoever adds one decides that here, and in the README."""
    for name in ("ann", "bob"):
        await house.bot(name)
    await house.play(ordered := order("ann", "bob"))
    told = await Control(house.channel, None).GetStatus(referee_pb2.GetStatusRequest())
    fields = {field.name: getattr(told, field.name) for field in told.DESCRIPTOR.fields}
    words = {name: value for name, value in fields.items() if not isinstance(value, bool | int)}
    assert words.keys() == {"referee", "version", "incarnation"}
    assert (words["referee"], words["version"], len(words["incarnation"])) == ("test-referee", "0.1.0", 16)
    assert (fields["sessions"], fields["matches"], fields["games"]) == (2, 1, 2)
    data = told.SerializeToString()
    assert not any(name in data for name in (b"ann", b"bob", ordered.match_id, *ordered.game_ids))
