"""Seasons of real games in a site's database. Importing this needs a Django that is set up."""

import uuid
from typing import Any

from tests.e2e import hostile
from tests.e2e.games import THOUGHTS, draw_secrets, live_view, match_record, public_events
from tests.site.builders import patient_valkey
from tournament_site import live
from tournament_site.accounts.models import User
from tournament_site.bots import queries as bot_queries
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot, BotVersion
from tournament_site.leagues import demo
from tournament_site.leagues import services as league_services
from tournament_site.leagues.models import Season
from tournament_site.matches import queries as match_queries
from tournament_site.matches import recording, validation
from tournament_site.matches import services as match_services
from tournament_site.matches.bundle import Shuffle, Verdict
from tournament_site.matches.models import Game, Match, Replay
from tournament_site.matches.records import read_record
from tournament_site.matches.selection import Assignment
from tournament_site.ratings import services as rating_services

PASSWORD = "correct horse battery"
REFEREE = "referee-1"
NAMES = ("Greedy Greta", "Careful Carl", "Denying Dora", "Blind Bruno", "Random Rita", "Tidy Tom", "Late Lou", "Quiet Quinn")
CLUMSY = frozenset({"late-lou"})


def people() -> dict[str, User]:
    return {
        "house": User.objects.create_user("house", is_house=True),
        "ann": User.objects.create_user("ann", "ann@example.org", PASSWORD),
        "bob": User.objects.create_user("bob", "bob@example.org", PASSWORD),
    }


def make_bot(owner: User, name: str) -> Bot:
    bot = bot_services.create_bot(owner, name)
    version = bot_services.declare_version(bot, "1.0", sdk="phaseten 0.1.0", language="Python 3.11")
    bot_services.grant_validation(version)
    return bot


def make_season(name: str, size: int, bots: list[Bot], *, places: int = 50, start: bool = True) -> Season:
    league = league_services.create_league(name, size, ruleset=demo.RULESET, terms=demo.TERMS)
    starts = Season.StartsWhen.VISITOR if places > len(bots) and not start else Season.StartsWhen.BY_HAND
    season = league_services.open_season(
        league, cycles=1, min_bots=size, max_bots=places, starts_when=starts, seed="5e" * 32
    )
    for bot in bots:
        league_services.enter(season.pk, bot)
    return league_services.start_season(season.pk) if start else season


def queued(season: Season) -> list[Match]:
    return list(Match.objects.filter(pairing__round__season=season, state="QUEUED").order_by("sort_key", "pk"))


def play(match: Match, clumsy: frozenset[str] = CLUMSY, notes: tuple[str, ...] = THOUGHTS, every: int = 61) -> None:
    (claimed,) = match_services.claim([Assignment(match.pk, REFEREE)])
    match_services.renew([(claimed.match_id, claimed.attempt)])
    ordered = match_queries.ordered(claimed.match_id)
    reading = read_record(claimed.match_id, claimed.attempt, match_record(claimed, clumsy, notes, every), ordered)
    verdict = recording.record(reading.match, reading.findings)
    assert verdict is Verdict.STORED, reading.findings


def play_live(match: Match) -> list[str]:
    """Begin a match and show its first game half-way, as a collector would."""
    (claimed,) = match_services.claim([Assignment(match.pk, REFEREE)])
    match_services.renew([(claimed.match_id, claimed.attempt)])
    first, *_ = claimed.games
    match_services.open_games({pk: draw_secrets(pk, 1, len(claimed.seats)).commitment for pk in claimed.games})
    table, view, events = live_view(len(claimed.seats), 230, first)
    with live.Feed() as feed:
        feed._client = patient_valkey()  # once only: what is dropped here no page will ever show
        feed.publish(first, 1, events, view)
        table.play(7)
        news = public_events(table.game)[len(events) :]
        feed.publish(first, 1 + len(events), news, table.game.public_view())
    return [str(pk) for pk in claimed.games]


def games_of(season: Season) -> list[str]:
    games = Game.objects.filter(attempt__match__pairing__round__season=season, state="FINISHED").order_by(
        "attempt__match__sort_key", "attempt__match_id", "index"
    )
    return [str(pk) for pk in games.values_list("pk", flat=True)]


