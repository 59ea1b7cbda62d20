"""Forms that decode what people type; services decide."""

from django import forms

from tournament_site.accounts import services
from tournament_site.accounts.models import User
from tournament_site.common.errors import Refused


class SignUpForm(forms.Form):
    """Makes an account. `save` returns None and fills in the errors if the site refuses."""

    username = forms.CharField(max_length=30, label="User name")
    email = forms.EmailField(required=False, label="E-mail (not shown)")
    password = forms.CharField(widget=forms.PasswordInput, max_length=200, strip=False, label="Password")

    def save(self) -> User | None:
        try:
            return services.sign_up(self.cleaned_data["username"], self.cleaned_data["email"], self.cleaned_data["password"])
        except Refused as refused:
            for name, sentence in (refused.fields or {"__all__": refused.detail}).items():
                self.add_error(name if name in self.fields else None, sentence)
            return None
