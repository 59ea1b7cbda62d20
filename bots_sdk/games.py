"""The games that a bot plays at one referee. They outlive the stream that they are played on."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from uuid import UUID

from phaseten.v1 import bot_pb2 as pb

from bots_sdk.asking import ask
from bots_sdk.author import CRASHES_TO_RESIGN, ONE_THREAD, Crash, CrashReporter, WrongAnswer, call
from bots_sdk.bot import Bot, Maker
from bots_sdk.defaults import default_move
from bots_sdk.info import Ending, GameInfo, GameResult, Rejection, TimeLeft
from bots_sdk.share import Share
from bots_sdk.watcher import Watcher
from referee.engine.moves import Draw, Play, Seat
from referee.engine.view import Stage, View
from referee.wire.errors import MalformedMessage
from referee.wire.events import read_public_event
from referee.wire.moves import write_decision
from referee.wire.replay import decode_seat_info, decode_uuid
from referee.wire.rules import decode_ruleset, decode_terms
from referee.wire.view import read_view

log = logging.getLogger("phaseten")


def decode_invite(invite: pb.Invite) -> GameInfo:
    """Raises MalformedMessage."""
    info = GameInfo(
        game_id=decode_uuid(invite.game_id),
        match_id=decode_uuid(invite.match_id),
        attempt=invite.attempt,
        ruleset=decode_ruleset(invite.ruleset),
        terms=decode_terms(invite.terms),
        seat=Seat(invite.seat),
        table=tuple([decode_seat_info(seat) for seat in invite.table]),
    )
    if info.seat >= len(info.table):
        raise MalformedMessage(f"the invitation gives seat {info.seat} at a table of {len(info.table)}")
    return info


class Asked(NamedTuple):
    """A question as a bot is asked it. `id` is its number in the game."""

    id: int
    view: View
    time_left: TimeLeft


def read_question(question: Any) -> Asked:
    """The value of a coarse Question. Raises MalformedMessage."""
    time_left = TimeLeft(question.bank_ms, question.limit_ms, question.round_trip_ms)
    return Asked(question.id, read_view(question.view), time_left)


@dataclass(slots=True)
class RunningGame:
    """One game and the bot that plays it.

    `question` is the one to be answered next; `last_id` the number of the last question that was
    answered, and `decision` what was answered (see `wire.moves.write_decision`), to be sent again if it may have been lost.
    `share` is the bot's share in the shuffle. `told_long` says that the author knows how long his bot thinks.
    """

    info: GameInfo
    bot: Bot
    handle: int
    share: Share
    started: bool = False
    question: Asked | None = None
    last_id: int = -1
    decision: bytes = b""
    next_event: int = 0
    crashes: int = 0
    resigned: bool = False
    told_long: bool = False


@dataclass(slots=True)
class Games:
    """The running games by their UUIDs, and everything that is said to their bots."""

    make: Maker
    watcher: Watcher
    by_id: dict[UUID, RunningGame] = field(default_factory=dict)
    _reporter: CrashReporter = field(default_factory=CrashReporter)

    def open(self, invite: pb.Invite) -> RunningGame:
        """The game of an invitation: a known one goes on with its bot. Raises MalformedMessage."""
        info = decode_invite(invite)
        game = self.by_id.get(info.game_id)
        if game is not None:
            game.handle = invite.game
            return game
        share = Share(invite.game_id, info.attempt, len(info.table), info.seat, invite.commitment)
        bot = call(_made, self.make)
        if isinstance(bot, Crash):
            self._reporter.report(bot, f"making a bot for game {info.game_id}", "The game is given up.")
            game = RunningGame(info, _Absent(), invite.game, share, resigned=True)
        else:
            game = RunningGame(info, bot, invite.game, share)
        self.by_id[info.game_id] = game
        return game

    def start(self, game: RunningGame, nonces: Sequence[bytes]) -> None:
        """The shuffle is made, of these shares by seat."""
        if not game.started:
            game.started = True
            game.share.started(nonces)
            self.watcher.game_started(game.info)
            self._hook(game, game.bot.game_started)

    def answer(self, game: RunningGame, question: Asked, max_bytes: int) -> bytes:
        """The bot's decision, or the default move if it fails."""
        game.last_id, view, time_left = question
        if not game.resigned:
            result = call(ask, game.bot, game.info, time_left, view, max_bytes)
            if not isinstance(result, Crash):
                game.decision = result
                return result
            self._crashed(game, result, view)
        game.decision = write_decision(default_move(view, game.info.ruleset))
        return game.decision

    def thought_long(self, game: RunningGame, seconds: float) -> None:
        """Tell the author, once a game, that a decision held up everything else."""
        left = None if game.resigned else getattr(game.bot, "time_left", None)
        if left is None or game.told_long:
            return
        game.told_long = True
        text = "game %s: one decision took %.1f s; its clock allowed %.1f s, with %.1f s left for the game. %s"
        log.warning(text, game.info.game_id, seconds, left.limit_ms / 1000, left.bank_ms / 1000, ONE_THREAD)

    def events(self, game: RunningGame, message: Any) -> None:
        """Tell the bot what is new to it of coarse Events. Raises MalformedMessage."""
        first = message.first
        if first > game.next_event:
            self.resume(game, first)
        told, end = game.next_event, first + len(message.events)
        if end <= told:
            return
        game.next_event = end
        if type(game.bot).events is not Bot.events:
            fresh = message.events[told - first :]
            self._hook(game, game.bot.events, tuple([read_public_event(event) for event in fresh]))

    def resume(self, game: RunningGame, told: int) -> None:
        """The referee goes on from event number `told`. What is missing before it will never be told."""
        if told > game.next_event:
            game.next_event = told
            self._hook(game, game.bot.events_missed)

    def rejected(self, game: RunningGame, rejection: Rejection) -> None:
        self._hook(game, game.bot.rejected, rejection)

    def close(self, game: RunningGame, result: GameResult) -> None:
        if self.by_id.pop(game.info.game_id, None) is not None:
            game.share.ended(result.server_seed)
            if game.share.problem:
                log.error("game %s: the shuffle was not fair: %s", game.info.game_id, game.share.problem)
                result = replace(result, shuffle_problem=game.share.problem)
            self._hook(game, game.bot.game_over, result)
            self.watcher.game_over(game.info, result)

    def keep_only(self, known: set[UUID]) -> None:
        """Close the games that the referee does not know any more."""
        text = "the game was gone when the bot came back"
        for game_id in [game_id for game_id in self.by_id if game_id not in known]:
            self.close(self.by_id[game_id], GameResult(Ending.UNKNOWN, text=text))

    def _crashed(self, game: RunningGame, crash: Crash, view: View) -> None:
        game.crashes += 1
        method = "draw" if view.table.stage is Stage.DRAW else "play"
        what = (
            f"{type(game.bot).__name__}.{method} in game {game.info.game_id}, deal {view.table.deal}, hand [{_hand(view)}]"
        )
        if game.crashes >= CRASHES_TO_RESIGN:
            game.resigned = True
            self._reporter.report(crash, what, f"Failed {game.crashes} times in this game: the game is given up.")
        else:
            then = f"The default move is played, the game goes on (failure {game.crashes} of {CRASHES_TO_RESIGN})."
            self._reporter.report(crash, what, then)

    def _hook(self, game: RunningGame, hook: Callable[..., None], *args: object) -> None:
        """Call an optional method of the bot. What it raises is told and forgotten."""
        game.bot.game = game.info
        crash = call(hook, game.info, *args)
        if isinstance(crash, Crash):
            name = getattr(hook, "__name__", "hook")
            what = f"{type(game.bot).__name__}.{name} in game {game.info.game_id}"
            self._reporter.report(crash, what, "The game goes on.")


def _made(make: Callable[[], object]) -> Bot:
    bot = make()
    if not isinstance(bot, Bot):
        raise WrongAnswer(f"a bot was to be made, not {bot!r}")
    return bot


def _hand(view: View) -> str:
    return " ".join(map(str, view.hand))


class _Absent(Bot):
    """Sits where the author's bot could not be made; its games are given up before it is asked."""

    def draw(self, _view: View) -> Draw:
        raise WrongAnswer("there is no bot")

    def play(self, _view: View) -> Play:
        raise WrongAnswer("there is no bot")
