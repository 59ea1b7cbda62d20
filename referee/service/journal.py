"""The seeds of attempts that the site has not dealt with yet, in a file: a referee that is killed takes none with it.

Whoever has been told a commitment is to see the seed behind it, also when the process that made it is gone. The next one
with the same file tells the site that those attempts came to nothing, and their seeds; and it never deals one of them again,
so that nobody gets another deck unseen by ending the process.

The file is as secret as the memory of the process. What is written outlives the process at once; nothing waits for a disk,
so a machine that loses its power may lose the last of it, or all.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import DecodeError
from phaseten.v1 import referee_pb2 as pb

from referee.service.log import EventLog, Sparing
from referee.service.order import Attempt, encode_attempt

PATIENCE_SECONDS: Final = 5.0  # for a process that is about to end, and has the file still
COMPLAINT_SECONDS: Final = 60.0  # between two lines about a file that cannot be written
LAST_WORDS: Final = "its referee ended before the site had its record"

_VERSION: Final = 1
_TABLES: Final = f"""
create table owner (referee text not null);
create table attempts (match blob, number integer, planned integer not null, text text not null,
    primary key (match, number)) without rowid;
create table games (match blob, number integer, place integer, told blob not null,
    primary key (match, number, place)) without rowid;
pragma user_version = {_VERSION}
"""

log = EventLog(__name__)


class CannotKeep(Exception):
    """A file that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """An attempt of an earlier process that the site has not dealt with, and all its games that were announced."""

    attempt: Attempt
    text: str
    planned: bool
    games: tuple[pb.VoidGame, ...]


