"""Scenarios: sessions that end, and what was sent over the whole run."""

from typing import Final

from phaseten.v1 import bot_pb2 as pb

from bots_sdk.conformance.report import Failed, Gone
from bots_sdk.conformance.sitting import Sitting
from bots_sdk.conformance.stage import Stage
from bots_sdk.conformance.table import Table, say
from bots_sdk.conformance.visit import MAX_FRAME_BYTES, MAX_MESSAGE_BYTES

Notes = list[str]
NOTE_BYTES: Final = 500
MOST_UNASKED: Final = 50


async def drain(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(), Table(seats=3, seat=1)))
    await sitting.begin()
    await sitting.play(rounds=2)
    await visit.say(say(drain=pb.Drain(grace_ms=30_000)))
    try:
        await sitting.play()
    except Gone:
        raise Failed(
            "running games that are played to their ends after Drain",
            "the bot ended its stream",
            "after Drain nothing changes but that no new games come: go on until the referee ends the stream",
        ) from None
    visit.end("UNAVAILABLE", "the referee is going away")
    after = await stage.back(visit)
    again = Sitting(stage, after, (Table(),))
    await again.begin()
    await again.play(rounds=3)
    return []


async def limits(stage: Stage) -> Notes:
    await stage.session()
    heard = stage.heard
    if heard.biggest_frame > MAX_FRAME_BYTES:
        raise Failed(
            f"frames of at most {MAX_FRAME_BYTES} bytes (Welcome.max_frame_bytes)",
            f"one of {heard.biggest_frame} bytes",
            "begin another frame before the limit; a real referee ends the stream",
        )
    if heard.biggest_message > MAX_MESSAGE_BYTES:
        raise Failed(
            f"messages of at most {MAX_MESSAGE_BYTES} bytes (Welcome.max_message_bytes)",
            f"one of {heard.biggest_message} bytes",
            "shorten what is sent, notes above all; a real referee ends the stream",
        )
    if heard.busiest > MOST_UNASKED:
        raise Failed(
            f"at most {MOST_UNASKED} messages a second that nobody asked for",
            f"{heard.busiest} within one second",
            "ping every 5 s while you play, and resign once; a real referee ends the stream of a bot that floods it",
        )
    return [f"frames up to {heard.biggest_frame} bytes, messages up to {heard.biggest_message}"]


async def notes(stage: Stage) -> Notes:
    await stage.session()
    longest = stage.heard.longest_note
    if longest > NOTE_BYTES:
        raise Failed(
            f"notes of at most {NOTE_BYTES} bytes",
            f"one of {longest} bytes in UTF-8",
            "cut Answer.note; what is longer is lost in the replay",
        )
    return [f"up to {longest} bytes"] if longest else ["it writes none"]


async def superseded(stage: Stage) -> Notes:
    visit = await stage.session()
    dials = len(stage.first.dials)
    await visit.say(say(superseded=pb.Superseded(text="a newer session of this bot took over")))
    visit.end("ABORTED", "a newer session took over")
    await stage.first.arrival(stage.patience.stopped, visit)
    tries = len(stage.first.dials) - dials
    if tries:
        raise Failed(
            "no new stream after Superseded: another process plays as this bot now",
            "the bot dialled again; two such processes would throw each other out for ever",
            "stop for good, at every referee, and tell the person who runs the bot",
        )
    return []
