"""What games need of the process around them."""

import asyncio
from dataclasses import dataclass, field

from referee.service.clock import RefereeTime
from referee.service.feed import Feed
from referee.service.journal import Journal
from referee.service.meter import Meter


@dataclass(frozen=True, slots=True)
class House:
    """The same for every game. `referee` is its name and version, for replays."""

    referee: str
    time: RefereeTime
    feed: Feed
    meter: Meter
    loop: asyncio.AbstractEventLoop
    journal: Journal = field(default_factory=Journal)
