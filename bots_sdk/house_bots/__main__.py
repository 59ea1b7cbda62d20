"""`python -m bots_sdk.house_bots KIND`: a house bot as a process of its own, as any author's bot would be."""

import argparse

from bots_sdk import run
from bots_sdk.house_bots import HOUSE_BOTS
from bots_sdk.settings import prepare_grpc

CAPACITY = 64  # they think for microseconds


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bots_sdk.house_bots",
        description="Connect a house bot. PHASETEN_SERVER is the site's address, PHASETEN_TOKEN the bot's token.",
    )
    parser.add_argument("kind", choices=list(HOUSE_BOTS), help="which bot")
    parser.add_argument("--capacity", type=int, default=CAPACITY, help=f"games at once (default {CAPACITY})")
    arguments = parser.parse_args()
    prepare_grpc()
    run(HOUSE_BOTS[arguments.kind], version=f"{arguments.kind}-1", capacity=arguments.capacity)


if __name__ == "__main__":
    main()
