"""Forms that check what organisers type; services decide."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.functional import lazy
from django.utils.html import format_html

from tournament_site.common.errors import Refused
from tournament_site.common.generic import ModelForm
from tournament_site.common.text import clean_name, slug_of
from tournament_site.leagues import services
from tournament_site.leagues.models import League, Season
from tournament_site.matches.rulebook import GROUPS, UnknownRules, ruleset_named, summary, terms_from, terms_plain

LEAST_BANK_MS = 1000
LEAST_CAP_MS = 100
TERMS = (
    "Times in milliseconds: bank_ms to think in a game, increment_ms more for each answer, cap_ms the most for one. "
    "max_faults: the fault that loses the game. first_dealer: last_seat, seeded or seat:0. max_turns_per_deal and max_deals "
    "end a game that does not end; null: they do not. What is left out is as usual."
)


def _where_they_stand() -> str:
    return format_html('<a href="{}">All of them in words and pictures</a>', reverse("rules"))


class RulesetField(forms.ChoiceField):
    """One of the presets, by source, each with what sets it apart."""

    def __init__(self) -> None:
        groups = [(group.title, [(name, f"{name}: {summary(name)}") for name in group.presets]) for group in GROUPS]
        super().__init__(
            choices=groups,
            widget=forms.RadioSelect({"class": "radiolist"}),  # the administration makes room for these
            label="Rule set",
            help_text=lazy(_where_they_stand, str)(),  # addresses are not known yet
        )

    def validate(self, value: str) -> None:
        """Say what there is instead of a name that is not there. Raises ValidationError."""
        super(forms.ChoiceField, self).validate(value)  # it must be filled in
        try:
            ruleset_named(value)
        except UnknownRules as error:
            raise ValidationError(str(error)) from error


class LeagueForm(ModelForm):
    """Checks that a league's games can be played."""

    ruleset = RulesetField()
    terms = forms.JSONField(
        initial=lambda: terms_plain(terms_from({})), help_text=TERMS, widget=forms.Textarea({"rows": 10, "cols": 60})
    )

    class Meta:
        model = League
        fields = ("name", "table_size", "ruleset", "terms", "reopens")

    def clean_name(self) -> str:
        try:
            return clean_name(self.cleaned_data["name"])
        except Refused as refused:
            raise ValidationError(refused.detail) from refused

    def clean_terms(self) -> Any:
        terms = self.cleaned_data["terms"]
        if not isinstance(terms, dict):
            raise ValidationError("Terms are an object of names and numbers.")
        try:
            whole = terms_from(terms)
        except UnknownRules as error:
            raise ValidationError(str(error)) from error
        if whole.clock.bank_ms < LEAST_BANK_MS or whole.clock.cap_ms < LEAST_CAP_MS:
            raise ValidationError(f"No bot thinks so fast: bank_ms is {LEAST_BANK_MS} or more, cap_ms {LEAST_CAP_MS}.")
        return terms_plain(whole)

    def save(self, commit: bool = True) -> League:
        if not self.instance.slug:
            self.instance.slug = slug_of(self.instance.name)
        league: League = super().save(commit)
        return league


class SeasonForm(ModelForm):
    """Opens a season."""

    class Meta:
        model = Season
        fields = ("league", "cycles", "min_bots", "max_bots", "starts_when", "lasts_hours")

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or {}
        league = cleaned.get("league")
        cycles, least, most = (cleaned.get(name) for name in ("cycles", "min_bots", "max_bots"))
        if league and cycles is not None and least is not None and most is not None:
            problem = services.season_problem(
                league, cycles=cycles, min_bots=least, max_bots=most, lasts_hours=cleaned.get("lasts_hours")
            )
            if problem:
                raise ValidationError(problem)
        return cleaned
