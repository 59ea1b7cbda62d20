"""The bots that were submitted from this machine, with their tokens: a file in the user's config folder, for him alone."""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from bots_sdk.errors import WrongInput

FILE = "bots.json"


@dataclass(frozen=True, slots=True)
class KnownBot:
    """A bot on a site. `program` is where its code was; `version` the label given on the command line, or empty."""

    server: str
    slug: str
    name: str
    token: str = field(repr=False)
    program: str
    version: str


class BotStore:
    """Reads and writes the file. One entry for each site and bot."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def __iter__(self) -> Iterator[KnownBot]:
        """All entries, the oldest first. Raises WrongInput for a file that is not ours."""
        return iter(self._read())

    def save(self, bot: KnownBot) -> None:
        """Write an entry, in place of an older one of the same bot. The file is readable by its owner only."""
        others = [known for known in self._read() if (known.server, known.slug) != (bot.server, bot.slug)]
        text = json.dumps({"bots": [asdict(known) for known in (*others, bot)]}, indent=2) + "\n"
        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # mkstemp makes it with mode 600, and the replacement is whole or not at all.
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=FILE)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).replace(self.path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _read(self) -> list[KnownBot]:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        names = [item.name for item in fields(KnownBot)]
        try:
            return [KnownBot(**{name: str(entry[name]) for name in names}) for entry in json.loads(text)["bots"]]
        except (ValueError, KeyError, TypeError) as error:
            raise WrongInput(f"{self.path} cannot be read ({error!r}). Mend it, or delete it and submit again.") from error


def choose(store: BotStore, *, server: str | None, name: str | None, program: str | None = None) -> KnownBot:
    """The entry that is meant: by name or short name if one is given, else by program if one is given, else the only one.

    A program that was not submitted is nobody's: it would play under another bot's name. Raises WrongInput if none or
    several fit.
    """
    known = [bot for bot in store if server in {None, bot.server}]
    if name is not None:
        fitting = [bot for bot in known if name in {bot.slug, bot.name}]
    else:
        fitting = [bot for bot in known if program in {None, bot.program}]
    if len(fitting) == 1:
        return fitting[0]
    listed = "".join(f"\n  --bot {bot.slug} --server {bot.server}  (submitted as {bot.program})" for bot in known)
    if not known:
        where = f" at {server}" if server else ""
        raise WrongInput(f"no bot was submitted from here{where} yet. Use `phaseten submit`, or set PHASETEN_TOKEN.")
    if not fitting and name is None:
        raise WrongInput(
            f"{program} was not submitted. Use `phaseten submit` to make it a bot; or if it is to play as one of your "
            f"bots, say which, and that one stops where it runs now:{listed}"
        )
    if not fitting:
        raise WrongInput(f"no bot {name!r} was submitted from here. There are:{listed}")
    raise WrongInput(f"which bot is this to be? Say one of:{listed}")
