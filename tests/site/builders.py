"""Short ways to what the site's tests begin with."""

import hashlib
import itertools
import uuid
from typing import Any
from uuid import UUID

from django.conf import settings
from redis import Redis

from tournament_site.accounts.models import User
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot, BotVersion
from tournament_site.leagues import demo
from tournament_site.leagues import services as league_services
from tournament_site.leagues.models import League, Season
from tournament_site.matches import recording, services
from tournament_site.matches.bundle import FinishedGame, FinishedMatch, Verdict
from tournament_site.matches.models import Match
from tournament_site.matches.selection import Assignment
from tournament_site.matches.services import Claimed, NewMatch

PASSWORD = "correct horse battery"
REFEREE = "referee-1"
PATIENT = {"socket_timeout": 60, "socket_connect_timeout": 60}  # with Valkey: the site lets go of what takes a second
_numbers = itertools.count(1)


def patient_valkey() -> "Redis":
    """What `live.connect` makes, for tests whose machine may stand still for a while."""
    return Redis.from_url(settings.SITE.valkey.client, **PATIENT, retry=None)


def make_user(name: str, **more: bool) -> User:
    return User.objects.create_user(name, f"{name}@example.org", None, **more)


def make_bot(owner: User, name: str, version: str | None = "1.0") -> Bot:
    bot = bot_services.create_bot(owner, name)
    if version is not None:
        declare(bot, version)
    return bot


def declare(bot: Bot, label: str) -> BotVersion:
    """A version of a bot that may play rated matches, as its active one."""
    version = bot_services.declare_version(bot, label)
    bot_services.grant_validation(version)
    version.refresh_from_db()
    return version


def make_bots(count: int, *, house: bool = False) -> list[Bot]:
    """Bots of as many owners."""
    numbers = [next(_numbers) for _ in range(count)]
    return [make_bot(make_user(f"owner{number}", is_house=house), f"Bot {number}") for number in numbers]


def version_of(bot: Bot) -> BotVersion:
    """A bot's active version, as the database has it now."""
    version = Bot.objects.select_related("active_version").get(pk=bot.pk).active_version
    assert version is not None
    return version


def queue_match(
    bots: list[Bot], *, scale: str = "test/2", sort_key: int = 0, rated: bool = True, mirrored: bool = False
) -> UUID:
    match_id = uuid.uuid4()
    services.create_matches(
        [
            NewMatch(
                match_id=match_id,
                bots=tuple(bot.pk for bot in bots),
                scale=scale,
                sort_key=sort_key,
                rated=rated,
                mirrored=mirrored,
                ruleset="official",
                terms=dict(demo.TERMS),
            )
        ]
    )
    return match_id


def claim(match_id: UUID, referee: str = REFEREE) -> Claimed:
    """Claim one match, whatever its pause after being put back."""
    Match.objects.filter(pk=match_id).update(not_before=Match.objects.get(pk=match_id).queued_at)
    (claimed,) = services.claim([Assignment(match_id, referee)])
    return claimed


def finished(claimed: Claimed, by_game: list[tuple[int, ...]] | None = None, **changes: Any) -> FinishedMatch:
    """The record of a claimed match.

    Args:
        claimed: what was claimed.
        by_game: for each game, the place of each *bot* by index; by default the first bot wins every game.
        changes: fields of the first game to set otherwise.
    """
    size = len(claimed.seats)
    games = []
    for index, game_id in enumerate(claimed.games):
        by_bot = by_game[index] if by_game else tuple(range(1, size + 1))
        by_seat = tuple(by_bot[(seat - index) % size] for seat in range(size))
        replay = f"replay of {game_id}".encode()
        fields: dict[str, Any] = {
            "game_id": game_id,
            "index": index,
            "replay": replay,
            "sha256": hashlib.sha256(replay).digest(),
            "places": by_seat,
            "points": tuple(50 * (place - 1) for place in by_seat),
            "phases": tuple(11 - place for place in by_seat),
            "faults": (0,) * size,
            "forfeits": (None,) * size,
            "decisions": 100 + index,
        }
        games.append(FinishedGame(**(fields | (changes if index == 0 else {}))))
    return FinishedMatch(claimed.match_id, claimed.attempt, tuple(games))


def play(match_id: UUID, places: list[tuple[int, ...]] | None = None) -> Claimed:
    """Claim a match and bring its record home."""
    claimed = claim(match_id)
    assert recording.record(finished(claimed, places)) is Verdict.STORED
    return claimed


def make_league(name: str = "Test League", table_size: int = 2, ruleset: str = "official") -> League:
    return league_services.create_league(name, table_size, ruleset=ruleset, terms=demo.TERMS)


def make_season(
    bots: list[Bot], *, table_size: int = 2, cycles: int = 1, start: bool = True, ruleset: str = "official"
) -> Season:
    """A season of its own league with these bots."""
    league = make_league(f"League {next(_numbers)}", table_size, ruleset)
    season = league_services.open_season(league, cycles=cycles, min_bots=table_size, max_bots=50, seed="ab" * 32)
    for bot in bots:
        league_services.enter(season.pk, bot)
    return league_services.start_season(season.pk) if start else season


def play_season(season: Season) -> None:
    """Play every match of a season; the bot with the smaller id wins every game."""
    for match in Match.objects.filter(pairing__round__season=season, state=Match.State.QUEUED).order_by("sort_key", "pk"):
        bots = [seat.bot_id for seat in match.seats.order_by("index")]
        places = tuple(1 + sum(other < bot for other in bots) for bot in bots)
        play(match.pk, [places] * len(bots))
