"""A referee made of a script: frames in, frames out, one real game behind them, and no network."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from phaseten.v1 import bot_pb2 as pb

from bots_sdk.bot import Bot, BotSource, maker
from bots_sdk.games import Games
from bots_sdk.info import GameInfo, GameResult, Rejection
from bots_sdk.session import Session
from bots_sdk.watcher import Watcher
from referee.engine.cards import WILD
from referee.engine.default_move import default_move
from referee.engine.errors import IllegalMove
from referee.engine.events import FaultKind, PublicEvent
from referee.engine.game import Game
from referee.engine.moves import Draw, Move, Play, Seat
from referee.engine.observe import public_event
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Terms
from referee.engine.shuffle import SeededDecks
from referee.engine.view import View
from referee.wire import coarse
from referee.wire.enums import FAULTS, REASONS
from referee.wire.events import encode_public_event
from referee.wire.moves import encode_rejected, read_answer
from referee.wire.replay import SeatInfo, encode_result, encode_seat_info
from referee.wire.rules import encode_ruleset, encode_terms
from referee.wire.view import encode_view

MATCH = UUID(int=7)


def frame(**kinds: Any) -> bytes:
    """A frame with these messages, such as `frame(ping=pb.Ping(id=1))`."""
    messages = [pb.RefereeMessage(**{kind: message}) for kind, message in kinds.items()]
    return pb.ConnectResponse(messages=messages).SerializeToString()


def joined(*frames: bytes) -> bytes:
    """Frames that are written one after the other are one frame."""
    return b"".join(frames)


def read_move(answer: pb.Answer) -> Move:
    """The move of an answer as the referee reads it."""
    return read_answer(coarse.Answer.FromString(answer.SerializeToString()))


WELCOME = frame(welcome=pb.Welcome(session_id="s1", protocol=1, capacity=8, referee="test"))


class ScriptedGame:
    """One game in which the session's bot has `seat`; the other seats play default moves."""

    def __init__(self, handle: int = 1, seat: int = 0, seats: int = 2, number: int = 1, terms: Terms | None = None) -> None:
        self.handle = handle
        self.seat = Seat(seat)
        self.game_id = UUID(int=number)
        self.terms = terms or Terms(max_deals=2)
        self.game = Game(OFFICIAL, self.terms, seats, SeededDecks(number.to_bytes(64, "big")))
        self.question = 0
        self.asked = False
        self.told = 0
        self.rejected: list[IllegalMove] = []

    def invite(self) -> pb.Invite:
        return pb.Invite(
            game=self.handle,
            game_id=self.game_id.bytes,
            match_id=MATCH.bytes,
            attempt=1,
            ruleset=encode_ruleset(OFFICIAL),
            terms=encode_terms(self.terms),
            seat=self.seat,
            table=[encode_seat_info(SeatInfo(f"bot-{seat}", f"Bot {seat}", "1", seat)) for seat in range(self.game.seats)],
        )

    def opening(self) -> bytes:
        return joined(frame(invite=self.invite()), frame(start=pb.Start(game=self.handle)))

    def events(self) -> pb.Events:
        """What the seat has not been told yet. Numbers count public events, as at the referee."""
        first, self.told = self.told, len(self.public())
        return pb.Events(
            game=self.handle, first=first, events=[encode_public_event(event) for event in self.public()[first:]]
        )

    def public(self) -> list[PublicEvent]:
        """Everything that everybody saw so far."""
        seen = [public_event(event, OFFICIAL) for event in self.game.log]
        return [event for event in seen if event is not None]

    def resync(self) -> pb.ResyncGame:
        """The game as a new session is told it. As at the referee, what happened before is not told any more."""
        self.told = len(self.public())
        told = pb.ResyncGame(invite=self.invite(), start=pb.Start(game=self.handle), events=self.told)
        if self.asked:
            told.question.CopyFrom(self.open_question())
        return told

    def open_question(self) -> pb.Question:
        return pb.Question(
            game=self.handle,
            id=self.question,
            view=encode_view(self.game.view(self.seat)),
            bank_ms=60_000,
            limit_ms=10_000,
            round_trip_ms=3,
        )

    def ask(self) -> bytes:
        """Let the others play, then ask the seat; or tell it that the game is over."""
        while (mover := self.game.to_move) is not None and mover != self.seat:
            self.game.submit(mover, default_move(self.game.state))
        if mover is None:
            return self.over()
        self.question += 1
        self.asked = True
        return joined(frame(events=self.events()), frame(question=self.open_question()))

    def miss(self) -> None:
        """Nobody answers for the seat: the default move is played."""
        self.asked = False
        self.game.submit(self.seat, default_move(self.game.state))

    def over(self) -> bytes:
        result = self.game.result
        assert result is not None
        ended = pb.GameOver(
            game=self.handle,
            kind=pb.GAME_OVER_KIND_FINISHED,
            result=encode_result(result),
            server_seed=bytes(64),
        )
        return joined(frame(events=self.events()), frame(game_over=ended))

    def take(self, answer: pb.Answer) -> bytes:
        """Judge an answer to the open question; the frame says what was wrong with it, if anything was."""
        assert (answer.game, answer.id) == (self.handle, self.question)
        self.asked = False
        try:
            self.game.submit(self.seat, read_move(answer))
        except IllegalMove as wrong:
            self.rejected.append(wrong)
            self.game.fault(self.seat, FaultKind.ILLEGAL)
            count = self.game.view(self.seat).table.seats[self.seat].faults
            return joined(
                frame(fault=pb.Fault(game=self.handle, kind=FAULTS.encode(FaultKind.ILLEGAL), count=count, limit=3)),
                frame(rejected=encode_rejected(self.handle, answer.id, REASONS.encode(wrong.reason), str(wrong), Draw())),
            )
        return b""


