"""Reading addresses out of settings: databases, Valkey, referees. Pure."""

import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit


class BadAddress(ValueError):
    """A setting that is no address; the message says why and never repeats a password."""


@dataclass(frozen=True, slots=True)
class Database:
    """Where PostgreSQL is.

    Attributes:
        host: a host name, or the folder of a Unix socket.
        port: TCP port, or the number in the socket's name; 0 = the server's usual one.

    """

    name: str
    user: str
    host: str
    port: int
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Valkey:
    """Where Valkey (or Redis) is, in the two spellings its clients want."""

    client: str = field(repr=False)
    celery: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Referee:
    """One referee of the pool.

    Attributes:
        control: host:port the site talks to.
        public: host:port the bots dial.

    """

    id: str
    control: str
    public: str


def parse_database(url: str) -> Database:
    """postgres://user:password@host:port/name, with ?host=/folder for a Unix socket. Raises BadAddress."""
    parts = _split(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise BadAddress("must begin with postgres://")
    asked = parse_qs(parts.query, keep_blank_values=True)
    unknown = sorted(set(asked) - {"host", "port", "user", "password"})
    if unknown:
        raise BadAddress(f"does not understand {', '.join(unknown)}")
    name = unquote(parts.path.removeprefix("/"))
    if not name:
        raise BadAddress("names no database")
    return Database(
        name=name,
        user=asked.get("user", [unquote(parts.username or "")])[-1] or "postgres",
        host=asked.get("host", [unquote(parts.hostname or "")])[-1] or "localhost",
        port=_port(asked["port"][-1] if "port" in asked else _port_text(parts.netloc)),
        password=asked.get("password", [unquote(parts.password or "")])[-1],
    )


def parse_valkey(url: str) -> Valkey:
    """redis://, rediss:// or unix:///path/to.sock?db=0. Raises BadAddress."""
    parts = _split(url)
    if parts.scheme in {"redis", "rediss"}:
        if not parts.hostname:
            raise BadAddress("names no host")
        _port(_port_text(parts.netloc))
        return Valkey(client=url, celery=url)
    if parts.scheme != "unix":
        raise BadAddress("must begin with unix://, redis:// or rediss://")
    if not parts.path.startswith("/"):
        raise BadAddress("needs an absolute path after unix://")
    number = parse_qs(parts.query).get("db", ["0"])[-1]
    if not re.fullmatch(r"[0-9]{1,5}", number):
        raise BadAddress("has a db that is no number")
    path = quote(unquote(parts.path))
    return Valkey(client=f"unix://{path}?db={number}", celery=f"redis+socket://{path}?virtual_host={number}")


def parse_referees(text: str) -> tuple[Referee, ...]:
    """`id=control_host:port@public_host:port`, separated by commas. Raises BadAddress."""
    referees = tuple(_referee(item.strip()) for item in text.split(",") if item.strip())
    if not referees:
        raise BadAddress("names no referee")
    if len({referee.id for referee in referees}) != len(referees):
        raise BadAddress("names a referee twice")
    return referees


def parse_site(text: str) -> str:
    """http://host or https://host, with or without a port, as browsers write it. Raises BadAddress."""
    parts = _split(text)
    if parts.scheme not in {"http", "https"} or not _is_host(parts.hostname or "") or "@" in parts.netloc:
        raise BadAddress("must be http://host or https://host")
    if parts.path not in {"", "/"} or parts.query or parts.fragment or "?" in text or "#" in text:
        raise BadAddress("must end after the host: the site lives at its root")
    if parts.netloc.endswith(":") or parts.netloc.endswith(":0"):
        raise BadAddress("has a port that is no number from 1 to 65535")
    _port(_port_text(parts.netloc))
    return f"{parts.scheme}://{parts.netloc.lower()}"


def parse_bind(text: str) -> tuple[str, int]:
    """host:port to listen on, port 0 = any. Raises BadAddress."""
    host, colon, port = text.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not colon or not port or not _is_host(bare):
        raise BadAddress("must be host:port")
    return bare, _port(port)


def _referee(item: str) -> Referee:
    found = re.fullmatch(r"([A-Za-z0-9][A-Za-z0-9_-]{0,39})=([^@\s]+)@([^@\s]+)", item)
    if found is None:
        raise BadAddress("must be id=control_host:port@public_host:port, separated by commas")
    for address in found[2], found[3]:
        _, port = parse_bind(address)
        if port == 0:
            raise BadAddress("has a referee without a port")
    return Referee(found[1], found[2], found[3])


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:  # its words repeat the address, and with it a password
        raise BadAddress("has brackets or characters that no address has") from error


def _is_host(text: str) -> bool:
    return bool(text) and not re.search(r"[\s\[\]/@?#,]", text)


def _port_text(netloc: str) -> str:
    host = netloc.rpartition("@")[2]
    return host.rpartition(":")[2] if ":" in host.rpartition("]")[2] else ""


def _port(text: str) -> int:
    if not text:
        return 0
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise BadAddress("has a port that is no number from 0 to 65535")
    return int(text)
