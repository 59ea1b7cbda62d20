#!/usr/bin/env python3
"""The project's one command: plays the demo, tests, checks, measures. Needs Python 3.11, pip and venv only."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

if sys.version_info < (3, 11):  # noqa: UP036 - said before anything newer is read
    sys.exit("phaseten needs Python 3.11 or later; this is %d.%d" % sys.version_info[:2])  # noqa: UP031 - as above

from deploy.local.console import Console
from deploy.local.environment import Wanted, ensure, python_of
from deploy.local.errors import LocalError
from deploy.local.settings import Settings

ROOT = Path(__file__).resolve().parent
REQUIREMENTS = ROOT / "requirements"
VENV = ROOT / ".venv"
INTERRUPTED = 130
# The whole suite, by two processes: many tests wait for something most of the time. See tests/workers.py.
SIDE_BY_SIDE = ["-n", "2", "--dist", "loadscope", "--no-loadscope-reorder"]

EPILOG = """\
start here:
  python3 dev.py demo            the whole house on this machine: referee, site, workers, six bots, three seasons
  python3 dev.py demo --once     the same, until the seasons are played; prints tables and stops
  python3 dev.py manage COMMAND  a command of the site in a demo that runs: `createsuperuser` makes its administrator
  python3 dev.py test            the whole test suite, with PostgreSQL and Valkey of its own
  python3 dev.py nightly         the tests that repeat, with the numbers that a night has time for
  python3 dev.py check           format, lint, types, import contracts, schema, migrations, locks

