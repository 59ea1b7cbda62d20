"""Forms that check what organisers type; services decide."""

from typing import Any

from django.core.exceptions import ValidationError

from tournament_site.common.errors import Refused
from tournament_site.common.generic import ModelForm
from tournament_site.common.text import clean_name, slug_of
from tournament_site.leagues import services
from tournament_site.leagues.models import League, Season
from tournament_site.matches.rulebook import UnknownRules, ruleset_named, terms_from


class LeagueForm(ModelForm):
    """Checks that a league's games can be played."""

    class Meta:
        model = League
        fields = ("name", "table_size", "ruleset", "terms", "reopens")

    def clean_name(self) -> str:
        try:
            return clean_name(self.cleaned_data["name"])
        except Refused as refused:
            raise ValidationError(refused.detail) from refused

    def clean_ruleset(self) -> str:
        name = str(self.cleaned_data["ruleset"])
        try:
            ruleset_named(name)
        except UnknownRules as error:
            raise ValidationError(str(error)) from error
        return name

    def clean_terms(self) -> Any:
        terms = self.cleaned_data["terms"]
        if not isinstance(terms, dict):
            raise ValidationError("Terms are an object of names and numbers.")
        try:
            terms_from(terms)
        except UnknownRules as error:
            raise ValidationError(str(error)) from error
        return terms

    def save(self, commit: bool = True) -> League:
        if not self.instance.slug:
            self.instance.slug = slug_of(self.instance.name)
        league: League = super().save(commit)
        return league


class SeasonForm(ModelForm):
    """Opens a season."""

    class Meta:
        model = Season
        fields = ("league", "cycles", "min_bots", "max_bots", "starts_when")

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or {}
        league = cleaned.get("league")
        cycles, least, most = (cleaned.get(name) for name in ("cycles", "min_bots", "max_bots"))
        if league and cycles is not None and least is not None and most is not None:
            problem = services.season_problem(league, cycles=cycles, min_bots=least, max_bots=most)
            if problem:
                raise ValidationError(problem)
        return cleaned
