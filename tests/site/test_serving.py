"""The site as a process: health, headers, static files, a quick end; and what Celery is told."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import DatabaseError
from redis.exceptions import ConnectionError as Away

from tests import servers
from tests.e2e.site import reserved_port
from tournament_site import health
from tournament_site import settings as module
from tournament_site.celery import SiteTask, TaskFailed, app
from tournament_site.common.middleware import CONTENT_POLICY

ROOT = Path(module.__file__).resolve().parents[1]


@pytest.mark.django_db
def test_a_ready_site_says_so(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "problems": []})


@pytest.mark.django_db
def test_a_site_without_its_servers_is_alive_and_not_ready(client, monkeypatch):
    def no_database(*_):
        raise DatabaseError("no")

    def no_valkey(*_):
        raise Away("no")

    monkeypatch.setattr(health, "MigrationExecutor", no_database)
    monkeypatch.setattr(cache, "get", no_valkey)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["problems"] == ["the database does not answer", "Valkey does not answer"]
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db
def test_every_answer_carries_the_security_headers(client):
    for path in ("/healthz", "/api/v1/seasons", "/admin/login/", "/api/v1/docs"):
        headers = client.get(path).headers
        assert headers["Content-Security-Policy"] == CONTENT_POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_cookies_are_secure_where_the_site_is(tmp_path):
    script = (
        "from tournament_site import settings as s;"
        "print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS > 0, s.SESSION_COOKIE_HTTPONLY)"
    )
    answers = []
    for url in ("https://league.example", "http://league.example"):
        env = {**os.environ, "PHASETEN_SITE_URL": url}
        answers.append(
            subprocess.run(
                [sys.executable, "-c", script], check=False, cwd=ROOT, env=env, capture_output=True, text=True
            ).stdout
        )
    assert answers == ["True True True True\n", "False False False True\n"]


@pytest.fixture
def site(tmp_path):
    """A site as in production, on a free port: static files collected and hashed."""
    with reserved_port() as port:
        yield from served(tmp_path, port)


def served(folder: Path, port: int) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    env = {
        **os.environ,
        **servers.current().env,
        "PHASETEN_SITE_DEBUG": "0",
        "PHASETEN_SITE_STATE_DIR": str(folder),
        "PHASETEN_SITE_BIND": f"127.0.0.1:{port}",
        "PHASETEN_SITE_URL": f"http://127.0.0.1:{port}",
        "PHASETEN_SITE_ALLOWED_HOSTS": "127.0.0.1",
    }
    site = (sys.executable, "-m", "tournament_site")
    subprocess.run([*site, "collectstatic", "--noinput", "-v0"], cwd=ROOT, env=env, check=True)
    process = subprocess.Popen([*site, "serve"], cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 120
    while True:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        try:
            urllib.request.urlopen(f"{url}/healthz").close()
            break
        except OSError:
            time.sleep(0.05)
    yield url, process
    process.kill()
    process.wait()
    process.stderr.close()


def fetch(url: str) -> tuple[str, Any]:
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode(), answer.headers


def test_a_served_site_has_hashed_files_and_ends_when_told(site, tmp_path):
    url, process = site
    page, headers = fetch(f"{url}/admin/login/")
    assert headers["Content-Security-Policy"] == CONTENT_POLICY
    assert "server" not in headers
    (style, *_) = re.findall(r"/static/admin/css/[^\"]+", page)
    _, cached = fetch(f"{url}{style}")
    assert "immutable" in cached["Cache-Control"]
    with pytest.raises(urllib.error.HTTPError) as error:
        fetch(f"{url}/nothing-here")
    with error.value as answer:
        assert answer.status == 404
        assert answer.headers["Content-Security-Policy"] == CONTENT_POLICY
    imports = [
        line
        for path in (tmp_path / "static" / "js").glob("*.*.js")
        for line in path.read_text().splitlines()
        if line.startswith("import ")
    ]
    assert imports
    assert all(re.search(r"[\"'].*\.[0-9a-f]{12}\.js[\"'];?$", line) for line in imports), imports
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) in {0, -signal.SIGTERM}
    assert "Traceback" not in process.stderr.read()


def test_a_long_body_of_a_length_nobody_told_is_refused(site):
    url, _ = site
    door = http.client.HTTPConnection(url.removeprefix("http://"))
    parts = [b'{"username": "', *[b"x" * 10_000] * 7, b'", "password": ""}']
    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    door.request("POST", "/api/v1/account-tokens", iter(parts), headers, encode_chunked=True)
    answer = door.getresponse()
    assert (answer.status, json.load(answer)["error"]["code"]) == (413, "too_large")
    door.close()


def test_celery_is_told_what_keeps_work_safe():
    conf = app.conf
    assert (conf.task_acks_late, conf.task_reject_on_worker_lost, conf.worker_prefetch_multiplier) == (True, True, 1)
    assert (list(conf.accept_content), conf.task_serializer, conf.task_ignore_result) == (["json"], "json", True)
    assert conf.broker_transport_options["visibility_timeout"] >= 10 * conf.task_time_limit
    assert conf.worker_cancel_long_running_tasks_on_connection_loss
    app.loader.import_default_modules()
    assert set(conf.beat_schedule) == {"heal", "settle", "dispatch"}
    for name, entry in conf.beat_schedule.items():
        assert (entry["task"], entry["schedule"]) == (f"tournament_site.tasks.{name}", 2.0)
        assert entry["options"]["expires"] <= 10
        assert entry["task"] in app.tasks


def test_celery_knows_every_setting_it_is_given():
    from celery.app.defaults import NAMESPACES, flatten

    known = {name for name, _ in flatten(NAMESPACES)}
    assert set(app.conf.changes) - {"deprecated_settings"} <= known


def test_celery_s_transport_takes_every_option_it_is_given():
    from kombu.transport.redis import Channel

    assert set(app.conf.broker_transport_options) <= set(Channel.from_transport_options)


def test_a_task_that_fails_is_logged_once_and_says_which(caplog):
    @app.task(name="tests.failing")
    def failing(number):
        raise ValueError(f"no {number}")

    with pytest.raises(TaskFailed, match=r"tests\.failing"):
        failing(7)
    (entry,) = [entry for entry in caplog.records if entry.levelname == "ERROR"]
    assert entry.getMessage() == "task tests.failing(7,) failed"
    assert isinstance(entry.exc_info[1], ValueError)
    assert isinstance(app.tasks["tests.failing"], SiteTask)
