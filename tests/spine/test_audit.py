"""The audit finds what it is there to find."""

import re
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command

from tests.site.builders import claim, make_bots, queue_match
from tests.spine.records import replays_of, serialised
from tournament_site import pipeline
from tournament_site.leagues import audit
from tournament_site.matches import queries, recording
from tournament_site.matches.models import Game, GameResult, Match, Replay
from tournament_site.matches.records import read_record
from tournament_site.matches.services import Claimed
from tournament_site.ratings.models import LedgerEntry, Rating, Scale

pytestmark = pytest.mark.django_db


@pytest.fixture
def played() -> Claimed:
    """A match that was played, recorded and rated."""
    claimed = claim(queue_match(make_bots(2)))
    data = serialised(claimed.match_id, claimed.attempt, replays_of(claimed))
    reading = read_record(claimed.match_id, claimed.attempt, data, queries.ordered(claimed.match_id))
    recording.record(reading.match, reading.findings)
    pipeline.settle()
    return claimed


def test_a_sound_house_has_no_problems(played: Claimed, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(audit.problems(settled=True)) == []
    call_command("audit", "--settled")
    assert "nothing is lost" in capsys.readouterr().out


def forged_place() -> None:
    GameResult.objects.filter(place=2).update(place=1)


def forged_replay() -> None:
    replay = Replay.objects.order_by("pk").first()
    assert replay is not None
    replay.data = bytes(replay.data)[:-1]
    replay.save()


def another_commitment() -> None:
    Game.objects.update(commitment=b"x" * 64)


def lost_replay() -> None:
    replay = Replay.objects.order_by("pk").first()
    assert replay is not None
    replay.delete()


def forged_rating() -> None:
    Rating.objects.update(value=2000.0)


def forged_line() -> None:
    LedgerEntry.objects.filter(number=1).update(after=1600.0)


def lost_line() -> None:
    LedgerEntry.objects.filter(number=1).delete()


def gap() -> None:
    Scale.objects.update(last_number=3)


def unmarked() -> None:
    Match.objects.update(rated_at=None)


def uncounted() -> None:
    Game.objects.update(state=Game.State.VOID)


def still_waiting() -> None:
    queue_match(make_bots(2))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (forged_place, "I3: .* with another result than its replay has"),
        (forged_replay, "I3: .* has another digest"),
        (another_commitment, "I3: .* another commitment"),
        (lost_replay, "I3: .* without a replay"),
        (forged_rating, "I4: .* is stored"),
        (forged_line, "I4: .* 1600.0 is stored"),
        (lost_line, "I4: match .* has 1 lines"),
        (gap, "I4: the ledger of test/2 has gaps"),
        (unmarked, "I4: match .* not marked as rated"),
        (uncounted, "I1: match .* has 0 finished games"),
        (still_waiting, "I2: match .* is still QUEUED"),
    ],
)
def test_harm_is_found(played: Claimed, harm: Callable[[], None], said: str) -> None:
    harm()
    found = "\n".join(audit.problems(settled=True))
    assert re.search(said, found), found
    with pytest.raises(CommandError, match="problems found"):
        call_command("audit", "--settled")
