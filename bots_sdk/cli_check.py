"""`phaseten check`: is a bot fit to play? One in Python is tried here; any other is tried by a scripted referee."""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bots_sdk.bot import version_of
from bots_sdk.check import check_bot
from bots_sdk.conformance.report import Report
from bots_sdk.errors import WrongInput
from bots_sdk.loading import load_bot
from bots_sdk.settings import SERVER, TOKEN

ABOUT = """\
Try a bot before it plays for anything.

With --server a referee that follows a script listens on this machine: start your bot, in whatever language it is written,
and point it at the address that is printed. The script plays whole games, drops connections, tells things twice and late,
sends what a bot must ignore, and says in plain words what was wrong. Give the bot's command after `--`, and it is started,
and started again where it ended.

Without --server a bot in Python plays some games against house bots, in this process.
"""
EPILOG = f"""\
  phaseten check --server                        then start your bot with {SERVER} and {TOKEN}
  phaseten check --server -- node main.js        start it, too
  phaseten check --server --only pong -- ./bot   one scenario
  phaseten check mybot/bot.py                    a bot in Python, without a network

The status is 0 if all is well, 1 if something failed, 2 for wrong input. README.md of the SDK tells what is in the report.
"""
DEFAULT_LISTEN = "127.0.0.1:0"
HIGHEST_PORT = 65_535 - 2  # the referees take the next two


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="try a bot in any language on a scripted referee",
        description=ABOUT,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--server", action="store_true", help="be a scripted referee, for bots in any language")
    parser.add_argument(
        "--listen",
        default=DEFAULT_LISTEN,
        metavar="HOST:PORT",
        help="where the site listens; the referees take the next two ports (default: free ports of this machine)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON, too")
    parser.add_argument("--only", action="append", metavar="NAME", help="run only this scenario (may be repeated)")
    parser.add_argument("--list", action="store_true", help="show the scenarios and stop")
    parser.add_argument("--log", type=Path, metavar="FILE", help="where the started bot's output goes (default: a new file)")
    parser.add_argument("command", nargs="*", metavar="BOT", help="a bot in Python; with --server, `--` and its command")
    parser.set_defaults(handler=check)


def check(chosen: argparse.Namespace) -> int:
    if chosen.list:
        return _list()
    if chosen.server:
        return _serve(chosen)
    if len(chosen.command) != 1 or chosen.only or chosen.json:
        raise WrongInput("name one bot in Python, or use --server for a bot in any language; see `phaseten check --help`")
    return _local(chosen.command[0])


def _local(reference: str) -> int:
    bot = load_bot(reference)
    report = check_bot(bot.source, told=print)
    for warning in report.warnings:
        print(f"note: {warning}")
    for problem in report.problems:
        print(problem, file=sys.stderr)
    verdict = "passed" if report.passed else "failed"
    print(f"{bot.label} (version {version_of(bot.source)}) {verdict}: {report.games} games, {report.decisions} decisions")
    return 0 if report.passed else 1


def _list() -> int:
    from bots_sdk.conformance.scenarios import SCENARIOS

    for scenario in SCENARIOS:
        more = "" if scenario.usual else " (only if asked for)"
        print(f"{scenario.name:<22} {scenario.about}{more}")
    return 0


def _serve(chosen: argparse.Namespace) -> int:
    # What needs gRPC is loaded by those who use it.
    from bots_sdk.conformance.trial import Trial, chosen_scenarios
    from bots_sdk.stopping import run_until_stopped

    if chosen.json is not None and not (chosen.json.parent.is_dir() and not chosen.json.is_dir()):
        raise WrongInput(f"{chosen.json} cannot be written: --json takes the name of a file in a folder that exists")
    trial = Trial(
        *_address(chosen.listen),
        scenarios=chosen_scenarios(chosen.only),
        command=chosen.command,
        log=chosen.log or Path(tempfile.mkdtemp(prefix="phaseten-check-")) / "bot.log",
        told=lambda line: print(line, flush=True),
    )
    run_until_stopped(trial.run)
    if not trial.finished:
        raise KeyboardInterrupt
    if chosen.json is not None:
        _write(chosen.json, trial.report)
    return 0 if trial.report.passed else 1


def _write(path: Path, report: Report) -> None:
    try:
        path.write_text(json.dumps(report.plain(), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise WrongInput(f"{path} cannot be written: {error.strerror}") from error


def _address(text: str) -> tuple[str, int]:
    """Host and port. Raises WrongInput."""
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or port is None or parts.path or port > HIGHEST_PORT:
        raise WrongInput(
            f"--listen takes HOST:PORT, such as 127.0.0.1:8100, not {text!r} (the highest port is {HIGHEST_PORT})"
        )
    return host, port
