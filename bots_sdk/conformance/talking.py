"""Scenarios: the conversation while games run."""

from typing import Final

from google.protobuf.message import Message
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import cards_pb2, game_pb2

from bots_sdk.conformance.findings import Wrong
from bots_sdk.conformance.report import Failed, Gone
from bots_sdk.conformance.sitting import Sitting
from bots_sdk.conformance.stage import Stage
from bots_sdk.conformance.table import MANY_FAULTS, Table, say, terms

Notes = list[str]
NEWER: Final = 1999  # a field number and an enum value that this protocol does not have
PING_IDS: Final = (1, 2**31, 2**53 + 1, 2**64 - 1)


async def answers(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(), Table(seats=4, seat=3)))
    await sitting.begin()
    await sitting.play(rounds=8)
    await sitting.quiet()
    sitting.expect_none(Wrong.UNKNOWN_GAME, Wrong.WRONG_ID, Wrong.REPEATED, Wrong.CHANGED, Wrong.UNASKED)
    return []


async def pong(stage: Stage) -> Notes:
    visit = await stage.session()
    slowest = 0.0
    for number in PING_IDS:
        took = await visit.pong(number, stage.patience.pong)
        if took is not None:
            slowest = max(slowest, took)
            continue
        if visit.gone:
            raise Gone("while it is pinged", visit.garbled)
        others = ", ".join(str(known) for known in visit.pongs if known not in PING_IDS)
        raise Failed(
            f"Pong with id {number} within {stage.patience.pong:g} s",
            f"Pong with id {others}" if others else "no Pong",
            "answer every Ping at once with its own id, which takes all 64 bits",
        )
    sitting = Sitting(stage, visit, (Table(),))
    await sitting.begin()
    await visit.say(sitting.tables[0].question(), say(ping=pb.Ping(id=7)))
    await sitting.answered(sitting.tables)
    if not await visit.until(lambda: 7 in visit.pongs, stage.patience.pong):
        raise Failed("a Pong beside an answer", "no Pong", "answer pings also when a question is in the same frame")
    return [f"the slowest after {1000 * slowest:.0f} ms"]


async def unknown_fields(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(seats=4),))
    await sitting.begin()
    await sitting.play(rounds=6, wrap=_with_unknown_fields)
    return []


def _with_unknown_fields(frame: bytes) -> bytes:
    """The same frame, with a field of a newer protocol in every message of it."""
    message = pb.ConnectResponse.FromString(frame)
    _add_fields(message)
    return message.SerializeToString()


def _add_fields(message: Message) -> None:
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in value if field.is_repeated else (value,):
                _add_fields(part)
    text = b"newer"
    key = NEWER << 3 | 2
    message.MergeFromString(bytes((key & 127 | 128, key >> 7, len(text))) + text)


def _unknown_message() -> bytes:
    """A RefereeMessage of a kind that this protocol does not have."""
    newer = pb.RefereeMessage()
    _add_fields(newer)
    return pb.ConnectResponse(messages=[newer]).SerializeToString()


async def unknown_messages(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(),))
    await sitting.begin()
    await sitting.play(rounds=6, wrap=lambda frame: _unknown_message() + frame + _unknown_message())
    for table in sitting.running:
        table.happened(_unknown_event())
    await sitting.play(rounds=2)
    return []


def _unknown_event() -> game_pb2.PublicEvent:
    event = game_pb2.PublicEvent()
    _add_fields(event)
    return event


async def unknown_values(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(), Table()))
    await sitting.begin()
    await sitting.play(rounds=3)
    table = sitting.tables[0]
    rejected = pb.Rejected.FromString(b"\x18" + _varint(NEWER))
    rejected.MergeFrom(pb.Rejected(game=table.handle, id=table.last_id, text="a reason of a newer protocol"))
    fault = pb.Fault.FromString(b"\x10" + _varint(NEWER))
    fault.MergeFrom(pb.Fault(game=table.handle, count=1, limit=MANY_FAULTS))
    await visit.say(say(rejected=rejected), say(fault=fault))
    await sitting.play(rounds=3)
    result = pb.GameResult.FromString(b"\x08" + _varint(NEWER))
    result.places.extend((1, 2))
    over = pb.GameOver(game=table.handle, kind=pb.GAME_OVER_KIND_FINISHED, result=result)
    table.over = True
    await visit.say(say(game_over=over))
    if sitting.running:
        await sitting.play(rounds=3)
    await _plays_another(stage)
    sitting.expect_none(Wrong.RESIGNED)
    return []


