"""The page of a match."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tournament_site.bots import queries as bot_queries
from tournament_site.leagues import queries as league_queries
from tournament_site.matches import refusals, validation
from tournament_site.matches.frames import harmless
from tournament_site.matches.models import Attempt, Match
from tournament_site.pages import queries
from tournament_site.pages.shown import Clock, Player, RulesName, change, cut_short, direction, elo, number
from tournament_site.pages.views.games import SeatResult, results_of, worth_a_link
from tournament_site.ratings import queries as rating_queries


@dataclass(frozen=True, slots=True)
class GameShown:
    """A game of an attempt in a list."""

    game_id: UUID
    index: int
    state: str
    results: tuple[SeatResult, ...]
    has_replay: bool


@dataclass(frozen=True, slots=True)
class AttemptShown:
    """A try at a match. One that `waited` was put back before it began, through nobody's fault."""

    attempt: Attempt
    waited: bool
    reason: str
    games: tuple[GameShown, ...]


@dataclass(frozen=True, slots=True)
class RatingLine:
    """What a match did to a rating."""

    player: Player
    before: str
    after: str
    change: str
    direction: str
    number: int


@require_safe
def match(request: HttpRequest, match_id: UUID) -> HttpResponse:
    """A match: who, what came of it, its tries and games, and why it waits if it does."""
    found = queries.match_by_id(match_id)
    if found is None:
        raise Http404("There is no such match.")
    seats = sorted(found.seats.all(), key=lambda seat: seat.index)
    attempts = queries.attempts_of(found)
    points = queries.match_scores([found.pk]).get(found.pk, {})
    players = [
        Player.of(seat.bot.slug, seat.bot.name, seat.version.label if seat.version else "", seat.bot.owner.username)
        for seat in seats
    ]
    mine = [points.get(seat.version_id or 0) for seat in seats]
    scores = ["" if each is None else number(each) for each in mine]
    context = {
        "match": found,
        "pairing": league_queries.pairing_of(found.pk),
        "sides": list(zip(players, scores, strict=True)),
        "attempts": [_attempt(each, found, {player.slug: player.name for player in players}) for each in attempts],
        "waits": _why_it_waits(found),
        "validates": found.scale == validation.SCALE,
        "short": cut_short(found.terms),
        "why_unrated": queries.why_unrated(found),
        "void_reason": harmless(found.void_reason),
        "ratings": _rating_lines(found),
        "clock": Clock.of(found.terms),
        "rules": RulesName.of(found.ruleset),
    }
    return render(request, "pages/match.html", context)


def _attempt(attempt: Attempt, match: Match, names: Mapping[str, str]) -> AttemptShown:
    # An order that nobody could play leaves its reason with the match as well.
    hopeless = match.state == Match.State.VOID and (attempt.number, attempt.reason) == (match.attempt, match.void_reason)
    waited = attempt.state == Attempt.State.REFUSED and not hopeless
    reason = refusals.told(attempt.reason, names) if waited else attempt.reason
    return AttemptShown(attempt, waited, harmless(reason), _games(attempt))


def _games(attempt: Attempt) -> tuple[GameShown, ...]:
    return tuple(
        GameShown(each.pk, each.index, each.state.lower(), results_of(each), has_replay=hasattr(each, "replay"))
        for each in worth_a_link(attempt)
    )


def _why_it_waits(match: Match) -> list[str]:
    """Sentences; none for a match that does not wait."""
    if match.state != Match.State.QUEUED:
        return []
    bots = [seat.bot for seat in match.seats.all()]
    online = bot_queries.online([bot.pk for bot in bots])
    sentences = [
        f"{Player.of(bot.slug, bot.name).name} "
        + ("has never connected." if bot.active_version_id is None else "is not connected.")
        for bot in bots
        if bot.pk not in online
    ]
    if match.rated:
        validations = bot_queries.validations([bot.pk for bot in bots])
        sentences += [
            f"{Player.of(bot.slug, bot.name).name} is not validated yet: {found.text}"
            for bot in bots
            if (found := validations.get(bot.pk)) is not None and not found.done
        ]
    before = queries.matches_before(match)
    if not sentences:
        sentences.append("All its bots are connected; it starts when they and a referee have room for its games.")
    if before:
        sentences.append(f"{before} {'match is' if before == 1 else 'matches are'} ahead of it in the queue.")
    return sentences


def _rating_lines(match: Match) -> list[RatingLine]:
    return [
        RatingLine(
            player=Player.of(row.version.bot.slug, row.version.bot.name, row.version.label),
            before=elo(row.before),
            after=elo(row.after),
            change=change(row.after - row.before),
            direction=direction(row.after - row.before),
            number=row.number,
        )
        for row in rating_queries.lines_of_match(match.pk)
    ]
