"""Bots over hand-written HTTP/2: an honest one, and those that answer as no SDK would."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2

from tests.faults.http2 import Connection
from tests.service.player import dull_move


def frame(*messages: pb.BotMessage) -> bytes:
    return pb.ConnectRequest(messages=messages).SerializeToString()


def hello(capacity: int = 64) -> bytes:
    return frame(pb.BotMessage(hello=pb.Hello(protocol=1, sdk="raw/1", language="test", capacity=capacity)))


class Player(Connection):
    """Takes no part in shuffles, draws from the pile and throws the dearest card. It counts what it hears in `took`."""

    def __init__(self) -> None:
        super().__init__()
        self.welcomed = False
        self.took = 0
        self.stream = 0

    async def enter(self, ticket: str) -> None:
        """Greet, and wait until welcomed."""
        self.greet()
        self.stream = self.begin(ticket)
        self.say(self.stream, hello())
        await self.until(lambda one: one.welcomed)

    def heard(self, stream: int, data: bytes) -> None:
        answers = []
        for message in pb.ConnectResponse.FromString(data).messages:
            self.took += 1
            answers += self.react(message)
        if answers:
            self.say(stream, frame(*answers))

    def react(self, message: pb.RefereeMessage) -> list[pb.BotMessage]:
        match message.WhichOneof("kind"):
            case "welcome":
                self.welcomed = True
            case "ping":
                return [pb.BotMessage(pong=pb.Pong(id=message.ping.id))]
            case "invite":
                return self.share(message.invite)
            case "question":
                return self.answer(message.question)
            case "game_over":
                self.over(message.game_over)
            case "resync":
                return [answer for game in message.resync.games for answer in self.resume(game)]
            case _:
                pass
        return []

    def share(self, invite: pb.Invite) -> list[pb.BotMessage]:
        return [pb.BotMessage(nonce_commit=pb.NonceCommit(game=invite.game))]

    def resume(self, game: pb.ResyncGame) -> list[pb.BotMessage]:
        if not game.HasField("start"):
            return self.share(game.invite)
        return self.answer(game.question) if game.HasField("question") else []

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        return [pb.BotMessage(answer=pb.Answer(game=question.game, id=question.id, **dull_move(question)))]

    def over(self, game: pb.GameOver) -> None:
        """A game has ended."""


class Absent(Player):
    """Is there, and says nothing about its share."""

    def share(self, invite: pb.Invite) -> list[pb.BotMessage]:
        return []


class Mute(Player):
    """Never answers a question."""

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        return []


class Late(Player):
    """Answers when the time is over."""

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        late = frame(*super().answer(question))
        asyncio.get_running_loop().call_later(question.limit_ms / 1000 + 0.05, self.say, self.stream, late)
        return []


class Twice(Player):
    """Says everything twice, and the answer to the question before once more."""

    def __init__(self) -> None:
        super().__init__()
        self._before: list[pb.BotMessage] = []

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        answers = super().answer(question)
        said = [*answers, *self._before, *answers]
        self._before = answers
        return said


class Reversed(Player):
    """Answers two questions of different games at once, the later one first."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[pb.BotMessage] = []

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        self._kept = [*super().answer(question), *self._kept]
        if len(self._kept) == 1:
            asyncio.get_running_loop().call_later(0.05, self._let_go)
            return []
        return self._taken()

    def _taken(self) -> list[pb.BotMessage]:
        kept, self._kept = self._kept, []
        return kept

    def _let_go(self) -> None:
        if kept := self._taken():
            self.say(self.stream, frame(*kept))


class Astray(Player):
    """Answers in the wrong games first: in the other of its two, in some that never were, with ids from the future."""

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        answers = super().answer(question)
        other = 3 - question.game
        wrong = [(other, question.id), (question.game + 1000, question.id), (0, 0), (other, question.id + 1000)]
        strays = [pb.Answer(game=game, id=number, draw=game_pb2.Draw()) for game, number in wrong]
        return [*(pb.BotMessage(answer=stray) for stray in strays), *answers]


class Babbler(Player):
    """Answers with anything that the schema can say."""

    def __init__(self) -> None:
        super().__init__()
        self._dice = random.Random(4)

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        play = game_pb2.Play(discard=self._dice.randrange(60), skip_target=self._dice.randrange(9))  # type: ignore[arg-type]  # any number
        said: dict[str, Any] = {"play": play} if self._dice.random() < 0.7 else {"draw": game_pb2.Draw(from_discard=True)}
        return [pb.BotMessage(answer=pb.Answer(game=question.game, id=question.id, note="\u202e\x00" * 300, **said))]


KINDS: tuple[Callable[[], Player], ...] = (Absent, Mute, Late, Twice, Reversed, Astray, Babbler)
