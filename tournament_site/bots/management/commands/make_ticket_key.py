import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournament_site.bots.keys import BadKey, TicketKey


class Command(BaseCommand):
    help = "Make the key that signs tickets, if the file is not there, and write its public half for the referees."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("private", type=Path, help="kept by the site, mode 600")
        parser.add_argument("public", type=Path, help="given to the referees")

    def handle(self, *_args: Any, **options: Any) -> None:
        private: Path = options["private"]
        try:
            key = TicketKey.parse(private.read_bytes()) if private.exists() else self._make(private)
        except BadKey as error:
            raise CommandError(f"{private} {error}") from error
        options["public"].write_bytes(key.public_pem())
        self.stdout.write(f"key {key.kid()}: {private} and {options['public']}")

    def _make(self, path: Path) -> TicketKey:
        key = TicketKey.new()
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key.pem)
        return key
