"""What a referee writes down so that nobody who ends its process hides a seed or gets another deck."""

import asyncio
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.engine.shuffle import nonce_commit
from referee.service import feed, journal
from referee.service import house as service
from referee.service.clock import RefereeTime
from referee.service.feed import Feed
from referee.service.journal import LAST_WORDS, CannotKeep, Journal, Leftover
from referee.service.match import RunningMatch
from referee.service.meter import Meter
from referee.service.order import Attempt, decode_order
from referee.service.records import Records, State
from referee.service.seats import TableSeat
from tests.service.client import (
    House,
    new_match,
    order,
    reference,
    until,
)
from tests.service.player import play_all
from tests.service.test_gathering import NONCES
from tests.service.test_void import call_off, the_void

REFEREE = "north"
IN_PROCESS = "test-referee"  # of `House`


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.journal"


def game(letter: bytes) -> referee_pb2.VoidGame:
    return referee_pb2.VoidGame(game_id=letter * 16, server_seed=letter * 64, commitment=letter * 64)


# The file.


def written(path: Path, referee: str = REFEREE) -> tuple[Leftover, ...]:
    """What stands in a file that nobody uses."""
    kept = Journal(path, referee)
    left = kept.leftovers()
    kept.close()
    return left


def test_what_was_written_is_there_for_the_next_process(path: Path) -> None:
    first, second, third = (Attempt(UUID(int=number), 1) for number in (1, 2, 3))
    again = Attempt(first.match, 2)
    writer = Journal(path, REFEREE)
    for attempt, place, told in ((again, 0, b"c"), (first, 1, b"b"), (first, 0, b"a"), (second, 0, b"d"), (third, 0, b"e")):
        writer.keep(attempt, place, game(told))
    writer.keep(first, 1, game(b"B"))  # what is known later takes the place of what was known first
    writer.void(second, "called off", planned=True)
    writer.void(third, "a mistake", planned=False)
    writer.forget(third)
    writer.close()
    assert written(path) == (
        Leftover(first, LAST_WORDS, False, (game(b"a"), game(b"B"))),
        Leftover(again, LAST_WORDS, False, (game(b"c"),)),
        Leftover(second, "called off", True, (game(b"d"),)),
    )


def test_without_a_file_nothing_is_kept() -> None:
    memory = Journal()
    attempt = Attempt(new_match(), 1)
    memory.keep(attempt, 0, game(b"a"))
    memory.void(attempt, "", planned=True)
    memory.forget(attempt)
    assert memory.leftovers() == ()
    memory.close()


@pytest.mark.parametrize("old", [False, True])
def test_nobody_else_may_read_it(path: Path, old: bool) -> None:
    if old:
        path.touch(0o644)
    kept = Journal(path, REFEREE)
    kept.keep(Attempt(new_match(), 1), 0, game(b"a"))
    files = list(path.parent.iterdir())
    assert len(files) > 1  # what was written last stands in a file beside it
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    kept.close()


def test_two_processes_never_share_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "PATIENCE_SECONDS", 0.1)
    kept = Journal(path, REFEREE)
    with pytest.raises(CannotKeep, match="another process uses it"):
        Journal(path, REFEREE)
    script = (
        "from pathlib import Path; from referee.service import journal; journal.PATIENCE_SECONDS = 0.1;"
        f"journal.Journal(Path({str(path)!r}), {REFEREE!r})"
    )
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert "another process uses it" in other.stderr
    kept.close()
    Journal(path, REFEREE).close()


def test_each_referee_has_its_own(path: Path) -> None:
    Journal(path, REFEREE).close()
    with pytest.raises(CannotKeep, match=f"that of referee '{REFEREE}'"):
        Journal(path, "south")


def changed(path: Path, *statements: str) -> None:
    """Do something to a journal that holds an attempt."""
    kept = Journal(path, REFEREE)
    kept.keep(Attempt(new_match(), 1), 0, game(b"a"))
    kept.close()
    file = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        file.execute(statement)
    file.close()


def test_what_another_release_wrote_is_left_alone(path: Path) -> None:
    changed(path, "pragma user_version = 2")
    with pytest.raises(CannotKeep, match="another release"):
        Journal(path, REFEREE)


def test_what_is_no_journal_is_left_alone(path: Path) -> None:
    path.write_bytes(b"a letter to somebody, long enough for a page" * 200)
    before = path.read_bytes()
    with pytest.raises(CannotKeep, match="not a database"):
        Journal(path, REFEREE)
    assert path.read_bytes() == before
    changed(path.with_name("other"), "drop table games", "create table games (cards text)")
    with pytest.raises(CannotKeep, match="no such column"):
        Journal(path.with_name("other"), REFEREE)


def test_the_database_of_somebody_else_is_left_alone(path: Path) -> None:
    file = sqlite3.connect(path)
    file.execute("create table letters (text)")
    file.close()
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(CannotKeep, match="is none"):
        Journal(path, REFEREE)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (before, 0o644)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "statement",
    [
        "update games set match = x'00'",
        "update games set told = x'ffff'",
        "update games set number = 'one'",
        "update games set number = -1",
        "insert into attempts values (x'00', 1, 0, '')",
        "insert into attempts select match, number, 0, x'ff' from games",
        "delete from owner",
    ],
)
def test_a_broken_one_is_set_aside(path: Path, statement: str, caplog: pytest.LogCaptureFixture) -> None:
    changed(path, statement)
    with caplog.at_level("ERROR"):
        assert written(path) == ()
    assert "the journal is broken, and was set aside" in caplog.text
    (aside,) = path.parent.glob("*.broken-*")
    assert sqlite3.connect(aside).execute("select count(*) from games").fetchone() == (1,)


