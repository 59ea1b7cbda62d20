"""What the SDK and its command line read from the environment: the only file that does."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bots_sdk.errors import WrongInput
from referee.wire.grpc_engine import EXPERIMENTS, OLDER_ENGINE, has_older_engine, installed_grpc

SERVER = "PHASETEN_SERVER"
TOKEN = "PHASETEN_TOKEN"  # noqa: S105 - the name of a variable, no token
PASSWORD = "PHASETEN_PASSWORD"  # noqa: S105 - the name of a variable, no password
_set_here: set[str] = set()  # names of variables


@dataclass(frozen=True, slots=True)
class Settings:
    """The environment, read once.

    `server` is the site's address without a slash at the end, `token` a bot's token, `password` the account's password
    for `phaseten submit`. `config_dir` is the folder in which tokens are kept.
    """

    server: str | None
    token: str | None = field(repr=False)
    password: str | None = field(repr=False)
    config_dir: Path

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> "Settings":
        """Reads os.environ unless another mapping is given. Raises WrongInput if PHASETEN_SERVER is no address."""
        env = os.environ if env is None else env
        server = env.get(SERVER) or None
        base = env.get("XDG_CONFIG_HOME") or ""
        folder = Path(base) if Path(base).is_absolute() else Path(env.get("HOME") or Path.home()) / ".config"
        return cls(
            server=check_server(server, SERVER) if server else None,
            token=env.get(TOKEN) or None,
            password=env.get(PASSWORD) or None,
            config_dir=folder / "phaseten",
        )


def environment_of_bot(server: str, token: str) -> dict[str, str]:
    """The environment of this process, and in it what a bot has to know.

    The engine that was chosen for this process stays out of it: a bot may have another version of gRPC, or be a program that
    would play elsewhere without it.
    """
    given = {name: value for name, value in os.environ.items() if name not in _set_here}
    return {**given, SERVER: server, TOKEN: token}


def prepare_grpc() -> None:
    """Have gRPC tell errors only and wake few threads, unless the environment says otherwise. It reads that when imported.

    Its C core writes notes of every referee that goes away to stderr, in lines for its own makers, and no call turns them
    down, nor does one choose its engine. For the programs of our own alone: a process that only uses the SDK may have gRPC
    for other things, too.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    if EXPERIMENTS not in os.environ and has_older_engine(installed_grpc()):
        os.environ[EXPERIMENTS] = OLDER_ENGINE
        _set_here.add(EXPERIMENTS)


def called_as() -> str:
    """How to call this program again: `phaseten` if a shell finds it by that name, else the path that it was called by."""
    program = Path(sys.argv[0])
    if program.stem != "phaseten":  # python -m
        return "phaseten"
    found = shutil.which(program.name)
    return "phaseten" if found and Path(found).resolve() == program.resolve() else shlex.quote(str(program))


def check_server(text: str, what: str) -> str:
    """A site's address without a slash at the end; `what` names its source. Raises WrongInput."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment:
        raise WrongInput(f"{what} is no address of a site: {text!r}. It looks like https://phaseten.example")
    return text.rstrip("/")
