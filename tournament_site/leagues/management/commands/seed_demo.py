import json
import os
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournament_site.common.errors import Refused
from tournament_site.leagues import demo


class Command(BaseCommand):
    help = "Make the demo's house bots and seasons, once, and write down what its processes need."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, help="JSON, mode 600: it holds the bots' tokens")

    def handle(self, *_args: Any, **options: Any) -> None:
        out: Path = options["out"]
        try:
            made = demo.seed(_tokens(out))
        except Refused as refused:
            raise CommandError(refused.detail) from refused
        part = out.with_name(out.name + ".part")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(asdict(made), file, indent=2)
        part.replace(out)
        self.stdout.write(f"{len(made.bots)} bots, {len(made.seasons)} seasons")


def _tokens(path: Path) -> list[str]:
    """The tokens in a file of an earlier run; none if there is no such file or it is damaged."""
    try:
        return [str(bot["token"]) for bot in json.loads(path.read_text())["bots"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
