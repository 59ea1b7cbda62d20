"""Bots of the wire bench: SDK sessions of one process. Standard input holds the referee's address and the bots' tickets."""

import asyncio
import json
import sys
from copy import copy
from functools import partial
from typing import Any

from bots_sdk import bot as bots
from bots_sdk.house_bots.blind import BlindBot
from bots_sdk.settings import prepare_grpc
from bots_sdk.stopping import run_until_stopped
from bots_sdk.tickets import RefereeAddress, Ticket


async def play(given: dict[str, Any]) -> None:
    from bots_sdk.client import Client  # it imports gRPC, which has to be prepared

    address = RefereeAddress("bench", given["target"], tls=False)
    make = bots.maker(BlindBot)
    tickets = [Ticket(text, given["capacity"], (address,)) for text in given["tickets"]]
    clients = [Client(make, partial(copy, ticket), given["capacity"]) for ticket in tickets]
    await asyncio.gather(*(client.run() for client in clients))


if __name__ == "__main__":
    prepare_grpc()  # as our programs do
    GIVEN = json.load(sys.stdin)
    run_until_stopped(lambda: play(GIVEN))
