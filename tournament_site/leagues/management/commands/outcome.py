import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from tournament_site.leagues import queries
from tournament_site.leagues.models import Season
from tournament_site.leagues.outcome import outcome


class Command(BaseCommand):
    help = "Print the final tables of the finished seasons, write what came out of them, export their replays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", type=Path, required=True)
        parser.add_argument("--replays", type=Path, required=True, help="folder for the replays")

    def handle(self, *_args: Any, **options: Any) -> None:
        seasons = list(queries.finished_seasons())
        for season in seasons:
            self.stdout.write(_table(season))
        found = outcome(seasons, options["replays"])
        options["json"].write_text(json.dumps(found, indent=2) + "\n")


def _table(season: Season) -> str:
    rows = queries.table(season)
    width = max([len(row.bot.name) for row in rows], default=0)
    lines = [f"{season.name}", f"  {'':>3} {'bot'.ljust(width)} {'score':>7} {'games':>5} {'wins':>4} {'Elo':>6} {'':>6}"]
    for row in rows:
        live = "" if row.live is None else f"{row.live:.0f}"
        change = "" if row.change is None else f"{row.change:+.0f}"
        lines.append(
            f"  {row.rank:>3} {row.bot.name.ljust(width)} {row.score:>7.2f} {row.games:>5} {row.wins:>4}"
            f" {live:>6} {change:>6}"
        )
    return "\n".join(lines) + "\n"
