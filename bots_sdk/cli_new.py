"""`phaseten new`: a small bot to begin with."""

import argparse
import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Any

from bots_sdk.errors import WrongInput
from bots_sdk.settings import called_as

TEMPLATE = ("bot.py", "README.md")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "new",
        help="write a small bot to begin with",
        description="Write a small bot and a README into a new folder. The bot plays; make it play well.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the folder to make; it must be empty or not exist")
    parser.set_defaults(handler=new)


def new(chosen: argparse.Namespace) -> int:
    folder: Path = chosen.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WrongInput(f"{folder} exists and is not an empty folder. Choose another name.")
    name = class_name(folder.resolve().name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part in TEMPLATE:
            text = (files("bots_sdk") / "templates" / "python" / part).read_text(encoding="utf-8")
            (folder / part).write_text(text.replace("MyBot", name), encoding="utf-8")
    except OSError as error:
        raise WrongInput(f"{folder} cannot be written: {error.strerror}") from error
    file = str(folder / "bot.py")
    print(f"{file} holds {name}. Let it play:\n\n  {called_as()} play {shlex.quote(file)} greedy\n")
    return 0


def class_name(folder: str) -> str:
    """A class name made from a folder's name: `my-first_bot` gives MyFirstBot."""
    words = re.findall(r"[A-Za-z0-9]+", folder)
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name.isidentifier() else f"Bot{name}"
