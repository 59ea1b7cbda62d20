"""What a person may want to see of a bot that is connected."""

import logging

from bots_sdk.info import GameInfo, GameResult

log = logging.getLogger("phaseten")


class Watcher:
    """Told what happens. This one writes log lines; the command line has another."""

    def connected(self, referee: str, capacity: int) -> None:
        log.info("connected to referee %s, up to %d games at once", referee, capacity)

    def disconnected(self, referee: str, why: str) -> None:
        log.warning("connection to referee %s lost: %s", referee, why)

    def waiting(self, why: str, seconds: float) -> None:
        log.warning("%s; trying again in %.1f s", why, seconds)

    def validation(self, text: str) -> None:
        """What the site says of the version's validation."""
        log.info("%s", text)

    def game_started(self, info: GameInfo) -> None:
        log.debug("game %s started", info.game_id)

    def game_over(self, info: GameInfo, result: GameResult) -> None:
        log.debug("game %s over: %s", info.game_id, result.ending.value)
