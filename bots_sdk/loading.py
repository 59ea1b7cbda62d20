"""Finding a bot by what is typed on the command line."""

import importlib
import importlib.util
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from bots_sdk.author import Crash, call
from bots_sdk.bot import Bot, BotSource, maker
from bots_sdk.errors import WrongInput
from bots_sdk.house_bots import HOUSE_BOTS

HOW = "Give a house bot ({}), FILE.py, FILE.py:Class or package.module:Class.".format(", ".join(HOUSE_BOTS))


@dataclass(frozen=True, slots=True)
class LoadedBot:
    """A bot that was found. `label` names it in tables, `program` says where it came from, for ever the same text."""

    label: str
    program: str
    source: BotSource


def load_bot(reference: str) -> LoadedBot:
    """The bot that a reference names. Raises WrongInput, with the traceback if its file cannot be imported."""
    if reference in HOUSE_BOTS:
        return LoadedBot(reference, reference, HOUSE_BOTS[reference])
    place, _, name = reference.rpartition(":") if ":" in reference else (reference, "", "")
    if not place:
        raise WrongInput(f"{reference!r} names no bot. {HOW}")
    is_file = place.endswith(".py") or "/" in place
    if not is_file and not name:
        raise WrongInput(f"there is no house bot {reference!r}. {HOW}")
    imported = call(_import_file, place) if is_file else call(_import_module, place)
    if isinstance(imported, Crash):
        raise _explained(imported.error, place)
    source = _find(imported, name, place)
    maker(source)
    found = name or getattr(source, "__name__", "")
    program = f"{Path(place).resolve() if is_file else place}:{found}"
    return LoadedBot(found, program, source)


def _import_file(place: str) -> ModuleType:
    path = Path(place).resolve()
    if not path.is_file():
        raise WrongInput(f"there is no file {place}. {HOW}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise WrongInput(f"{place} is no Python file. {HOW}")
    module = importlib.util.module_from_spec(spec)
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # so that the bot may import the files beside it
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _import_module(place: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    return importlib.import_module(place)


def _explained(error: Exception, place: str) -> WrongInput:
    if isinstance(error, WrongInput):
        return error
    if isinstance(error, ModuleNotFoundError) and error.name is not None and place.startswith(error.name):
        return WrongInput(f"there is no module {place}. {HOW}")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<frozen")]
    own = [frame for frame in frames if frame.filename != __file__ and not frame.filename.endswith("author.py")]
    where = "".join(traceback.format_list(own))
    what = "".join(traceback.format_exception_only(error))
    return WrongInput(f"{place} cannot be imported:\n{where}{what}".rstrip())


def _find(module: ModuleType, name: str, place: str) -> BotSource:
    """The class, function or object of this name, or the only bot of the module."""
    own = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    }
    listed = ", ".join(own) or "none"
    if name:
        if not hasattr(module, name):
            raise WrongInput(f"{place} has no {name}. Bots in it: {listed}.")
        found: BotSource = getattr(module, name)
        return found
    if len(own) != 1:
        raise WrongInput(f"{place} has {len(own) or 'no'} bots: say which as {place}:Class. Bots in it: {listed}.")
    return next(iter(own.values()))
