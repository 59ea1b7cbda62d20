from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournament_site.ratings.rebuild import rebuild


class Command(BaseCommand):
    help = "Recompute all ratings from the stored results and compare them with the ledger, bit for bit."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--write", action="store_true", help="store what came out, where it differs")

    def handle(self, *_args: Any, **options: Any) -> None:
        differences = rebuild(write=options["write"])
        for found in differences:
            where = f"line {found.number}" if found.number else "rating"
            self.stdout.write(
                f"{found.scale} {where}, version {found.version}: stored {found.stored!r}, is {found.recomputed!r}"
            )
        if differences and not options["write"]:
            raise CommandError(f"{len(differences)} values differ from what the results say.")
        self.stdout.write(f"{len(differences)} values put right." if differences else "Ratings follow from the results.")
