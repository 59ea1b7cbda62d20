"""A site made of canned answers, over real HTTP on a free port."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asked for."""

    method: str
    path: str
    token: str
    body: Any


@dataclass
class FakeSite:
    """`answers` holds, by method and path, the answers to give in turn: (status, JSON value or raw bytes, headers)."""

    answers: dict[str, list[tuple[int, Any, dict[str, str]]]] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)
    url: str = ""

    def answer(self, what: str, status: int, body: Any, **headers: str) -> None:
        """Add an answer; the last one is given again for ever. `what` is such as "POST /api/v1/bots"."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.setdefault(what, []).append((status, body, named))

    def refuse(self, what: str, status: int, code: str, message: str = "No.", **headers: str) -> None:
        self.answer(what, status, {"error": {"code": code, "message": message, "fields": {}}}, **headers)

    def _next(self, what: str) -> tuple[int, Any, dict[str, str]]:
        left = self.answers.get(what)
        if not left:
            return 404, {"error": {"code": "not_found", "message": f"nothing at {what}", "fields": {}}}, {}
        return left.pop(0) if len(left) > 1 else left[0]


@contextmanager
def fake_site() -> Iterator[FakeSite]:
    site = FakeSite()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            site.asked.append(Request(self.command, self.path, token, json.loads(data) if data else None))
            status, body, headers = site._next(f"{self.command} {self.path}")
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def do_DELETE(self) -> None:
            self._answer()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
