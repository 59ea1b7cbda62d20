"""`phaseten-site audit`: prove that nothing was lost, counted twice or stored wrong."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournament_site.leagues import audit


class Command(BaseCommand):
    help = "Checks every stored result against its replay, the ledger against the results, and the states of matches."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--settled", action="store_true", help="all work should be done: nothing may be waiting")

    def handle(self, *_: Any, **options: Any) -> None:
        found = 0
        for problem in audit.problems(settled=options["settled"]):
            self.stdout.write(problem)
            found += 1
        if found:
            raise CommandError(f"{found} problems found")
        self.stdout.write("nothing is lost, counted twice or stored wrong")
