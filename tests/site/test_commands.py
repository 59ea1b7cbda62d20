"""The commands around the demo, and what the services share."""

import json
import stat
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.site.builders import make_bot, make_bots, make_season, make_user, play, play_season, queue_match
from tournament_site.bots import queries as bot_queries
from tournament_site.bots.keys import TicketKey
from tournament_site.bots.models import Bot, BotToken
from tournament_site.leagues import queries, services
from tournament_site.leagues.models import League, Season
from tournament_site.matches.models import Game, GameResult, Match, Replay
from tournament_site.ratings.models import LedgerEntry
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db


def seed(path: Path) -> Any:
    call_command("seed_demo", out=path, verbosity=0)
    return json.loads(path.read_text())


def test_the_demo_is_six_house_bots_and_three_seasons(tmp_path):
    made = seed(tmp_path / "demo.json")
    assert Counter(bot["kind"] for bot in made["bots"]) == {"random": 1, "blind": 1, "greedy": 2, "denier": 2}
    for bot in made["bots"]:
        row = bot_queries.token_of(bot["token"])
        assert row is not None
        assert (row.bot.slug, row.bot.name, row.bot.owner.is_house) == (bot["slug"], bot["name"], True)
    assert [(season["table_size"], season["waits_for_visitor"]) for season in made["seasons"]] == [
        (2, False),
        (4, False),
        (2, True),
    ]
    states = [Season.objects.get(pk=season["id"]).state for season in made["seasons"]]
    assert states == ["RUNNING", "RUNNING", "OPEN"]
    assert Match.objects.filter(table_size=2).count() == 30
    assert Match.objects.filter(table_size=4).count() == 12
    assert set(Match.objects.values_list("rated", flat=True)) == {True}


