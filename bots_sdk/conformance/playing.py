"""Scenarios: whole games, under many rules, one and many at a time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from bots_sdk.conformance.findings import Wrong
from bots_sdk.conformance.report import NotApplicable
from bots_sdk.conformance.sitting import Sitting
from bots_sdk.conformance.stage import Stage
from bots_sdk.conformance.table import Table, say, terms
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Ruleset

Notes = list[str]
PHASES: Final = tuple(range(1, 11))
DEALS: Final = 8
TURNS: Final = 40  # a deal: enough for most phases, and an end for bots that lay nothing
MOST_GAMES: Final = 64
LARGE_BYTES: Final = 256 * 1024


async def phases(stage: Stage) -> Notes:
    await stage.session()
    tables = []
    for phase in PHASES:
        rules = replace(OFFICIAL, name=f"script-phase-{phase}", phases=(phase,))
        tables += [Table(rules, terms(1, TURNS), seats=seats, seat=phase % seats) for seats in (2, 4)]
    await _play(stage, tables)
    laid = set().union(*(table.laid for table in tables))
    missing = [str(phase) for phase in PHASES if phase not in laid]
    return [f"it laid no phase {', '.join(missing)}"] if missing else ["it laid every phase"]


async def _play(stage: Stage, tables: Sequence[Table]) -> None:
    """Play all of these games to their ends, as many at once as the bot can; no move may be against the rules."""
    left = list(tables)
    while left:
        visit = await stage.session()
        sitting = Sitting(stage, visit, left)
        left = left[len(sitting.tables) :]
        await sitting.begin()
        await sitting.play()
    sitting.expect_none(Wrong.ILLEGAL, Wrong.MALFORMED)


def under(*sets: Ruleset) -> Callable[[Stage], Awaitable[Notes]]:
    """A scenario that plays by these rules, at a table of two and one of four."""

    async def rules(stage: Stage) -> Notes:
        return await _by_rules(stage, sets)

    return rules


def but(what: str, **options: Any) -> Ruleset:
    """The official rules with some options changed."""
    return replace(OFFICIAL, name=f"script-{what}", **options)


async def _by_rules(stage: Stage, sets: Sequence[Ruleset]) -> Notes:
    await stage.session()
    tables = [Table(rules, terms(DEALS, TURNS), seats=seats, seat=seats // 2) for rules in sets for seats in (2, 4)]
    await _play(stage, tables)
    laid = sorted(set().union(*(table.laid for table in tables)))
    return [] if laid else ["it laid no phase, so laying and hitting were not tried"]


async def many_games(stage: Stage) -> Notes:
    visit = await stage.session()
    capacity = stage.report.capacity
    if capacity < 2:
        raise NotApplicable("Hello.capacity allows one game at a time")
    count = min(capacity, MOST_GAMES)
    sitting = Sitting(stage, visit, [Table(seats=2 + number % 2, seat=number % 2) for number in range(count)])
    await sitting.begin()
    await sitting.play()
    return [f"{count} games at once"]


async def large_frames(stage: Stage) -> Notes:
    visit = await stage.session()
    sitting = Sitting(stage, visit, [Table(seats=4) for _ in range(MOST_GAMES)])
    await sitting.begin()
    await sitting.play(rounds=6)

    def padded(frame: bytes) -> bytes:
        known = b"".join(say(events=table.history(0, 50)) for table in sitting.running)
        return known * (LARGE_BYTES // max(1, len(known)) + 1) + frame

    await sitting.play(rounds=2, wrap=padded)
    return [f"frames of {LARGE_BYTES // 1024} KiB and more"]
