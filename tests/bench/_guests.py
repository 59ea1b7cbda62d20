"""Idle bots of the idle bench: many sessions of one process, over hand-written HTTP/2. Thousands can afford nothing else.

Standard input holds the port and the tickets in its first line. It is answered with an empty line; the second one too, when
all sessions are open; those after it with how many pings each session has answered, those left out that have ended.
"""

import asyncio
import json
import sys
from typing import Any

import uvloop
from phaseten.v1 import bot_pb2 as pb

from tests.faults.http2 import dialled
from tests.faults.players import Player

AT_ONCE = 50  # that are under way to their welcome


class Guest(Player):
    """Counts the pings that it answered."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = 0

    def react(self, message: pb.RefereeMessage) -> list[pb.BotMessage]:
        self.answered += message.WhichOneof("kind") == "ping"
        return super().react(message)

    @property
    def alive(self) -> bool:
        """Whether nobody has ended its connection or its stream."""
        return not self.closed and self.stream not in self.trailers


async def enter(port: int, tickets: list[str]) -> list[Guest]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(ticket: str) -> Guest:
        async with gate:
            guest = await dialled(port, Guest)
            await guest.enter(ticket)
            return guest

    return list(await asyncio.gather(*map(one, tickets)))


async def stay(given: dict[str, Any]) -> None:
    loop = asyncio.get_running_loop()
    if not await loop.run_in_executor(None, sys.stdin.readline):
        return
    guests = await enter(given["port"], given["tickets"])
    print(flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps([guest.answered for guest in guests if guest.alive]), flush=True)


if __name__ == "__main__":
    GIVEN = json.loads(sys.stdin.readline())
    print(flush=True)
    uvloop.run(stay(GIVEN))
