"""Forms that decode what people type; services decide."""

from typing import Any

from django import forms

from tournament_site.accounts import services
from tournament_site.accounts.models import User
from tournament_site.common.errors import Refused


class SignUpForm(forms.Form):
    """Makes an account. `save` returns None and fills in the errors, of all fields, if one is wrong or the site refuses."""

    username = forms.CharField(max_length=30, label="User name")
    email = forms.EmailField(required=False, label="E-mail (not shown)")
    password = forms.CharField(widget=forms.PasswordInput, max_length=200, strip=False, label="Password")

    def save(self) -> User | None:
        whole = self.is_valid()
        facts: dict[str, Any] = {name: self.cleaned_data.get(name) for name in ("username", "email", "password")}
        try:
            if whole:
                return services.sign_up(**facts)
            services.check_sign_up(**facts)  # a field that is wrong by itself hides no other
        except Refused as refused:
            for name, sentence in (refused.fields or {"__all__": refused.detail}).items():
                self.add_error(name if name in self.fields else None, sentence)
        return None
