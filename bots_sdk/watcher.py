"""What a person may want to see of a bot that is connected."""

import logging

from bots_sdk.info import GameInfo, GameResult, forfeit_in_words

log = logging.getLogger("phaseten")


class Watcher:
    """Told what happens. This one writes log lines; the command line has another."""

    def connected(self, referee: str, capacity: int) -> None:
        log.info("connected to referee %s, up to %d games at once", referee, capacity)

    def disconnected(self, referee: str, why: str) -> None:
        log.warning("connection to referee %s lost: %s", referee, why)

    def waiting(self, why: str, seconds: float) -> None:
        """A try to get in failed, and the next one is made in so many seconds."""
        log.warning("%s", again(why, seconds))

    def validation(self, text: str) -> None:
        """What the site says of the version's validation."""
        log.info("%s", text)

    def game_started(self, info: GameInfo) -> None:
        log.debug("game %s started", info.game_id)

    def game_over(self, info: GameInfo, result: GameResult) -> None:
        cause = result.forfeit(info.seat)
        if cause is not None:
            log.warning("game %s forfeited: %s", info.game_id, forfeit_in_words(cause))
        log.debug("game %s over: %s", info.game_id, result.ending.value)


def again(why: str, seconds: float) -> str:
    """The line for a try that failed, whether `why` is a sentence or only the beginning of one."""
    if why.endswith((".", "?", "!")):
        return f"{why} Trying again in {seconds:.1f} s"
    return f"{why}; trying again in {seconds:.1f} s"
