"""Fills a site's database with seasons of real games, and prints what was made as JSON.

    python -m tests.e2e.make_season [--empty]

Runs in a process of its own, with the site's settings in the environment.
"""

import json
import sys

import django

from tournament_site.settings import announce


def main() -> None:
    announce()
    django.setup()
    from tests.e2e import seasons  # models can be imported only once Django is set up

    made = {"users": sorted(seasons.people())} if "--empty" in sys.argv else seasons.everything()
    sys.stdout.write(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()