def test_only_the_owner_reads_the_tokens(tmp_path):
    seed(tmp_path / "demo.json")
    assert stat.S_IMODE((tmp_path / "demo.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["demo.json"]


def test_seeding_again_changes_nothing(tmp_path):
    first = seed(tmp_path / "demo.json")
    assert seed(tmp_path / "demo.json") == first
    assert (Bot.objects.count(), Season.objects.count(), Match.objects.count()) == (6, 3, 42)


@pytest.mark.parametrize("left", ["", "{}", '{"bots": [{"token": 1}]}', None])
def test_lost_tokens_are_replaced_and_the_old_ones_closed(tmp_path, left):
    path = tmp_path / "demo.json"
    first = seed(path)
    path.write_text(left) if left is not None else path.unlink()
    second = seed(path)
    assert all(bot_queries.token_of(bot["token"]) is None for bot in first["bots"])
    assert all(bot_queries.token_of(bot["token"]) is not None for bot in second["bots"])
    assert BotToken.objects.filter(revoked_at=None).count() == 6


def test_visitors_start_the_open_season_one_after_the_other_and_the_next_opens(tmp_path):
    seasons = [seed(tmp_path / "demo.json")["seasons"][2]["id"]]
    house = [entry.bot for entry in queries.entries_of(Season.objects.get(pk=seasons[0]))]
    assert services.start_due() == ()
    for visitor in make_bots(3):
        services.enter(seasons[-1], visitor)
        assert services.start_due() == (seasons[-1],)
        (following,) = Season.objects.filter(state=Season.State.OPEN)
        assert [entry.bot for entry in queries.entries_of(following)] == house
        assert seed(tmp_path / "demo.json")["seasons"][2]["id"] == following.pk
        seasons.append(following.pk)
    numbers = Season.objects.filter(league__slug="open-league").order_by("pk").values_list("number", flat=True)
    assert list(numbers) == [1, 2, 3, 4]
    assert set(League.objects.values_list("slug", "reopens")) == {
        ("duel-league", False),
        ("table-league", False),
        ("open-league", True),
    }


def test_the_demo_does_not_take_over_a_stranger_s_account(tmp_path):
    make_user("house")
    with pytest.raises(CommandError, match="user name house"):
        seed(tmp_path / "demo.json")
    assert Bot.objects.count() == 0


def test_the_demo_does_not_take_over_a_stranger_s_bot(tmp_path):
    make_bot(make_user("ann"), "Random Rita")
    with pytest.raises(CommandError, match="taken"):
        seed(tmp_path / "demo.json")
    assert League.objects.count() == 0


@pytest.fixture
def played():
    seasons = [make_season(make_bots(4)), make_season(make_bots(5), table_size=4)]
    for season in seasons:
        play_season(season)
    apply()
    services.finish_over()
    play_season(make_season(make_bots(2)))  # still running: not part of any outcome
    return seasons


def test_the_outcome_of_the_finished_seasons(played, tmp_path, capsys):
    call_command("outcome", json=tmp_path / "out.json", replays=tmp_path / "replays")
    found = json.loads((tmp_path / "out.json").read_text())
    games = 6 * 2 + 5 * 4
    assert [(season["name"], season["table_size"]) for season in found["seasons"]] == [
        (season.name, season.league.table_size) for season in played
    ]
    assert found["matches"] == {"scheduled": 11, "finished": 11, "void": 0}
    assert (found["games"], len(found["replays"]), len(found["bots"])) == (games, games, 9)
    assert found["decisions"] == sum(
        Replay.objects.filter(game__attempt__match__pairing__round__season__in=played).values_list("decisions", flat=True)
    )
    table = found["seasons"][0]["table"]
    assert [row["rank"] for row in table] == [1, 2, 3, 4]
    assert sum(row["score"] for row in table) == 12
    for line in found["ratings"]:
        rows = LedgerEntry.objects.filter(scale__key=line["scale"], version__bot__slug=line["bot"]).order_by("number")
        assert (line["before"], line["after"]) == (rows[0].before, list(rows)[-1].after)
        assert line["change"] == pytest.approx(line["after"] - line["before"])
    assert len(found["ratings"]) == 9
    printed = capsys.readouterr().out
    assert all(season.name in printed for season in played)
    assert "1500" not in table[0]["name"]


def test_replays_are_written_byte_for_byte_and_once(played, tmp_path, capsys):
    call_command("export_replays", tmp_path / "r")
    files = {path.name: path for path in (tmp_path / "r").iterdir()}
    assert len(files) == Game.objects.filter(state="FINISHED").count()
    for replay in Replay.objects.all():
        assert files[f"{replay.pk}.replay"].read_bytes() == bytes(replay.data)
    stamps = {path: path.stat().st_mtime_ns for path in files.values()}
    call_command("export_replays", tmp_path / "r")
    assert {path: path.stat().st_mtime_ns for path in files.values()} == stamps


def test_ratings_that_do_not_follow_are_reported_and_put_right(capsys):
    play(queue_match(make_bots(2)))
    apply()
    call_command("rebuild_ratings")
    assert "follow from the results" in capsys.readouterr().out
    GameResult.objects.filter(place=2).update(place=1)
    with pytest.raises(CommandError, match="4 values differ"):
        call_command("rebuild_ratings")
    call_command("rebuild_ratings", write=True)
    call_command("rebuild_ratings")


def test_a_ticket_key_is_made_once(tmp_path, capsys):
    private, public = tmp_path / "private.pem", tmp_path / "public.pem"
    call_command("make_ticket_key", private, public)
    first = private.read_bytes()
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert public.read_bytes() == TicketKey.parse(first).public_pem()
    public.unlink()
    call_command("make_ticket_key", private, public)
    assert (private.read_bytes(), public.exists()) == (first, True)
    private.write_text("nonsense")
    with pytest.raises(CommandError, match="no private key"):
        call_command("make_ticket_key", private, public)


def test_a_season_is_started_from_the_command_line(capsys):
    season = make_season(make_bots(2), start=False)
    call_command("start_season", season.pk)
    assert queries.progress(season).scheduled == 1
    with pytest.raises(CommandError, match="not open"):
        call_command("start_season", season.pk)
    with pytest.raises(CommandError, match="nothing here"):
        call_command("start_season", uuid.uuid4().int % 10**9 + 10**9)
