"""What changes accounts."""

from datetime import timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from tournament_site.accounts.models import AccountToken, User
from tournament_site.accounts.queries import name_taken
from tournament_site.common import tokens
from tournament_site.common.errors import Reason, Refused
from tournament_site.common.text import clean_username

MAX_TOKENS = 50
USED_EVERY = timedelta(minutes=1)


def sign_up(username: str, email: str, password: str) -> User:
    """A new owner.

    Raises:
        Refused: NAME_INVALID, NAME_TAKEN, or TEXT_INVALID for the e-mail address and the password. Its fields are all
            that are wrong, its reason is that of the first.

    """
    check_sign_up(username, email, password)
    try:
        with transaction.atomic():
            return User.objects.create_user(username, email, password)
    except IntegrityError as error:  # somebody was faster
        raise _taken() from error


def check_sign_up(username: str | None, email: str | None, password: str | None) -> None:
    """Refuse what `sign_up` would refuse; what is None is not looked at. Raises the same."""
    problems = [
        problem
        for problem in (
            None if username is None else _name_problem(username),
            _email_problem(email) if email else None,
            None if password is None else _password_problem(password, User(username=username or "", email=email or "")),
        )
        if problem is not None
    ]
    if problems:
        fields = {name: sentence for problem in problems for name, sentence in problem.fields.items()}
        raise Refused(problems[0].reason, problems[0].detail, fields=fields)


def _name_problem(username: str) -> Refused | None:
    try:
        return _taken() if name_taken(clean_username(username)) else None
    except Refused as refused:
        return refused


def _email_problem(email: str) -> Refused | None:
    try:
        validate_email(email)
    except ValidationError as error:
        return Refused(Reason.TEXT_INVALID, fields={"email": " ".join(error.messages)})
    return None


def _password_problem(password: str, user: User) -> Refused | None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        return Refused(Reason.TEXT_INVALID, fields={"password": " ".join(error.messages)})
    return None


def _taken() -> Refused:
    return Refused(Reason.NAME_TAKEN, fields={"username": "This name is taken."})


@transaction.atomic
def new_account_token(user: User) -> tokens.Token:
    """A token for a program of this user; its text is nowhere else. The oldest goes once there are too many."""
    token = tokens.mint(tokens.ACCOUNT)
    User.objects.select_for_update().get(pk=user.pk)
    AccountToken.objects.create(id=token.id, user=user, digest=token.digest)
    kept = AccountToken.objects.filter(user=user, revoked_at=None).order_by("-created_at", "-pk")[:MAX_TOKENS]
    AccountToken.objects.filter(user=user, revoked_at=None).exclude(pk__in=[row.pk for row in kept]).update(revoked_at=Now())
    return token


def revoke_account_token(user: User, token_id: str) -> None:
    """Close a token for ever; twice is once. Raises Refused NOT_FOUND."""
    if not AccountToken.objects.filter(pk=token_id, user=user).exists():
        raise Refused(Reason.NOT_FOUND)
    AccountToken.objects.filter(pk=token_id, user=user, revoked_at=None).update(revoked_at=Now())


def note_use(token: AccountToken) -> None:
    """Remember that a token was used, to the minute."""
    stale = Q(used_at=None) | Q(used_at__lt=Now() - USED_EVERY)
    AccountToken.objects.filter(stale, pk=token.pk).update(used_at=Now())
