"""`phaseten validate`: may a bot play for ratings, and if it failed, another try."""

import argparse
from typing import Any

from bots_sdk.errors import ADDRESS_RIGHT, SiteUnavailable, WrongInput
from bots_sdk.http import Site
from bots_sdk.settings import SERVER, TOKEN, Settings, check_server
from bots_sdk.store import BotStore, choose
from bots_sdk.tickets import Validation, read_validation


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "validate",
        help="see whether a bot may play for ratings, and let it try again",
        description="A new version first plays one unrated match against a house bot. This says how far that is; status 0 "
        "if the version may play for ratings, else 1. The bot is one that was submitted from here, or the one of "
        f"{TOKEN}, {SERVER} and --bot.",
    )
    parser.add_argument("--server", metavar="URL", help=f"the site's address (default: {SERVER}, or the bot's own)")
    parser.add_argument("--bot", metavar="NAME", help="which bot: its short name")
    parser.add_argument("--again", action="store_true", help="after a match that it failed: play another one")
    parser.set_defaults(handler=validate)


def validate(chosen: argparse.Namespace) -> int:
    site, slug = _bot(chosen)
    path = f"bots/{slug}"
    found = read_validation(site.post(f"{path}/validation", {}) if chosen.again else _facts(site, path))
    if found is None:
        print(f"{slug} has no version yet: it has never connected.")
        return 1
    print(_line(found))
    if found.state == "failed":
        print("Mend it, and let it try again: phaseten validate --again")
    return 0 if found.passed else 1


def _facts(site: Site, path: str) -> dict[str, Any]:
    facts = site.get(path)
    if not isinstance(facts, dict):
        raise SiteUnavailable(f"{site.server} did not answer as a phaseten site does. {ADDRESS_RIGHT}")
    return facts


def _line(found: Validation) -> str:
    # The site's words may hold other people's.
    text = f"{found.state}: {found.text} {found.match}".rstrip()
    return "".join(character if character.isprintable() else "?" for character in text)


def _bot(chosen: argparse.Namespace) -> tuple[Site, str]:
    """The site, with the bot's token, and the bot's short name. Raises WrongInput."""
    settings = Settings.from_env()
    server = check_server(chosen.server, "--server") if chosen.server else settings.server
    if settings.token is not None:
        if server is None or chosen.bot is None:
            raise WrongInput(f"with {TOKEN} set, say too which bot it is for and where: --bot NAME --server URL")
        return Site(server, settings.token), str(chosen.bot)
    known = choose(BotStore(settings.config_dir), server=server, name=chosen.bot)
    return Site(known.server, known.token), known.slug
