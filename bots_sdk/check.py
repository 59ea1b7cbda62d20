"""A short trial of a bot in local games: are its moves legal, does it raise errors, does it answer in time?"""

import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bots_sdk.author import Crash, call
from bots_sdk.bot import Bot, BotSource, maker
from bots_sdk.house_bots import HOUSE_BOTS
from bots_sdk.local import LocalGame, Trouble, TroubleKind, play_game
from referee.engine.cards import format_cards
from referee.engine.moves import Draw, Move
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Clock, Ruleset

# Table sizes and neighbours from easy to hard; the bot under trial sits on every seat once.
TABLES: Final[tuple[tuple[str, ...], ...]] = (("greedy",), ("denier",), ("random", "blind", "greedy"))
SECONDS: Final = 30.0  # no further game is begun after this time
SHOWN: Final = 5  # that many different problems are enough for one evening
_SDK: Final = Path(__file__).parent


@dataclass(slots=True)
class Report:
    """What a trial found. `problems` are reasons not to let the bot play, `warnings` are not."""

    games: int = 0
    decisions: int = 0
    slowest: float = 0.0
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _told: set[tuple[TroubleKind, str]] = field(default_factory=set)

    @property
    def passed(self) -> bool:
        return not self.problems

    def add(self, trouble: Trouble) -> None:
        """Take a problem up, unless it is one that was told before, in another position."""
        key = (trouble.kind, trouble.text if trouble.move else type(trouble.error).__name__)
        if key not in self._told and len(self.problems) < SHOWN:
            self._told.add(key)
            self.problems.append(describe(trouble))


def check_bot(
    source: BotSource,
    ruleset: Ruleset = OFFICIAL,
    clock: Clock | None = None,
    told: Callable[[str], None] = lambda _line: None,
) -> Report:
    """Let a bot play some local games against house bots; `told` gets a line after each."""
    report, make, began = Report(), maker(source), time.monotonic()
    limits = clock or Clock()
    for number, (seat, neighbours) in enumerate(_seatings()):
        if time.monotonic() - began > SECONDS:
            report.warnings.append(f"only {report.games} games were played: the bot takes its time")
            break
        bot = call(make)
        if isinstance(bot, Crash):
            report.problems.append("the bot cannot be made:\n" + _traceback(bot.error))
            break
        players: list[Bot] = [HOUSE_BOTS[name]() for name in neighbours]
        players.insert(seat, bot)
        game = play_game(players, ruleset, seed=f"check {number}")
        _judge(report, game, seat, limits)
        told(f"game {number + 1}: seat {seat} of {len(players)}, place {game.result.places[seat]}")
        if report.problems:
            break
    return report


def _seatings() -> Iterator[tuple[int, tuple[str, ...]]]:
    for neighbours in TABLES:
        for seat in range(len(neighbours) + 1):
            yield seat, neighbours


def _judge(report: Report, game: LocalGame, seat: int, clock: Clock) -> None:
    tally = game.tallies[seat]
    report.games += 1
    report.decisions += tally.decisions
    report.slowest = max(report.slowest, tally.slowest)
    for trouble in game.troubles:
        if trouble.seat == seat:
            report.add(trouble)
    cap, bank = clock.cap_ms / 1000, (clock.bank_ms + clock.increment_ms * tally.decisions) / 1000
    if tally.slowest > cap:
        report.problems.append(f"an answer took {tally.slowest:.1f} s; {cap:.1f} s are allowed")
    elif tally.slowest > cap / 4:
        report.warnings.append(f"an answer took {tally.slowest:.1f} s of the {cap:.1f} s that are allowed")
    if tally.seconds > bank:
        report.problems.append(f"a game took {tally.seconds:.1f} s of thinking; the clock allows {bank:.1f} s")


def describe(trouble: Trouble) -> str:
    """A problem in words, with the position it came up in and the traceback of an error."""
    view = trouble.view
    table, me = view.table, view.table.seats[view.seat]
    phase = f"phase {me.phase}{' (laid)' if me.laid else ''}"
    top = "no open card" if table.discard_top is None else f"open card {table.discard_top}"
    lines = [
        f"{trouble.kind.value}: {trouble.text}",
        f"  in deal {table.deal}, turn {table.turn}, asked to {table.stage.value}, {phase}, {top}",
        f"  hand: {format_cards(view.hand)}",
    ]
    if trouble.move is not None:
        lines.append(f"  move: {format_move(trouble.move)}")
    if trouble.error is not None:
        lines.append("  " + _traceback(trouble.error).replace("\n", "\n  "))
    return "\n".join(lines)


def format_move(move: Move) -> str:
    """A move on one line, in card notation."""
    if isinstance(move, Draw):
        return "draw the open card" if move.from_discard else "draw unseen"
    parts = []
    if move.lay:
        parts.append("lay " + " | ".join(format_cards(meld.cards) for meld in move.lay))
    for hit in move.hits:
        end = f" {hit.end.value}" if hit.end else ""
        parts.append(f"hit {hit.card}{end} on meld {hit.meld} of seat {hit.owner}")
    parts.append(f"discard {move.discard}" if move.discard is not None else "no discard")
    if move.skip_target is not None:
        parts.append(f"skip seat {move.skip_target}")
    return ", ".join(parts)


def _traceback(error: Exception) -> str:
    """The author's own lines of a traceback, and the error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent != _SDK]
    return "".join([*traceback.format_list(own), *traceback.format_exception_only(error)]).rstrip()
