from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from redis.exceptions import ConnectionError as Away

from tests.site.builders import PASSWORD, make_user
from tournament_site.accounts import queries, services
from tournament_site.accounts.forms import SignUpForm
from tournament_site.accounts.models import AccountToken, User
from tournament_site.bots.forms import BotForm
from tournament_site.common import throttle
from tournament_site.common.errors import Reason, Refused

pytestmark = pytest.mark.django_db


def refusal(call: Callable[..., object], *arguments: object) -> Refused:
    with pytest.raises(Refused) as refused:
        call(*arguments)
    return refused.value


def test_a_new_owner_can_log_in():
    user = services.sign_up("Ann", "ann@example.org", PASSWORD)
    assert authenticate(None, username="ann", password=PASSWORD) == user
    assert authenticate(None, username="ann", password="wrong") is None
    assert (user.is_staff, user.is_superuser, user.is_house) == (False, False, False)


def test_a_password_is_stored_as_argon2(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    assert services.sign_up("ann", "", PASSWORD).password.startswith("argon2$argon2id$")


@pytest.mark.parametrize(
    ("name", "email", "password", "reason", "field"),
    [
        ("a", "", PASSWORD, Reason.NAME_INVALID, "username"),
        ("<b>", "", PASSWORD, Reason.NAME_INVALID, "username"),
        ("taken", "", PASSWORD, Reason.NAME_TAKEN, "username"),
        ("TAKEN", "", PASSWORD, Reason.NAME_TAKEN, "username"),
        ("ann", "nonsense", PASSWORD, Reason.TEXT_INVALID, "email"),
        ("ann", "", "short", Reason.TEXT_INVALID, "password"),
        ("ann", "", "password1234", Reason.TEXT_INVALID, "password"),
        ("annabella99", "", "annabella99", Reason.TEXT_INVALID, "password"),
    ],
)
def test_a_sign_up_that_is_refused_says_which_field(name, email, password, reason, field):
    make_user("taken")
    refused = refusal(services.sign_up, name, email, password)
    assert (refused.reason, list(refused.fields)) == (reason, [field])
    assert User.objects.count() == 1


def test_two_names_that_differ_in_case_are_refused_by_the_database_too():
    make_user("ann")
    with pytest.raises(IntegrityError, match="user_username_any_case"), transaction.atomic():
        make_user("ANN")


def test_forms_hand_back_what_the_site_says():
    good = SignUpForm({"username": "ann", "email": "", "password": PASSWORD})
    assert good.is_valid()
    assert good.save() == User.objects.get(username="ann")
    again = SignUpForm({"username": "ann", "email": "", "password": PASSWORD})
    assert again.is_valid()
    assert again.save() is None
    assert again.errors["username"] == ["This name is taken."]
    bot = BotForm({"name": "a\u202eb"})
    assert bot.is_valid()
    assert bot.save(make_user("bob")) is None
    assert "direction" in bot.errors["name"][0]


def test_the_oldest_account_token_goes_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(services, "MAX_TOKENS", 3)
    user = make_user("ann")
    made = [services.new_account_token(user) for _ in range(5)]
    assert AccountToken.objects.filter(revoked_at=None).count() == 3
    assert queries.user_of(made[-1].text) is not None


def test_a_revoked_account_token_is_nobody_s():
    user = make_user("ann")
    token = services.new_account_token(user)
    services.revoke_account_token(user, token.id)
    assert queries.user_of(token.text) is None
    assert refusal(services.revoke_account_token, make_user("bob"), token.id).reason is Reason.NOT_FOUND


def test_an_account_token_is_good_for_thirty_days():
    token = services.new_account_token(make_user("ann"))
    row = AccountToken.objects.get(pk=token.id)
    assert row.expires_at - row.created_at == timedelta(days=30)
    AccountToken.objects.update(expires_at=Now() + timedelta(minutes=1))
    assert queries.user_of(token.text) == row
    AccountToken.objects.update(expires_at=Now())
    assert queries.user_of(token.text) is None


def test_limits_count_by_key_and_window():
    limit = throttle.Limit("test", 2, 60)
    for _ in range(2):
        throttle.spend(limit, "a")
    refused = refusal(throttle.spend, limit, "a")
    assert (refused.reason, refused.wait) == (Reason.TOO_MANY_REQUESTS, 60)
    throttle.spend(limit, "b")
    throttle.spend(throttle.Limit("other", 2, 60), "a")


def test_four_hundred_students_sign_up_and_log_in_from_one_address():
    for limit in (throttle.SIGN_UP_BY_ADDRESS, throttle.LOG_IN_BY_ADDRESS):
        for _ in range(400 + 100):  # some of them more than once
            throttle.spend(limit, "the lecture hall")


def test_a_counter_that_is_away_counts_nothing(monkeypatch, caplog):
    def away(*_):
        raise Away("no")

    monkeypatch.setattr(throttle, "_count", away)
    throttle.spend(throttle.Limit("test", 0, 60), "a")
    assert "not counted" in caplog.text
