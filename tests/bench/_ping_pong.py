"""The yardstick of the wire bench: questions and answers as plain grpc.aio messages, one to a frame, on 64 streams.

`server` prints its port and serves until it is killed. `client PORT CONNECTIONS QUESTION ANSWER WARM_UP SECONDS` measures:
it wants the number of connections over which the streams are spread and the sizes of the messages in bytes, and prints
round trips and seconds.
"""

import asyncio
import contextlib
import sys
import time
from typing import Any

import grpc
import uvloop
from phaseten.v1 import bot_pb2 as pb

STREAMS = 64
METHOD = "/bench.PingPong/Play"


def padded(message: Any, filler: Any, size: int) -> Any:
    """The message, filled up to about this size."""
    filler(message, "x" * max(0, size - message.ByteSize() - 4))
    return message


def question(size: int) -> pb.Question:
    message = pb.Question(game=1, id=1000, bank_ms=60000, limit_ms=10000, round_trip_ms=3)
    return padded(message, lambda m, text: setattr(m.view, "ruleset", text), size)


def answer(size: int) -> pb.Answer:
    return padded(pb.Answer(game=1, id=1000), lambda m, text: setattr(m, "note", text), size)


async def serve() -> None:
    async def play(_requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        first = await context.read()  # an answer whose id is the size of the questions
        asked = question(first.id)
        while True:
            asked.id += 1
            await context.write(asked)
            got = await context.read()
            if got is grpc.aio.EOF:
                return
            assert got.game == asked.game

    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(
        play, request_deserializer=pb.Answer.FromString, response_serializer=pb.Question.SerializeToString
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.PingPong", {"Play": handler}),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


async def measure(
    port: int, connections: int, question_bytes: int, answer_bytes: int, warm_up: float, seconds: float
) -> None:
    count = 0
    over = False

    async def stream(channel: grpc.aio.Channel) -> None:
        nonlocal count
        call: Any = channel.stream_stream(
            METHOD, request_serializer=pb.Answer.SerializeToString, response_deserializer=pb.Question.FromString
        )()
        await call.write(pb.Answer(id=question_bytes))
        reply = answer(answer_bytes)
        while not over:
            asked = await call.read()
            reply.id = asked.id
            await call.write(reply)
            count += 1
        call.cancel()

    async with contextlib.AsyncExitStack() as stack:
        options = (("grpc.use_local_subchannel_pool", 1),)  # or all would share one connection
        made = [grpc.aio.insecure_channel(f"127.0.0.1:{port}", options) for _ in range(connections)]
        channels = [await stack.enter_async_context(channel) for channel in made]
        streams = [asyncio.create_task(stream(channels[number % connections])) for number in range(STREAMS)]
        await asyncio.sleep(warm_up)
        print("begin", flush=True)
        before, start = count, time.perf_counter()
        await asyncio.sleep(seconds)
        print(count - before, time.perf_counter() - start, flush=True)
        over = True
        await asyncio.gather(*streams)


if __name__ == "__main__":
    if sys.argv[1] == "server":
        uvloop.run(serve())
    else:
        whole, spans = [int(text) for text in sys.argv[2:6]], [float(text) for text in sys.argv[6:]]
        uvloop.run(measure(*whole, *spans))