class Journal:
    """The file, or none: then nothing outlives the process. A file has one process at a time, and one referee for ever."""

    __slots__ = ("_complaints", "_file")

    def __init__(self, path: Path | None = None, referee: str = "") -> None:
        """Raises CannotKeep."""
        self._file: sqlite3.Connection | None = None
        self._complaints = _seldom()
        if path is None:
            return
        with _told_of(path):
            try:
                self._file = _opened(path, referee)
            except sqlite3.DatabaseError as problem:
                if not _is_broken(path, problem):
                    raise
                log.bug("the journal is broken, and was set aside", problem, file=_set_aside(path))
                self._file = _opened(path, referee)

    def leftovers(self) -> tuple[Leftover, ...]:
        """What is written down: when the file was just opened, what earlier processes left. Older attempts come first."""
        return () if self._file is None else _leftovers(self._file)

    def keep(self, attempt: Attempt, place: int, game: pb.VoidGame) -> None:
        """Write down what makes the cards of game number `place` of an attempt, as far as it is known."""
        told = game.SerializeToString()
        self._do("insert or replace into games values (?, ?, ?, ?)", (attempt.match.bytes, attempt.number, place, told))

    def void(self, attempt: Attempt, text: str, *, planned: bool) -> None:
        """Write down why an attempt came to nothing."""
        values = (attempt.match.bytes, attempt.number, planned, text)
        self._do("insert or replace into attempts values (?, ?, ?, ?)", values)

    def forget(self, attempt: Attempt) -> None:
        """The site knows everything about the attempt."""
        values = (attempt.match.bytes, attempt.number)
        self._do("delete from games where match = ? and number = ?", values)
        self._do("delete from attempts where match = ? and number = ?", values)

    def close(self) -> None:
        """Let go of the file. What is written down from now on is lost."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _do(self, statement: str, values: tuple[Any, ...]) -> None:
        """A full disk must not end games that are running: they go on as if there were no file, and the log says so."""
        if self._file is None:
            return
        try:
            self._file.execute(statement, values)
        except sqlite3.Error as error:
            problem = error
            self._complaints.tell(lambda event, **fields: log.bug(event, problem, **fields), "the journal cannot be written")


def _seldom() -> Sparing:
    last = -COMPLAINT_SECONDS

    def allowed(now: float) -> bool:
        nonlocal last
        if now - last < COMPLAINT_SECONDS:
            return False
        last = now
        return True

    return Sparing(allowed)


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """Raises CannotKeep for whatever is wrong with the file."""
    try:
        yield
    except OSError as problem:
        raise CannotKeep(f"the journal {path} cannot be used: {problem.strerror}") from problem
    except sqlite3.Error as problem:
        why = "another process uses it" if _code(problem) == sqlite3.SQLITE_BUSY else str(problem)
        raise CannotKeep(f"the journal {path} cannot be used: {why}") from problem


def _code(problem: sqlite3.Error) -> int:
    """The primary result code, 0 if SQLite itself was not asked."""
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF


def _is_broken(path: Path, problem: sqlite3.DatabaseError) -> bool:
    """Whether this was a journal, as far as can be told. After a loss of power a file may hold nothing but zeros."""
    if _code(problem) == sqlite3.SQLITE_NOTADB:
        with path.open("rb") as file:
            return not any(file.read(16))
    return _code(problem) == sqlite3.SQLITE_CORRUPT


def _opened(path: Path, referee: str) -> sqlite3.Connection:
    # SQLite would let everybody read a new file. One that is there is not opened here: to close it would end its locks.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    file = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
    try:
        _set_up(file, path, referee)
        _leftovers(file)  # so that rows that make no sense are found while something can be done about it
    except BaseException:
        file.close()
        raise
    return file


def _set_up(file: sqlite3.Connection, path: Path, referee: str) -> None:
    """Nothing is changed before it is known whose file it is."""
    file.execute("pragma locking_mode = exclusive")
    (version,), (tables,) = (
        file.execute(question).fetchone() for question in ("pragma user_version", "select count(*) from sqlite_master")
    )
    if version == 0 and tables == 0:
        _furnish(file, referee)
    elif version != _VERSION:
        raise CannotKeep(f"the journal {path} is none, or was written by another release of phaseten: name another file")
    (owner,) = file.execute("select referee from owner").fetchone() or (None,)
    if owner is None:
        raise _Broken("it belongs to nobody")
    if owner != referee:
        raise CannotKeep(f"the journal {path} is that of referee {owner!r}: each has a file of its own")
    path.chmod(0o600)
    (mode,) = file.execute("pragma journal_mode = wal").fetchone()
    if mode != "wal":  # every write would wait for the disk
        raise CannotKeep(f"the journal {path} cannot be used: its file system allows no write-ahead log")
    file.execute("pragma synchronous = off")


def _furnish(file: sqlite3.Connection, referee: str) -> None:
    file.execute("begin")
    for statement in _TABLES.split(";"):
        file.execute(statement)
    file.execute("insert into owner values (?)", (referee,))
    file.execute("commit")


def _set_aside(path: Path) -> Path:
    """Rename the file and those beside it; returns its new name."""
    aside = path.with_name(f"{path.name}.broken-{int(time.time())}")
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


def _leftovers(file: sqlite3.Connection) -> tuple[Leftover, ...]:
    """Raises sqlite3.DatabaseError for rows that make no sense."""
    games: dict[Attempt, list[pb.VoidGame]] = {}
    said: dict[Attempt, tuple[str, bool]] = {}
    try:
        for match, number, told in file.execute("select match, number, told from games order by match, number, place"):
            games.setdefault(Attempt(UUID(bytes=match), number), []).append(pb.VoidGame.FromString(told))
        for match, number, text, planned in file.execute("select match, number, text, planned from attempts"):
            said[Attempt(UUID(bytes=match), number)] = (text, bool(planned))
        left = [
            Leftover(attempt, *said.get(attempt, (LAST_WORDS, False)), tuple(games.get(attempt, ())))
            for attempt in sorted(games.keys() | said.keys())
        ]
        for one in left:  # whether they can be told
            pb.AttemptVoid(attempt=encode_attempt(one.attempt), text=one.text)
    except (ValueError, TypeError, DecodeError) as problem:
        raise _Broken(str(problem)) from problem
    return tuple(left)


class _Broken(sqlite3.DatabaseError):
    """Rows that nobody here has written."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT
