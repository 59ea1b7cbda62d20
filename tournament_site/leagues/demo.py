"""The demo: an owner, six house bots, two seasons to watch and one that waits for a visitor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.hashers import make_password
from django.db import transaction

from tournament_site.accounts.models import User
from tournament_site.bots import queries as bot_queries
from tournament_site.bots import services as bot_services
from tournament_site.bots.models import Bot
from tournament_site.common.errors import Reason, Refused
from tournament_site.common.text import slug_of
from tournament_site.leagues import services
from tournament_site.leagues.models import Entry, League, Season

OWNER = "house"
RULESET = "official"
TERMS: Mapping[str, int | str] = {
    "bank_ms": 60_000,
    "increment_ms": 500,
    "cap_ms": 10_000,
    "max_faults": 3,
    "first_dealer": "last_seat",
    "max_turns_per_deal": 100,
    "max_deals": 60,
}
VISIT_HOURS = 24  # a visitor's bot that never comes does not hold its season open for ever
# Name -> the kind of house bot that plays under it.
BOTS: Mapping[str, str] = {
    "Random Rita": "random",
    "Blind Bruno": "blind",
    "Greedy Greta": "greedy",
    "Greedy Gus": "greedy",
    "Denying Dora": "denier",
    "Denying Dan": "denier",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A season of the demo.

    Attributes:
        bots: names of the house bots that enter.
        places: how many bots it takes; more than its house bots means that it waits for a visitor.

    """

    league: str
    table_size: int
    cycles: int
    bots: tuple[str, ...]
    places: int

    @property
    def waits_for_visitor(self) -> bool:
        return self.places > len(self.bots)


PLANS = (
    Plan("Duel League", 2, 2, tuple(BOTS), len(BOTS)),
    Plan("Table League", 4, 2, tuple(BOTS), len(BOTS)),
    Plan("Open League", 2, 2, ("Random Rita", "Blind Bruno", "Greedy Gus", "Denying Dan"), 12),
)


@dataclass(frozen=True, slots=True)
class DemoBot:
    """A house bot and the token its process plays with."""

    name: str
    slug: str
    kind: str
    token: str


@dataclass(frozen=True, slots=True)
class DemoSeason:
    """A season of the demo."""

    id: int
    name: str
    table_size: int
    waits_for_visitor: bool


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo's processes need to know."""

    bots: tuple[DemoBot, ...]
    seasons: tuple[DemoSeason, ...]


@transaction.atomic
def seed(old_tokens: Sequence[str] = ()) -> Demo:
    """Make what is missing of the demo; running it again changes nothing.

    Raises:
        Refused: NAME_TAKEN if the house's name or a bot's belongs to somebody else.

    Args:
        old_tokens: tokens handed out before: those that still open a house bot are kept.

    """
    User.objects.get_or_create(username=OWNER, defaults={"is_house": True, "password": make_password(None)})
    owner = User.objects.select_for_update().get(username=OWNER)  # one at a time
    if not owner.is_house:
        raise Refused(Reason.NAME_TAKEN, f"Somebody who is not the house has the user name {OWNER}.")
    known = {row.bot_id: text for text in old_tokens if (row := bot_queries.token_of(text)) is not None}
    bots = {name: _bot(owner, name) for name in BOTS}
    return Demo(
        bots=tuple(DemoBot(name, bot.slug, BOTS[name], known.get(bot.pk) or _new_token(bot)) for name, bot in bots.items()),
        seasons=tuple(_season(plan, [bots[name] for name in plan.bots]) for plan in PLANS),
    )


def _bot(owner: User, name: str) -> Bot:
    return Bot.objects.filter(owner=owner, slug=slug_of(name)).first() or bot_services.create_bot(owner, name)


def _new_token(bot: Bot) -> str:
    """A token for a bot whose old ones are lost: they are closed, so that restarts do not pile them up."""
    for row in bot_queries.tokens_of(bot):
        bot_services.revoke_token(bot, row.pk)
    return bot_services.new_token(bot).text


def _season(plan: Plan, bots: Sequence[Bot]) -> DemoSeason:
    league = League.objects.filter(slug=slug_of(plan.league)).first() or services.create_league(
        plan.league, plan.table_size, ruleset=RULESET, terms=TERMS, reopens=plan.waits_for_visitor
    )
    seasons = Season.objects.filter(league=league)
    if plan.waits_for_visitor:  # there is always one a visitor can enter
        seasons = seasons.filter(state=Season.State.OPEN)
    season = seasons.order_by("number").first() or services.open_season(
        league,
        cycles=plan.cycles,
        min_bots=len(bots) + plan.waits_for_visitor,
        max_bots=plan.places,
        starts_when=Season.StartsWhen.VISITOR if plan.waits_for_visitor else Season.StartsWhen.FULL,
        lasts_hours=VISIT_HOURS if plan.waits_for_visitor else None,
    )
    if season.state == Season.State.OPEN:
        entered = set(Entry.objects.filter(season=season).values_list("bot", flat=True))
        for bot in bots:
            if bot.pk not in entered:
                services.enter(season.pk, bot)
        if not plan.waits_for_visitor:
            services.start_season(season.pk)
    return DemoSeason(season.pk, season.name, league.table_size, plan.waits_for_visitor)
