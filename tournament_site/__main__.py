"""`phaseten-site`: Django's commands and ours, the web server and the collector."""

import sys
from collections.abc import Sequence
from importlib import import_module

from tournament_site.settings import announce, require

# These need neither servers nor secrets.
_WITHOUT_SETTINGS = frozenset({"check", "help", "make_ticket_key", "makemigrations", "--help", "-h", "--version", "version"})
_USAGE = """\
usage: phaseten-site COMMAND

  serve     the web server
  collect   the collector: brings finished matches home from the referees

and the commands that follow.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. Wrong settings end it with 2 before it does anything."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    announce()
    command = words[0] if words else "help"
    if command not in _WITHOUT_SETTINGS:
        require()
    if command == "serve":
        return _serve()
    if command == "collect":
        return _collect()
    if command in {"help", "--help", "-h"} and len(words) < 2:
        sys.stdout.write(_USAGE)
    from django.core.management import execute_from_command_line  # not before the settings are known to be right

    execute_from_command_line(["phaseten-site", *(words or ["help"])])
    return 0


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
