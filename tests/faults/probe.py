"""Two honest bots in a process of their own, and how long the referee keeps them waiting.

Standard input holds the referee's port and two tickets. The bots play whatever they are asked; for each game that is over a
line is printed with all waits: from every answer to the next question, of either bot, or to the end of the game. Each is a
pair of times, in seconds of the monotonic clock, which all processes of a machine share.
"""

import asyncio
import contextlib
import json
import os
import sys
import time

import uvloop
from phaseten.v1 import bot_pb2 as pb

from tests.faults.players import Player

PRECEDENCE = -5  # as the referee has it, so that a busy machine is not mistaken for a busy referee


class Bot(Player):
    """One of the two. `answered` holds, by game, when it was last answered, and `waits` what was waited for so far."""

    answered: dict[bytes, float] = {}
    waits: dict[bytes, list[tuple[float, float]]] = {}

    def __init__(self) -> None:
        super().__init__()
        self._games: dict[int, bytes] = {}

    def share(self, invite: pb.Invite) -> list[pb.BotMessage]:
        self._games[invite.game] = invite.game_id
        return super().share(invite)

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        game = self._games[question.game]
        self._note(game)
        answers = super().answer(question)
        self.answered[game] = time.monotonic()
        return answers

    def over(self, game: pb.GameOver) -> None:
        game_id = self._games.pop(game.game)
        self._note(game_id)
        if (waits := self.waits.pop(game_id, None)) is not None:
            print(json.dumps(waits), flush=True)

    def _note(self, game: bytes) -> None:
        if (since := self.answered.pop(game, None)) is not None:
            self.waits.setdefault(game, []).append((since, time.monotonic()))


async def play(port: int, tickets: list[str]) -> None:
    bots = []
    for ticket in tickets:
        bot = await Bot.open(port)
        await bot.enter(ticket)
        bots.append(bot)
    print("ready", flush=True)
    await asyncio.gather(*(bot.until_closed(86_400) for bot in bots))


if __name__ == "__main__":
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, PRECEDENCE)
    GIVEN = json.loads(sys.stdin.readline())
    uvloop.run(play(GIVEN["port"], GIVEN["tickets"]))
