from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournament_site.leagues.rebuild import rebuild


class Command(BaseCommand):
    help = "Recompute the final tables of finished seasons from results and ledger, and compare them with the stored ones."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", action="store_true", help="store what came out, where it differs")

    def handle(self, *_args: Any, **options: Any) -> None:
        differences = rebuild(write=options["write"])
        for found in differences:
            self.stdout.write(f"{found.season}, {found.bot}, {found.field}: stored {found.stored}, is {found.recomputed}")
        if differences and not options["write"]:
            raise CommandError(f"{len(differences)} values differ from what results and ledger say.")
        self.stdout.write(f"{len(differences)} values put right." if differences else "Tables follow from the results.")
