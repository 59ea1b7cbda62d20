"""Scenarios: lost connections, and the way back into running games."""

import time
from typing import Final

from phaseten.v1 import bot_pb2 as pb

from bots_sdk.conformance.beginning import commits, reveals
from bots_sdk.conformance.findings import Wrong
from bots_sdk.conformance.report import Failed, NotApplicable
from bots_sdk.conformance.sitting import Sitting
from bots_sdk.conformance.stage import Stage
from bots_sdk.conformance.table import Table, say, terms
from bots_sdk.conformance.visit import End

Notes = list[str]
UNASKED: Final = "it sent no pings of its own while it played"
_OLD: Final = (Wrong.UNKNOWN_GAME, Wrong.UNASKED, Wrong.CHANGED)


def _resync(stage: Stage, tables: list[Table]) -> bytes:
    """The games as they stand, told to a new session, which has other numbers for them."""
    for table in reversed(tables):
        table.handle = stage.next_handle()
    return say(resync=pb.Resync(games=[table.resync() for table in tables]))


async def _return(stage: Stage, sitting: Sitting) -> None:
    """Cut the connection, and take the bot back with a Resync."""
    old = sitting.visit
    stage.cut(old)
    sitting.visit = await stage.back(old, lambda: _resync(stage, sitting.running))


async def in_handshake(stage: Stage) -> Notes:
    await stage.session()
    if stage.unshared:
        raise NotApplicable(stage.unshared)
    for point in ("invited", "committed", "shown", "revealed"):
        await _handshake_cut(stage, point)
    return []


async def _handshake_cut(stage: Stage, point: str) -> None:
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(),))
    (table,) = sitting.tables
    await visit.say(say(invite=table.invite()))
    known = b""
    if point != "invited":
        await commits(stage, visit, table)
        known = table.shuffle.commitments[table.seat]
    if point in {"shown", "revealed"}:
        await visit.say(say(nonce_commits=table.commitments()))
    if point == "revealed":
        await reveals(stage, visit, table)
    await _return(stage, sitting)
    await commits(stage, sitting.visit, table)
    if known and table.shuffle.commitments[table.seat] != known:
        raise Failed(
            f"the same commitment again after a connection that was lost when the bot was {point}",
            "another one",
            "keep a game's nonce until the game is over, also over a new session",
        )
    await sitting.visit.say(say(nonce_commits=table.commitments()))
    await reveals(stage, sitting.visit, table)
    await sitting.visit.say(say(start=table.start()))
    await sitting.play()


async def while_asked(stage: Stage) -> Notes:
    """The connection is lost with questions under way: the answers may be lost or not, the questions are told again."""
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(), Table(seats=4, seat=1), Table(seats=3)))
    await sitting.begin()
    await sitting.play(rounds=2)
    for heard_first in (False, True, False):
        questions = [table.question() for table in sitting.running]
        await sitting.visit.say(*questions)
        if heard_first:  # the answers came, but the referee was gone before it could read them
            await sitting.visit.wait_for(len(questions), stage.patience.answer)
        await _return(stage, sitting)
        await sitting.visit.say(await sitting.answered(sitting.running))
        sitting.expect_none(*_OLD)
    await sitting.play(rounds=2)
    sitting.expect_none(*_OLD)
    return []


async def while_waiting(stage: Stage) -> Notes:
    """The connection is lost while other seats think: nothing may be answered until a question comes."""
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(terms_of_it=terms(2, 30)), Table(seats=4, seat=1), Table(seats=3)))
    await sitting.begin()
    for _ in range(2):
        await sitting.play(rounds=3)
        stage.heard.findings.clear()
        await _return(stage, sitting)
        await sitting.visit.say(await sitting.quiet())
        sitting.expect_none(*_OLD, Wrong.REPEATED)
    await sitting.play(rounds=3)
    sitting.expect_none(*_OLD)
    return []