def _varint(value: int) -> bytes:
    return bytes((value & 127 | 128, value >> 7))


async def _plays_another(stage: Stage) -> None:
    """The bot still plays a new game."""
    sitting = Sitting(stage, await stage.session(), (Table(),))
    await sitting.begin()
    await sitting.play(rounds=3)


async def refusals(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(seats=4),))
    table = sitting.tables[0]
    await sitting.begin()
    await sitting.play(rounds=4)
    old = min(table.answers)
    stale = pb.Rejected(game=table.handle, id=old, text="the answer is not to the open question")
    stale.reason = game_pb2.REJECT_REASON_STALE
    strange = pb.Rejected(game=9_999_999, id=1, text="the session has no such game")
    strange.reason = game_pb2.REJECT_REASON_UNKNOWN_GAME
    illegal = pb.Rejected(game=table.handle, id=max(table.answers), text="the card does not fit this meld")
    illegal.reason = game_pb2.REJECT_REASON_DOES_NOT_FIT
    illegal.play.CopyFrom(game_pb2.Play(discard=cards_pb2.CARD_RED_1))
    fault = pb.Fault(game=table.handle, kind=game_pb2.FAULT_KIND_ILLEGAL, count=1, limit=MANY_FAULTS)
    before, after = say(rejected=illegal, fault=fault), say(rejected=stale) + say(rejected=strange)
    await sitting.play(rounds=4, wrap=lambda frame: before + after + frame + after)
    await sitting.quiet()
    sitting.expect_none(Wrong.CHANGED, Wrong.RESIGNED, Wrong.UNASKED)
    return []


async def duplicate_question(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(),))
    (table,) = sitting.tables
    await sitting.begin()
    for _ in range(4):
        frame = table.question()
        if table.asked is None:
            break
        again = say(question=table.asked.message)
        await visit.say(frame, again)
        said = await sitting.answered(sitting.tables)
        await visit.say(said, again)
        await visit.say(await sitting.quiet())
    sitting.expect_none(Wrong.CHANGED, Wrong.UNASKED)
    return []


async def event_gaps(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(terms_of_it=terms(20, 30), seats=4),))  # it lasts longer than all that follows
    (table,) = sitting.tables
    await sitting.begin()
    await sitting.play(rounds=4)
    for first, count in ((0, 5), (3, 9), (0, 0)):
        await visit.say(say(events=table.history(first, count)))
        await sitting.play(rounds=2)
    table.news()  # events that the bot will never hear
    await sitting.play(rounds=1)
    far = table.history(0, 2)
    far.first = table.events + 500
    await visit.say(say(events=far))
    await sitting.play(rounds=3)
    return []


async def slow_referee(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(),))
    await sitting.begin()
    for _ in range(2):
        await sitting.play(rounds=2)
        await visit.until(lambda: False, stage.patience.pause)
        if visit.gone:
            raise Failed(
                f"a stream that stays open while the referee has nothing to say for {stage.patience.pause:g} s",
                "the bot ended it",
                "wait: other seats may take a minute, and a bot may be idle for hours. Pongs show that all is well",
            )
    await sitting.play(rounds=2)
    return []


async def void(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(), Table(), Table()))
    first, rest = sitting.tables[0], sitting.tables[1:]
    await visit.say(*[say(invite=table.invite()) for table in rest[:1]])
    await visit.say(*[table.voided("called off in the handshake") for table in rest[:1]])
    sitting.tables = [table for table in sitting.tables if not table.over]
    await sitting.begin()
    await sitting.play(rounds=2)
    await visit.say(first.question())
    await sitting.answered(sitting.running)
    await visit.say(first.voided("called off"))
    sitting.taken()
    stage.heard.findings.clear()  # an answer that was under way is nobody's fault
    if sitting.running:
        await sitting.play(rounds=3)
    await _plays_another(stage)
    return []
