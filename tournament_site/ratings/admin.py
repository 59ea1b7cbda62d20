from django.contrib import admin

from tournament_site.common.admin import ReadOnly
from tournament_site.ratings.models import LedgerEntry, Rating, Scale


@admin.register(Scale)
class ScaleAdmin(ReadOnly):
    list_display = ("key", "table_size", "last_number")


@admin.register(Rating)
class RatingAdmin(ReadOnly):
    list_display = ("version", "scale", "value", "games")
    list_filter = ("scale",)
    search_fields = ("version__bot__name", "version__bot__slug")
    list_select_related = ("version__bot", "scale")
    ordering = ("scale", "-value")


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnly):
    list_display = ("scale", "number", "kind", "version", "match", "before", "after", "games", "k")
    list_filter = ("scale", "kind")
    search_fields = ("version__bot__slug", "match__id")
    list_select_related = ("scale", "version__bot", "match")
    ordering = ("scale", "-number")
