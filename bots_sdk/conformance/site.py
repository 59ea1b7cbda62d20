"""As much of a site as a bot needs to begin: `POST /api/v1/sessions` gives tickets and the referees' addresses."""

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

TOKEN: Final = "phaseten_conformance"  # noqa: S105 - everybody's, it opens nothing else
TICKET: Final = "conformance"  # for bots that begin at a referee
PATH: Final = "/api/v1/sessions"
_MOST_BYTES: Final = 64 * 1024
_SHOWN: Final = 200  # of a path that is not known
_WISHES: Final = {"version": str, "sdk": str, "language": str, "capacity": int}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a ticket; `complaint` says what a real site would have refused, if anything."""

    ticket: str
    version: str
    complaint: str
    at: float = field(default_factory=time.monotonic)


class Site:
    """The site of the script. `referees` are ids with ports; `asked` are the tickets given so far.

    `strays` is what else was asked for.
    """

    def __init__(self, host: str, port: int) -> None:
        """Raises OSError if the port cannot be had."""
        self.host = host
        self.fixed = port != 0  # whether people know the port beforehand
        self.referees: dict[str, int] = {}
        self.asked: list[Asked] = []
        self.strays: list[str] = []
        self.revoked: set[str] = set()
        self._server = ThreadingHTTPServer((host, port), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def url(self) -> str:
        return f"http://{bracketed(self.host)}:{self.port}"

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def admits(self, ticket: str) -> bool:
        """Whether a referee lets this ticket in."""
        return ticket not in self.revoked and (ticket == TICKET or any(ticket == asked.ticket for asked in self.asked))

    def revoke(self) -> None:
        """All tickets of now open nothing any more."""
        self.revoked = {TICKET, *(asked.ticket for asked in self.asked)}

    def answer(self, token: str, data: bytes, host: str) -> dict[str, Any]:
        """A ticket for anybody; what was wrong with the request is remembered. `host` is how the bot calls this machine."""
        wish, complaint = _read(data)
        if token != TOKEN:
            complaint = f"the header `Authorization: Bearer {TOKEN}` is missing or holds another token"
        ticket = f"{TICKET}-{len(self.asked) + 1}"
        version, capacity = wish.get("version"), wish.get("capacity", 1)
        self.asked.append(Asked(ticket, version if isinstance(version, str) else "", complaint))
        return {
            "ticket": ticket,
            "expires_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 600)),
            "bot": "you",
            "version": version,
            "capacity": capacity,
            "referees": [{"id": name, "address": f"{host}:{port}"} for name, port in self.referees.items()],
        }


def _read(data: bytes) -> tuple[dict[str, Any], str]:
    """The wish of a request, and what is wrong with it."""
    try:
        wish = json.loads(data)
    except ValueError:
        return {}, "the body is no JSON"
    if not isinstance(wish, dict):
        return {}, "the body is no JSON object"
    if not wish.get("version"):
        return wish, "the field `version` is missing: ratings belong to versions"
    wrong = [name for name, kind in _WISHES.items() if name in wish and not isinstance(wish[name], kind)]
    return wish, f"the field `{wrong[0]}` has the wrong type" if wrong else ""


def bracketed(host: str) -> str:
    """A host as it stands in an address."""
    return f"[{host}]" if ":" in host else host


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = self.headers.get("Content-Length") or "0"
            data = self.rfile.read(min(int(size), _MOST_BYTES)) if size.isdecimal() else b""
            if self.path.rstrip("/") != PATH:
                self.do_GET()
                return
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            called = (self.headers.get("Host") or "").rpartition(":")[0]
            self._say(201, site.answer(token, data, called or bracketed(site.host)))

        def do_GET(self) -> None:
            site.strays.append(f"{self.command} {self.path[:_SHOWN]}")
            self._say(404, {"error": {"code": "not_found", "message": f"here is only POST {PATH}", "fields": {}}})

        def _say(self, status: int, body: dict[str, Any]) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
            """Say nothing: the report does."""

    return Handler
