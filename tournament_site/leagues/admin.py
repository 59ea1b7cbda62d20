from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from tournament_site.common.admin import ReadOnly
from tournament_site.common.errors import Refused
from tournament_site.common.generic import ModelAdmin
from tournament_site.leagues import services
from tournament_site.leagues.forms import LeagueForm, SeasonForm
from tournament_site.leagues.models import Entry, League, Pairing, Round, Season, Standing

T = TypeVar("T", bound=Model)


def _do_to_each(request: HttpRequest, chosen: QuerySet[T], act: Callable[[T], str]) -> None:
    """Do something to each, and say what came of it or why it was refused."""
    for one in chosen:
        try:
            messages.success(request, act(one))
        except Refused as refused:
            messages.error(request, f"{one}: {refused.detail}")


@admin.register(League)
class LeagueAdmin(ModelAdmin):
    form = LeagueForm
    list_display = ("name", "slug", "table_size", "ruleset", "reopens", "created_at")
    search_fields = ("name", "slug")

    def get_readonly_fields(self, request: HttpRequest, obj: League | None = None) -> tuple[str, ...]:  # noqa: ARG002 - Django's names
        """A league with seasons keeps what its ratings rest on."""
        if obj is not None and obj.seasons.exists():
            return ("table_size", "ruleset", "terms")
        return ()

    def has_delete_permission(self, request: HttpRequest, obj: League | None = None) -> bool:
        return super().has_delete_permission(request, obj) and (obj is None or not obj.seasons.exists())


@admin.register(Season)
class SeasonAdmin(ReadOnly):
    form = SeasonForm
    list_display = (
        "league",
        "number",
        "state",
        "starts_when",
        "cycles",
        "min_bots",
        "max_bots",
        "started_at",
        "ends_at",
        "finished_at",
    )
    list_filter = ("state", "league")
    list_select_related = ("league",)
    actions = ("start", "end")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super(ReadOnly, self).has_add_permission(request)

    def save_model(self, request: HttpRequest, obj: Season, form: Any, change: bool) -> None:  # noqa: ARG002 - Django's names
        """Opening a season is the service's business; the form's object takes over what it made."""
        made = services.open_season(
            obj.league,
            cycles=obj.cycles,
            min_bots=obj.min_bots,
            max_bots=obj.max_bots,
            starts_when=Season.StartsWhen(obj.starts_when),
            lasts_hours=obj.lasts_hours,
        )
        obj.pk, obj.number, obj.seed = made.pk, made.number, made.seed

    @admin.action(description="Start the chosen seasons now", permissions=["add"])
    def start(self, request: HttpRequest, chosen: QuerySet[Season]) -> None:
        def start(season: Season) -> str:
            services.start_season(season.pk)
            return f"{season} has started."

        _do_to_each(request, chosen, start)

    @admin.action(description="End the chosen seasons now: call off what has not begun", permissions=["add"])
    def end(self, request: HttpRequest, chosen: QuerySet[Season]) -> None:
        def end(season: Season) -> str:
            called_off = services.end_season(season.pk)
            return f"{season} ends when what runs is played; {called_off} matches were called off."

        _do_to_each(request, chosen, end)


@admin.register(Entry)
class EntryAdmin(ReadOnly):
    list_display = ("season", "bot", "entered_at", "withdrawn_at")
    list_filter = ("season__league", "season__state")
    search_fields = ("bot__slug",)
    list_select_related = ("season__league", "bot")
    actions = ("withdraw",)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("leagues.change_entry")

    @admin.action(
        description="Take the chosen bots out: call off their matches that have not begun", permissions=["withdraw"]
    )
    def withdraw(self, request: HttpRequest, chosen: QuerySet[Entry]) -> None:
        def withdraw(entry: Entry) -> str:
            services.withdraw(entry.season_id, entry.bot)
            return f"{entry.bot.name} has left {entry.season}."

        _do_to_each(request, chosen, withdraw)


@admin.register(Round)
class RoundAdmin(ReadOnly):
    list_display = ("season", "number")
    list_select_related = ("season__league",)


@admin.register(Pairing)
class PairingAdmin(ReadOnly):
    list_display = ("round", "table_no", "match")
    list_select_related = ("round__season__league", "match")
    search_fields = ("match__id",)


@admin.register(Standing)
class StandingAdmin(ReadOnly):
    list_display = ("season", "rank", "bot", "score", "games", "wins", "live", "change")
    list_select_related = ("season__league", "bot")
    list_filter = ("season__league",)
