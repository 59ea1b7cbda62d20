from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from tournament_site.matches import queries
from tournament_site.matches.export import export_replays
from tournament_site.matches.models import Match


class Command(BaseCommand):
    help = "Write the replays of all finished games into a folder, those that are not there yet."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        paths = export_replays(queries.finished_games(Match.objects.all()), options["folder"])
        self.stdout.write(f"{len(paths)} replays in {options['folder']}")
