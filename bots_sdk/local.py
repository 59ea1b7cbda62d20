"""Games in this process, without a referee, a network or a clock: for trying bots out, and for training them.

The same seed and bots give the same games, and a game's replay is one that the referee could have written.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final
from uuid import UUID

from bots_sdk.asking import ask
from bots_sdk.author import CRASHES_TO_RESIGN, Crash, call
from bots_sdk.bot import Bot
from bots_sdk.defaults import default_move
from bots_sdk.errors import WrongInput
from bots_sdk.info import Ending, GameInfo, GameResult, Rejection, TimeLeft
from referee.engine.errors import IllegalMove, UnsupportedRules
from referee.engine.events import FaultKind, ForfeitCause
from referee.engine.game import Game, Result
from referee.engine.moves import Move, Seat
from referee.engine.observe import public_event
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.shuffle import NO_NONCE, SeededDecks, game_context, match_key, server_commit
from referee.engine.view import View
from referee.wire import coarse
from referee.wire.moves import read_answer
from referee.wire.replay import AnswerRecord, ReplayRecord, SeatInfo, SeatNonce, encode_replay

LOCAL_REFEREE: Final = "local"


class TroubleKind(Enum):
    """What a bot did wrong in a local game."""

    ILLEGAL = "illegal move"
    CRASH = "error in the bot"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something a bot did wrong: in which position, and for a crash the error."""

    kind: TroubleKind
    seat: Seat
    view: View
    text: str
    move: Move | None = None
    error: Exception | None = None


@dataclass(slots=True)
class SeatTally:
    """What one seat needed: its decisions, the seconds they took together, and the slowest one."""

    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0


@dataclass(frozen=True, slots=True)
class LocalGame:
    """A game that was played here. `troubles` and `tallies` tell how the bots behaved; the rest makes up its replay."""

    game_id: UUID
    seed: bytes
    table: tuple[SeatInfo, ...]
    game: Game
    result: Result
    answers: tuple[AnswerRecord, ...]
    troubles: tuple[Trouble, ...]
    tallies: tuple[SeatTally, ...]

    def replay(self) -> bytes:
        """The bytes of its replay, a serialised phaseten.v1.Replay. It holds no times: nothing was timed."""
        seats = len(self.table)
        context = game_context(self.game_id.bytes, 1, seats)
        record = ReplayRecord(
            match_id=self.game_id,
            attempt=1,
            game_id=self.game_id,
            game_index=0,
            seats=self.table,
            server_seed=self.seed,
            commitment=server_commit(context, self.seed),
            nonces=(SeatNonce(b"", NO_NONCE),) * seats,
            events=tuple(self.game.log),
            answers=self.answers,
            result=self.result,
            started_ms=0,
            ended_ms=0,
            referee=LOCAL_REFEREE,
        )
        return encode_replay(record)


def play_game(
    bots: Sequence[Bot],
    ruleset: Ruleset = OFFICIAL,
    terms: Terms | None = None,
    seed: int | str = 0,
    names: Sequence[str] | None = None,
) -> LocalGame:
    """Play one game between 2 to 6 bots, the first of them on seat 0. Each needs an object of its own.

    A bot that fails gets the default move, and the tenth time its game is given up; an illegal move is a fault: as at the
    referee. Raises WrongInput for a number of seats or rules that cannot be played.
    """
    if len({id(bot) for bot in bots}) != len(bots):
        raise WrongInput("each seat needs a bot object of its own")
    terms = terms or Terms()
    names = names or [type(bot).__name__ for bot in bots]
    table = tuple(SeatInfo(name, name, str(bot.version), 0) for name, bot in zip(names, bots, strict=True))
    game_id, key_seed = _identity(seed)
    context = game_context(game_id.bytes, 1, len(bots))
    decks = SeededDecks(match_key(context, key_seed, (NO_NONCE,) * len(bots)))
    try:
        game = Game(ruleset, terms, len(bots), decks)
    except UnsupportedRules as error:
        raise WrongInput(f"this game cannot be played: {error}") from error
    players = [
        _Player(bot, GameInfo(game_id, game_id, 1, ruleset, terms, Seat(seat), table)) for seat, bot in enumerate(bots)
    ]
    table_run = _Table(game, players)
    result = table_run.play()
    return LocalGame(
        game_id,
        key_seed,
        table,
        game,
        result,
        tuple(table_run.answers),
        tuple(table_run.troubles),
        tuple(player.tally for player in players),
    )


