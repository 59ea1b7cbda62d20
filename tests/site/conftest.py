"""The fixed cast of the site's tests.

Ann owns bots, Bob owns rivals, Cy owns nothing, Olga organises (staff), Root administers, the house plays along.
"""

from dataclasses import dataclass
from typing import Any

import hypothesis
import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.test import Client

from tests.site.builders import PASSWORD, PATIENT, make_bot
from tournament_site.accounts.models import User
from tournament_site.accounts.services import new_account_token
from tournament_site.bots.models import Bot
from tournament_site.bots.services import new_token

# How long an example takes says how busy the machine is, not whether the code is right.
hypothesis.settings.register_profile("site", deadline=None)
hypothesis.settings.load_profile("site")
# A page must not wait a second for a counter, and goes on without it. A test has to.
cache_options: Any = django_settings.CACHES["default"]["OPTIONS"]
cache_options.update(PATIENT)


@dataclass(frozen=True, slots=True)
class Cast:
    ann: User
    bob: User
    cy: User
    olga: User
    root: User
    house: User
    ada: Bot  # Ann's
    abe: Bot  # Ann's second
    bix: Bot  # Bob's
    hal: Bot  # the house's


@pytest.fixture(autouse=True)
def fresh_counters():
    """Rate limits of one test are not those of the next."""
    cache.clear()


@pytest.fixture(autouse=True)
def quick_passwords(settings):
    """Argon2 is slow on purpose; one test looks at the real list of hashers."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def cast(db) -> Cast:
    people = {name: User.objects.create_user(name, f"{name}@example.org", PASSWORD) for name in ("ann", "bob", "cy")}
    olga = User.objects.create_user("olga", "olga@example.org", PASSWORD, is_staff=True)
    root = User.objects.create_superuser("root", "root@example.org", PASSWORD)
    house = User.objects.create_user("house", is_house=True)
    return Cast(
        **people,
        olga=olga,
        root=root,
        house=house,
        ada=make_bot(people["ann"], "Ada"),
        abe=make_bot(people["ann"], "Abe"),
        bix=make_bot(people["bob"], "Bix"),
        hal=make_bot(house, "Hal"),
    )


class Caller:
    """An HTTP client that sends and reads JSON, as somebody or as nobody."""

    def __init__(self, token: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = Client(headers=headers)

    def get(self, path: str, **more):
        return self._client.get(f"/api/v1{path}", **more)

    def post(self, path: str, body: object = None):
        return self._client.post(f"/api/v1{path}", body, content_type="application/json")

    def delete(self, path: str):
        return self._client.delete(f"/api/v1{path}")


@pytest.fixture
def anonymous() -> Caller:
    return Caller()


@pytest.fixture
def as_user():
    return lambda user: Caller(new_account_token(user).text)


@pytest.fixture
def as_bot():
    return lambda bot: Caller(new_token(bot).text)
