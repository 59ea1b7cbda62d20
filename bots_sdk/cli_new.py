"""`phaseten new`: a small bot to begin with."""

import argparse
import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from bots_sdk.errors import WrongInput
from bots_sdk.settings import called_as

PYTHON: Final = ("bot.py", "README.md")
JAVASCRIPT: Final = (
    "bot.js",
    "main.js",
    "melds.js",
    *(f"phaseten/{name}.js" for name in ("run", "basics", "connection", "game", "schema", "session", "share", "tickets")),
    "package.json",
    "package-lock.json",
    ".gitignore",
    "README.md",
)
TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = {"python": PYTHON, "javascript": JAVASCRIPT}
# What a bot reads of the schema, the conversation and what it imports; and what its author reads to check the shuffles.
PROTO: Final = (*(f"phaseten/v1/{name}.proto" for name in ("bot", "cards", "game", "rules")), "SHUFFLE.md")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "new",
        help="write a small bot to begin with",
        description="Write a small bot and a README into a new folder. The bot plays; make it play well.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the folder to make; it must be empty or not exist")
    parser.add_argument(
        "--language",
        choices=TEMPLATES,
        default="python",
        help="what the bot is written in (default: python); javascript is for Node 20 and later",
    )
    parser.set_defaults(handler=new)


def new(chosen: argparse.Namespace) -> int:
    folder: Path = chosen.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WrongInput(f"{folder} exists and is not an empty folder. Choose another name.")
    name = class_name(folder.resolve().name)
    parts = list(_parts(chosen.language, name))
    try:
        for part, text in parts:
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            (folder / part).write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongInput(f"{folder} cannot be written: {error.strerror}") from error
    if chosen.language == "javascript":
        main = shlex.quote(str(folder / "main.js"))
        print(f"{folder / 'bot.js'} holds {name}. Try it:\n\n  npm ci --ignore-scripts --prefix {shlex.quote(str(folder))}")
        print(f"  {called_as()} check --server -- node {main}\n")
    else:
        file = str(folder / "bot.py")
        print(f"{file} holds {name}. Let it play:\n\n  {called_as()} play {shlex.quote(file)} greedy\n")
    return 0


def _parts(language: str, name: str) -> Iterator[tuple[str, str]]:
    """The files of a new bot, by their paths within its folder. Raises WrongInput if the schema was not installed."""
    template = files("bots_sdk") / "templates" / language
    for part in TEMPLATES[language]:
        text = (template / part).read_text(encoding="utf-8")
        yield part, text.replace("MyBot", name).replace("mybot", name.lower())
    if language != "python":
        schema = _schema()
        yield from ((f"proto/{part}", schema.joinpath(part).read_text(encoding="utf-8")) for part in PROTO)


def _schema() -> Traversable:
    """The folder with the schema: a wheel has it beside the templates, a checkout in its own place."""
    package = files("bots_sdk")
    places: tuple[Traversable, ...] = (package / "templates" / "proto", Path(str(package)).parent / "proto")
    for place in places:
        if all(place.joinpath(part).is_file() for part in PROTO):
            return place
    raise WrongInput("the schema was not installed with this command; take proto/ from a checkout of phaseten")


def class_name(folder: str) -> str:
    """A class name made from a folder's name: `my-first_bot` gives MyFirstBot."""
    words = re.findall(r"[A-Za-z0-9]+", folder)
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name.isidentifier() else f"Bot{name}"
