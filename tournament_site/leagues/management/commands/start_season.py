from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournament_site.common.errors import Refused
from tournament_site.leagues import services


class Command(BaseCommand):
    help = "Start an open season: draw up its schedule and queue all its matches."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("season", type=int, help="its id")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            season = services.start_season(options["season"])
        except Refused as refused:
            raise CommandError(refused.detail) from refused
        self.stdout.write(f"{season} has started.")
