"""Addresses of the pages. The API links to `/bots/<slug>` and `/seasons/<id>`."""

from django.urls import path

from tournament_site.pages.views import accounts, bots, games, matches, owners, public, rules, seasons

urlpatterns = [
    path("", public.front, name="front"),
    path("start", public.start, name="start"),
    path("seasons", public.seasons, name="seasons"),
    path("seasons/<int:season_id>", seasons.season, name="season"),
    path("seasons/<int:season_id>/enter", seasons.enter, name="season-enter"),
    path("seasons/<int:season_id>/leave", seasons.leave, name="season-leave"),
    path("matches/<uuid:match_id>", matches.match, name="match"),
    path("games/<uuid:game_id>", games.game, name="game"),
    path("games/<uuid:game_id>/frames.json", games.frames, name="game-frames"),
    path("games/<uuid:game_id>/live.json", games.live_table, name="game-live"),
    path("games/<uuid:game_id>/replay.binpb", games.replay, name="game-replay"),
    path("rules", rules.index, name="rules"),
    path("rules/<path:name>.json", rules.machine, name="rules-json"),
    path("rules/<path:name>", rules.rules_of, name="rules-of"),
    path("bots", bots.directory, name="bots"),
    path("bots/<slug:slug>", bots.bot, name="bot"),
    path("sign-up", accounts.sign_up, name="sign-up"),
    path("log-in", accounts.LogIn.as_view(), name="log-in"),
    path("log-out", accounts.log_out, name="log-out"),
    path("my-bots", owners.my_bots, name="my-bots"),
    path("my-bots/<slug:slug>", owners.manage, name="manage-bot"),
    path("my-bots/<slug:slug>/tokens", owners.new_token, name="new-token"),
    path("my-bots/<slug:slug>/tokens/<str:token_id>/revoke", owners.revoke, name="revoke-token"),
    path("my-bots/<slug:slug>/validate", owners.validate, name="bot-validate"),
    path("my-bots/<slug:slug>/enter", owners.enter, name="bot-enter"),
]
