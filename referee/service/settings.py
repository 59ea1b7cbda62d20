"""The referee's settings: read once, complete, or the process does not start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self, TypeVar

from referee.service.log import LEVELS
from referee.service.tickets import BadKey, KeyRing
from referee.wire.grpc_engine import EXPERIMENTS, OLDER_ENGINE, has_older_engine, installed_grpc

T = TypeVar("T")

BIND: Final = "127.0.0.1:7010"
CONTROL_BIND: Final = "127.0.0.1:7011"
MAX_GAMES: Final = 2000
MAX_RECORD_BYTES: Final = 256 * 1024 * 1024
GRACE_SECONDS: Final = 3.0
LOG_LEVEL: Final = "INFO"
ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104  a name for all addresses, and the nearest of them


class SettingsError(Exception):
    """Settings that are missing or wrong; `problems` holds all of them, a sentence each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificate chain and private key of the bots' port, in PEM."""

    certificate: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """All that the referee can be told.

    Attributes:
        referee: this referee's id, as the site knows it.
        bind: `host:port` for bots.
        control_bind: `host:port` for the site.
        keys: the site's public keys.
        max_games: games at once.
        max_record_bytes: bytes of records that wait to be taken home.
        grace: seconds that running matches are given when the process is told to stop.
        metrics_bind: `host:port` of the Prometheus page, or None.
        journal: file of the seeds that the site does not have yet, or None.
        tls: for the bots' port, or None for plain text.
        log_level: one of `LEVELS`.

    """

    referee: str
    keys: KeyRing
    bind: str = BIND
    control_bind: str = CONTROL_BIND
    max_games: int = MAX_GAMES
    max_record_bytes: int = MAX_RECORD_BYTES
    grace: float = GRACE_SECONDS
    metrics_bind: str | None = None
    journal: Path | None = None
    tls: Tls | None = None
    log_level: str = LOG_LEVEL

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Read `PHASETEN_REFEREE_*`. Raises SettingsError with all problems."""
        read = _Reader(env)
        referee = read.required("ID", _name)
        keys = read.required("TICKET_PUBLIC_KEY_FILE", _keys)
        bind = read.optional("BIND", _address, BIND)
        control_bind = read.optional("CONTROL_BIND", _address, CONTROL_BIND)
        max_games = read.optional("MAX_GAMES", _whole, MAX_GAMES)
        max_record_bytes = read.optional("MAX_RECORD_BYTES", _whole, MAX_RECORD_BYTES)
        grace = read.optional("GRACE_SECONDS", _seconds, GRACE_SECONDS)
        metrics_bind = read.optional("METRICS_BIND", _address, None)
        journal = read.optional("JOURNAL_FILE", _new_file, None)
        tls = _tls(read)
        log_level = read.optional("LOG_LEVEL", _level, LOG_LEVEL)
        if read.problems or referee is None or keys is None:
            raise SettingsError(tuple(read.problems))
        return cls(
            referee, keys, bind, control_bind, max_games, max_record_bytes, grace, metrics_bind, journal, tls, log_level
        )


def control_address(env: Mapping[str, str]) -> str:
    """Where the control side of a referee with this environment is reached from its own machine. Raises SettingsError."""
    read = _Reader(env)
    bind = read.optional("CONTROL_BIND", _address, CONTROL_BIND)
    if read.problems:
        raise SettingsError(tuple(read.problems))
    host, _, port = bind.rpartition(":")
    return f"{ANYWHERE.get(host, host)}:{port}"


def grpc_variables(env: Mapping[str, str], installed: str | None = None) -> dict[str, str]:
    """What gRPC is to find in its environment, which it reads when it is imported. What `env` says goes before ours.

    As it is it would write to our log what any client sends that is no HTTP/2. `installed` is its version, looked up
    unless it is given.
    """
    ours = {"GRPC_VERBOSITY": "NONE"}
    if has_older_engine(installed_grpc() if installed is None else installed):
        ours[EXPERIMENTS] = OLDER_ENGINE
    return {name: env.get(name, value) for name, value in ours.items()}


class _Reader:
    """Reads variables and remembers what was wrong with them."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self.problems: list[str] = []

    def required(self, name: str, parse: Callable[[str], T]) -> T | None:
        """The value; None after a problem."""
        if not self._env.get(f"PHASETEN_REFEREE_{name}"):
            self.problems.append(f"PHASETEN_REFEREE_{name} is not set")
            return None
        return self.optional(name, parse, None)

    def optional(self, name: str, parse: Callable[[str], T], default: T) -> T:
        """The value, or `default` if it is not set or wrong."""
        text = self._env.get(f"PHASETEN_REFEREE_{name}", "")
        if not text:
            return default
        try:
            return parse(text)
        except ValueError as problem:
            self.problems.append(f"PHASETEN_REFEREE_{name} {problem}")
            return default


def _name(text: str) -> str:
    if len(text) > 64 or not text.isprintable() or " " in text:
        raise ValueError("must be a short name without blanks")
    return text


def _address(text: str) -> str:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"must be host:port, not {text!r}")
    return text


def _whole(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"must be a whole number above 0, not {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 86400:
        raise ValueError(f"must be a number of seconds, not {text!r}")
    return value


def _level(text: str) -> str:
    if text.upper() not in LEVELS:
        raise ValueError(f"must be one of {', '.join(LEVELS)}, not {text!r}")
    return text.upper()


def _file(text: str) -> bytes:
    try:
        return Path(text).read_bytes()
    except OSError as problem:
        raise ValueError(f"cannot be read: {problem.strerror} ({text})") from problem


def _new_file(text: str) -> Path:
    path = Path(text).resolve()  # what lies beside it lies where a link leads
    try:
        fits = path.is_file() or (path.parent.is_dir() and not path.exists())
    except OSError as problem:
        raise ValueError(f"cannot be used: {problem.strerror} ({text})") from problem
    if not fits:
        raise ValueError(f"must be a file in a folder that exists, not {text!r}")
    return path


def _keys(text: str) -> KeyRing:
    try:
        return KeyRing.parse(_file(text))
    except BadKey as problem:
        raise ValueError(f"{problem} ({text})") from problem


def _tls(read: _Reader) -> Tls | None:
    certificate = read.optional("TLS_CERT_FILE", _file, b"")
    key = read.optional("TLS_KEY_FILE", _file, b"")
    if certificate and key:
        return Tls(certificate, key)
    if (certificate or key) and not read.problems:
        read.problems.append("PHASETEN_REFEREE_TLS_CERT_FILE and PHASETEN_REFEREE_TLS_KEY_FILE go together")
    return None
