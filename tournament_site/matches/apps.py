from django.apps import AppConfig


class MatchesConfig(AppConfig):
    name = "tournament_site.matches"
    label = "matches"
