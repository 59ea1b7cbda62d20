"""`phaseten-site`: Django's commands and ours, the web server and the collector."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from itertools import takewhile

from tournament_site.settings import announce, require

# These need neither servers nor secrets.
_WITHOUT_SETTINGS = frozenset({"check", "help", "make_ticket_key", "makemigrations", "--version", "version"})
_HELP = frozenset({"--help", "-h"})
# The commands that Django does not know, and what they do.
_OURS = {
    "serve": "The web server.",
    "collect": "The collector: brings finished matches home from the referees.",
}
_USAGE = """\
usage: phaseten-site COMMAND

  serve     the web server
  collect   the collector: brings finished matches home from the referees

and the commands that follow.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. Wrong settings end it with 2 before it does anything but explain itself."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["help"]
    announce()
    if words[0] == "help" and len(words) == 2 and words[1] in _OURS:
        words = [words[1], "--help"]
    command = words[0]
    if command in _OURS:
        _parser(command).parse_args(words[1:])
    if command not in _WITHOUT_SETTINGS and not _asks_for_help(words):
        require()
    if command == "serve":
        return _serve()
    if command == "collect":
        return _collect()
    if command in {"help", *_HELP} and len(words) == 1:
        sys.stdout.write(_USAGE)
    from django.core.management import execute_from_command_line  # not before the settings are known to be right

    execute_from_command_line(["phaseten-site", *words])
    return 0


def _parser(command: str) -> ArgumentParser:
    """What reads the words behind a command of ours: a wish for help, and nothing else."""
    return ArgumentParser(
        prog=f"phaseten-site {command}",
        description=f"{_OURS[command]} It runs until it is told to stop; its settings are in the environment.",
    )


def _asks_for_help(words: Sequence[str]) -> bool:
    """Whether a command is only to say what it does. What stands behind `--` is not for the command itself."""
    return any(word in _HELP for word in takewhile(lambda word: word != "--", words))


def _serve() -> int:
    from tournament_site.serving import serve  # the web server is nothing for the other commands

    return 0 if serve(require().bind) else 1


def _collect() -> int:
    import django

    django.setup()
    collector = import_module("tournament_site.collector")  # it needs Django to be set up
    return int(collector.main() or 0)


if __name__ == "__main__":
    raise SystemExit(main())