def session_of(source: BotSource, watcher: Watcher | None = None, games: Games | None = None) -> Session:
    """A session that has said Hello and been welcomed."""
    session = Session(games or Games(maker(source), watcher or Watcher()), 8)
    assert said(session) == ["hello"]
    session.receive(WELCOME)
    return session


def messages(session: Session) -> list[pb.BotMessage]:
    """Everything the session has to say now."""
    found: list[pb.BotMessage] = []
    while (out := session.take_frame()) is not None:
        found.extend(pb.ConnectRequest.FromString(out).messages)
    return found


def said(session: Session) -> list[str | None]:
    """The kinds of what it has to say, shares in shuffles left out."""
    kinds = [message.WhichOneof("kind") for message in messages(session)]
    return [kind for kind in kinds if kind != "nonce_commit"]


def answers(found: Iterable[pb.BotMessage]) -> list[pb.Answer]:
    return [message.answer for message in found if message.WhichOneof("kind") == "answer"]


def play_out(session: Session, *games: ScriptedGame) -> None:
    """Ask until every game is over, all running games in one frame."""
    running = {game.handle: game for game in games}
    pending = joined(*[game.ask() for game in games])
    while running:
        session.receive(pending)
        replies = []
        for answer in answers(messages(session)):
            game = running[answer.game]
            replies += [game.take(answer), game.ask()]
        pending = joined(*replies)
        for handle in [handle for handle, game in running.items() if game.game.to_move is None]:
            del running[handle]
    session.receive(pending)


class Recorder(Bot):
    """Plays default moves and writes down everything that it is told."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.started: list[GameInfo] = []
        self.seen: list[PublicEvent] = []
        self.gaps = 0
        self.rejections: list[Rejection] = []
        self.results: list[GameResult] = []

    def draw(self, view: View) -> Draw:
        self.views.append(view)
        return Draw()

    def play(self, view: View) -> Play:
        self.views.append(view)
        return Play(discard=next((card for card in view.hand if card < WILD), view.hand[0]))

    def game_started(self, info: GameInfo) -> None:
        self.started.append(info)

    def events(self, info: GameInfo, events: tuple[PublicEvent, ...]) -> None:
        self.seen.extend(events)

    def events_missed(self, info: GameInfo) -> None:
        self.gaps += 1

    def rejected(self, info: GameInfo, rejection: Rejection) -> None:
        self.rejections.append(rejection)

    def game_over(self, info: GameInfo, result: GameResult) -> None:
        self.results.append(result)
