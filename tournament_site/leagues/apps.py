from django.apps import AppConfig


class LeaguesConfig(AppConfig):
    name = "tournament_site.leagues"
    label = "leagues"
