"""One's own bots: make them, give them tokens, enter them."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournament_site.accounts.models import User
from tournament_site.bots import queries as bot_queries
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot
from tournament_site.bots.queries import ValidationState
from tournament_site.common.errors import Refused
from tournament_site.common.throttle import NEW_BOTS_BY_OWNER, NEW_TOKENS_BY_OWNER, VALIDATIONS_BY_BOT, spend
from tournament_site.common.tokens import Token
from tournament_site.leagues import queries as league_queries
from tournament_site.leagues import services as league_services
from tournament_site.matches.frames import harmless
from tournament_site.matches.validation import worst_game
from tournament_site.pages import forms, queries
from tournament_site.pages.shown import Player, elo

UNPROCESSABLE = 422


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # login_required saw to it
    return request.user


def _own(request: HttpRequest, slug: str) -> Bot:
    found = bot_queries.owned_bot(_user(request), slug)
    if found is None:
        raise Http404("You have no such bot.")
    return found


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_bots(request: HttpRequest) -> HttpResponse:
    """The list of one's own bots, and the form that makes another. A new bot's token is in the answer, once."""
    form = forms.NewBot(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        made = _make(request, form)
        if made is not None:
            return _manage_page(request, *made, status=201)
    user = _user(request)
    bots = list(bot_queries.bots_of(user))
    ids = [bot.pk for bot in bots]
    connections, ratings = bot_queries.connections(ids), queries.best_ratings(ids)
    validations = bot_queries.validations(ids)
    names = queries.scale_names({row.scale.key for rows in ratings.values() for row in rows})
    lines = [
        {
            "player": Player.of(bot.slug, bot.name),
            "version": bot.active_version.label if bot.active_version else "",
            "connection": connections.get(bot.pk),
            "validation": validations.get(bot.pk),
            "ratings": [(names[row.scale.key], elo(row.value)) for row in ratings.get(bot.pk, ())],
        }
        for bot in bots
    ]
    context = {"bots": lines, "form": form}
    return render(request, "pages/my_bots.html", context, status=UNPROCESSABLE if form.errors else 200)


def _make(request: HttpRequest, form: forms.NewBot) -> tuple[Bot, Token] | None:
    """The bot and its first token; None if the site refuses, and the form says why."""
    user = _user(request)
    try:
        spend(NEW_BOTS_BY_OWNER, str(user.pk))
        bot = form.save(user)
        return None if bot is None else (bot, bot_services.new_token(bot))
    except Refused as refused:
        form.add_error(None, refused.detail)
        return None


@login_required
@never_cache
@require_safe
def manage(request: HttpRequest, slug: str) -> HttpResponse:
    """One of one's own bots: tokens, versions, seasons."""
    return _manage_page(request, _own(request, slug))


def _manage_page(request: HttpRequest, bot: Bot, token: Token | None = None, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "bot": bot,
        "player": Player.of(bot.slug, bot.name),
        "token": token.text if token else "",
        "tokens": list(bot_queries.tokens_of(bot)),
        "connection": bot_queries.connections([bot.pk]).get(bot.pk),
        **_validation(bot),
        "versions": [
            {"row": row, "sdk": harmless(row.sdk), "language": harmless(row.language)}
            for row in queries.versions_of(bot)[:10]
        ],
        "open_seasons": list(league_queries.seasons_open_to(bot)),
        "seasons": list(league_queries.seasons_of(bot)[:20]),
        "server": settings.SITE.url,
    }
    return render(request, "pages/manage_bot.html", context, status=status)


def _validation(bot: Bot) -> dict[str, Any]:
    """`validation` of the active version; of one that failed, `worst_game` is the one to look at."""
    found = bot_queries.validations([bot.pk]).get(bot.pk)
    failed_in = found.match_id if found is not None and found.state is ValidationState.FAILED else None
    return {"validation": found, "worst_game": None if failed_in is None else worst_game(failed_in, bot.pk)}


@login_required
@require_POST
def validate(request: HttpRequest, slug: str) -> HttpResponse:
    """Another validation match for the active version, after one that it failed."""
    bot = _own(request, slug)
    try:
        spend(VALIDATIONS_BY_BOT, str(bot.pk))
        bot_services.validate_again(bot)
        messages.success(request, "It plays another validation match as soon as it is connected.")
    except Refused as refused:
        messages.error(request, refused.detail)
    return redirect("manage-bot", slug=bot.slug)


@login_required
@never_cache
@require_POST
def new_token(request: HttpRequest, slug: str) -> HttpResponse:
    """Another token; it is in the answer and nowhere else."""
    bot = _own(request, slug)
    try:
        spend(NEW_TOKENS_BY_OWNER, str(bot.owner_id))
        token = bot_services.new_token(bot)
    except Refused as refused:
        messages.error(request, refused.detail)
        return redirect("manage-bot", slug=bot.slug)
    return _manage_page(request, bot, token, status=201)


@login_required
@require_POST
def revoke(request: HttpRequest, slug: str, token_id: str) -> HttpResponse:
    """Close a token for ever."""
    bot = _own(request, slug)
    try:
        bot_services.revoke_token(bot, token_id[:12].replace("\0", ""))
        messages.success(request, "The token is revoked. Whoever uses it is shut out within seconds.")
    except Refused as refused:
        messages.error(request, refused.detail)
    return redirect("manage-bot", slug=bot.slug)


@login_required
@require_POST
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter one of one's own bots into an open season."""
    bot = _own(request, slug)
    text = request.POST.get("season", "")
    season_id = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0
    try:
        league_services.enter(season_id, bot)
        season = league_queries.season_by_id(season_id)
        messages.success(request, f"{bot.name} has entered {season}.")
    except Refused as refused:
        messages.error(request, refused.detail)
    return redirect("manage-bot", slug=bot.slug)
