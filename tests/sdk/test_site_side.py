"""Settings, requests to the site, tickets, and the file that keeps tokens."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots_sdk.errors import SiteRefused, SiteUnavailable, WrongInput
from bots_sdk.http import Site, is_loopback
from bots_sdk.runner import connect
from bots_sdk.settings import Settings, check_server
from bots_sdk.store import BotStore, KnownBot, choose
from bots_sdk.tickets import RefereeAddress, fetch_ticket, read_address, read_ticket
from tests.sdk.fake_site import FakeSite, fake_site
from tests.sdk.scripted import Recorder

SESSIONS = "POST /api/v1/sessions"
TICKET = {
    "ticket": "eyJ",
    "expires_at": "2030-01-01T00:00:00Z",
    "bot": "ada",
    "version": "1",
    "capacity": 4,
    "referees": [{"id": "r1", "address": "127.0.0.1:7000"}, {"id": "r2", "address": "127.0.0.1:7001"}],
}


@pytest.fixture
def site() -> Iterator[FakeSite]:
    with fake_site() as made:
        yield made


def test_settings_come_from_the_environment() -> None:
    env = {
        "PHASETEN_SERVER": "https://league.example/",
        "PHASETEN_TOKEN": "phaseten_x",
        "PHASETEN_PASSWORD": "secret",
        "XDG_CONFIG_HOME": "/conf",
    }
    settings = Settings.from_env(env)
    assert settings == Settings("https://league.example", "phaseten_x", "secret", Path("/conf/phaseten"))
    assert "secret" not in repr(settings)
    assert "phaseten_x" not in repr(settings)


@pytest.mark.parametrize("base", ["", "relative"])
def test_the_config_folder_is_in_the_home_folder_otherwise(base: str) -> None:
    settings = Settings.from_env({"HOME": "/somebody", "XDG_CONFIG_HOME": base})
    assert settings == Settings(None, None, None, Path("/somebody/.config/phaseten"))


@pytest.mark.parametrize(
    "text",
    ["league.example", "ftp://league.example", "http://", "http://h:99999", "http://h?x=1", "https://h#top", "http://[1"],
)
def test_what_is_no_address_of_a_site_is_refused(text: str) -> None:
    with pytest.raises(WrongInput, match="PHASETEN_SERVER is no address of a site"):
        Settings.from_env({"PHASETEN_SERVER": text})
    with pytest.raises(WrongInput, match="--server"):
        check_server(text, "--server")


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("x.example", False),
    ],
)
def test_loopback_is_known(host: str, local: bool) -> None:
    assert is_loopback(host) is local


def test_run_says_everything_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PHASETEN_SERVER", raising=False)
    monkeypatch.delenv("PHASETEN_TOKEN", raising=False)
    with pytest.raises(WrongInput, match="PHASETEN_SERVER and PHASETEN_TOKEN must be set"):
        connect(Recorder)


def test_a_ticket_is_fetched_with_the_bots_token(site: FakeSite) -> None:
    site.answer(SESSIONS, 201, TICKET)
    ticket = fetch_ticket(Site(site.url, "phaseten_token"), "v2", 16)
    assert (ticket.text, ticket.capacity) == ("eyJ", 4)
    assert [referee.target for referee in ticket.referees] == ["127.0.0.1:7000", "127.0.0.1:7001"]
    (request,) = site.asked
    assert request.token == "phaseten_token"
    assert (request.body["version"], request.body["capacity"]) == ("v2", 16)
    assert request.body["language"].startswith("Python 3.")
    assert "eyJ" not in repr(ticket)


@pytest.mark.parametrize(
    ("status", "code", "temporary"),
    [(401, "sign_in_needed", False), (422, "label_invalid", False), (429, "too_many_requests", True), (500, "x", True)],
)
def test_a_refusal_says_why_and_whether_to_ask_again(site: FakeSite, status: int, code: str, temporary: bool) -> None:
    body = {"error": {"code": code, "message": "Not so.", "fields": {"version": "Too long."}}}
    site.answer(SESSIONS, status, body, Retry_After="7")
    with pytest.raises(SiteRefused) as caught:
        fetch_ticket(Site(site.url, "t"), "1", 1)
    error = caught.value
    assert (error.status, error.code, error.is_temporary, error.wait) == (status, code, temporary, 7.0)
    assert "Not so." in str(error)
    assert "version: Too long." in str(error)


@pytest.mark.parametrize(
    ("status", "body", "kind", "text"),
    [
        (200, b"<html>", SiteUnavailable, "did not answer as a phaseten site does"),
        (200, [1], SiteUnavailable, "did not answer as a phaseten site does"),
        (201, {"ticket": "x"}, SiteUnavailable, "cannot read"),
        (201, TICKET | {"referees": [{"id": "r", "address": "nowhere"}]}, SiteUnavailable, "no usable address"),
        (404, b"not here", SiteRefused, "answered with 404"),
        (502, b"<html>bad gateway", SiteUnavailable, "answered with 502"),
        (429, b"slow down", SiteUnavailable, "answered with 429"),
        (400, {"error": "plain"}, SiteRefused, "answered with 400"),
        (302, b"", SiteRefused, "answered with 302"),
    ],
)
def test_odd_answers_become_clear_errors(
    site: FakeSite, status: int, body: object, kind: type[Exception], text: str
) -> None:
    site.answer(SESSIONS, status, body, Location="http://elsewhere.example/")
    with pytest.raises(kind, match=text):
        fetch_ticket(Site(site.url, "t"), "1", 1)
    assert len(site.asked) == 1  # a redirect is not followed


def test_a_site_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(SiteUnavailable, match="cannot be reached"):
        fetch_ticket(Site("http://127.0.0.1:9", "t"), "1", 1)  # no port that somebody else may be given meanwhile


@pytest.mark.parametrize(
    ("address", "server", "target", "tls"),
    [
        ("r.example:443", "https://league.example", "r.example:443", True),
        ("r.example:7000", "http://league.example", "r.example:7000", False),
        ("127.0.0.1:7000", "https://league.example", "127.0.0.1:7000", False),
        ("[::1]:7000", "https://league.example", "[::1]:7000", False),
        ("https://127.0.0.1:7000", "http://league.example", "127.0.0.1:7000", True),
        ("http://r.example:7000/", "https://league.example", "r.example:7000", False),
    ],
)
def test_whether_a_referee_is_spoken_to_in_tls(address: str, server: str, target: str, tls: bool) -> None:
    assert read_address("r", address, server) == RefereeAddress("r", target, tls)


@pytest.mark.parametrize("address", ["r.example", "r.example:x", ":7000", "ftp://r.example:1", "r.example:7000/path", ""])
def test_what_is_no_address_of_a_referee_is_refused(address: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the text is Python's in two of these
        read_address("r", address, "https://league.example")


def test_a_ticket_without_capacity_has_the_one_asked_for() -> None:
    answer = {key: value for key, value in TICKET.items() if key != "capacity"}
    assert read_ticket(answer, "http://localhost", 3).capacity == 3


# The file with the tokens.

ADA = KnownBot("https://one.example", "ada", "Ada", "phaseten_a", "/bots/ada.py:Ada", "")
BIX = KnownBot("https://two.example", "bix", "Bix B", "phaseten_b", "greedy", "7")


def test_tokens_are_kept_for_their_owner_alone(tmp_path: Path) -> None:
    store = BotStore(tmp_path / "conf" / "phaseten")
    assert list(store) == []
    store.save(ADA)
    store.save(BIX)
    assert list(store) == [ADA, BIX]
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert [file.name for file in store.path.parent.iterdir()] == ["bots.json"]
    assert "phaseten_a" not in repr(ADA)


def test_a_bot_has_one_entry(tmp_path: Path) -> None:
    store = BotStore(tmp_path)
    store.save(ADA)
    store.save(BIX)
    newer = KnownBot(ADA.server, ADA.slug, ADA.name, "phaseten_new", ADA.program, "2")
    store.save(newer)
    assert list(store) == [BIX, newer]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"bots": [{}]}', '{"bots": 3}'])
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "bots.json").write_text(text)
    with pytest.raises(WrongInput, match=r"bots\.json cannot be read"):
        list(BotStore(tmp_path))


def test_the_file_is_plain_json(tmp_path: Path) -> None:
    store = BotStore(tmp_path)
    store.save(ADA)
    assert json.loads(store.path.read_text())["bots"][0]["slug"] == "ada"


@pytest.mark.parametrize(
    ("server", "name", "program", "found"),
    [
        (None, "ada", "", ADA),
        (None, "Bix B", "", BIX),
        (None, None, "/bots/ada.py:Ada", ADA),
        ("https://two.example", None, None, BIX),
        (None, "bix", "/bots/ada.py:Ada", BIX),
    ],
)
def test_the_right_bot_is_chosen(
    tmp_path: Path, server: str | None, name: str | None, program: str | None, found: KnownBot
) -> None:
    store = BotStore(tmp_path)
    store.save(ADA)
    store.save(BIX)
    assert choose(store, server=server, name=name, program=program) == found


@pytest.mark.parametrize(
    ("server", "name", "program", "text"),
    [
        (None, None, None, "which bot is this to be"),
        (None, None, "unknown", "unknown was not submitted"),
        (None, "cid", "", "no bot 'cid' was submitted"),
        ("https://three.example", None, "", "was submitted from here at https://three.example yet"),
    ],
)
def test_a_choice_that_cannot_be_made_is_explained(
    tmp_path: Path, server: str | None, name: str | None, program: str | None, text: str
) -> None:
    store = BotStore(tmp_path)
    store.save(ADA)
    store.save(BIX)
    with pytest.raises(WrongInput, match=text):
        choose(store, server=server, name=name, program=program)
