"""What a referee writes down so that nobody who ends its process hides a seed or gets another deck."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from phaseten.v1 import referee_pb2

from referee.engine.shuffle import NO_NONCE
from referee.service import journal
from referee.service.journal import LAST_WORDS, CannotKeep, Journal, Leftover
from referee.service.order import Attempt
from tests.service.client import (
    Control,
    House,
    RawWatch,
    control_claims,
    new_key,
    new_match,
    order,
    public_pem,
    reference,
    signed,
    until,
)
from tests.service.player import play_all
from tests.service.test_gathering import NONCES, committed, reveal
from tests.service.test_process import Process, running
from tests.service.test_void import call_off, fits, openings, the_void


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.journal"


def game(letter: bytes) -> referee_pb2.VoidGame:
    return referee_pb2.VoidGame(game_id=letter * 16, server_seed=letter * 64, commitment=letter * 64)


# The file.


def test_what_was_written_is_there_for_the_next_process(path: Path) -> None:
    first, second, third = (Attempt(new_match(), number) for number in (1, 7, 1))
    again = Attempt(first.match, 2)
    writer = Journal(path)
    for attempt, place, told in ((first, 1, b"b"), (first, 0, b"a"), (again, 0, b"c"), (second, 0, b"d"), (third, 0, b"e")):
        writer.keep(attempt, place, game(told))
    writer.keep(first, 1, game(b"B"))  # what is known later takes the place of what was known first
    writer.void(second, "called off", planned=True)
    writer.void(third, "a mistake", planned=False)
    writer.forget(third)
    writer.close()
    expected = (
        Leftover(first, LAST_WORDS, False, (game(b"a"), game(b"B"))),
        Leftover(again, LAST_WORDS, False, (game(b"c"),)),
        Leftover(second, "called off", True, (game(b"d"),)),
    )
    reader = Journal(path)
    assert sorted(reader.leftovers(), key=lambda left: left.attempt) == sorted(expected, key=lambda left: left.attempt)
    reader.close()


def test_without_a_file_nothing_is_kept() -> None:
    memory = Journal()
    attempt = Attempt(new_match(), 1)
    memory.keep(attempt, 0, game(b"a"))
    memory.void(attempt, "", planned=True)
    memory.forget(attempt)
    assert memory.leftovers() == ()
    memory.close()


def test_nobody_else_may_read_it(path: Path) -> None:
    kept = Journal(path)
    kept.keep(Attempt(new_match(), 1), 0, game(b"a"))
    files = list(path.parent.iterdir())
    assert len(files) > 1  # what was written last stands in a file beside it
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    kept.close()


def test_two_processes_never_share_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "PATIENCE_SECONDS", 0.1)
    kept = Journal(path)
    script = f"from pathlib import Path; from referee.service.journal import Journal; Journal(Path({str(path)!r}))"
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert "another process uses it" in other.stderr
    with pytest.raises(CannotKeep, match="another process uses it"):
        Journal(path)
    kept.close()
    Journal(path).close()


def test_what_is_no_journal_is_left_alone(path: Path) -> None:
    path.write_bytes(b"a letter to somebody, long enough for a page" * 200)
    before = path.read_bytes()
    with pytest.raises(CannotKeep, match="not a database"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotKeep, match="No such file"):
        Journal(tmp_path / "nowhere" / "journal")


async def test_a_full_disk_ends_no_game(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with House(journal=path) as house:
        file = house.server._journal._file
        assert file is not None
        file.execute("pragma max_page_count = 1")  # sqlite answers as it does when the disk is full
        for number in range(50):
            house.server._journal.keep(Attempt(new_match(), 1), number, game(b"x"))
        assert "the journal cannot be written" in caplog.text
        assert "full" in caplog.text
        assert not any(secret in caplog.text for secret in ("xxxxxxxx", (b"x" * 8).hex()))
        watch = await house.watch()
        ann, bob = await house.bot("ann"), await house.bot("bob")
        await house.play(order("ann", "bob"))
        await play_all(ann, bob, games=2)
        assert len((await watch.record()).games) == 2


# What is in it while a referee works.


async def test_an_attempt_stays_until_the_site_knows_everything(path: Path) -> None:
    async with House(journal=path) as house:
        kept = house.server._journal
        ann, bob = await house.bot("ann"), await house.bot("bob")
        finished, void = order("ann", "bob"), order("ann", "bob")
        await house.play(finished, void)
        await asyncio.gather(ann.hear("start"), bob.hear("start"))
        assert {left.attempt.match.bytes for left in kept.leftovers()} == {finished.match_id, void.match_id}
        await call_off(house, void)
        await play_all(ann, bob, games=4)
        words = {left.attempt.match.bytes: (left.text, left.planned, len(left.games)) for left in kept.leftovers()}
        assert words == {
            finished.match_id: (LAST_WORDS, False, 2),
            void.match_id: ("the site called the match off", True, 2),
        }
        watch = await house.watch()
        await watch.acknowledge((await watch.record()).attempt)
        await until(lambda: [left.attempt.match.bytes for left in kept.leftovers()] == [void.match_id])
        await watch.acknowledge(reference(void))
        await until(lambda: not kept.leftovers())


# Processes that end, and those that come after them.


async def watching(referee: Process) -> RawWatch:
    call: Any = referee.channel.stream_stream("/phaseten.v1.RefereeService/Watch")(
        metadata=(("authorization", f"Bearer {referee.token}"),)
    )
    return RawWatch(call)


async def start(referee: Process, ordered: referee_pb2.MatchOrder) -> referee_pb2.StartResult:
    control = Control(referee.channel, signed(referee.key, control_claims()))
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
    await asyncio.gather(ann.hear("question"), bob.hear("start"))
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
    assert Journal(path).leftovers() == ()


async def test_what_was_called_off_at_the_end_is_told_in_the_same_words(tmp_path: Path, path: Path) -> None:
    async with running(tmp_path, JOURNAL_FILE=str(path), GRACE_SECONDS="0") as first:
        ordered = await in_the_middle(first)  # and nobody watches
        first.process.send_signal(signal.SIGTERM)
        assert (await first.end())[0] == 0
    async with running(tmp_path, JOURNAL_FILE=str(path)) as second:
        void = await the_void(await watching(second))
        assert (void.attempt, void.text, void.planned) == (reference(ordered), "the referee is going away", True)
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
