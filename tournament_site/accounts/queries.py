"""What accounts can be asked."""

from django.db.models.functions import Now

from tournament_site.accounts.models import AccountToken, User
from tournament_site.common import tokens


def user_of(text: str) -> AccountToken | None:
    """The valid account token with this text, with its user; None if there is no such."""
    token = tokens.read(tokens.ACCOUNT, text)
    if token is None:
        return None
    valid = AccountToken.objects.filter(revoked_at=None, expires_at__gt=Now(), user__is_active=True)
    row = valid.select_related("user").filter(pk=token.id).first()
    return row if row is not None and token.opens(row.digest) else None


def name_taken(username: str) -> bool:
    """Whether somebody has this user name, in any case."""
    return User.objects.filter(username__iexact=username).exists()
