"""The house's own bots: four levels of play, written with the SDK like anybody's bot.

random   any pile, lays and hits when it can, any discard
blind    always the unseen card; follows the shortest way to its phase
greedy   also takes the open card when that brings the phase nearer; plays Skips against the leader
denier   also counts the cards that can still come, and does not feed the next player
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bots_sdk import Bot
from bots_sdk.house_bots.blind import BlindBot
from bots_sdk.house_bots.denier import DenierBot
from bots_sdk.house_bots.greedy import GreedyBot
from bots_sdk.house_bots.random_bot import RandomBot

HOUSE_BOTS: Final[Mapping[str, type[Bot]]] = MappingProxyType(
    {"random": RandomBot, "blind": BlindBot, "greedy": GreedyBot, "denier": DenierBot}
)

__all__ = ["HOUSE_BOTS", "BlindBot", "DenierBot", "GreedyBot", "RandomBot"]
