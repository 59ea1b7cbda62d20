"""The apps' forms with what browsers want to know: what to fill in by themselves, where to put the cursor."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.forms import BaseForm

from tournament_site.accounts.forms import SignUpForm
from tournament_site.bots.forms import BotForm
from tournament_site.common.errors import Refused


def _say(form: BaseForm, hints: Mapping[str, Mapping[str, str | bool]], help_texts: Mapping[str, str]) -> None:
    for name, attributes in hints.items():
        form.fields[name].widget.attrs.update(attributes)
    for name, sentence in help_texts.items():
        form.fields[name].help_text = sentence


class SignUp(SignUpForm):
    """The sign-up page's form."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(
            self,
            {
                "username": {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"},
                "email": {"autocomplete": "email"},
                "password": {"autocomplete": "new-password"},
            },
            {
                "username": "2 to 30 letters, digits, minuses or underscores. Everybody sees it.",
                "password": "At least 10 characters.",
            },
        )


class LogIn(AuthenticationForm):
    """The log-in page's form; too many tries are an error like any other."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"

    def clean(self) -> dict[str, Any]:
        """Raises ValidationError if name and password do not belong together, or were tried too often."""
        try:
            return super().clean()
        except Refused as refused:
            raise ValidationError(refused.detail) from refused


class NewBot(BotForm):
    """The form on the page of one's own bots."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self, {"name": {"autocomplete": "off"}}, {"name": "1 to 40 characters. It cannot be changed later."})
