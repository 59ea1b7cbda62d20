"""The seeds of attempts that the site has not dealt with yet, in a file: a referee that is killed takes none with it.

Whoever has been told a commitment is to see the seed behind it, also when the process that made it is gone. The next one
with the same file tells the site that those attempts came to nothing, and their seeds; and it never deals one of them again,
so that nobody gets another deck by ending the process.

The file is as secret as the memory of the process. What is written outlives the process at once; a machine that loses its
power may lose the last of it.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from phaseten.v1 import referee_pb2 as pb

from referee.service.log import EventLog
from referee.service.order import Attempt

PATIENCE_SECONDS: Final = 5.0  # for a process that is about to end, and has the file still
LAST_WORDS: Final = "its referee ended before the site had its record"

_TABLES: Final = """
create table if not exists attempts (
    match blob, number integer, planned integer not null, text text not null, primary key (match, number)
) without rowid;
create table if not exists games (
    match blob, number integer, place integer, told blob not null, primary key (match, number, place)
) without rowid;
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
    """The file, or none: then nothing outlives the process. A file has one process at a time."""

    __slots__ = ("_file",)

    def __init__(self, path: Path | None = None) -> None:
        """Raises CannotKeep."""
        self._file: sqlite3.Connection | None = None
        if path is None:
            return
        try:
            self._file = _opened(path)
        except (OSError, sqlite3.Error) as problem:
            raise CannotKeep(f"the journal {path} cannot be used: {_why(problem)}") from problem

    def leftovers(self) -> tuple[Leftover, ...]:
        """What earlier processes left behind, by match and attempt."""
        if self._file is None:
            return ()
        games: dict[Attempt, list[pb.VoidGame]] = {}
        for match, number, told in self._file.execute("select match, number, told from games order by match, number, place"):
            games.setdefault(Attempt(UUID(bytes=match), number), []).append(pb.VoidGame.FromString(told))
        said = {
            Attempt(UUID(bytes=match), number): (text, bool(planned))
            for match, number, text, planned in self._file.execute("select match, number, text, planned from attempts")
        }
        return tuple(
            Leftover(attempt, *said.get(attempt, (LAST_WORDS, False)), tuple(games.get(attempt, ())))
            for attempt in sorted(games.keys() | said.keys())
        )

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
        except sqlite3.Error as problem:
            log.bug("the journal cannot be written", problem, match=UUID(bytes=values[0]), attempt=values[1])


def _opened(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # sqlite would let everybody read it
    file = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
    with _closed_on_error(file):
        file.execute("pragma locking_mode = exclusive")
        file.execute("pragma journal_mode = wal")
        file.execute("pragma synchronous = normal")  # a write waits for no disk
        file.executescript(_TABLES)
    return file


@contextmanager
def _closed_on_error(file: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        file.close()
        raise


def _why(problem: OSError | sqlite3.Error) -> str:
    if isinstance(problem, OSError):
        return problem.strerror or str(problem)
    if problem.sqlite_errorcode == sqlite3.SQLITE_BUSY:
        return "another process uses it"
    return str(problem)
