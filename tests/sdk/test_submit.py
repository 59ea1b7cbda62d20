"""`phaseten submit` against a real site: the same Django that people use, on a free port."""

import json
import stat
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from bots_sdk.http import Site
from bots_sdk.store import BotStore, KnownBot
from bots_sdk.tickets import fetch_ticket
from tests.sdk.command import Done, Shell
from tests.sdk.fake_site import fake_site
from tests.site.builders import make_league
from tournament_site.accounts.models import AccountToken, User
from tournament_site.bots.models import Bot, BotToken
from tournament_site.leagues import services
from tournament_site.leagues.models import Entry, Season

PASSWORD = "correct horse battery"
MINE = [
    "from bots_sdk.house_bots import GreedyBot",
    "class Mine(GreedyBot):",
    "    version = 'v1'",
]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(live_server: Any, settings: Any) -> str:
    """The address of a site on which Ann has an account. Its counters are fresh."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    cache.clear()
    User.objects.create_user("ann", "ann@example.org", PASSWORD)
    return str(live_server.url)


def open_season(name: str = "Open League") -> Season:
    return services.open_season(make_league(name), cycles=1, min_bots=2, max_bots=8)


def submit(
    shell: Shell, site: str, *more: str, password: str = PASSWORD, name: str = "Ann's bot", bot: str = "mine.py:Mine"
) -> Done:
    shell.write("mine.py", MINE)
    return shell.phaseten(
        "submit", bot, "--server", site, "--name", name, "--username", "ann", *more, PHASETEN_PASSWORD=password
    )


def kept(shell: Shell) -> list[KnownBot]:
    return list(BotStore(shell.home / "config" / "phaseten"))


def live_tokens() -> int:
    """Account tokens that were made and would still open a door."""
    assert AccountToken.objects.exists()
    return AccountToken.objects.filter(revoked_at=None).count()


def test_a_bot_is_tried_made_kept_and_entered(shell: Shell, site: str) -> None:
    season = open_season()
    done = submit(shell, site)
    assert (done.status, done.err) == (0, "")
    bot = Bot.objects.get()
    assert (bot.name, bot.owner.username) == ("Ann's bot", "ann")
    assert bot.active_version is not None
    assert bot.active_version.label == "v1"
    assert [entry.bot for entry in Entry.objects.filter(season=season)] == [bot]
    (known,) = kept(shell)
    assert (known.server, known.slug, known.name) == (site, bot.slug, bot.name)
    assert known.program == f"{shell.home / 'mine.py'}:Mine"
    file = shell.home / "config" / "phaseten" / "bots.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "all legal" in done.out
    assert f"phaseten run mine.py:Mine --server {site} --bot {bot.slug}" in done.out
    assert known.token not in done.out
    assert live_tokens() == 0


def test_submitting_again_declares_the_new_version_and_keeps_the_token(shell: Shell, site: str) -> None:
    submit(shell, site)
    before = kept(shell)
    done = submit(shell, site, "--version", "v2")
    assert (done.status, done.err) == (0, "")
    assert "its version is now v2" in done.out
    bot = Bot.objects.get()
    assert bot.active_version is not None
    assert bot.active_version.label == "v2"
    (known,) = kept(shell)
    assert (known.token, known.version) == (before[0].token, "v2")


def test_a_lost_token_is_replaced(shell: Shell, site: str) -> None:
    submit(shell, site)
    (before,) = kept(shell)
    BotStore(shell.home / "config" / "phaseten").path.unlink()
    assert submit(shell, site).status == 0
    (known,) = kept(shell)
    assert known.slug == before.slug
    assert known.token != before.token
    assert Bot.objects.count() == 1


def test_a_revoked_token_is_replaced(shell: Shell, site: str) -> None:
    submit(shell, site)
    (before,) = kept(shell)
    BotToken.objects.update(revoked_at=timezone.now())
    done = submit(shell, site, "--version", "v2")
    assert (done.status, done.err) == (0, "")
    assert "a new one is made" in done.out
    (known,) = kept(shell)
    assert known.token != before.token
    assert fetch_ticket(Site(site, known.token), "v2", 1).text
    bot = Bot.objects.get()
    assert bot.active_version is not None
    assert bot.active_version.label == "v2"
    assert submit(shell, site).status == 0
    assert kept(shell)[0].token == known.token  # one that is good stays


def test_a_season_may_be_named(shell: Shell, site: str) -> None:
    seasons = [open_season("First"), open_season("Second")]
    undecided = submit(shell, site)
    assert undecided.status == 0
    assert all(f"--season {season.pk}" in undecided.out for season in seasons)
    assert Entry.objects.count() == 0
    done = submit(shell, site, "--season", str(seasons[1].pk))
    assert done.status == 0
    assert [entry.season for entry in Entry.objects.all()] == [seasons[1]]
    again = submit(shell, site, "--season", str(seasons[1].pk))
    assert again.status == 0
    assert "has entered" in again.out


def test_no_open_season_is_no_error(shell: Shell, site: str) -> None:
    done = submit(shell, site)
    assert done.status == 0
    assert "No season is open for entry now" in done.out


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [
        ({"password": "wrong"}, 2, "No account yet? Make one at"),
        ({"name": "a\u202eb"}, 1, "A name may not hold control, direction or invisible characters."),
        ({"name": "Bob's bot"}, 1, "name_taken"),
    ],
)
def test_what_the_site_refuses_is_said_in_its_words(
    shell: Shell, site: str, change: dict[str, str], status: int, text: str
) -> None:
    bob = User.objects.create_user("bob", "bob@example.org", PASSWORD)
    Bot.objects.create(owner=bob, name="Bob's bot", slug="bob-s-bot")
    done = submit(shell, site, **change)
    assert done.status == status
    assert text in done.err
    assert "Traceback" not in done.err
    assert kept(shell) == []
    assert Bot.objects.count() == 1


LOG_OUT = "DELETE /api/v1/account-tokens/current"


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize("log_out", [204, 404, 405, 500, None])
def test_the_accounts_token_is_given_back_whatever_happened(shell: Shell, made: bool, log_out: int | None) -> None:
    with fake_site() as fake:
        fake.answer("POST /api/v1/account-tokens", 201, {"token": "phasetenacc_x", "username": "ann"})
        if made:
            fake.answer("POST /api/v1/bots", 201, {"slug": "b", "name": "B", "token": "phaseten_b"})
        else:
            fake.refuse("POST /api/v1/bots", 409, "too_many_bots", "Enough.")
        fake.answer("GET /api/v1/seasons?state=open", 200, [])
        if log_out is not None:  # an older site knows no such thing
            fake.answer(LOG_OUT, log_out, b"")
        done = submit(shell, fake.url)
    assert (done.status, "Enough." in done.err) == ((0, False) if made else (1, True))
    assert done.err == "" or not made
    last = fake.asked[-1]
    assert (f"{last.method} {last.path}", last.token) == (LOG_OUT, "phasetenacc_x")


def test_a_wrong_label_makes_nothing(shell: Shell, site: str) -> None:
    done = submit(shell, site, "--version", "no spaces please")
    assert done.status == 1
    assert "version: Letters, digits" in done.err
    assert Bot.objects.count() == 0
    assert kept(shell) == []


def test_a_season_that_does_not_exist_is_said_and_the_bot_is_kept(shell: Shell, site: str) -> None:
    done = submit(shell, site, "--season", "99")
    assert done.status == 1
    assert "(not_found)" in done.err
    assert len(kept(shell)) == 1
    assert live_tokens() == 0


def test_a_bot_that_fails_its_trial_is_not_submitted(shell: Shell, site: str) -> None:
    shell.write(
        "bad.py",
        [
            "from bots_sdk import Bot, Draw, Play",
            "class Bad(Bot):",
            "    def draw(self, view):",
            "        return Draw()",
            "    def play(self, view):",
            "        return Play(discard=view.hnd[0])",
        ],
    )
    done = submit(shell, site, bot="bad.py:Bad")
    assert done.status == 1
    assert "nothing was submitted" in done.err
    assert "AttributeError: 'View' object has no attribute 'hnd'" in done.err
    assert 'bad.py", line 6, in play' in done.err
    assert "  hand: " in done.err
    assert Bot.objects.count() == 0


def test_without_a_terminal_name_and_password_must_be_given(shell: Shell, site: str) -> None:
    done = shell.phaseten("submit", "greedy", "--server", site, "--name", "G")
    assert done.status == 2
    assert "give --username and set PHASETEN_PASSWORD" in done.err


def test_a_site_that_is_not_there_is_said(shell: Shell) -> None:
    done = submit(shell, "http://127.0.0.1:9")
    assert done.status == 1
    assert "cannot be reached" in done.err
    assert json.dumps(done.out).count("all legal") == 1  # the trial came first