@pytest.mark.parametrize("start", [0, 4096])
def test_a_page_that_never_reached_the_disk_is_found(path: Path, start: int) -> None:
    changed(path, "vacuum")
    data = bytearray(path.read_bytes())
    data[start : start + 4096] = bytes(4096)
    path.write_bytes(data)
    assert written(path) == ()
    assert list(path.parent.glob("*.broken-*"))


def test_a_file_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotKeep, match="No such file"):
        Journal(tmp_path / "nowhere" / "journal", REFEREE)


async def test_a_full_disk_ends_no_game(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with House(journal=path) as house:
        file = house.server._journal._file
        assert file is not None
        file.execute("pragma max_page_count = 1")  # sqlite answers as it does when the disk is full
        for number in range(50):
            house.server._journal.keep(Attempt(new_match(), 1), number, game(b"x"))
        assert caplog.text.count("the journal cannot be written") == 1  # a minute
        assert "full" in caplog.text
        assert not any(secret in caplog.text for secret in ("xxxxxxxx", (b"x" * 8).hex()))
        watch = await house.watch()
        ann, bob = await house.bot("ann"), await house.bot("bob")
        await house.play(order("ann", "bob"))
        await play_all(ann, bob, games=2)
        assert len((await watch.record()).games) == 2


# What is in it while a referee works.


class Order(list[str]):
    """What happened: as a journal that writes nothing, and as the sessions of all seats."""

    round_trip = 0.0

    def keep(self, _attempt: Attempt, _place: int, told: referee_pb2.VoidGame) -> None:
        self.append(f"{len([share for share in told.nonces if share.commitment])} shares written down")

    def push(self, frame: bytes) -> None:
        self.extend(f"{message.WhichOneof('kind')} sent" for message in pb.ConnectResponse.FromString(frame).messages)

    def seat(self, _seat: TableSeat) -> int:
        return 1

    def unseat(self, _handle: int) -> None:
        return

    def game_ended(self, _seats: object, _ending: object) -> None:
        return


async def test_nobody_hears_of_a_commitment_before_it_is_written_down() -> None:
    happened: Any = Order()
    made = Feed(Records(10**6), referee_pb2.WatchGreeting(), list)
    rooms = service.House("r", RefereeTime(), made, Meter(), asyncio.get_running_loop(), happened)
    match = RunningMatch(decode_order(order("ann", "bob")), rooms, happened)
    match.begin_next([happened, happened])
    assert happened == ["0 shares written down", "invite sent", "invite sent"]
    gathering = match.games[0]
    for seat in gathering.seats:
        gathering.commit(seat, nonce_commit(gathering.context, seat.index, NONCES["ann"]))  # type: ignore[union-attr]  # not yet a game
    for seat in gathering.seats:
        gathering.reveal(seat, NONCES["ann"])
    assert happened[3:8] == [*["nonce_commits sent"] * 2, "2 shares written down", *["start sent"] * 2]
    match.abandon("the test is over")


async def test_an_attempt_stays_until_the_site_knows_everything(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with House(journal=path) as house:
        heard: list[bool] = []
        acknowledge = house.server.lobby.acknowledge
        monkeypatch.setattr(house.server.lobby, "acknowledge", lambda attempt: heard.append(acknowledge(attempt)))
        kept = house.server._journal
        ann, bob = await house.bot("ann"), await house.bot("bob")
        finished, void = order("ann", "bob"), order("ann", "bob")
        await house.play(finished, void)
        watch = await house.watch()
        await watch.acknowledge(reference(finished))
        await until(lambda: heard == [False])  # there was nothing to be acknowledged yet
        await call_off(house, void)
        await play_all(ann, bob, games=4)
        await until(lambda: len(house.server.lobby.records) == 1)
        words = {left.attempt.match.bytes: (left.text, left.planned, len(left.games)) for left in kept.leftovers()}
        assert words == {
            finished.match_id: (LAST_WORDS, False, 2),
            void.match_id: ("the site called the match off", True, 2),
        }
        await watch.acknowledge((await watch.record()).attempt)
        await until(lambda: [left.attempt.match.bytes for left in kept.leftovers()] == [void.match_id])
        await watch.acknowledge(reference(void))
        await until(lambda: not kept.leftovers())
    assert written(path, IN_PROCESS) == ()  # it was let go of


async def test_more_leftovers_than_are_remembered_are_told_in_turns(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "MOST_VOIDS", 2)
    kept = Journal(path, IN_PROCESS)
    attempts = [Attempt(UUID(int=number), 1) for number in range(5)]
    for attempt in attempts:
        kept.keep(attempt, 0, game(b"a"))
    kept.close()
    async with House(journal=path) as house:
        assert house.server._feed.voids == 5
        assert {house.server.lobby.state(attempt) for attempt in attempts} == {State.VOID}
        told = []
        while house.server._feed.voids:
            watch = await house.watch()
            void = await the_void(watch)
            told.append(Attempt(UUID(bytes=void.attempt.match_id), void.attempt.attempt))
            left = house.server._feed.voids
            await watch.acknowledge(void.attempt)
            await until(lambda left=left: house.server._feed.voids < left)  # type: ignore[misc]  # bound at once
        assert told == attempts
        assert house.server._journal.leftovers() == ()
