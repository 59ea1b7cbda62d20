from datetime import timedelta
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Now, Upper

# People log in again to get another one: what a program left behind on some machine does not open the account for ever.
TOKEN_LASTS = timedelta(days=30)


class UserManager(BaseUserManager["User"]):
    """Makes users; Django's own commands (createsuperuser) call it."""

    def create_user(self, username: str, email: str = "", password: str | None = None, **more: bool) -> "User":
        user = self.model(username=username, email=self.normalize_email(email), **more)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, username: str, email: str = "", password: str | None = None, **more: bool) -> "User":
        return self.create_user(username, email, password, is_staff=True, is_superuser=True, **more)

    def get_by_natural_key(self, username: str | None) -> "User":
        """Log-in names know no case, so that Ann and ann are one person."""
        return self.get(username__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person, or the house. Owns bots."""

    username = models.CharField(max_length=30, unique=True)
    email = models.EmailField(blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False, help_text="May use the administration pages.")
    is_house = models.BooleanField(
        default=False, help_text="Belongs to the league itself: exempt from the one-bot-per-owner rules."
    )
    date_joined = models.DateTimeField(db_default=Now(), editable=False)

    objects: ClassVar[UserManager] = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["email"]

    class Meta:
        constraints = [
            models.UniqueConstraint(Upper("username"), name="user_username_any_case"),
            models.CheckConstraint(
                condition=models.Q(username__regex=r"^[A-Za-z0-9][A-Za-z0-9_-]{1,29}$"), name="user_username_plain"
            ),
        ]

    def __str__(self) -> str:
        return self.username


class AccountToken(models.Model):
    """Lets a program act for a person, for a while. Only the secret's digest is stored."""

    id = models.CharField(primary_key=True, max_length=12)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="account_tokens")
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(db_default=Now() + TOKEN_LASTS, editable=False)
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(digest__regex=r"^[0-9a-f]{64}$"), name="account_token_digest")
        ]

    def __str__(self) -> str:
        return f"{self.id} of {self.user}"
