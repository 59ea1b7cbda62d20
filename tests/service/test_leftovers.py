"""Referees that end in the middle of matches, and those that come after them: no seed is hidden, no attempt dealt twice."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from phaseten.v1 import referee_pb2

from referee.engine.shuffle import NO_NONCE
from referee.service.journal import LAST_WORDS, Journal
from tests.service.client import (
    Control,
    RawWatch,
    new_key,
    order,
    public_pem,
    reference,
)
from tests.service.player import play_all
from tests.service.test_gathering import NONCES, committed, reveal
from tests.service.test_process import Process, running
from tests.service.test_void import fits, openings, the_void


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.journal"


async def watching(referee: Process) -> RawWatch:
    """A watch stream that has begun: it misses nothing that happens from now on."""
    call: Any = referee.channel.stream_stream("/phaseten.v1.RefereeService/Watch")(
        metadata=(("authorization", f"Bearer {referee.token}"),)
    )
    watch = RawWatch(call)
    await watch.hear("greeting")
    return watch


async def start(referee: Process, ordered: referee_pb2.MatchOrder) -> referee_pb2.StartResult:
    control = Control(referee.channel, referee.token)
    (result,) = (await control.StartMatches(referee_pb2.StartMatchesRequest(matches=[ordered]))).results
    return result


async def before_any_share(referee: Process) -> referee_pb2.MatchOrder:
    ann, bob = await referee.bot("ann"), await referee.bot("bob")
    ann.shares = bob.shares = False
    ordered = order("ann", "bob")
    await start(referee, ordered)
    await asyncio.gather(ann.hear("invite"), bob.hear("invite"))
    return ordered


async def in_the_middle(referee: Process) -> referee_pb2.MatchOrder:
    """Ann has given a share, Bob takes no part, and the first card is dealt."""
    ann, bob = await referee.bot("ann"), await referee.bot("bob")
    ann.shares = False
    ordered = order("ann", "bob")
    await start(referee, ordered)
    invites = [await committed(ann, "ann") for _ in range(2)]
    for invite in invites:
        await ann.hear("nonce_commits")
        await reveal(ann, invite.game, NONCES["ann"])
    for _ in range(2):
        await bob.hear("start")
    await ann.hear("question")
    return ordered


async def before_the_record_is_home(referee: Process) -> referee_pb2.MatchOrder:
    ann, bob = await referee.bot("ann"), await referee.bot("bob")
    ordered = order("ann", "bob")
    await start(referee, ordered)
    await play_all(ann, bob, games=2)
    return ordered


@pytest.mark.parametrize(
    ("moment", "nonces"),
    [
        (before_any_share, [[NO_NONCE, NO_NONCE]] * 2),
        (in_the_middle, [[NONCES["ann"], NO_NONCE], [NO_NONCE, NONCES["ann"]]]),
        (before_the_record_is_home, [[NO_NONCE, NO_NONCE]] * 2),
    ],
)
async def test_a_killed_referee_takes_no_seed_with_it(
    tmp_path: Path, path: Path, moment: Callable[[Process], Awaitable[referee_pb2.MatchOrder]], nonces: list[list[bytes]]
) -> None:
    async with running(tmp_path, JOURNAL_FILE=str(path)) as first:
        watch = await watching(first)
        ordered = await moment(first)
        commitments = await openings(watch, 2)
        first.process.kill()
        await first.process.wait()
    async with running(tmp_path, JOURNAL_FILE=str(path)) as second:
        watch = await watching(second)
        void = await the_void(watch)
        assert (void.attempt, void.text, void.planned) == (reference(ordered), LAST_WORDS, False)
        assert {shown.game_id: shown.commitment for shown in void.games} == commitments
        assert all(fits(shown, ordered) for shown in void.games)
        assert [[share.nonce for share in shown.nonces] for shown in void.games] == nonces
        result = await start(second, ordered)
        assert (result.outcome, result.refusal) == (referee_pb2.START_OUTCOME_REFUSED, referee_pb2.REFUSAL_CANCELLED)
        await watch.acknowledge(void.attempt)
        ann, bob = await second.bot("ann"), await second.bot("bob")
        again = order("ann", "bob")
        again.match_id, again.attempt = ordered.match_id, 2
        assert (await start(second, again)).outcome == referee_pb2.START_OUTCOME_STARTED
        await play_all(ann, bob, games=2)
        await watch.acknowledge((await watch.record()).attempt)
        second.process.send_signal(signal.SIGTERM)
        assert (await second.end())[0] == 0
    kept = Journal(path, "north")
    assert kept.leftovers() == ()
    kept.close()


async def test_what_was_called_off_at_the_end_is_told_in_the_same_words(tmp_path: Path, path: Path) -> None:
    async with running(tmp_path, JOURNAL_FILE=str(path), GRACE_SECONDS="0") as first:
        ordered = await in_the_middle(first)  # and nobody watches
        first.process.send_signal(signal.SIGTERM)
        assert (await first.end())[0] == 0
    async with running(tmp_path, JOURNAL_FILE=str(path)) as second:
        void = await the_void(await watching(second))
        assert (void.attempt, void.text, void.planned) == (reference(ordered), "the referee is going away", True)
        asking = Control(second.channel, second.token)
        (status,) = (await asking.GetMatches(referee_pb2.GetMatchesRequest(attempts=[void.attempt]))).attempts
        assert status.state == referee_pb2.ATTEMPT_STATE_CALLED_OFF
        assert [fits(shown, ordered) for shown in void.games] == [True, True]


async def test_a_record_that_was_not_taken_home_before_the_end_is_nobodys_mistake(tmp_path: Path, path: Path) -> None:
    async with running(tmp_path, JOURNAL_FILE=str(path), GRACE_SECONDS="0") as first:
        ordered = await before_the_record_is_home(first)
        first.process.send_signal(signal.SIGTERM)
        assert (await first.end())[0] == 0
    async with running(tmp_path, JOURNAL_FILE=str(path)) as second:
        watch = await watching(second)
        void = await the_void(watch)
        assert (void.attempt, void.text, void.planned) == (reference(ordered), LAST_WORDS, True)
        assert [fits(shown, ordered) for shown in void.games] == [True, True]


async def test_a_referee_without_a_journal_knows_nothing_of_the_one_before(tmp_path: Path) -> None:
    async with running(tmp_path) as first:
        ordered = await in_the_middle(first)
        first.process.kill()
        await first.process.wait()
    async with running(tmp_path) as second:
        await second.bot("ann")
        await second.bot("bob")
        assert (await start(second, ordered)).outcome == referee_pb2.START_OUTCOME_STARTED


def test_a_referee_does_not_start_without_the_journal_it_was_told_of(tmp_path: Path, path: Path) -> None:
    path.write_text("nothing that a referee wrote" * 500)
    key = tmp_path / "key.pem"
    key.write_bytes(public_pem(new_key()))
    settings = {"ID": "north", "TICKET_PUBLIC_KEY_FILE": str(key), "JOURNAL_FILE": str(path)}
    done = subprocess.run(
        [sys.executable, "-m", "referee.service"],
        env=os.environ | {f"PHASETEN_REFEREE_{name}": value for name, value in settings.items()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == f"phaseten-referee: the journal {path} cannot be used: file is not a database\n"
