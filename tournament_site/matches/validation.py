"""The first match of a version: unrated, against a bot of the house, to show that it can play at all.

`order` and `judge` may be run by anybody at any time. A validation match is a match like any other, with leases and
attempts; which one decides on a version stands in the version's row, and is written together with the match.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from tournament_site.bots import queries as bots
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import BotVersion
from tournament_site.bots.queries import FreeGames
from tournament_site.matches import services
from tournament_site.matches.models import GameResult, Match, MatchSeat
from tournament_site.matches.services import NewMatch

SCALE = "validation/2"
RULESET = "official"
# Long enough to lay, to hit and to go out; a bot that thinks for a second is done in some minutes.
TERMS: Mapping[str, Any] = {
    "bank_ms": 120_000,
    "increment_ms": 500,
    "cap_ms": 10_000,
    "max_faults": 3,
    "first_dealer": "last_seat",
    "max_turns_per_deal": 60,
    "max_deals": 4,
}
MOST_FAULTS = 2  # in all games of the match
SORT_KEY = -1  # before all rounds of all seasons: somebody sits there and waits

_FORFEITS: Mapping[str, str] = {
    GameResult.Forfeit.FAULTS: "it made too many faults",
    GameResult.Forfeit.CLOCK: "it ran out of time",
    GameResult.Forfeit.RESIGNED: "it gave up",
    GameResult.Forfeit.NO_SHOW: "it took no part in the beginning of the game",
}


def order(free: FreeGames) -> int:
    """Queue a validation match for every version that is connected and needs one, if a house bot is there; how many."""
    present = {version for version, games in free.in_all.items() if games > 0}
    house = list(bots.of_the_house(present))
    _tidy(free, house)
    ordered = 0
    for version in bots.to_validate(present):
        opponent = _opponent(version.pk, house, free)
        if opponent is not None:
            ordered += _order(version, opponent)
    return ordered


def _opponent(version: int, house: Sequence[BotVersion], free: FreeGames) -> BotVersion | None:
    """The bot of the house with the most room at a referee that both attend; None if there is none."""
    attended = [games for games in free.by_referee.values() if games.get(version, 0) > 0]
    able = [each for each in house if any(games.get(each.pk, 0) > 0 for games in attended)]
    return max(able, key=lambda each: (free.in_all[each.pk], each.pk), default=None)


@transaction.atomic
def _order(version: BotVersion, opponent: BotVersion) -> bool:
    wish = NewMatch(
        match_id=uuid.uuid4(),
        bots=(version.bot_id, opponent.bot_id),
        versions=(version.pk, opponent.pk),
        scale=SCALE,
        sort_key=SORT_KEY,
        rated=False,
        ruleset=RULESET,
        terms=TERMS,
    )
    if not bot_services.begin_validation(version.pk, wish.match_id):
        return False
    services.create_matches([wish])
    return True


def _tidy(free: FreeGames, house: Sequence[BotVersion]) -> None:
    """Look after validation matches that have not begun: some are not wanted any more, some lost their opponent."""
    queued = set(Match.objects.filter(scale=SCALE, state=Match.State.QUEUED).values_list("pk", flat=True))
    if not queued:
        return
    versions = _versions(bots.undecided().filter(validation_match__in=queued, active_in__isnull=False))
    _call_off(queued - versions.keys())
    for match_id, version in versions.items():
        opponent = _opponent(version, house, free)
        if opponent is not None:
            _reseat(match_id, opponent, {each.pk for each in house})


def _versions(undecided: QuerySet[BotVersion]) -> dict[UUID, int]:
    """Match -> the version on which it decides."""
    return {match_id: pk for match_id, pk in undecided.values_list("validation_match", "pk") if match_id is not None}


@transaction.atomic
def _call_off(match_ids: Collection[UUID]) -> None:
    waiting = Match.objects.select_for_update().filter(pk__in=match_ids, state=Match.State.QUEUED)
    locked = list(waiting.order_by("pk").values_list("pk", flat=True))
    for match_id in locked:
        bot_services.call_validation_off(match_id)
    services.void_queued(locked, "another version plays now, or it needs no validation any more")


@transaction.atomic
def _reseat(match_id: UUID, opponent: BotVersion, present: Collection[int]) -> None:
    """Give a match that has not begun another opponent, if its own is not among those that are present."""
    if Match.objects.select_for_update().filter(pk=match_id, state=Match.State.QUEUED).exists():
        gone = MatchSeat.objects.filter(match=match_id, index=1).exclude(version__in=present)
        gone.update(bot=opponent.bot_id, version=opponent.pk)


def judge() -> int:
    """Decide on the versions whose validation match is over; how many."""
    waiting = _versions(bots.undecided())
    over = Match.objects.filter(pk__in=waiting, state__in=(Match.State.FINISHED, Match.State.VOID))
    for match in over.order_by("finished_at", "pk"):
        bot_services.end_validation(match.pk, _problem(match, waiting[match.pk]))
    return len(over)


def _problem(match: Match, version: int) -> str:
    """Why a version has failed; empty if it has not."""
    if match.state == Match.State.VOID:
        return f"Its validation match came to nothing, through no fault of its own: {match.void_reason}."[:200]
    results = GameResult.objects.filter(game__attempt__match=match, version=version).select_related("game")
    forfeits = [
        f"game {row.game.index + 1} ({_FORFEITS[row.forfeit]})" for row in results.order_by("game__index") if row.forfeit
    ]
    if forfeits:
        return f"It forfeited {' and '.join(forfeits)}."
    faults = sum(row.faults for row in results)
    if faults > MOST_FAULTS:
        return f"It made {faults} faults in its validation match, and {MOST_FAULTS} are allowed."
    return ""


def worst_game(match_id: UUID, bot: int) -> UUID | None:
    """The game of a finished match in which a bot did worst: a forfeit before faults. None if there is nothing to see."""
    rows = GameResult.objects.filter(game__attempt__match=match_id, version__bot=bot, game__attempt__state="FINISHED")
    found = max(rows.order_by("-game__index"), key=lambda row: (row.forfeit != "", row.faults), default=None)
    return None if found is None or not (found.forfeit or found.faults) else found.game_id
