from typing import Any

from django.contrib import admin

from tournament_site.common.admin import Lines, ReadOnly
from tournament_site.matches.frames import NAME_LENGTH, harmless
from tournament_site.matches.models import (
    Attempt,
    Game,
    GameResult,
    Match,
    MatchSeat,
    QuarantinedRecord,
    Replay,
)


class _Seats(Lines):
    model = MatchSeat


class _Attempts(Lines):
    model = Attempt


class _Games(Lines):
    model = Game
    exclude = ("commitment", "server_seed", "shares")


class _Results(Lines):
    model = GameResult


@admin.register(Match)
class MatchAdmin(ReadOnly):
    list_display = (
        "id", "bots", "state", "scale", "sort_key", "rated", "attempt", "attempts_counted", "referee", "void_reason",
    )  # fmt: skip
    list_filter = ("state", "rated", "scale")
    search_fields = ("id", "seats__bot__name")
    inlines = (_Seats, _Attempts)

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).prefetch_related("seats__bot")

    @admin.display
    def bots(self, match: Match) -> str:
        seats = sorted(match.seats.all(), key=lambda seat: seat.index)
        return ", ".join(harmless(seat.bot.name, NAME_LENGTH) for seat in seats)


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ("match", "number", "state", "referee", "started_at", "ended_at", "reason")
    list_filter = ("state", "referee")
    search_fields = ("match__id",)
    list_select_related = ("match",)
    inlines = (_Games,)


@admin.register(Game)
class GameAdmin(ReadOnly):
    list_display = ("id", "attempt", "index", "state")
    list_filter = ("state",)
    search_fields = ("id", "attempt__match__id")
    list_select_related = ("attempt",)
    inlines = (_Results,)
    fields = ("id", "attempt", "index", "state", "commitment_hex", "server_seed_hex", "shares")

    @admin.display(description="commitment")
    def commitment_hex(self, game: Game) -> str:
        return "" if game.commitment is None else bytes(game.commitment).hex()

    @admin.display(description="server seed")
    def server_seed_hex(self, game: Game) -> str:
        return "" if game.server_seed is None else bytes(game.server_seed).hex()


@admin.register(Replay)
class ReplayAdmin(ReadOnly):
    list_display = ("game", "sha256", "size", "decisions")
    search_fields = ("game__id", "sha256")
    fields = ("game", "sha256", "size", "decisions")

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).defer("data").select_related("game")


@admin.register(QuarantinedRecord)
class QuarantinedRecordAdmin(ReadOnly):
    list_display = ("match_id", "attempt", "game_id", "received_at", "reason")
    search_fields = ("match_id", "game_id")
    fields = ("match_id", "attempt", "game_id", "sha256", "reason", "received_at")