def _identity(seed: int | str) -> tuple[UUID, bytes]:
    """The UUID and the 64-byte seed that belong to a seed given by a person."""
    text = str(seed).encode()
    return (
        UUID(bytes=hashlib.sha256(b"phaseten-local-game\0" + text).digest()[:16], version=4),
        hashlib.sha512(b"phaseten-local-seed\0" + text).digest(),
    )


@dataclass(slots=True)
class _Player:
    """A bot at a table, how many of the game's events it has been told, what it has needed, and how often it failed."""

    bot: Bot
    info: GameInfo
    tally: SeatTally = field(default_factory=SeatTally)
    heard: int = 0
    crashes: int = 0
    time_left: TimeLeft = field(init=False)

    def __post_init__(self) -> None:
        self.bot.game = self.info
        clock = self.info.terms.clock
        self.time_left = TimeLeft(clock.bank_ms, clock.cap_ms)


@dataclass(slots=True)
class _Table:
    """One game being played."""

    game: Game
    players: list[_Player]
    answers: list[AnswerRecord] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)

    def play(self) -> Result:
        for player in self.players:
            self._hook(player, player.bot.game_started, player.info)
        while (seat := self.game.to_move) is not None:
            self._decision(seat, self.players[seat])
        result = self.game.result
        assert result is not None
        for player in self.players:
            self._tell_events(player)
            self._hook(player, player.bot.game_over, player.info, GameResult(Ending.FINISHED, result))
        return result

    def _decision(self, seat: Seat, player: _Player) -> None:
        self._tell_events(player)
        game, bank = self.game, player.info.terms.clock.bank_ms
        view = game.view(seat)
        before = len(game.log)
        started = time.perf_counter()
        answer = call(ask, player.bot, player.info, player.time_left, view)
        self._charge(player.tally, time.perf_counter() - started)
        note = ""
        # The answer takes the way over the wire, so that it means here what it would mean to a referee.
        message = coarse.Answer.FromString(b"" if isinstance(answer, Crash) else answer)
        move = answer if isinstance(answer, Crash) else call(read_answer, message)
        if isinstance(move, Crash):
            self._crashed(seat, player, view, move.error)
        else:
            note = message.note
            self._submit(seat, player, view, move)
        self.answers.append(AnswerRecord(before, seat, 0, 0, bank, note))

    def _crashed(self, seat: Seat, player: _Player, view: View, error: Exception) -> None:
        """The default move, and where a session would resign, the end of the seat's game."""
        player.crashes += 1
        text, gives_up = f"{type(error).__name__}: {error}", player.crashes >= CRASHES_TO_RESIGN
        if gives_up:
            text += f" (failed {player.crashes} times in this game: the game is given up)"
        self.troubles.append(Trouble(TroubleKind.CRASH, seat, view, text, None, error))
        self.game.submit(seat, default_move(view, player.info.ruleset))
        if gives_up:
            self.game.forfeit(seat, ForfeitCause.RESIGNED)

    def _submit(self, seat: Seat, player: _Player, view: View, move: Move) -> None:
        try:
            self.game.submit(seat, move)
        except IllegalMove as error:
            self.troubles.append(Trouble(TroubleKind.ILLEGAL, seat, view, str(error), move))
            self.game.fault(seat, FaultKind.ILLEGAL)
            self._hook(player, player.bot.rejected, player.info, Rejection(error.reason, str(error), None))

    def _tell_events(self, player: _Player) -> None:
        log, heard = self.game.log, player.heard
        player.heard = len(log)
        if type(player.bot).events is Bot.events:
            return
        seen = [public_event(event, player.info.ruleset) for event in log[heard:]]
        events = tuple(event for event in seen if event is not None)
        if events:
            self._hook(player, player.bot.events, player.info, events)

    def _hook(self, player: _Player, hook: Callable[..., None], *args: object) -> None:
        crash = call(hook, *args)
        if isinstance(crash, Crash):
            error = crash.error
            text = f"{getattr(hook, '__name__', 'a hook')} raised {type(error).__name__}: {error}"
            view = self.game.view(player.info.seat)
            self.troubles.append(Trouble(TroubleKind.CRASH, player.info.seat, view, text, None, error))

    @staticmethod
    def _charge(tally: SeatTally, seconds: float) -> None:
        tally.decisions += 1
        tally.seconds += seconds
        tally.slowest = max(tally.slowest, seconds)
