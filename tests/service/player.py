"""Raw bots that play on by themselves: simple moves, taken from the question alone."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from referee.engine.default_move import default_play
from referee.wire.moves import encode_play
from referee.wire.view import decode_view
from tests.service.client import RawBot

Reply = Callable[[RawBot, pb.Question], Awaitable[None]]


def dull_move(question: pb.Question) -> dict[str, Any]:
    """Draw from the pile; lay nothing and throw the dearest card."""
    if question.view.table.stage == game_pb2.STAGE_DRAW:
        return {"draw": game_pb2.Draw()}
    view = decode_view(question.view)
    seats = len(view.table.seats)
    order = [(view.seat + step) % seats for step in range(1, seats)]
    targets = [seat for seat in order if view.table.seats[seat].may_be_skipped]
    return {"play": encode_play(default_play(view.hand, targets))}  # type: ignore[arg-type]  # plain ints are seats here


async def dull(bot: RawBot, question: pb.Question) -> None:
    await bot.answer(question.game, question.id, **dull_move(question))


async def play_on(bot: RawBot, games: int = 1, reply: Reply = dull) -> list[pb.GameOver]:
    """Answer every question until so many games are over."""
    over: list[pb.GameOver] = []
    while len(over) < games:
        message = await bot.hear("question", "resync", "game_over", "ping")
        match message.WhichOneof("kind"):
            case "question":
                await reply(bot, message.question)
            case "resync":
                for game in message.resync.games:
                    if game.HasField("question"):
                        await reply(bot, game.question)
            case "ping":
                await bot.send(pb.BotMessage(pong=pb.Pong(id=message.ping.id)))
            case _:
                over.append(message.game_over)
    return over


async def play_all(*bots: RawBot, games: int = 1) -> list[list[pb.GameOver]]:
    return list(await asyncio.gather(*(play_on(bot, games) for bot in bots)))


async def play_until_closed(bot: RawBot) -> None:
    """Answer every question until the stream ends."""
    try:
        await play_on(bot, 10**9)
    except (EOFError, grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the last: it ended while an answer was written
        return
