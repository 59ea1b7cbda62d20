"""The site's settings: the environment, read once into a frozen value, and Django's names made from it.

Tools such as a type checker or `makemigrations` import this file with an empty environment. Then every problem is in
`PROBLEMS`, the values are harmless placeholders, and whatever would serve or store something refuses to start.
"""

import os
import re
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from tournament_site.addresses import (
    BadAddress,
    Database,
    Referee,
    Valkey,
    parse_bind,
    parse_database,
    parse_referees,
    parse_site,
    parse_valkey,
)
from tournament_site.bots.keys import BadKey, TicketKey
from tournament_site.common.logs import FORMATS

T = TypeVar("T")
_NOWHERE = Path("/nonexistent")


class SettingsError(Exception):
    """Settings that are missing or wrong, all of them, one per line."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """Everything the environment says, checked.

    Attributes:
        database: DATABASE_URL.
        valkey: PHASETEN_REDIS_URL: queue, cache and live feed.
        secret_key: PHASETEN_SITE_SECRET_KEY, at least 32 characters.
        ticket_key: the key in PHASETEN_SITE_TICKET_KEY_FILE; signs tickets.
        url: PHASETEN_SITE_URL, what people type, without a slash at the end.
        bind: PHASETEN_SITE_BIND, host and port to listen on.
        debug: PHASETEN_SITE_DEBUG: Django's error pages and uncollected static files.
        state_dir: PHASETEN_SITE_STATE_DIR: collected static files.
        referees: PHASETEN_SITE_REFEREES.
        allowed_hosts: PHASETEN_SITE_ALLOWED_HOSTS, the URL's host if unset.
        lease_seconds: PHASETEN_SITE_LEASE_SECONDS: a running match lives on if its referee reports it this often.
        metrics_bind: PHASETEN_SITE_METRICS_BIND, where the collector serves a page for Prometheus; None for none.
        log_format: PHASETEN_SITE_LOG_FORMAT: text, or json for one object a line.

    """

    database: Database
    valkey: Valkey
    secret_key: str = field(repr=False)
    ticket_key: TicketKey = field(repr=False)
    url: str
    bind: tuple[str, int]
    debug: bool
    state_dir: Path
    referees: tuple[Referee, ...]
    allowed_hosts: tuple[str, ...]
    lease_seconds: int
    metrics_bind: tuple[str, int] | None
    log_format: str

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "SiteSettings":
        """The settings. Raises SettingsError with every problem at once."""
        settings, problems = read(env)
        if problems:
            raise SettingsError(problems)
        return settings

    @property
    def https(self) -> bool:
        return self.url.startswith("https://")


class _Reader:
    """Reads variables one after the other and collects what is wrong with them."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.problems: list[str] = []

    def value(self, name: str, parse: Callable[[str], T], placeholder: T, default: str | None = None) -> T:
        text = self.env.get(name) or default
        if text is None:
            self.problems.append(f"{name} is not set")
            return placeholder
        try:
            return parse(text)
        except (BadAddress, BadKey) as error:
            self.problems.append(f"{name} {error}")
            return placeholder


def read(env: Mapping[str, str]) -> tuple[SiteSettings, tuple[str, ...]]:
    """The settings with placeholders for what is missing or wrong, and a sentence for each of these."""
    reader = _Reader(env)
    url = reader.value("PHASETEN_SITE_URL", parse_site, "http://localhost:8000", "http://localhost:8000")
    host = urlsplit(url).hostname or "localhost"
    settings = SiteSettings(
        database=reader.value("DATABASE_URL", parse_database, Database("phaseten", "postgres", str(_NOWHERE), 0)),
        valkey=reader.value("PHASETEN_REDIS_URL", parse_valkey, parse_valkey(f"unix://{_NOWHERE}/valkey.sock")),
        secret_key=reader.value("PHASETEN_SITE_SECRET_KEY", _parse_secret, secrets.token_urlsafe(48)),
        ticket_key=reader.value("PHASETEN_SITE_TICKET_KEY_FILE", _parse_key_file, TicketKey(b"")),
        url=url,
        bind=reader.value("PHASETEN_SITE_BIND", parse_bind, ("127.0.0.1", 8000), "127.0.0.1:8000"),
        debug=reader.value("PHASETEN_SITE_DEBUG", _parse_bool, placeholder=False, default="0"),
        state_dir=reader.value("PHASETEN_SITE_STATE_DIR", _parse_folder, _NOWHERE),
        referees=reader.value("PHASETEN_SITE_REFEREES", parse_referees, ()),
        allowed_hosts=reader.value("PHASETEN_SITE_ALLOWED_HOSTS", _parse_hosts, (host,), host),
        lease_seconds=reader.value("PHASETEN_SITE_LEASE_SECONDS", _parse_seconds, 30, "30"),
        log_format=reader.value("PHASETEN_SITE_LOG_FORMAT", _parse_log_format, "text", "text"),
        metrics_bind=reader.value("PHASETEN_SITE_METRICS_BIND", _parse_bind_or_none, None, "none"),
    )
    return settings, tuple(reader.problems)


def _parse_secret(text: str) -> str:
    if len(text) < 32:
        raise BadAddress("needs at least 32 characters")
    return text


