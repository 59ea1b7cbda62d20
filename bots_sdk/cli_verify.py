"""`phaseten verify`: check replays, and show the first thing in them that does not follow."""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

from bots_sdk.errors import WrongInput
from referee.verify.bundles import Found, replays_in
from referee.verify.replays import Known, verify_replay
from referee.verify.report import Report, State
from referee.wire.errors import MalformedMessage

SHA256_DIGITS = 64
COMMITMENT_DIGITS = 128
SUFFIXES = (".replay", ".binpb")

ABOUT = """\
Check replays: files of the site or of `phaseten play --out`, folders of them, or bundles of a match.

The commitment must belong to the seed, each nonce to its commitment, each shuffle and a drawn first dealer to the key that
they make; every event must follow from the rules and the moves before it, and the result from the log. A replay's SHA-256
is compared where it is known: from --sha256, from a bundle, or from a file named by it. A file named by a game's UUID must
hold that game.
"""
EPILOG = """\
The status is 0 if all is well, 1 if something differs (the first difference is shown), 2 for a file that cannot be read.

A replay proves that its cards come from the seed; that this seed was chosen before the game is proved by the commitment
that you noted then: give it with --commitment. Names, clocks and notes cannot be worked out again: only the SHA-256 vouches
for them, and for the match's UUID where its games have cards of their own.
"""
MARKS = {State.FINE: "ok", State.DIFFERS: "NO", State.UNKNOWN: "--", State.SKIPPED: ".."}


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "verify",
        help="check replays: cards, moves and results",
        description=ABOUT,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("replays", metavar="REPLAY", nargs="+", type=Path, help="replays, bundles, or folders of replays")
    parser.add_argument("--sha256", metavar="HEX", help="what the SHA-256 of the replay should be")
    parser.add_argument("--commitment", metavar="HEX", help="the commitment that was shown before the game")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each replay")
    parser.add_argument("-v", "--verbose", action="store_true", help="all checks of each replay, also of many")
    parser.set_defaults(handler=verify)


def verify(chosen: argparse.Namespace) -> int:
    given = Known(
        sha256=_digits("--sha256", chosen.sha256, SHA256_DIGITS),
        commitment=_digits("--commitment", chosen.commitment, COMMITMENT_DIGITS),
    )
    paths = list(_files(chosen.replays))
    if given != Known() and len(paths) != 1:
        raise WrongInput(f"--sha256 and --commitment speak of one replay, and here are {len(paths)} files")
    run = _Run(as_json=chosen.json, brief=len(paths) > 1 and not chosen.verbose)
    for path in paths:
        run.file(path, given)
    return run.end()


def _digits(option: str, text: str | None, digits: int) -> bytes | None:
    if text is None:
        return None
    if not re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", text):
        raise WrongInput(f"{option} takes {digits} hexadecimal digits, not {text!r}")
    return bytes.fromhex(text)


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(entry for entry in path.rglob("*") if entry.suffix in SUFFIXES)
        if not found:
            raise WrongInput(f"{path} holds no replays ({', '.join('*' + suffix for suffix in SUFFIXES)})")
        yield from found


def _named(path: Path, known: Known) -> Known:
    """What a file's name says of its content."""
    stem = path.name.split(".")[0]
    if known.sha256 is None and re.fullmatch(f"[0-9a-f]{{{SHA256_DIGITS}}}", stem):
        return replace(known, sha256=bytes.fromhex(stem))
    if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", stem):
        return replace(known, game_id=UUID(stem))
    return known


class _Run:
    """Replays being checked: what is counted, and what is told of them."""

    def __init__(self, *, as_json: bool, brief: bool) -> None:
        self._json = as_json
        self._brief = brief
        self._fine = self._differ = self._problems = 0

    def file(self, path: Path, given: Known) -> None:
        try:
            found = replays_in(path.read_bytes(), _named(path, given))
        except OSError as error:
            self._tell(path, Report("", {}, problem=f"cannot be read: {error.strerror}"))
        except MalformedMessage as problem:
            self._tell(path, Report("", {}, problem=str(problem)))
        else:
            if given.sha256 is not None and found[0].name:
                raise WrongInput(f"{path} is a bundle: it says itself what the SHA-256 of its games are")
            for each in found:
                self._replay(path, each)

    def _replay(self, path: Path, found: Found) -> None:
        self._tell(path, verify_replay(found.data, found.known), found.name)

    def _tell(self, path: Path, report: Report, game: str = "") -> None:
        name = f"{path} ({game})" if game else str(path)
        self._problems += report.verdict == "unreadable"
        self._differ += report.verdict == "differs"
        self._fine += report.verdict == "fine"
        if self._json:
            print(json.dumps({"file": str(path), "part": game, **report.plain()}))
        elif report.problem:
            print(f"phaseten: {name}: {report.problem}", file=sys.stderr)
        elif self._brief and report.difference is None:
            print(f"{name}: fine")
        else:
            print("\n".join(_lines(name, report)))

    def end(self) -> int:
        """Count up; the process's status."""
        if self._fine + self._differ > 1 and not self._json:
            print(f"{self._fine} fine, {self._differ} not")
        return 2 if self._problems else int(self._differ > 0)


def _lines(name: str, report: Report) -> Iterator[str]:
    game = report.game
    yield f"{name}: {'fine' if report.difference is None else 'NOT what follows from its own seed, rules and moves'}"
    shared = ", cards shared by the match" if game["mirrored"] else ""
    yield f"  game {game['game_id']}: number {game['index']} of match {game['match_id']}, attempt {game['attempt']}{shared}"
    for outcome in report.outcomes:
        yield f"  {MARKS[outcome.state]}  {outcome.check.value:<13} {outcome.text or outcome.state.value}".rstrip()
    if report.difference is not None:
        yield f"  the replay says  {report.difference.says}"
        yield f"  what follows is  {report.difference.follows}"
