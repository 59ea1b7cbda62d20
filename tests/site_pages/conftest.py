"""The cast of the site's tests, and a client for each of them."""

import pytest
from django.test import Client

from tests.replays.javascript import javascript
from tests.site.conftest import Cast, cast, fresh_counters, quick_passwords

__all__ = ["Cast", "cast", "fresh_counters", "javascript", "quick_passwords"]


@pytest.fixture
def as_user():
    """A client that is logged in as somebody."""

    def make(user) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return make