def _parse_key_file(text: str) -> TicketKey:
    try:
        return TicketKey.parse(Path(text).read_bytes())
    except OSError as error:
        raise BadKey(f"cannot be read: {error.strerror}") from error


def _parse_bool(text: str) -> bool:
    if text not in {"0", "1"}:
        raise BadAddress("must be 0 or 1")
    return text == "1"


def _parse_seconds(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text) or not 1 <= int(text) <= 3600:
        raise BadAddress("must be a number of seconds from 1 to 3600")
    return int(text)


def _parse_log_format(text: str) -> str:
    if text not in FORMATS:
        raise BadAddress(f"must be {' or '.join(FORMATS)}")
    return text


def _parse_bind_or_none(text: str) -> tuple[str, int] | None:
    return None if text == "none" else parse_bind(text)


def _parse_folder(text: str) -> Path:
    folder = Path(text)
    if not folder.is_absolute():
        raise BadAddress("must be an absolute path")
    return folder


def _parse_hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(host.strip() for host in text.split(",") if host.strip())
    if not hosts or any("/" in host or " " in host for host in hosts):
        raise BadAddress("must be host names, separated by commas")
    return hosts


def announce() -> None:
    """Tell Django and Celery that this module is the settings, whatever another project's shell says."""
    os.environ["DJANGO_SETTINGS_MODULE"] = __name__


def require() -> SiteSettings:
    """The settings, or the end of the process: prints every problem and exits with 2."""
    if PROBLEMS:
        sys.stderr.write("The site cannot start:\n" + "".join(f"  {problem}\n" for problem in PROBLEMS))
        raise SystemExit(2)
    return SITE


SITE, PROBLEMS = read(os.environ)

# -- Django's names ----------------------------------------------------------------------------------------------------

DEBUG = SITE.debug
SECRET_KEY = SITE.secret_key
ALLOWED_HOSTS = list(SITE.allowed_hosts)
CSRF_TRUSTED_ORIGINS = [SITE.url]
ROOT_URLCONF = "tournament_site.urls"
ASGI_APPLICATION = "tournament_site.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "/log-in"
LOGIN_REDIRECT_URL = "/my-bots"
LOGOUT_REDIRECT_URL = "/"
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "ninja",  # its own static files, so that the API's manual obeys the content policy
    "tournament_site.accounts",
    "tournament_site.bots",
    "tournament_site.matches",
    "tournament_site.ratings",
    "tournament_site.leagues",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "tournament_site.common.middleware.SecurityHeaders",
    "tournament_site.common.middleware.JsonErrors",
    "tournament_site.common.middleware.TrailingSlashes",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

_HERE = Path(__file__).resolve().parent

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [_HERE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# A pool, because threads of an ASGI server come and go. Nothing to pool where there is no database.
_POOL = {"min_size": 1, "max_size": 10, "timeout": 10, "max_lifetime": 600}

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": SITE.database.name,
        "USER": SITE.database.user,
        "PASSWORD": SITE.database.password,
        "HOST": SITE.database.host,
        "PORT": str(SITE.database.port or ""),
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "pool": False if SITE.database.host == str(_NOWHERE) else _POOL,
            "connect_timeout": 5,
            # Nobody may hold a row or a connection for long: all our transactions are short.
            "options": "-c statement_timeout=60000 -c lock_timeout=15000 -c idle_in_transaction_session_timeout=60000",
        },
    },
}

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": SITE.valkey.client,
        "KEY_PREFIX": "phaseten",
        # A page must not wait for a counter.
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1, "protocol": 3},
    },
}

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTHENTICATION_BACKENDS = ["tournament_site.accounts.backends.ThrottledBackend"]
_VALIDATORS = "django.contrib.auth.password_validation."
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": _VALIDATORS + "UserAttributeSimilarityValidator"},
    {"NAME": _VALIDATORS + "MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": _VALIDATORS + "CommonPasswordValidator"},
]

STATIC_URL = "/static/"
STATICFILES_DIRS = [_HERE / "static"]
# Tests and development serve the files from where they are written; production from `collectstatic`'s hashed copies.
_FROM_SOURCE = SITE.debug or bool(PROBLEMS)
STATIC_ROOT = None if _FROM_SOURCE else SITE.state_dir / "static"
WHITENOISE_USE_FINDERS = _FROM_SOURCE
# What is packed already, and what only developer tools ask for.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = ("map", "md", "png", "jpg", "webp", "ico", "gz", "woff", "woff2")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if _FROM_SOURCE
        else "tournament_site.common.storage.HashedFiles",
    },
}

SESSION_COOKIE_SECURE = SITE.https
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = SITE.https
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = False  # the proxy's business: it alone sees the plain port
SECURE_HSTS_SECONDS = 31_536_000 if SITE.https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SITE.https
SECURE_HSTS_PRELOAD = SITE.https
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SILENCED_SYSTEM_CHECKS = ["security.W008"]  # the redirect above
DATA_UPLOAD_MAX_MEMORY_SIZE = 65_536
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {"()": "tournament_site.common.logs.JsonLines"},
    },
    "handlers": {"screen": {"class": "logging.StreamHandler", "formatter": SITE.log_format}},
    "root": {"handlers": ["screen"], "level": "INFO"},
    "loggers": {"django": {"handlers": [], "level": "INFO", "propagate": True}},
}
