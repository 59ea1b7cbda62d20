"""`phaseten case`: settle a question about the rules with a case file, or make one out of a replay."""

import argparse
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bots_sdk.errors import WrongInput
from referee.cases.choosing import preset
from referee.cases.errors import CaseError
from referee.cases.export import case_at_event, case_at_move
from referee.cases.reading import read_cases
from referee.cases.running import Verdict, case_verdicts, failure_text
from referee.engine.errors import CorruptLog
from referee.engine.ruleset import Ruleset
from referee.wire.errors import MalformedMessage
from referee.wire.replay import decode_replay

EXAMPLE = """\
A case is a position, some moves, and what the rules say about them:

  title = "Half a phase"

  [[case]]
  id = "Q1"
  title = "May I lay one set now and the other one later?"
  position = { hands = { A = "R7 B7 G7 R10 B10 G10 Y1 Y2 Y3 Y4 Y5" }, drawn = "Y5" }
  rules = "official"
  steps = [{ lay = "R7 B7 G7", discard = "Y1", reject = "WRONG_MELD_COUNT" }]

referee/cases/README.md tells all of the format.
"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "case",
        help="settle a question about the rules",
        description="Run case files: positions, moves, and what the rules say of them. Or make such a file out of a replay.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help="case files, or folders of them (*.toml)")
    parser.add_argument("--rules", metavar="NAME", help="run the cases under this published rule set only")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every case, not only those that fail")
    parser.add_argument("--from", dest="replay", metavar="REPLAY", type=Path, help="print a case made out of this replay")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--game-move", type=int, metavar="N", help="with --from: the game's move number N, from 1")
    which.add_argument("--event", type=int, metavar="N", help="with --from: the move beside number N on the game's page")
    parser.set_defaults(handler=case)


def case(chosen: argparse.Namespace) -> int:
    if chosen.replay is not None:
        return _export(chosen)
    if chosen.game_move is not None or chosen.event is not None:
        raise WrongInput("--game-move and --event choose a move of a replay: give the replay with --from REPLAY")
    if not chosen.files:
        raise WrongInput("which cases? Give a file, or a folder of them; `phaseten case --help` shows one")
    return _Run(_only(chosen.rules), chosen.verbose).files(chosen.files)


def _only(name: str | None) -> Ruleset | None:
    try:
        return None if name is None else preset(name)
    except CaseError as problem:
        raise WrongInput(str(problem)) from problem


class _Run:
    """Cases being run: what is counted, and what is told of them."""

    def __init__(self, only: Ruleset | None, verbose: bool) -> None:
        self._only = only
        self._verbose = verbose
        self._passed = self._failed = self._problems = 0

    def files(self, paths: list[Path]) -> int:
        for path in _case_files(paths):
            try:
                self._file(path)
            except CaseError as problem:
                self._tell_problem(problem)
        print(f"{self._passed} passed, {self._failed} failed")
        return 2 if self._problems else int(self._failed > 0)

    def _file(self, path: Path) -> None:
        found = read_cases(_read(path), str(path))
        for one in found.cases:
            try:
                for verdict in case_verdicts(found.name, one, self._only):
                    self._tell(verdict)
            except CaseError as problem:
                self._tell_problem(problem)

    def _tell(self, verdict: Verdict) -> None:
        if verdict.failure is not None:
            self._failed += 1
            print(f"FAILED {_name(verdict)}")
            print(textwrap.indent(failure_text(verdict.failure), "  ") + "\n")
            return
        self._passed += 1
        if self._verbose:
            print(f"passed {_name(verdict)}")

    def _tell_problem(self, problem: CaseError) -> None:
        self._problems += 1
        print(f"phaseten: {problem}", file=sys.stderr)


def _name(verdict: Verdict) -> str:
    changed = f" with {verdict.options}" if verdict.options else ""
    number = f" (outcome {verdict.outcome})" if len(verdict.case.outcomes) > 1 else ""
    return f"{verdict.file}: {verdict.case.id} under {verdict.ruleset}{changed}{number}: {verdict.case.title}"


def _case_files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.rglob("*.toml"))
        if not found:
            raise WrongInput(f"{path} holds no case files (*.toml)")
        yield from found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CaseError(f"cannot be read: {error.strerror}", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise CaseError("is not UTF-8 text; a case file is TOML", file=str(path)) from error


def _export(chosen: argparse.Namespace) -> int:
    if chosen.files or chosen.rules:
        raise WrongInput("--from prints a case; to run it, write it to a file and name that without --from")
    if chosen.game_move is None and chosen.event is None:
        raise WrongInput("which move of the replay? Give --game-move N, or --event N as on the game's page")
    try:
        record = decode_replay(chosen.replay.read_bytes())
        if chosen.event is not None:
            print(case_at_event(record, chosen.event), end="")
        else:
            print(case_at_move(record, chosen.game_move), end="")
    except OSError as error:
        raise WrongInput(f"{chosen.replay} cannot be read: {error.strerror}") from error
    except (MalformedMessage, CorruptLog, CaseError) as problem:
        raise WrongInput(f"{chosen.replay}: {problem}") from problem
    return 0
