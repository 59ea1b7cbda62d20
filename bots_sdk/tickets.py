"""Tickets: how a bot gets in. The site gives one for a bot's token, with the addresses of the referees."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from bots_sdk.errors import SiteUnavailable
from bots_sdk.http import Site, is_loopback
from bots_sdk.session import LANGUAGE, SDK


@dataclass(frozen=True, slots=True)
class RefereeAddress:
    """Where a referee listens: `target` is host:port, `tls` whether it is spoken to in TLS."""

    id: str
    target: str
    tls: bool

    @property
    def is_local(self) -> bool:
        return is_loopback(urlsplit(f"//{self.target}").hostname or "")


@dataclass(frozen=True, slots=True)
class Validation:
    """What the site says of a version that wants to play for ratings: a word, a sentence, the address of the match.

    `state` is exempt, passed, failed, playing or waiting; `match` is empty if there is none.
    """

    state: str
    text: str
    match: str = ""

    @property
    def passed(self) -> bool:
        """Whether the version may play for ratings."""
        return self.state in {"exempt", "passed"}

    @property
    def undecided(self) -> bool:
        """Whether the site will soon say something else."""
        return self.state in {"playing", "waiting"}


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket, the games at once that it allows, and the referees that it is good for.

    `validation` is None at a site that says nothing of it.
    """

    text: str = field(repr=False)
    capacity: int
    referees: tuple[RefereeAddress, ...]
    validation: Validation | None = None


def fetch_ticket(site: Site, version: str, capacity: int) -> Ticket:
    """A new ticket for the bot whose token `site` holds. Raises SiteRefused, SiteUnavailable."""
    wish = {"version": version, "sdk": SDK, "language": LANGUAGE, "capacity": capacity}
    return read_ticket(site.post("sessions", wish), site.server, capacity)


def read_ticket(answer: dict[str, Any], server: str, capacity: int) -> Ticket:
    """The ticket in a site's answer. Raises SiteUnavailable for an answer that holds none."""
    try:
        referees = tuple(read_address(str(item["id"]), str(item["address"]), server) for item in answer["referees"])
        limit = int(answer.get("capacity", capacity))
        return Ticket(str(answer["ticket"]), limit, referees, read_validation(answer))
    except (KeyError, TypeError, ValueError) as error:
        raise SiteUnavailable(f"{server} gave a ticket that this SDK cannot read: {error!r}. Is the SDK too old?") from error


def read_validation(answer: dict[str, Any]) -> Validation | None:
    """What an answer of a site says of a version's validation; None if it says nothing."""
    found = answer.get("validation")
    if not isinstance(found, dict):
        return None
    return Validation(str(found.get("state", "")), str(found.get("text", "")), str(found.get("match") or ""))


def read_address(referee: str, address: str, server: str) -> RefereeAddress:
    """Where a referee listens. An address without a scheme means TLS if the site itself is on https, but for this machine.

    Raises ValueError unless the address is host:port, with http:// or https:// before it or not.
    """
    scheme, _, rest = address.rpartition("://")
    target = rest.rstrip("/")
    parts = urlsplit(f"//{target}")
    if scheme not in {"", "http", "https"} or not parts.hostname or parts.port is None or parts.path:
        raise ValueError(f"referee {referee} has no usable address: {address!r}")
    tls = scheme == "https" or (not scheme and server.startswith("https://") and not is_loopback(parts.hostname))
    return RefereeAddress(referee, target, tls)
