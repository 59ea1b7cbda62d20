"""The database guards what the code promises."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from tests.site.builders import claim, make_bots, make_season, play, queue_match
from tournament_site.accounts.models import AccountToken, User
from tournament_site.bots.models import Bot, BotToken, BotVersion, Presence
from tournament_site.leagues.models import Entry, League, Pairing, Round, Season, Standing
from tournament_site.matches.models import (
    Attempt,
    Game,
    GameResult,
    Match,
    MatchSeat,
    QuarantinedRecord,
    Replay,
)
from tournament_site.ratings.models import LedgerEntry, Rating, Scale
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db
Violation = Callable[[Any, Any], object]


@pytest.fixture
def world():
    """A finished and rated match, a running one, a queued one, a season."""
    bots = make_bots(2)
    season = make_season(bots)
    done = play(queue_match(bots, scale=season.league.scale)).match_id
    apply()
    return {
        "bots": bots,
        "season": season,
        "done": done,
        "running": claim(queue_match(bots)).match_id,
        "queued": queue_match(bots),
    }


def change(model: Any, **fields: object) -> Violation:
    return lambda world, key: model.objects.filter(pk=world[key]).update(**fields)


def copy(model: Any, **fields: object) -> Violation:
    """The first row once more, with other fields."""

    def make(_world, _key):
        row = model.objects.order_by("pk").first()
        row.pk = None
        for name, value in fields.items():
            setattr(row, name, value)
        row._state.adding = True
        row.save(force_insert=True)

    return make


def edit(model: Any, **fields: object) -> Violation:
    return lambda _world, _key: model.objects.filter(pk=model.objects.order_by("pk").first().pk).update(**fields)


VIOLATIONS = [
    ("user_username_plain", None, edit(User, username="a b")),
    ("account_token_digest", None, lambda w, _: AccountToken.objects.create(id="x", user=w["bots"][0].owner, digest="x")),
    ("bot_slug_plain", None, edit(Bot, slug="A")),
    ("bot_has_name", None, edit(Bot, name="")),
    ("bot_max_games", None, edit(Bot, max_games=0)),
    ("bots_bot_slug_key", None, copy(Bot, active_version=None)),
    ("version_failed_has_note", None, edit(BotVersion, validation="FAILED")),
    ("version_label_once", None, copy(BotVersion)),
    ("version_label_plain", None, edit(BotVersion, label="a b")),
    ("bot_token_digest", None, lambda w, _: BotToken.objects.create(id="x", bot=w["bots"][0], digest="x")),
    (
        "presence_once",
        None,
        lambda w, _: [
            Presence.objects.create(version=w["bots"][0].active_version, referee="r", free_games=1) for _ in (1, 2)
        ],
    ),
    ("match_table_size", "queued", change(Match, table_size=7)),
    ("match_attempts_counted", "queued", change(Match, attempts_counted=4)),
    ("match_running_has_lease", "running", change(Match, lease_until=None)),
    ("match_running_has_lease", "running", change(Match, referee="")),
    ("match_running_has_lease", "queued", change(Match, lease_until=Now())),
    ("match_over_has_time", "done", change(Match, finished_at=None)),
    ("match_over_has_time", "queued", change(Match, finished_at=Now())),
    ("match_void_has_reason", "queued", change(Match, state="VOID", finished_at=Now())),
    ("match_void_has_reason", "queued", change(Match, void_reason="why")),
    ("match_mirrored_unrated", "queued", change(Match, mirrored=True)),
    ("match_rated_when_finished", "queued", change(Match, rated_at=Now())),
    ("match_rated_when_finished", "done", change(Match, rated=False)),
    ("match_seat_once", None, copy(MatchSeat, version=None)),
    (
        "match_version_once",
        "done",
        lambda w, key: MatchSeat.objects.filter(match=w[key]).update(version=w["bots"][0].active_version),
    ),
    ("match_seat_index", None, edit(MatchSeat, index=6)),
    ("attempt_number_once", None, copy(Attempt, state="VOID")),
    ("attempt_one_counts", None, copy(Attempt, number=2)),
    ("attempt_one_running", "running", lambda w, key: Attempt.objects.create(match_id=w[key], number=2, referee="r")),
    ("attempt_number_from_one", None, edit(Attempt, number=0)),
    ("attempt_over_has_time", None, edit(Attempt, ended_at=None)),
    ("game_index_once", "running", lambda w, key: Game.objects.filter(attempt__match=w[key]).update(index=0)),
    ("game_index", None, edit(Game, index=6)),
    ("game_seed_when_void", None, edit(Game, server_seed=b"s" * 64)),
    ("result_seat_once", None, copy(GameResult, version_id=0)),
    ("result_version_once", None, copy(GameResult, seat=5)),
    ("result_place", None, edit(GameResult, place=0)),
    ("result_phases", None, edit(GameResult, phases=11)),
    ("result_seat", None, edit(GameResult, seat=6)),
    (
        "matches_replay_pkey",
        None,
        lambda _w, _: Replay(
            game=Replay.objects.order_by("pk")[0].game, data=b"x", sha256="0" * 64, size=1, decisions=1
        ).save(force_insert=True),
    ),
    ("replay_sha256", None, edit(Replay, sha256="x")),
    ("replay_not_empty", None, edit(Replay, size=0)),
    (
        "quarantined_once",
        None,
        lambda _w, _: [
            QuarantinedRecord.objects.create(
                match_id=uuid.UUID(int=1), attempt=1, game_id=uuid.UUID(int=2), sha256="x", data=b"", reason="x"
            )
            for _ in (1, 2)
        ],
    ),
    ("scale_table_size", None, edit(Scale, table_size=1)),
    ("ratings_scale_key_key", None, copy(Scale)),
    ("rating_once", None, copy(Rating)),
    ("ledger_number_once", None, copy(LedgerEntry, match=None, kind="CARRY", carried_from_id=1, after=1500.0)),
    ("ledger_match_version_once", None, copy(LedgerEntry, number=99)),
    ("ledger_number_from_one", None, edit(LedgerEntry, number=0)),
    ("ledger_kind", None, edit(LedgerEntry, kind="CARRY")),
    ("ledger_kind", None, edit(LedgerEntry, match=None)),
    ("league_table_size", None, edit(League, table_size=1)),
    ("league_slug_plain", None, edit(League, slug="a b")),
    ("season_number_once", None, copy(Season)),
    ("season_number_from_one", None, edit(Season, number=0)),
    ("season_cycles", None, edit(Season, cycles=0)),
    ("season_hours", None, edit(Season, lasts_hours=0)),
    ("season_size", None, edit(Season, min_bots=60)),
    ("season_seed", None, edit(Season, seed="x")),
    ("season_state_has_times", None, edit(Season, state="FINISHED")),
    ("entry_once", None, copy(Entry)),
    ("round_number_once", None, copy(Round)),
    (
        "pairing_table_once",
        "queued",
        lambda w, key: Pairing.objects.create(round=Round.objects.get(), table_no=1, match_id=w[key]),
    ),
    ("leagues_pairing_match_id_key", None, copy(Pairing, table_no=2)),
    (
        "standing_once",
        None,
        lambda w, _: [
            Standing.objects.create(season=w["season"], bot=w["bots"][0], rank=1, score=0, games=0, wins=0) for _ in (1, 2)
        ],
    ),
    (
        "standing_rank_from_one",
        None,
        lambda w, _: Standing.objects.create(season=w["season"], bot=w["bots"][0], rank=0, score=0, games=0, wins=0),
    ),
]


@pytest.mark.parametrize(
    ("name", "key", "violate"), VIOLATIONS, ids=[f"{name}-{n}" for n, (name, *_) in enumerate(VIOLATIONS)]
)
def test_the_database_refuses(world, name, key, violate):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        violate(world, key)


def test_every_constraint_of_ours_is_tried():
    named = {
        constraint.name
        for model in apps.get_models()
        if model.__module__.startswith("tournament_site.")
        for constraint in model._meta.constraints
    }
    elsewhere = {"user_username_any_case", "ledger_carry_once"}
    assert named - {name for name, *_ in VIOLATIONS} == elsewhere


def test_a_version_is_carried_once(world):
    version, other = (bot.active_version for bot in world["bots"])
    fields = {
        "scale": Scale.objects.first(),
        "kind": "CARRY",
        "version": version,
        "carried_from": other,
        "before": 1500.0,
        "after": 1500.0,
        "games": 1,
        "k": 0.0,
    }
    LedgerEntry.objects.create(number=50, **fields)
    with pytest.raises(IntegrityError, match="ledger_carry_once"), transaction.atomic():
        LedgerEntry.objects.create(number=51, **fields)
