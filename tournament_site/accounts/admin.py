from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from tournament_site.accounts import services
from tournament_site.accounts.models import AccountToken, User
from tournament_site.common.admin import ReadOnly
from tournament_site.common.generic import NewPersonForm, PeopleAdmin, PersonForm


class _CreationForm(NewPersonForm):
    class Meta:
        model = User
        fields = ("username", "email")


class _ChangeForm(PersonForm):
    class Meta:
        model = User
        fields = "__all__"


@admin.register(User)
class PersonAdmin(PeopleAdmin):
    form = _ChangeForm
    add_form = _CreationForm
    list_display = ("username", "email", "is_house", "is_staff", "is_active", "date_joined")
    list_filter = ("is_house", "is_staff", "is_active")
    search_fields = ("username", "email")
    ordering = ("username",)
    readonly_fields = ("date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("username", "email", "password")}),
        ("Standing", {"fields": ("is_active", "is_house", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Times", {"fields": ("date_joined", "last_login")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "email", "usable_password", "password1", "password2")}),)


@admin.register(AccountToken)
class AccountTokenAdmin(ReadOnly):
    list_display = ("id", "user", "created_at", "expires_at", "used_at", "revoked_at")
    search_fields = ("id", "user__username")
    list_select_related = ("user",)
    exclude = ("digest",)
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Revoking is the one change there is, so it takes the right to change."""
        return request.user.has_perm("accounts.change_accounttoken")

    @admin.action(description="Revoke the chosen tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[AccountToken]) -> None:
        for token in chosen.select_related("user"):
            services.revoke_account_token(token.user, token.pk)
        messages.success(request, f"{len(chosen)} tokens are revoked.")
