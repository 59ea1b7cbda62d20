"""A running match: k games between the same bots, at once or in waves."""

import secrets
from collections import deque
from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from phaseten.v1 import referee_pb2

from referee.engine.game import Result
from referee.service.containment import contained
from referee.service.endings import Ending
from referee.service.game import RunningGame
from referee.service.gathering import Gathering
from referee.service.house import House
from referee.service.log import EventLog
from referee.service.order import Attempt, Order
from referee.service.seats import Link
from referee.wire.replay import SeatInfo

SEED_BYTES = 64

log = EventLog(__name__)


class MatchOwner(Protocol):
    """Who runs the matches."""

    def game_over(self, match: "RunningMatch") -> None:
        """A game came to its end; `match.done` says whether it was the last one."""

    def match_failed(self, match: "RunningMatch", error: Exception) -> None:
        """The attempt cannot go on, by a mistake of ours."""

    def game_ended(self, seats: tuple[SeatInfo, ...], ending: Ending) -> None:
        """A game has ended, with a result or without."""

    def match_void(self, match: "RunningMatch", text: str) -> None:
        """The attempt has come to nothing."""


class RunningMatch:
    """One attempt. `waiting` are the numbers of the games that were not announced yet, `games` those that gather or run."""

    __slots__ = ("_house", "_owner", "_replays", "_shared_seed", "_shuffles", "games", "order", "waiting")

    def __init__(self, order: Order, house: House, owner: MatchOwner) -> None:
        self.order = order
        self.waiting: deque[int] = deque(range(len(order.games)))
        self.games: dict[int, Gathering | RunningGame] = {}
        self._house = house
        self._owner = owner
        self._replays: dict[int, bytes] = {}
        self._shuffles: dict[int, referee_pb2.VoidGame] = {}  # of the games that are over
        self._shared_seed = secrets.token_bytes(SEED_BYTES) if order.mirrored else b""

    @property
    def attempt(self) -> Attempt:
        return self.order.attempt

    @property
    def playing(self) -> int:
        """Games that were announced and have not ended."""
        return len(self.order.games) - len(self.waiting) - len(self._replays)

    @property
    def done(self) -> bool:
        """Whether every game has come to its end."""
        return len(self._replays) == len(self.order.games)

    @property
    def replays(self) -> tuple[tuple[UUID, bytes], ...]:
        """The games' ids and replays, in order; complete once the match is done."""
        return tuple((self.order.games[index], self._replays[index]) for index in sorted(self._replays))

    def begin_next(self, links: Sequence[Link | None]) -> None:
        """Announce the next game; `links` are the sessions of the bots, in the order of the order."""
        contained(self.game_failed, self._begin, self.waiting.popleft(), links)

    def _begin(self, index: int, links: Sequence[Link | None]) -> None:
        seed = self._shared_seed or secrets.token_bytes(SEED_BYTES)
        gathering = Gathering(self.order, index, seed, self._house, self)
        self.games[index] = gathering
        self._write_down(gathering)  # nobody is told of the commitment before
        log.debug("game announced", match=self.attempt.match, attempt=self.attempt.number, game=self.order.games[index])
        count = len(links)
        gathering.begin([links[(seat - index) % count] for seat in range(count)])

    def _write_down(self, gathering: Gathering) -> None:
        self._house.journal.keep(self.attempt, gathering.index, gathering.shuffle())

    def shuffles(self) -> list[referee_pb2.VoidGame]:
        """What made the cards of every game that was announced, in order: for an attempt that comes to nothing."""
        known = self._shuffles | {index: game.shuffle() for index, game in self.games.items()}
        return [known[index] for index in sorted(known)]

    def abandon(self, text: str) -> None:
        """End all games without a result."""
        self.waiting.clear()
        for game in tuple(self.games.values()):
            game.abandon(text)
            self._tell_end(game, None, text)
        self.games.clear()

    def _tell_end(self, game: Gathering | RunningGame, result: Result | None, text: str) -> None:
        ending = Ending(self.order.games[game.index], result, game.revealed_seed, text)
        self._owner.game_ended(self.order.table(game.index), ending)

    # What games say (`gathering.GatheringOwner`, `game.Owner`).

    def gathered(self, gathering: Gathering) -> None:
        self._write_down(gathering)  # the shares too
        game = RunningGame(gathering, self._house, self)
        self.games[gathering.index] = game
        game.begin()

    def game_over(self, game: RunningGame, replay: bytes) -> None:
        self._house.meter.games += 1
        log.info("game finished", match=self.attempt.match, attempt=self.attempt.number, game=game.game_id)
        self._tell_end(game, game.result, "")
        del self.games[game.index]
        self._shuffles[game.index] = game.shuffle()
        self._replays[game.index] = replay
        self._owner.game_over(self)

    def nobody_came(self) -> None:
        self._owner.match_void(self, "no bot completed the handshake of a game")

    def game_failed(self, error: Exception) -> None:
        self._owner.match_failed(self, error)