def hostile_season(owner: User) -> dict[str, Any]:
    """A season in which every text that can be shown is somebody's attack; services would refuse most of them."""
    bots = []
    for number, name in enumerate(hostile.NAMES):
        bot = Bot.objects.create(owner=owner, name=name, slug=f"hostile-{number}")
        version = BotVersion.objects.create(bot=bot, label="1.0", sdk=hostile.SHORT[:40], language=hostile.MARKS[:40])
        bot_services.grant_validation(version)
        Bot.objects.filter(pk=bot.pk).update(active_version=version)
        bots.append(Bot.objects.get(pk=bot.pk))
    season = make_season("Hostile League", 2, bots)
    season.league.name = hostile.NAMES[0]
    season.league.save()
    matches = queued(season)
    for match in matches[:6]:
        play(match, notes=hostile.NOTES)
    rating_services.apply()
    void = matches[-1]
    match_services.claim([Assignment(void.pk, REFEREE)])
    match_services.refuse_for_good(void.pk, 1, hostile.LONG)
    return {"season": season.pk, "match": str(matches[0].pk), "void": str(void.pk), "games": games_of(season)}


def failed_validation(owner: User, house: Bot) -> str:
    """A bot whose version played its validation match and was late too often; its slug."""
    bot = bot_services.create_bot(owner, "Shaky Shay")
    version = bot_services.declare_version(bot, "0.1", sdk="phaseten 0.1.0", language="Python 3.11")
    here = {each.pk: bot_services.Room(8) for each in (version, house.active_version) if each is not None}
    bot_services.record_presence(REFEREE, here)
    validation.order(bot_queries.free_games())
    play(Match.objects.get(scale=validation.SCALE), clumsy=frozenset({bot.slug}), every=9)
    validation.judge()
    return bot.slug


def void_game(match: Match) -> str:
    """Begin a match and call it off; its first game, which shows what made its cards."""
    (claimed,) = match_services.claim([Assignment(match.pk, REFEREE)])
    first, *_ = claimed.games
    made = draw_secrets(first, claimed.attempt, len(claimed.seats))
    match_services.open_games({first: made.commitment})
    match_services.call_off(match.pk, claimed.attempt, "the referee is going away")
    shares = tuple((share.commitment, share.nonce) for share in made.nonces)
    match_services.reveal([Shuffle(first, made.seed, made.commitment, shares)])
    return str(first)


def break_replay(game_id: str) -> None:
    """Leaves a replay whose bytes say nothing."""
    Replay.objects.filter(pk=uuid.UUID(game_id)).update(data=b"\xff\xff\xff")


def everything() -> dict[str, Any]:  # long: one thing after the other, once for every page
    cast = people()
    bots = [make_bot(cast["house"], name) for name in NAMES[:6]]
    guests = [make_bot(cast["ann"], NAMES[6]), make_bot(cast["bob"], NAMES[7])]
    duel = make_season("Duel League", 2, [*bots[:4], *guests])
    for match in queued(duel):
        play(match)
    rating_services.apply()
    league_services.advance()

    four = make_season("Four-hand League", 4, [*bots, guests[0]])
    matches = queued(four)
    for match in matches[: len(matches) // 2]:
        play(match)
    rating_services.apply()
    live_games = play_live(matches[len(matches) // 2])

    shaky = failed_validation(cast["ann"], bots[0])
    for referee, playing in ((REFEREE, 4), ("referee-2", 1)):
        rooms = {bot.active_version_id: bot_services.Room(8, playing) for bot in bots if bot.active_version_id}
        bot_services.record_presence(referee, rooms)
    void = void_game(matches[-2])
    waiting = make_season("Visitors' League", 2, bots[:3], places=8, start=False)
    hostile_made = hostile_season(cast["bob"])
    *games, broken = games_of(duel)
    break_replay(broken)
    return {
        "finished": duel.pk,
        "running": four.pk,
        "open": waiting.pk,
        "games": games,
        "broken": broken,
        "games4": games_of(four),
        "live": live_games,
        "match": str(Match.objects.filter(pairing__round__season=duel).order_by("sort_key", "pk")[0].pk),
        "queued": str(matches[-1].pk),
        "running_match": str(matches[len(matches) // 2].pk),
        "bot": bots[0].slug,
        "guest": guests[0].slug,
        "hostile": hostile_made,
        "shaky": shaky,
        "void": void,
        "unknown": str(uuid.UUID(int=7)),
    }
