"""`phaseten submit`: make a bot known to a site, keep its token, and enter it in a season."""

import argparse
import contextlib
import getpass
import shlex
import sys
from typing import Any

from bots_sdk.bot import version_of
from bots_sdk.check import check_bot
from bots_sdk.errors import SiteRefused, SiteUnavailable, WrongInput
from bots_sdk.http import Site
from bots_sdk.loading import LoadedBot, load_bot
from bots_sdk.settings import PASSWORD, SERVER, Settings, called_as, check_server
from bots_sdk.store import BotStore, KnownBot
from bots_sdk.tickets import fetch_ticket

_UNAUTHORIZED = 401


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "submit",
        help="make a bot known to a site and enter a season",
        description="Try the bot in a short local game, make it and its version on a site, keep its token in your config "
        f"folder, and enter it in an open season. The password is asked for, or taken from {PASSWORD}.",
    )
    parser.add_argument("bot", metavar="BOT", help="FILE.py, FILE.py:Class, package.module:Class or a house bot")
    parser.add_argument("--server", metavar="URL", help=f"the site's address (default: {SERVER})")
    parser.add_argument("--name", required=True, metavar="NAME", help="the bot's name on the site")
    parser.add_argument("--version", metavar="LABEL", help="label of this version (default: the bot's own `version`)")
    parser.add_argument("--season", type=int, metavar="ID", help="the season to enter (default: the only open one)")
    parser.add_argument("--username", metavar="NAME", help="your user name on the site (default: asked for)")
    parser.set_defaults(handler=submit)


def submit(chosen: argparse.Namespace) -> int:
    settings = Settings.from_env()
    server = check_server(chosen.server, "--server") if chosen.server else settings.server
    if server is None:
        raise WrongInput(f"which site? Give --server URL, or set {SERVER}.")
    bot = load_bot(chosen.bot)
    if not _passes(bot):
        return 1
    account = _log_in(server, chosen.username, settings.password)
    try:
        store = BotStore(settings.config_dir)
        known = _make(account, store, bot, chosen)
        print(f"{known.name} is at {server}/bots/{known.slug}; its token is kept in {store.path}")
        _enter(account, known, chosen.season)
    finally:
        _log_out(account)
    run = f"{called_as()} run {shlex.quote(chosen.bot)} --server {server} --bot {known.slug}"
    print(f"\nLet it play:\n\n  {run}\n")
    return 0


def _passes(bot: LoadedBot) -> bool:
    """Try the bot out first: what fails here would cost games there."""
    print(f"Trying {bot.label} against house bots ...")
    report = check_bot(bot.source, told=lambda line: print(f"  {line}"))
    for warning in report.warnings:
        print(f"  note: {warning}")
    if report.passed:
        print(f"  {report.games} games, {report.decisions} decisions, all legal; slowest {1000 * report.slowest:.1f} ms")
        return True
    for problem in report.problems:
        print(problem, file=sys.stderr)
    print(f"phaseten: {bot.label} is not ready; nothing was submitted. Mend this and try again.", file=sys.stderr)
    return False


def _log_in(server: str, username: str | None, password: str | None) -> Site:
    if not sys.stdin.isatty() and (username is None or password is None):
        raise WrongInput(f"give --username and set {PASSWORD}: there is no terminal to ask on")
    name = username or input(f"User name at {server}: ").strip()
    word = password if password is not None else getpass.getpass("Password: ")
    try:
        answer = Site(server).post("account-tokens", {"username": name, "password": word})
    except SiteRefused as error:
        if error.status == _UNAUTHORIZED:
            raise WrongInput(f"{error}\nNo account yet? Make one at {server}/sign-up") from error
        raise
    return Site(server, str(answer["token"]))


def _log_out(account: Site) -> None:
    """Give the account's token back: nobody needs it any more. What came before has succeeded or failed by itself."""
    with contextlib.suppress(SiteRefused, SiteUnavailable):
        account.delete("account-tokens/current")


def _make(account: Site, store: BotStore, bot: LoadedBot, chosen: argparse.Namespace) -> KnownBot:
    """The bot on the site: a new one, or the one of this name that was made before, with the version declared."""
    label = chosen.version or version_of(bot.source)
    try:
        made = account.post("bots", {"name": chosen.name, "version": label})
        slug, name, token = str(made["slug"]), str(made["name"]), str(made["token"])
    except SiteRefused as error:
        if error.code != "name_taken":
            raise
        slug, name = _own(account, chosen.name, error)
        token = _declared(account, slug, _kept(account.server, slug, store), label)
        print(f"{name} was there already; its version is now {label}")
    known = KnownBot(account.server, slug, name, token, bot.program, chosen.version or "")
    store.save(known)
    return known


def _own(account: Site, name: str, taken: SiteRefused) -> tuple[str, str]:
    """Short name and name of the user's own bot of this name. Raises `taken` if it is somebody else's."""
    listed = account.get("bots")["bots"]
    mine = next((entry for entry in listed if name in {entry["name"], entry["slug"]}), None)
    if mine is None:
        raise taken
    return str(mine["slug"]), str(mine["name"])


def _kept(server: str, slug: str, store: BotStore) -> str | None:
    return next((known.token for known in store if (known.server, known.slug) == (server, slug)), None)


def _declared(account: Site, slug: str, kept: str | None, label: str) -> str:
    """Declare a version of a bot that is there: a session's wish does. The token that opened the door is the answer.

    It is the kept one, or a new one if none was kept or the kept one was revoked.
    """
    if kept is not None:
        try:
            fetch_ticket(Site(account.server, kept), label, 1)
        except SiteRefused as error:
            if error.status != _UNAUTHORIZED:
                raise
            print("The token that was kept is good no more; a new one is made.")
        else:
            return kept
    token = str(account.post(f"bots/{slug}/tokens", {})["token"])
    fetch_ticket(Site(account.server, token), label, 1)
    return token


def _enter(account: Site, bot: KnownBot, season: int | None) -> None:
    if season is None:
        seasons = account.get("seasons?state=open")
        if not seasons:
            print("No season is open for entry now. `phaseten submit` again with --season ID when one is.")
            return
        if len(seasons) > 1:
            print("Several seasons are open; enter one with `phaseten submit ... --season ID`:")
            for entry in seasons:
                print(f"  --season {entry['id']}  {entry['name']}, {entry['table_size']} seats, {entry['entries']} bots")
            return
        season = int(seasons[0]["id"])
    try:
        account.post(f"seasons/{season}/entries", {"bot": bot.slug})
    except SiteRefused as error:
        if error.code != "already_entered":
            raise
        print(f"It has entered season {season} already.")
        return
    print(f"It has entered season {season}: {account.server}/seasons/{season}")
