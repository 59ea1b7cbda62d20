"""`run(MyBot)`: connect a bot to a site and play until stopped."""

import logging
import sys

from bots_sdk.bot import BotSource, maker, name_of, version_of
from bots_sdk.errors import SdkError, SiteRefused, Superseded, WrongInput
from bots_sdk.http import Site
from bots_sdk.settings import SERVER, TOKEN, Settings, check_server
from bots_sdk.watcher import Watcher

log = logging.getLogger("phaseten")

CAPACITY = 8  # games at once, unless said otherwise: one thread plays them all, and slow bots want fewer


def run(  # noqa: PLR0913 - each is a choice of its own, all but the bot by name
    bot: BotSource,
    *,
    server: str | None = None,
    token: str | None = None,
    version: str | None = None,
    capacity: int = CAPACITY,
    watcher: Watcher | None = None,
) -> None:
    """Connect `bot` and play until Ctrl-C, SIGTERM, or a newer session of the same bot.

    `bot` is a class (then every game gets an object of its own), a function that makes bots, or one object for all games.
    `server` is the site's address and `token` the bot's token; PHASETEN_SERVER and PHASETEN_TOKEN give what is left out.
    `version` is the label of this version, else the bot's own. `capacity` is how many games it plays at once.

    Ends the process with a message on stderr and status 2 if something is missing or wrong, and 1 if the site does not
    let the bot in or another process took over; with 128 and the number of a signal if the bot's code did not return within
    two seconds of it.
    """
    logging.basicConfig(format="%(asctime)s %(levelname)-7s %(message)s", level=logging.INFO)
    try:
        connect(bot, server=server, token=token, version=version, capacity=capacity, watcher=watcher)
    except SdkError as error:
        print(f"phaseten: {error}", file=sys.stderr)  # noqa: T201 - this is a program's last word
        raise SystemExit(error.exit_code) from None


def connect(  # noqa: PLR0913 - see above
    bot: BotSource,
    *,
    server: str | None = None,
    token: str | None = None,
    version: str | None = None,
    capacity: int = CAPACITY,
    watcher: Watcher | None = None,
) -> None:
    """The same as `run`, but raises SdkError instead of ending the process."""
    settings = Settings.from_env()
    make = maker(bot)
    server = check_server(server, "server") if server else settings.server
    token = token or settings.token
    missing = [name for name, value in ((SERVER, server), (TOKEN, token)) if not value]
    if server is None or token is None:
        raise WrongInput(
            f"{' and '.join(missing)} must be set: the site's address, and the token that the site showed when "
            f"the bot was made. `phaseten submit` makes a bot and keeps its token for `phaseten run`."
        )
    label = version or version_of(bot)
    site = Site(server, token)

    # Only a program that plays over the network needs gRPC.
    from bots_sdk.client import Client
    from bots_sdk.stopping import run_until_stopped
    from bots_sdk.tickets import fetch_ticket

    log.info("%s, version %s, plays at %s", name_of(bot), label, server)
    client = Client(make, lambda: fetch_ticket(site, label, capacity), capacity, watcher)
    try:
        run_until_stopped(client.run)
    except SiteRefused as error:
        raise _explained(error) from error
    except Superseded as error:
        raise Superseded(
            f"{error}. This process has stopped: another one connected with the same bot's token, and the newest one plays. "
            "If that was not meant: stop the other one and run this again, or `phaseten submit` a second bot under a name "
            "of its own. If it is none of yours, somebody has the token: revoke it on the bot's page and make a new one."
        ) from error


def _explained(error: SiteRefused) -> SdkError:
    if error.status in {401, 403}:
        return SdkError(
            f"{error}\nThe token is wrong or was revoked. Make a new one on the bot's page and set {TOKEN} to it, or "
            "`phaseten submit` the bot again under the same name: that makes a new one and keeps it for `phaseten run`."
        )
    return error
