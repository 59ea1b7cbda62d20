"""`phaseten play`: bots against each other, in this process."""

import argparse
import math
import secrets
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bots_sdk.author import Crash, call
from bots_sdk.bot import Bot, maker
from bots_sdk.check import describe
from bots_sdk.errors import WrongInput
from bots_sdk.info import forfeit_in_words
from bots_sdk.loading import LoadedBot, load_bot
from bots_sdk.local import LocalGame, TroubleKind, play_game
from referee.engine.events import ForfeitCause
from referee.engine.presets import OFFICIAL, PRESETS
from referee.engine.ruleset import Ruleset

SHOWN = 3  # problems that are told in full
Z95 = 1.96


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "play",
        help="let bots play each other, here",
        description="Let 2 to 6 bots play each other in this process. Seats move on by one from game to game; the same "
        "seed gives the same cards.",
    )
    bot = "a house bot (random, blind, greedy, denier), FILE.py, FILE.py:Class or package.module:Class"
    parser.add_argument("bots", metavar="BOT", nargs="+", help=bot)
    parser.add_argument("--games", type=int, default=100, metavar="N", help="how many games (default 100)")
    parser.add_argument("--seed", metavar="S", help="seed of the shuffles (default: a new one, which is printed)")
    parser.add_argument("--ruleset", default=OFFICIAL.name, metavar="NAME", help="name of the rule set (default official)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write each game's replay into this folder")
    parser.set_defaults(handler=play)


@dataclass(slots=True)
class Score:
    """What one bot did over all games. `wins` counts a shared first place as a part of one."""

    name: str
    games: int = 0
    wins: float = 0.0
    places: int = 0
    points: int = 0
    illegal: int = 0
    crashes: int = 0
    decisions: int = 0
    seconds: float = 0.0
    forfeits: Counter[ForfeitCause] = field(default_factory=Counter)

    def add(self, game: LocalGame, seat: int) -> None:
        result = game.result
        first = result.places.count(1)
        win = 1 / first if result.places[seat] == 1 else 0.0
        self.games += 1
        self.wins += win
        self.places += result.places[seat]
        self.points += result.totals[seat]
        self.decisions += game.tallies[seat].decisions
        self.seconds += game.tallies[seat].seconds
        if cause := result.forfeits[seat]:
            self.forfeits[cause] += 1
        for trouble in game.troubles:
            if trouble.seat == seat:
                self.illegal += trouble.kind is TroubleKind.ILLEGAL
                self.crashes += trouble.kind is TroubleKind.CRASH


def wilson(wins: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a win rate after Wilson (1927): honest for few games and for rates near 0 and 1."""
    rate, z2 = wins / games, Z95 * Z95
    middle = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = Z95 * math.sqrt(rate * (1 - rate) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def play(chosen: argparse.Namespace) -> int:
    ruleset, bots = _checked(chosen)
    names = _names([bot.label for bot in bots])
    makers = [maker(bot.source) for bot in bots]
    if any(isinstance(bot.source, Bot) for bot in bots):
        raise WrongInput("`play` makes a bot for every game: name a class, not an object")
    seed = chosen.seed if chosen.seed is not None else secrets.token_hex(4)
    if chosen.out is not None:
        _make_folder(chosen.out)
    scores, told = [Score(name) for name in names], 0
    for number in range(chosen.games):
        turn = number % len(bots)
        order = [(seat - turn) % len(bots) for seat in range(len(bots))]  # which bot sits on which seat
        players = [_made(makers[bot], names[bot]) for bot in order]
        game = play_game(players, ruleset, seed=f"{seed}/{number}", names=[names[bot] for bot in order])
        for seat, bot in enumerate(order):
            scores[bot].add(game, seat)
        told = _tell_troubles(game, told)
        if chosen.out is not None:
            (chosen.out / f"game-{number + 1:05}.replay").write_bytes(game.replay())
        _progress(number + 1, chosen.games)
    print(f"{chosen.games} games, {len(bots)} seats, rule set {ruleset.name}, seed {seed}\n")
    print(table(scores))
    for line in _forfeits(scores):
        print(line)
    print("\nwin: share of games won, ties shared; in brackets the range that holds the true rate 95 times in 100.")
    if chosen.out is not None:
        print(f"Replays (phaseten.v1.Replay) are in {chosen.out}")
    return 0


def _checked(chosen: argparse.Namespace) -> tuple[Ruleset, list[LoadedBot]]:
    if not 2 <= len(chosen.bots) <= 6:
        raise WrongInput(f"2 to 6 bots play at a table, not {len(chosen.bots)}")
    if chosen.games < 1:
        raise WrongInput(f"--games must be at least 1, not {chosen.games}")
    ruleset = PRESETS.get(chosen.ruleset)
    if ruleset is None:
        raise WrongInput(f"there is no rule set {chosen.ruleset!r}. There are: {', '.join(PRESETS)}")
    return ruleset, [load_bot(reference) for reference in chosen.bots]


def _names(labels: Sequence[str]) -> list[str]:
    """Names that tell two bots of one kind apart: greedy, greedy#2."""
    counts = [labels[: index + 1].count(label) for index, label in enumerate(labels)]
    return [label if count == 1 else f"{label}#{count}" for label, count in zip(labels, counts, strict=True)]


def _made(make: Any, name: str) -> Bot:
    bot = call(make)
    if isinstance(bot, Crash):
        raise WrongInput(f"{name} cannot be made: {type(bot.error).__name__}: {bot.error}")
    if not isinstance(bot, Bot):
        raise WrongInput(f"{name} makes {bot!r}, which is no bot: let its class inherit from bots_sdk.Bot")
    return bot


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongInput(f"{folder} cannot be made: {error.strerror}") from error


def _tell_troubles(game: LocalGame, told: int) -> int:
    for trouble in game.troubles:
        if told < SHOWN:
            print(f"{game.table[trouble.seat].name}: {describe(trouble)}", file=sys.stderr)
        told += 1
        if told == SHOWN:
            print("Further problems are only counted.", file=sys.stderr)
    return told


def _progress(done: int, games: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done}/{games}" if done < games else "\r\033[K", end="", file=sys.stderr, flush=True)


def _forfeits(scores: Sequence[Score]) -> Iterator[str]:
    """A line for each bot that lost games before their end."""
    for score in scores:
        if score.forfeits:
            why = ", ".join(f"{forfeit_in_words(cause)}: {count}" for cause, count in score.forfeits.most_common())
            yield f"\n{score.name} forfeited {score.forfeits.total()} of {score.games} games ({why})"


def table(scores: Sequence[Score]) -> str:
    """The results as lines of text, the best bot first."""
    width = max(3, *(len(score.name) for score in scores))
    rest = f"{'place':>5}  {'points':>6}  {'illegal':>7}  {'errors':>6}  {'us/move':>8}"
    lines = [f"{'bot':{width}}  {'win':>6} {'(95 %)':>15}  {rest}"]
    for score in sorted(scores, key=lambda score: (-score.wins, score.places)):
        low, high = wilson(score.wins, score.games)
        bar = f"({100 * low:5.1f} -{100 * high:5.1f})"
        pace = 1e6 * score.seconds / max(1, score.decisions)
        lines.append(
            f"{score.name:{width}}  {100 * score.wins / score.games:5.1f}% {bar:>15}  {score.places / score.games:5.2f}  "
            f"{score.points / score.games:6.0f}  {score.illegal:7}  {score.crashes:6}  {pace:8.0f}"
        )
    return "\n".join(lines)
