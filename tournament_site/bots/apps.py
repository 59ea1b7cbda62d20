from django.apps import AppConfig


class BotsConfig(AppConfig):
    name = "tournament_site.bots"
    label = "bots"
