"""What the game's page gives the browser to check a game by."""

import re

import pytest
from django.test import Client

from referee.verify.replays import Known, verify_replay
from tests.e2e.seasons import play
from tests.site.builders import queue_match
from tournament_site.matches.models import Game, Match, Replay

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(cast) -> Game:
    match = Match.objects.get(pk=queue_match([cast.ada, cast.bix]))
    play(match)
    return Game.objects.filter(attempt__match=match).order_by("index")[0]


def given(game: Game) -> dict[str, str]:
    page = Client().get(f"/games/{game.pk}").content.decode()
    return dict(re.findall(r'data-(check|worker|game|sha256|commitment)="([^"]*)"', page))


def test_the_bytes_their_digest_and_which_game_it_is(game):
    found = given(game)
    assert found["game"] == str(game.pk)
    assert found["worker"] == "/static/js/verify/worker.js"
    data = Client().get(found["check"]).content
    known = Known(sha256=bytes.fromhex(found["sha256"]), game_id=game.pk)
    assert verify_replay(data, known).verdict == "fine"


def test_the_commitment_is_the_one_that_was_shown_and_not_the_replays(game):
    assert given(game)["commitment"] == ""
    shown = b"\7" * 64
    Game.objects.filter(pk=game.pk).update(commitment=shown)
    found = given(game)
    assert found["commitment"] == shown.hex()
    report = verify_replay(bytes(Replay.objects.get(pk=game.pk).data), Known(commitment=bytes.fromhex(found["commitment"])))
    assert report.difference is not None
    assert report.difference.check.value == "commitment"


def test_the_command_is_told_whole(game):
    page = Client().get(f"/games/{game.pk}").content.decode()
    digest = Replay.objects.get(pk=game.pk).sha256
    assert f"<code>phaseten verify {game.pk}.binpb --sha256 {digest}</code>" in page
