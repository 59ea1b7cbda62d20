from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "tournament_site.ratings"
    label = "ratings"
