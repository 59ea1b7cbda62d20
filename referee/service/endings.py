"""Games that have just ended: told once more to a bot that comes back, for its connection may have broken right then."""

from collections import deque
from typing import Final, NamedTuple
from uuid import UUID

from phaseten.v1 import bot_pb2 as pb

from referee.engine.game import Result
from referee.service.clock import monotonic_ms
from referee.wire.replay import SeatInfo, encode_result

KEPT_MS: Final = 60_000.0
KEPT_OF_BOT: Final = 32  # games


class Ending(NamedTuple):
    """How a game ended; without a result it is void, and `text` says why. `seed` is empty while others play from it."""

    game: UUID
    result: Result | None
    seed: bytes
    text: str = ""


class Endings:
    """The endings of the last minute, by bot."""

    __slots__ = ("_by_bot",)

    def __init__(self) -> None:
        self._by_bot: dict[str, deque[tuple[float, int, Ending]]] = {}

    def note(self, seats: tuple[SeatInfo, ...], ending: Ending) -> None:
        """A game of these bots has ended."""
        now = monotonic_ms()
        for seat in seats:
            self._by_bot.setdefault(seat.bot, deque(maxlen=KEPT_OF_BOT)).append((now, seat.version_id, ending))

    def of(self, bot: str, version_id: int) -> list[pb.GameOver]:
        """What a version of a bot may have missed, the oldest first."""
        oldest = monotonic_ms() - KEPT_MS
        known = self._by_bot.get(bot, ())
        return [_told(ending) for when, version, ending in known if version == version_id and when >= oldest]

    def forget(self) -> None:
        """Let go of what is too old; to be called now and then."""
        oldest = monotonic_ms() - KEPT_MS
        for bot in [bot for bot, known in self._by_bot.items() if known[-1][0] < oldest]:
            del self._by_bot[bot]


def _told(ending: Ending) -> pb.GameOver:
    if ending.result is None:
        told = pb.GameOver(kind=pb.GAME_OVER_KIND_VOID, text=ending.text)
    else:
        told = pb.GameOver(kind=pb.GAME_OVER_KIND_FINISHED, result=encode_result(ending.result))
    told.game_id, told.server_seed = ending.game.bytes, ending.seed
    return told
