"""What a decision costs each side without a network: the referee's sessions and games, and the SDK.

Two bots with 64 games each meet at one referee, all in one process. Whatever one side says to the other is handed over as
the bytes of a frame, about 32 messages each. In the first run the bots think, and what they were sent and played is
kept. The SDK is measured when it takes the same frames again, with bots that know what to play.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from phaseten.v1 import bot_pb2, referee_pb2

from bots_sdk import Bot, Draw, Move, Play, View, Watcher
from bots_sdk.games import Games
from bots_sdk.house_bots.blind import BlindBot
from bots_sdk.session import Session as BotSession
from referee.engine import OFFICIAL, Terms
from referee.service.clock import RefereeTime
from referee.service.feed import Feed
from referee.service.house import House
from referee.service.lobby import Lobby
from referee.service.meter import Meter
from referee.service.order import Attempt, Order
from referee.service.outbox import Pacer
from referee.service.records import Outcomes, Records
from referee.service.session import Session, decode_frame, take_hello
from referee.service.tickets import Ticket
from referee.wire.replay import SeatInfo
from tests.bench._garbage import collected_rarely

GAMES = 64  # of each bot
DECISIONS = 20_000


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor microseconds of one decision: the referee's core, and the SDK without the bot's thinking."""

    core_us: float
    sdk_us: float


@dataclass
class Script:
    """What one bot was sent, frame by frame, and the moves of each of its games in the order in which they began."""

    frames: list[bytes] = field(default_factory=list)
    games: list[list[Move]] = field(default_factory=list)


class Thinking(BlindBot):
    """Plays, and writes its moves down."""

    def __init__(self, script: Script) -> None:
        self._moves: list[Move] = []
        script.games.append(self._moves)

    def draw(self, view: View) -> Draw:
        self._moves.append(move := super().draw(view))
        return move

    def play(self, view: View) -> Play:
        self._moves.append(move := super().play(view))
        return move


class Knowing(Bot):
    """Plays the moves that were written down."""

    def __init__(self, moves: list[Move]) -> None:
        self.moves = deque(moves)

    def draw(self, view: View) -> Draw:
        return self.moves.popleft()  # type: ignore[return-value] # it was asked the same before

    def play(self, view: View) -> Play:
        return self.moves.popleft()  # type: ignore[return-value] # it was asked the same before


class Side:
    """One bot, and its session at the referee."""

    def __init__(self, name: str, number: int, lobby: Lobby, pacer: Pacer) -> None:
        self.script = Script()
        self.info = SeatInfo(name, name, "1", number)
        self.bot = bot_session(lambda: Thinking(self.script))
        hello = self.bot.take_frame()
        assert hello is not None
        ticket = Ticket(name, name, "1", number, GAMES)
        self.referee = Session(number, ticket, take_hello(decode_frame(hello)), pacer, lobby.time)
        lobby.join(self.referee, bot_pb2.Welcome(session_id=name, protocol=1, capacity=GAMES, referee="bench"))

    def turn(self) -> float:
        """Take what the referee has to say, and say what the bot answers. Returns the referee's seconds."""
        start = time.thread_time()
        frame = self.referee.outbox._take()
        spent = time.thread_time() - start
        self.script.frames.append(frame)
        for answers in converse(self.bot, frame):
            start = time.thread_time()
            self.referee.receive(answers)
            spent += time.thread_time() - start
        return spent


def bot_session(make: Callable[[], Bot]) -> BotSession:
    return BotSession(Games(make, Watcher()), GAMES)


def converse(session: BotSession, frame: bytes) -> list[bytes]:
    """The frames with which a bot answers a frame."""
    session.receive(frame)
    answers = []
    while (out := session.take_frame()) is not None:
        answers.append(out)
    return answers


async def _referee_core() -> tuple[float, Script]:
    """Seconds of the referee for a decision, and what one of the bots was sent and did."""
    meter, pacer = Meter(), Pacer()
    records = Records(1 << 30)
    feed = Feed(records, referee_pb2.WatchGreeting(), lambda: ())
    house = House("bench", RefereeTime(), feed, meter, asyncio.get_running_loop())
    lobby = Lobby(house, records, Outcomes(), 2 * GAMES)
    sides = [Side("one", 1, lobby, pacer), Side("two", 2, lobby, pacer)]
    spent, before = 0.0, 0
    while meter.decisions < 2 * DECISIONS:
        if meter.decisions < DECISIONS:  # the first half warms it up
            spent, before = 0.0, meter.decisions
        spent += _start_matches(lobby, sides)
        spent += sum(side.turn() for side in sides)
    for side in sides:
        lobby.leave(side.referee)
    return spent / (meter.decisions - before), sides[0].script


def _start_matches(lobby: Lobby, sides: list[Side]) -> float:
    """Keep all seats busy; returns the seconds that it took."""
    for attempt in tuple(lobby.records):
        lobby.acknowledge(attempt)
    bots = tuple(side.info for side in sides)
    orders = [
        Order(Attempt(uuid4(), 1), OFFICIAL, Terms(), bots, (uuid4(), uuid4()), mirrored=False)
        for _ in range(GAMES // 2 - lobby.match_count)
    ]
    start = time.thread_time()
    for order in orders:
        lobby.start(order)
    return time.thread_time() - start


def _sdk(script: Script) -> float:
    """Seconds of the SDK for a decision."""
    bots = [Knowing(moves) for moves in script.games]
    games = iter(bots)
    session = bot_session(lambda: next(games))
    # Its shares in the shuffles are others than in the first run, of which it rightly complains.
    logging.getLogger("phaseten").setLevel(logging.CRITICAL)
    half = len(script.frames) // 2
    for frame in script.frames[:half]:
        converse(session, frame)
    left = sum(len(bot.moves) for bot in bots)
    start = time.thread_time()
    for frame in script.frames[half:]:
        converse(session, frame)
    return (time.thread_time() - start) / left


def measure() -> Cost:
    """One measurement of both."""
    with collected_rarely():
        core, script = asyncio.run(_referee_core())
    return Cost(core * 1e6, _sdk(script) * 1e6)
