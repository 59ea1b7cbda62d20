from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from tournament_site.bots import services
from tournament_site.bots.models import Bot, BotToken, BotVersion, Presence
from tournament_site.common.admin import ReadOnly

EXEMPT = "exempt: of the house"


@admin.register(Bot)
class BotAdmin(ReadOnly):
    list_display = ("name", "slug", "owner", "active_version", "max_games", "created_at")
    search_fields = ("name", "slug", "owner__username")
    list_select_related = ("owner", "active_version__bot")
    readonly_fields = ("owner", "name", "slug", "active_version", "created_at")

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - Django's name
        """Only the limit of games can be changed: the rest is what the bot is known by."""
        return super(ReadOnly, self).has_change_permission(request)


class _ByValidation(admin.SimpleListFilter):
    """By what the list shows: the house's versions are exempt, whatever stands in their rows."""

    title = "validation"
    parameter_name = "validation"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:  # noqa: ARG002 - Django's names
        return [*((state.value, str(state.label)) for state in BotVersion.Validation), ("EXEMPT", EXEMPT)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[BotVersion]) -> QuerySet[BotVersion]:  # noqa: ARG002 - Django's names
        match self.value():
            case None:
                return queryset
            case "EXEMPT":
                return queryset.filter(bot__owner__is_house=True)
            case state:
                return queryset.filter(bot__owner__is_house=False, validation=state)


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnly):
    list_display = ("bot", "label", "standing", "validation_note", "sdk", "language", "created_at")
    list_filter = (_ByValidation,)
    search_fields = ("bot__name", "bot__slug", "label")
    list_select_related = ("bot__owner",)
    fields = ("bot", "label", "sdk", "language", "created_at", "standing", "validation_match", "validation_note")
    actions = ("grant", "demand")

    @admin.display(description="validation", ordering="validation")
    def standing(self, version: BotVersion) -> str:
        return EXEMPT if version.bot.owner.is_house else version.get_validation_display()

    def has_validate_permission(self, request: HttpRequest) -> bool:
        """Validation is all that can be changed, so it takes the right to change."""
        return request.user.has_perm("bots.change_botversion")

    @admin.action(description="Validate the chosen versions by hand", permissions=["validate"])
    def grant(self, request: HttpRequest, chosen: QuerySet[BotVersion]) -> None:
        for version in chosen:
            services.grant_validation(version)
        messages.success(request, f"{len(chosen)} versions may play rated matches.")

    @admin.action(description="Let the chosen versions be validated again", permissions=["validate"])
    def demand(self, request: HttpRequest, chosen: QuerySet[BotVersion]) -> None:
        for version in chosen:
            services.demand_validation(version)
        messages.success(request, f"{len(chosen)} versions play a validation match when they are connected.")


@admin.register(BotToken)
class BotTokenAdmin(ReadOnly):
    list_display = ("id", "bot", "created_at", "used_at", "revoked_at")
    search_fields = ("id", "bot__slug")
    list_select_related = ("bot",)
    exclude = ("digest",)
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Revoking is the one change there is, so it takes the right to change."""
        return request.user.has_perm("bots.change_bottoken")

    @admin.action(description="Revoke the chosen tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[BotToken]) -> None:
        for token in chosen.select_related("bot"):
            services.revoke_token(token.bot, token.pk)
        messages.success(request, f"{len(chosen)} tokens are revoked.")


@admin.register(Presence)
class PresenceAdmin(ReadOnly):
    list_display = ("version", "referee", "games", "capacity", "seen_at")
    list_select_related = ("version__bot",)
    list_filter = ("referee",)
