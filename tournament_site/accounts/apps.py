from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "tournament_site.accounts"
    label = "accounts"