The first run makes .venv from the locks in requirements/ and takes a minute; the next ones take no time for it.
"""


def main(arguments: list[str]) -> int:
    started = time.time()
    inside = arguments[:1] == ["--started"] and Path(sys.prefix).resolve() == VENV.resolve()
    if inside:
        started, arguments = float(arguments[1]), arguments[2:]
    parser = _parser()
    if not arguments:
        parser.print_help()
        return 0
    # Whatever follows `test` is pytest's; argparse would want to understand its flags.
    split = 1 if arguments[0] in {"test", "nightly"} else len(arguments)
    options = parser.parse_args(arguments[:split])
    try:
        if options.command == "proto":
            return subprocess.call([sys.executable, str(ROOT / "proto" / "generate.py")])
        if options.command == "lock":
            return _lock(upgrade=options.upgrade)
        if not inside:
            _enter(options.command, started, arguments)
        return _run(options, started, arguments[split:])
    except LocalError as error:
        sys.stderr.write(f"dev.py: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\ndev.py: interrupted\n")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev.py", description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="play seasons on this machine; Ctrl-C stops everything in order")
    demo.add_argument("--once", action="store_true", help="stop when the seasons are finished")
    demo.add_argument("--json", type=Path, metavar="FILE", help="write the outcome of the finished seasons")
    demo.add_argument(
        "--state", type=Path, default=ROOT / ".phaseten", metavar="DIR", help="keep everything here (.phaseten)"
    )
    demo.add_argument("--port", type=_port, default=8000, metavar="N", help="the site's port, if it is free (8000)")
    demo.add_argument("--referees", type=_referees, default=1, metavar="N", help="how many referees play (1)")
    demo.add_argument("-v", "--verbose", action="store_true", help="show what the services print")
    manage = commands.add_parser("manage", help="a command of the site in a demo that runs, such as `createsuperuser`")
    manage.add_argument("--state", type=Path, default=ROOT / ".phaseten", metavar="DIR", help="that of the demo (.phaseten)")
    manage.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="and its arguments; none: all of them")
    commands.add_parser("test", help="run pytest; everything after `test` is for it", add_help=False)
    commands.add_parser(
        "nightly", help="the tests that repeat, as often as a night allows; takes pytest's arguments", add_help=False
    )
    commands.add_parser("check", help="everything a tool can check without running the tests")
    bench = commands.add_parser("bench", help="measure; prints `name value unit` lines")
    bench.add_argument("names", nargs="*", metavar="NAME", help="which ones (all): the files of tests/bench")
    bench.add_argument("--pure", action="store_true", help="the Python files as they are, also where they can be compiled")
    bench.add_argument("--json", type=Path, metavar="FILE", help="write the figures as one flat object")
    commands.add_parser("proto", help="write proto/gen from the schema")
    lock = commands.add_parser("lock", help="write requirements/*.lock from the .in files (maintainers; needs uv)")
    lock.add_argument("--upgrade", action="store_true", help="take newer versions where the .in files allow them")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 1 to 65535")
    return int(text)


def _referees(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 10:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of referees: 1 to 9")
    return int(text)


def _enter(command: str, started: float, arguments: list[str]) -> NoReturn:
    """Bring .venv up to date and become its Python, which runs this file again."""
    settings = Settings.from_env()
    ensure(Wanted(VENV, _locks(command, settings), ROOT), Console(no_color=settings.no_color))
    python = str(python_of(VENV))
    sys.stdout.flush()
    os.execv(python, [python, str(ROOT / "dev.py"), "--started", str(started), *arguments])  # noqa: S606 - no shell


def _locks(command: str, settings: Settings) -> tuple[Path, ...]:
    if command in {"demo", "manage"}:
        return (REQUIREMENTS / "server.lock",)
    locks: tuple[Path, ...] = (REQUIREMENTS / "dev.lock",)
    if command == "check" or settings.require_browser or _browser(settings):
        locks += (REQUIREMENTS / "e2e.lock",)  # the types of the browser driver are checked too
    return locks


def _browser(settings: Settings) -> str | None:
    if settings.chromium:
        return settings.chromium
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def _run(options: argparse.Namespace, started: float, rest: list[str]) -> int:
    """The command itself, in the environment: third-party packages may be imported from here on."""
    if options.command == "demo":
        from deploy.local import demo

        return demo.run(
            demo.Options(
                state=options.state.absolute(),
                site_port=options.port,
                once=options.once,
                json=options.json,
                verbose=options.verbose,
                started=started,
                referees=options.referees,
            )
        )
    if options.command == "manage":
        from deploy.local import manage

        manage.run(options.state.absolute(), options.words)
    os.chdir(ROOT)
    if options.command == "test":
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *(rest or _whole_suite())])  # noqa: S606 - no shell
    if options.command == "nightly":
        nightly = [sys.executable, "-m", "pytest", "--nightly", "-m", "nightly", *rest]
        os.execv(sys.executable, nightly)  # noqa: S606 - no shell
    if options.command == "bench":
        return _bench(options)
    from deploy.local import checks

    return checks.run()


def _bench(options: argparse.Namespace) -> int:
    """Measure the compiled product where there is a C compiler, the Python files where there is none."""
    from deploy.local import benches, compiled

    if benches.refused(options.names):
        return 2
    obstacle = "" if options.pure else compiled.obstacle()
    if obstacle:
        sys.stderr.write(f"dev.py bench: measures the Python files, uncompiled: {obstacle}\n")
    if not options.pure and not obstacle:
        _bench_compiled(options)
    return benches.run(options.names, options.json)


def _bench_compiled(options: argparse.Namespace) -> NoReturn:
    from deploy.local import compiled

    folder = compiled.ensure(ROOT, Console(sys.stderr, no_color=Settings.from_env().no_color))
    again = [sys.executable, str(ROOT / "dev.py"), "--started", "0", "bench", "--pure", *options.names]
    again += [] if options.json is None else ["--json", str(options.json)]
    os.execve(sys.executable, again, compiled.environment(ROOT, folder))  # noqa: S606 - no shell


def _whole_suite() -> list[str]:
    """Arguments of pytest. A Valkey that somebody gave us is for one process at a time."""
    return [] if Settings.from_env().redis_url else SIDE_BY_SIDE


def _lock(*, upgrade: bool) -> int:
    uv = shutil.which("uv")
    if uv is None:
        raise LocalError("`lock` needs uv: pip install uv, in an environment of your own")
    options = ["--universal", "--python-version", "3.11", "--no-header", "--generate-hashes", "--quiet"]
    options += ["--upgrade"] if upgrade else []
    for wanted in sorted(REQUIREMENTS.glob("*.in")):
        files = [wanted.name, "--output-file", f"{wanted.stem}.lock"]
        done = subprocess.run([uv, "pip", "compile", *options, *files], check=False, cwd=REQUIREMENTS)
        if done.returncode != 0:
            raise LocalError(f"uv cannot lock {wanted.name}")
        print(f"wrote requirements/{wanted.stem}.lock")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
