"""`phaseten run`: connect a bot and show what it plays."""

import argparse
import logging
import sys
from collections import Counter
from datetime import datetime
from typing import Any, TextIO

from bots_sdk.bot import version_of
from bots_sdk.errors import WrongInput
from bots_sdk.info import Ending, GameInfo, GameResult, forfeit_in_words
from bots_sdk.loading import load_bot
from bots_sdk.runner import CAPACITY, connect
from bots_sdk.settings import SERVER, TOKEN, Settings, check_server
from bots_sdk.store import BotStore, choose
from bots_sdk.watcher import Watcher, again


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        help="connect a bot to its site and play",
        description="Connect a bot and play until Ctrl-C; a lost connection is made again. The bot is found in your config "
        f"folder, where `phaseten submit` kept its token, by the file that was submitted or by --bot; {TOKEN} together with "
        f"{SERVER} goes before that.",
    )
    parser.add_argument("program", metavar="BOT", help="FILE.py, FILE.py:Class, package.module:Class or a house bot")
    parser.add_argument("--server", metavar="URL", help=f"the site's address (default: {SERVER}, or the bot's own)")
    parser.add_argument("--bot", metavar="NAME", help="which of your submitted bots it is (default: the one of this file)")
    parser.add_argument("--version", metavar="LABEL", help="label of this version (default: as submitted)")
    parser.add_argument(
        "--capacity",
        type=int,
        default=CAPACITY,
        metavar="N",
        help=f"games at once (default {CAPACITY}); slow bots want fewer",
    )
    parser.set_defaults(handler=run)


def run(chosen: argparse.Namespace) -> int:
    settings = Settings.from_env()
    bot = load_bot(chosen.program)
    if chosen.capacity < 1:
        raise WrongInput(f"--capacity must be at least 1, not {chosen.capacity}")
    server = check_server(chosen.server, "--server") if chosen.server else settings.server
    token, version, who = settings.token, chosen.version, f"the bot of {TOKEN}"
    if token is None or chosen.bot is not None:
        known = choose(BotStore(settings.config_dir), server=server, name=chosen.bot, program=bot.program)
        server, token, version = known.server, known.token, version or known.version or None
        who = f"{known.name} ({known.slug})"
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING)
    screen = Screen(sys.stdout)
    if server is not None:
        screen.begin(f"{who}, version {version or version_of(bot.source)}, from {bot.program}, at {server}")
    try:
        connect(bot.source, server=server, token=token, version=version, capacity=chosen.capacity, watcher=screen)
    finally:
        screen.close()
    return 0


class Screen(Watcher):
    """A line for every game and, on a terminal, a status line that is kept at the bottom."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._live = out.isatty()
        self._running = 0
        self._referees: set[str] = set()
        self._counts: Counter[str] = Counter()

    def begin(self, who: str) -> None:
        """The first line: who plays, and where."""
        self._say(who)

    def connected(self, referee: str, capacity: int) -> None:
        self._referees.add(referee)
        self._say(f"connected to referee {referee}, up to {capacity} games at once; waiting for games")

    def disconnected(self, referee: str, why: str) -> None:
        self._referees.discard(referee)
        self._say(f"lost referee {referee} ({why}); connecting again")

    def waiting(self, why: str, seconds: float) -> None:
        self._say(again(why, seconds))

    def validation(self, text: str) -> None:
        self._say(text)

    def game_started(self, info: GameInfo) -> None:  # noqa: ARG002 - a line is written when it is over
        self._running += 1
        self._status()

    def game_over(self, info: GameInfo, result: GameResult) -> None:
        self._running -= 1
        self._say(self._line(info, result))

    def close(self) -> None:
        """Leave the terminal tidy, with a last word."""
        self._say(f"stopped: {self._summary()}")
        if self._live:
            self._out.write("\r\033[K")
            self._out.flush()

    def _line(self, info: GameInfo, result: GameResult) -> str:
        against = ", ".join(seat.name for seat in info.opponents)
        outcome = result.result
        if outcome is None:
            self._counts[result.ending.value] += 1
            what = "called off" if result.ending is Ending.VOID else "ended while away"
            return f"{what} against {against}: {result.text or 'no reason given'}"
        place, first = outcome.places[info.seat], outcome.places.count(1)
        word = "lost" if place > 1 else "won" if first == 1 else "tied"
        self._counts[word] += 1
        rest = f"place {place} of {len(outcome.places)}, {outcome.totals[info.seat]} points, "
        rest += f"{outcome.completed[info.seat]} phases"
        if faults := outcome.faults[info.seat]:
            rest += f", {faults} faults"
        if cause := result.forfeit(info.seat):
            rest += f"; forfeited: {forfeit_in_words(cause)}"
        return f"{word} against {against}: {rest}"

    def _summary(self) -> str:
        played = self._counts["won"] + self._counts["tied"] + self._counts["lost"]
        return f"{played} games played, {self._counts['won']} won, {self._counts['tied']} tied"

    def _say(self, text: str) -> None:
        start = "\r\033[K" if self._live else ""
        # Names come from strangers: nothing in them may move the cursor.
        clean = "".join(character if character.isprintable() else "?" for character in text)
        self._out.write(f"{start}{datetime.now().astimezone():%H:%M:%S} {clean}\n")
        self._status()
        self._out.flush()

    def _status(self) -> None:
        if self._live:
            where = ", ".join(sorted(self._referees)) or "nowhere"
            self._out.write(f"\r\033[Kplaying {self._running} at {where}; {self._summary()}. Ctrl-C stops.")
            self._out.flush()
