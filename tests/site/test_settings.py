"""The environment: complete, or every problem at once."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament_site import addresses, settings
from tournament_site.addresses import BadAddress, Database, Referee
from tournament_site.bots.keys import TicketKey

SECRET = "a quite long text that nobody has ever seen anywhere before"
ROOT = Path(settings.__file__).resolve().parents[1]


@pytest.fixture
def env(tmp_path):
    key = tmp_path / "ticket.pem"
    key.write_bytes(TicketKey.new().pem)
    return {
        "DATABASE_URL": "postgres://postgres@/phaseten?host=/run/postgresql",
        "PHASETEN_REDIS_URL": "unix:///run/valkey.sock?db=1",
        "PHASETEN_SITE_SECRET_KEY": SECRET,
        "PHASETEN_SITE_TICKET_KEY_FILE": str(key),
        "PHASETEN_SITE_URL": "https://league.example/",
        "PHASETEN_SITE_BIND": "0.0.0.0:80",
        "PHASETEN_SITE_STATE_DIR": str(tmp_path),
        "PHASETEN_SITE_REFEREES": "a=127.0.0.1:7011@league.example:7010, b=[::1]:7021@league.example:7020",
    }


def test_settings_are_read_whole(env):
    found = settings.SiteSettings.from_env(env)
    assert found.database == Database("phaseten", "postgres", "/run/postgresql", 0)
    assert found.valkey.client == "unix:///run/valkey.sock?db=1"
    assert found.valkey.celery == "redis+socket:///run/valkey.sock?virtual_host=1"
    assert (found.url, found.https, found.bind) == ("https://league.example", True, ("0.0.0.0", 80))
    assert found.referees[0] == Referee("a", "127.0.0.1:7011", "league.example:7010")
    assert (found.debug, found.allowed_hosts) == (False, ("league.example",))


def test_secrets_are_not_shown(env):
    assert SECRET not in repr(settings.SiteSettings.from_env(env))
    secret = settings.SiteSettings.from_env({**env, "DATABASE_URL": "postgres://u:hunter2@h/db"})
    assert "hunter2" not in repr(secret)


def test_nothing_set_names_everything_that_has_no_default():
    with pytest.raises(settings.SettingsError) as error:
        settings.SiteSettings.from_env({})
    assert [problem.split()[0] for problem in error.value.problems] == [
        "DATABASE_URL",
        "PHASETEN_REDIS_URL",
        "PHASETEN_SITE_SECRET_KEY",
        "PHASETEN_SITE_TICKET_KEY_FILE",
        "PHASETEN_SITE_STATE_DIR",
        "PHASETEN_SITE_REFEREES",
    ]


WRONG_URLS = [
    "http://[::1",
    "http://[hunter2]",
    "http://host:abc",
    "http://host:99999",
    "http://host:",
    "http://host:0",
    "http://ann:hunter2@host",
    "https://host/sub/path",
    "https://host//",
    "https://host?",
    "https://host#",
    "https://ho st",
    "https://a,b",
]
WRONG = {
    "DATABASE_URL": [
        "mysql://h/db",
        "postgres://h",
        "postgres://h/db?sslcert=x",
        "postgres://h:x/db",
        "postgres://h:99999/db",
        "postgres://u:hunter2@[::1/db",
        "postgres://u:hunter2@[h]/db",
        "postgres://h/db?port=" + "9" * 5000,
    ],
    "PHASETEN_REDIS_URL": [
        "http://h",
        "redis://",
        "unix://relative.sock",
        "unix:///v.sock?db=x",
        "redis://h:x",
        "redis://:hunter2@[::1",
    ],
    "PHASETEN_SITE_SECRET_KEY": ["short"],
    "PHASETEN_SITE_TICKET_KEY_FILE": ["/nonexistent/key.pem", "/dev/null"],
    "PHASETEN_SITE_URL": ["league.example", "ftp://league.example", "http://", "http://h/?q", *WRONG_URLS],
    "PHASETEN_SITE_BIND": ["8000", ":8000", "host:http", "host:70000", "host:", "[::1:8000", "host]:8000", "h h:80"],
    "PHASETEN_SITE_METRICS_BIND": ["9102", "host:http"],
    "PHASETEN_SITE_LOG_FORMAT": ["xml"],
    "PHASETEN_SITE_DEBUG": ["yes", "true"],
    "PHASETEN_SITE_STATE_DIR": ["relative"],
    "PHASETEN_SITE_LEASE_SECONDS": ["0", "3601", "9" * 5000, "five"],
    "PHASETEN_SITE_REFEREES": [
        "a",
        ",",
        "a=h:1",
        "a=[::1:1@h:2",
        "a=h:1@h",
        "a=h:1@h:0",
        "a=h:1@h:2,a=h:3@h:4",
        "a b=h:1@h:2",
    ],
    "PHASETEN_SITE_ALLOWED_HOSTS": [",", "http://h", "a b"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_value_is_named_and_not_repeated(env, name, value):
    with pytest.raises(settings.SettingsError) as error:
        settings.SiteSettings.from_env({**env, name: value})
    (problem,) = error.value.problems
    assert problem.startswith(f"{name} ")
    assert "hunter2" not in problem
    assert len(problem) < 120


PARSERS = [addresses.parse_site, addresses.parse_database, addresses.parse_valkey, addresses.parse_bind]
PARTS = [
    "http:",
    "postgres:",
    "redis:",
    "unix:",
    "//",
    "/",
    "[",
    "]",
    "::1",
    ":",
    "@",
    "h",
    "80",
    "?",
    "#",
    "db=",
    "\u2100",
    "%",
]


@pytest.mark.parametrize("parse", [*PARSERS, addresses.parse_referees])
@given(st.lists(st.sampled_from(PARTS)).map("".join) | st.text())
def test_a_text_is_an_address_or_a_bad_one_and_nothing_else(parse, text):
    with suppress(BadAddress):
        assert parse(text)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://localhost:8000", "http://localhost:8000"),
        ("HTTPS://League.Example/", "https://league.example"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
    ],
)
def test_the_site_s_url_is_kept_as_browsers_write_it(env, text, url):
    found = settings.SiteSettings.from_env({**env, "PHASETEN_SITE_URL": text})
    assert (found.url, found.https) == (url, url.startswith("https"))


def test_all_wrong_values_are_named_at_once(env):
    wrong = {name: values[0] for name, values in WRONG.items()}
    with pytest.raises(settings.SettingsError) as error:
        settings.SiteSettings.from_env({**env, **wrong})
    assert {problem.split()[0] for problem in error.value.problems} == set(WRONG)


def test_a_database_with_everything():
    assert addresses.parse_database("postgresql://us%40er:p%2Fw@db.example:5433/na%20me") == Database(
        "na me", "us@er", "db.example", 5433, "p/w"
    )
    with pytest.raises(BadAddress):
        addresses.parse_database("nonsense")


def test_a_socket_path_with_spaces_survives():
    found = addresses.parse_valkey("unix:///tmp/my%20state/v.sock")
    assert found.celery == "redis+socket:///tmp/my%20state/v.sock?virtual_host=0"


def run(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        check=False,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        timeout=120,  # one that serves instead of saying something would go on for ever
    )


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "tournament_site", "serve"),
        ("-m", "tournament_site", "collect"),
        ("-m", "tournament_site", "migrate"),
        ("-m", "tournament_site", "collectstatic", "--noinput"),
        ("-m", "celery", "-A", "tournament_site", "worker"),
        ("-m", "celery", "-A", "tournament_site", "beat"),
        ("-c", "import tournament_site.asgi"),
    ],
)
def test_what_would_serve_or_store_refuses_to_start_with_every_problem_and_exit_2(command):
    done = run(*command, env={"PHASETEN_SITE_DEBUG": "maybe"})
    assert done.returncode == 2
    assert "DATABASE_URL is not set" in done.stderr
    assert "PHASETEN_SITE_DEBUG must be 0 or 1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bracket_that_is_never_closed_is_a_problem_among_the_others(env):
    broken = {"PHASETEN_SITE_URL": "http://[::1", "DATABASE_URL": "postgres://u:hunter2@[::1/db"}
    done = run("-m", "tournament_site", "serve", env={**env, **broken, "PHASETEN_SITE_DEBUG": "maybe"})
    assert done.returncode == 2
    assert [line.split()[0] for line in done.stderr.splitlines()[1:]] == [
        "PHASETEN_SITE_URL",
        "DATABASE_URL",
        "PHASETEN_SITE_DEBUG",
    ]
    assert "hunter2" not in done.stderr


@pytest.mark.parametrize(
    "command",
    [("-m", "tournament_site", "check"), ("-m", "celery", "-A", "tournament_site", "report")],
)
def test_the_settings_of_another_project_s_shell_are_not_ours(env, command):
    done = run(*command, env={**env, "DJANGO_SETTINGS_MODULE": "somebody.elses"})
    assert done.returncode == 0, done.stderr
    assert "somebody" not in done.stdout + done.stderr


def test_tools_work_without_any_setting():
    done = run("-m", "tournament_site", "makemigrations", "--check", "--dry-run", env={})
    assert "No changes detected" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("words", [(), ("help",), ("--help",), ("-h",)])
def test_the_commands_are_listed_without_any_setting(words):
    done = run("-m", "tournament_site", *words, env={})
    assert (done.returncode, done.stderr) == (0, "")
    for command in ("serve", "collect", "migrate", "audit"):
        assert re.search(rf"(?m)^ +{command}\b", done.stdout)


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--help"),
        ("serve", "-h"),
        ("help", "serve"),
        ("collect", "--help"),
        ("help", "collect"),
        ("migrate", "--help"),
        ("audit", "--help"),
        ("createsuperuser", "--username", "ann", "-h"),
    ],
)
def test_a_command_explains_itself_without_any_setting_and_does_nothing(words):
    done = run("-m", "tournament_site", *words, env={"PHASETEN_SITE_DEBUG": "maybe"})
    assert (done.returncode, done.stderr) == (0, "")
    command = words[1] if words[0] == "help" else words[0]
    assert done.stdout.startswith(f"usage: phaseten-site {command} [-h]")


def test_a_wish_for_help_that_is_meant_for_another_program_is_none():
    done = run("-m", "tournament_site", "dbshell", "--", "--help", env={})
    assert done.returncode == 2
    assert "DATABASE_URL is not set" in done.stderr


@pytest.mark.parametrize("command", ["serve", "collect"])
def test_words_that_mean_nothing_are_not_passed_over(command):
    done = run("-m", "tournament_site", command, "--port", "8000", env={})
    assert done.returncode == 2
    assert "unrecognized arguments: --port 8000" in done.stderr


def test_a_safe_deployment_passes_django_s_own_checks(env):
    done = run("-m", "tournament_site", "check", "--deploy", "--fail-level", "WARNING", env=env)
    assert done.returncode == 0, done.stderr


def test_passwords_are_argon2():
    assert settings.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")
