"""The browser's verifier in a Chromium, behind lines of JSON: `python -m tests.replays.browser CHROMIUM FOLDER`.

A process of its own, because Playwright's loop does not share one with another Playwright.
"""

import json
import os
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import sync_playwright

ASK = "async (question) => (await import('./host.js')).answer(question)"


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, with no word about them."""

    extensions_map = {".js": "text/javascript", ".html": "text/html"}

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class calls it so
        """Say nothing."""


def main() -> None:
    program, folder = sys.argv[1:]
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        flags = ["--disable-gpu", "--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
        for line in sys.stdin:
            sys.stdout.write(json.dumps(page.evaluate(ASK, json.loads(line))) + "\n")
            sys.stdout.flush()
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
