"""What all parts of the administration share."""

from typing import Any

from django.db.models import Model
from django.http import HttpRequest

from tournament_site.common.generic import ModelAdmin, TabularInline


class ReadOnly(ModelAdmin):
    """History: to be looked at, never to be changed."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's names
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002 - Django's names
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002 - Django's names
        return False


class Lines(TabularInline):
    """The same for lines below a form."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's names
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's names
        return False
