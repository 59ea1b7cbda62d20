"""A real referee, and bots that really play, in a thread beside the site's code."""

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from bots_sdk.bot import BotSource, maker
from bots_sdk.client import Client
from bots_sdk.tickets import RefereeAddress, Ticket
from referee.service.server import RefereeServer
from referee.service.settings import Settings
from referee.service.tickets import KeyRing
from tests.sdk.tiny_referee import QUICK, Diary
from tests.site.builders import REFEREE, version_of
from tournament_site.addresses import Referee
from tournament_site.bots import services as bot_services
from tournament_site.bots import tickets
from tournament_site.bots.models import Bot
from tournament_site.settings import SiteSettings

PATIENCE = 60.0


class RealReferee:
    """A referee that trusts the site's key. What is awaited runs in its thread."""

    def __init__(self, site: SiteSettings) -> None:
        self._site = site
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._bots: list[Future[None]] = []
        self.server = self.run(self._start())

    async def _start(self) -> RefereeServer:
        keys = KeyRing.parse(self._site.ticket_key.public_pem())
        server = RefereeServer(Settings(REFEREE, keys, "127.0.0.1:0", "127.0.0.1:0"))
        await server.start()
        return server

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Await something in the referee's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    @property
    def address(self) -> Referee:
        return Referee(REFEREE, f"127.0.0.1:{self.server.control_port}", f"127.0.0.1:{self.server.port}")

    def connect(self, bot: Bot, source: BotSource, capacity: int = 8) -> None:
        """Let a bot play with its active version."""
        version, token = version_of(bot), bot_services.new_token(bot)
        claims = tickets.Claims(bot.slug, bot.name, version.label, version.pk, token.id, capacity, [REFEREE])
        text = tickets.ticket(self._site.ticket_key, claims, time.time())
        ticket = Ticket(text, capacity, (RefereeAddress(REFEREE, f"127.0.0.1:{self.server.port}", tls=False),))
        client = Client(maker(source), lambda: ticket, capacity, Diary(), QUICK)
        self._bots.append(asyncio.run_coroutine_threadsafe(client.run(), self._loop))

    def close(self) -> None:
        for bot in self._bots:
            bot.cancel()
        self.run(self.server.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


@contextmanager
def playing(settings: Any) -> Iterator[RealReferee]:
    """A real referee as the site's only one."""
    referee = RealReferee(settings.SITE)
    settings.SITE = replace(settings.SITE, referees=(referee.address,))
    try:
        yield referee
    finally:
        referee.close()
