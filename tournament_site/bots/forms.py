"""Forms that decode what people type; services decide."""

from django import forms

from tournament_site.accounts.models import User
from tournament_site.bots import services
from tournament_site.bots.models import Bot
from tournament_site.common.errors import Refused


class BotForm(forms.Form):
    """Makes a bot. `save` returns None and fills in the errors if the site refuses."""

    # The service has the rules and says why; here only a bound.
    name = forms.CharField(max_length=400, strip=False, label="Name")

    def save(self, owner: User) -> Bot | None:
        try:
            return services.create_bot(owner, self.cleaned_data["name"])
        except Refused as refused:
            for name, sentence in (refused.fields or {"__all__": refused.detail}).items():
                self.add_error(name if name in self.fields else None, sentence)
            return None
