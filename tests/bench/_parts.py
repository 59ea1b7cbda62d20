"""What the parts of the referee's core cost: the rules, what a seat is shown, and reading what it answers.

Games of greedy bots are played once. Then the same moves are made again and again: alone, with the question that comes
before each, and as frames of about 32 answers that are only read.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from phaseten.v1 import bot_pb2

from referee.engine import OFFICIAL, Game, Move, Seat, SeededDecks, Terms, View
from referee.service.messages import QuestionWriter
from referee.service.session import decode_frame
from referee.wire.fields import Heading
from referee.wire.moves import read_answer, write_answer, write_decision
from tests.players import greedy, play_out

_ANSWER = Heading(bot_pb2.BotMessage, "answer", Heading(bot_pb2.ConnectRequest, "messages"))

T = TypeVar("T")

GAMES = 60
GATHERED = 32  # answers in a frame
ROUNDS = 5  # of which the fastest counts: all do the same work


@dataclass(frozen=True, slots=True)
class Parts:
    """Processor microseconds of one decision."""

    engine_us: float
    views_us: float
    protobuf_us: float


class Recording:
    """One game of greedy bots, to be played again."""

    def __init__(self, number: int) -> None:
        self._decks = SeededDecks(number.to_bytes(64, "big"))
        self.moves: list[tuple[Seat, Move]] = []

        def policy(view: View, ruleset: object) -> Move:
            self.moves.append((view.seat, move := greedy(view, OFFICIAL)))
            return move

        play_out(self._game(), policy)

    def _game(self) -> Game:
        return Game(OFFICIAL, Terms(), 2, self._decks)

    def rules(self) -> None:
        """The moves alone."""
        game = self._game()
        for seat, move in self.moves:
            game.submit(seat, move)

    def questions(self) -> None:
        """The moves, each after its question."""
        game, writer, left = self._game(), QuestionWriter(OFFICIAL.name), (60_000.0, 10_000.0, 1.0)
        for number, (seat, move) in enumerate(self.moves):
            writer.question(1, number, writer.view(game.view_fields(seat)), left)
            game.submit(seat, move)

    def answers(self) -> list[bytes]:
        """The moves as frames of answers."""
        said = [_ANSWER.wrap(write_answer(1, number, write_decision(move))) for number, (_, move) in enumerate(self.moves)]
        return [b"".join(said[first : first + GATHERED]) for first in range(0, len(said), GATHERED)]


def measure_parts() -> Parts:
    """One measurement."""
    games = [Recording(number) for number in range(GAMES)]
    frames = [frame for game in games for frame in game.answers()]
    decisions = sum(len(game.moves) for game in games)
    engine = _fastest(Recording.rules, games)
    both = _fastest(Recording.questions, games)
    reading = _fastest(_read, frames)
    return Parts(*(seconds / decisions * 1e6 for seconds in (engine, both - engine, reading)))


def _read(data: bytes) -> None:
    """As a session and a game read it."""
    for message in decode_frame(data).messages[:]:
        if message.WhichOneof("kind") == "answer":
            answer = message.answer
            _ = (answer.game, answer.id, read_answer(answer), answer.note)


def _fastest(work: Callable[[T], None], things: Sequence[T]) -> float:
    """Seconds of a round of the work on all things."""
    spent = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        for thing in things:
            work(thing)
        spent.append(time.thread_time() - start)
    return min(spent)