async def games_gone(stage: Stage) -> Notes:
    """Games ended while the bot was away, and it is told how or not: the next games take over their numbers."""
    for ends in ((), (True, False), (False, True)):
        visit = await stage.session()
        sitting = Sitting(stage, visit, (Table(terms_of_it=terms(1, 6)), Table(terms_of_it=terms(1, 6))))
        await sitting.begin()
        await sitting.play(rounds=2)
        await visit.say(*[table.question() for table in sitting.running])
        handle = sitting.tables[0].handle
        over = [table.ended(finished=end) for table, end in zip(sitting.tables, ends or (False, False), strict=False)]
        told = say(resync=pb.Resync(ended=[*over, _strangers()])) if ends else b""
        stage.cut(visit)
        after = await stage.back(visit, lambda: told)  # noqa: B023 - called at once
        fresh = Sitting(stage, after, (Table(),))
        fresh.tables[0].handle = handle
        await fresh.begin()
        await fresh.play()
        fresh.expect_none(*_OLD)
    return []


def _strangers() -> pb.GameOver:
    """How a game ended of which the bot's process knows nothing: it was started anew in the meantime, perhaps."""
    return Table().ended()


async def after_silence(stage: Stage) -> Notes:
    """The referee stands still in the middle of a game, and says so to nobody."""
    visit = await stage.session()
    sitting = Sitting(stage, visit, (Table(),))
    pings = visit.pings
    await sitting.begin()
    await sitting.play(rounds=2)
    pinged = await visit.until(lambda: visit.pings > pings, 2 * stage.patience.ping)
    visit.deaf = True
    stage.freeze()
    after = await stage.first.arrival(stage.patience.silence, visit)
    if after is None:
        stage.cut(visit)
        raise Failed(
            f"a new stream within {stage.patience.silence:g} s after the referee froze",
            "the bot went on waiting for it",
            "while a game runs ping the referee every 5 s, and dial again when nothing was heard for 8 s",
        )
    sitting.visit = await stage.back(visit, lambda: _resync(stage, sitting.running))
    await sitting.play(rounds=2)
    sitting.expect_none(*_OLD)
    return [] if pinged else [UNASKED]


async def redial(stage: Stage) -> Notes:
    """The referee refuses everybody for a while."""
    visit = await stage.session()
    away, hammering = stage.patience.away, stage.patience.hammering
    stage.first.closed = End("UNAVAILABLE", "the referee is starting")
    before, began = len(stage.first.dials), time.monotonic()
    visit.end("UNAVAILABLE", "the referee is going away")
    await stage.first.arrival(away, visit)
    tries = len(stage.first.dials) - before
    stage.first.closed = None
    if tries > hammering * away:
        raise Failed(
            f"at most {hammering:g} attempts a second at a referee that refuses",
            f"{tries} in {time.monotonic() - began:.1f} s",
            "wait between attempts, longer after each one (say 0.2 s doubling to 5 s), with random jitter",
        )
    await stage.back(visit)
    return [f"{tries} attempts in {away:g} s"]


async def two_referees(stage: Stage) -> Notes:
    """The ticket names two referees: the bot plays at both at once."""
    here = await stage.session()
    if not stage.site.asked:
        raise NotApplicable("the bot began at the referee: it knows of no other")
    there = await stage.second.arrival(stage.patience.connect)
    if there is None or not await there.until(lambda: there.welcomed, stage.patience.hello):
        raise Failed(
            "a session at each referee of the ticket",
            f"none at {stage.second.name}, the second one",
            "open a stream to every address in `referees`: a match may be played at any of them",
        )
    both = [Sitting(stage, here, (Table(),)), Sitting(stage, there, (Table(),))]
    for sitting in both:
        await sitting.begin()
    for _ in range(3):
        for sitting in both:
            await sitting.visit.say(sitting.tables[0].question())
        for sitting in both:
            await sitting.visit.say(await sitting.answered(sitting.running))
    for sitting in both:
        await sitting.close()
    return []
