"""The ledger: each counted match once, in order, recomputable to the last bit."""

import random

import pytest

from tests.site.builders import claim, declare, finished, make_bots, play, queue_match
from tournament_site.bots.models import Bot
from tournament_site.matches import recording
from tournament_site.matches import services as match_services
from tournament_site.matches.models import GameResult, Match
from tournament_site.ratings import elo, queries
from tournament_site.ratings.models import LedgerEntry, Rating
from tournament_site.ratings.rebuild import rebuild
from tournament_site.ratings.services import apply

pytestmark = pytest.mark.django_db


def lines() -> list[LedgerEntry]:
    return list(LedgerEntry.objects.order_by("scale", "number"))


def random_matches(dice: random.Random, bots: list[Bot], count: int, size: int) -> None:
    for _ in range(count):
        chosen = dice.sample(bots, size)
        by_game = [
            tuple(1 + sum(o < p for o in points) for p in points)
            for points in ([dice.randrange(4) for _ in range(size)] for _ in range(size))
        ]
        play(queue_match(chosen, scale=f"test/{size}"), by_game)


def test_a_match_moves_its_bots_as_the_formula_says():
    bots = make_bots(2)
    match_id = play(queue_match(bots)).match_id
    assert apply() == 1
    values = {row.version.bot: row.value for row in Rating.objects.select_related("version__bot")}
    assert values == {bots[0]: 1500.0 + 64.0, bots[1]: 1500.0 - 64.0}
    assert [(row.number, row.kind, row.games, row.k, row.before, row.after) for row in lines()] == [
        (1, "RESULT", 0, 64.0, 1500.0, 1564.0),
        (2, "RESULT", 0, 64.0, 1500.0, 1436.0),
    ]
    assert Match.objects.get(pk=match_id).rated_at is not None


def test_applying_again_changes_nothing():
    play(queue_match(make_bots(2)))
    apply()
    before = [(row.pk, row.after) for row in lines()]
    assert apply() == 0
    assert [(row.pk, row.after) for row in lines()] == before


def test_matches_are_applied_in_the_order_in_which_they_finished():
    bots = make_bots(2)
    first, second = queue_match(bots, sort_key=9), queue_match(bots, sort_key=1)
    played = [play(first).match_id, play(second).match_id]
    stamps = dict(Match.objects.values_list("pk", "finished_at"))
    apply()
    assert [row.match_id for row in lines()[::2]] == sorted(played, key=lambda pk: (stamps[pk], pk))


def test_unrated_void_and_unfinished_matches_rate_nobody():
    bots = make_bots(2)
    play(queue_match(bots, rated=False))
    spoilt = claim(queue_match(bots))
    match_services.void_attempt(spoilt.match_id, 1, "spoilt")
    claim(queue_match(bots))
    recording.record(finished(spoilt))
    assert apply() == 0
    assert lines() == []


def test_each_scale_has_numbers_of_its_own():
    bots = make_bots(4)
    play(queue_match(bots[:2], scale="test/2"))
    play(queue_match(bots, scale="test/4"))
    assert apply() == 2
    assert [(row.scale.key, row.number) for row in lines()] == [
        *(("test/2", number) for number in (1, 2)),
        *(("test/4", number) for number in (1, 2, 3, 4)),
    ]


def test_a_new_version_begins_where_the_old_one_is():
    ann, bob = make_bots(2)
    for _ in range(6):
        play(queue_match([ann, bob]))
    apply()
    old = Rating.objects.get(version=ann.active_version)
    new = declare(ann, "2.0")
    play(queue_match([ann, bob]))
    apply()
    carry, *results = lines()[12:]
    assert (carry.kind, carry.version, carry.carried_from, carry.match) == ("CARRY", new, old.version, None)
    assert (carry.before, carry.after, carry.games, carry.k) == (old.value, old.value, 10, 0.0)
    assert (results[0].before, results[0].games, results[0].k) == (old.value, 10, elo.k_factor(10))
    assert Rating.objects.get(version=old.version).value == old.value
    assert queries.live("test/2", [ann.pk])[ann.pk].value == results[0].after


def test_a_new_version_in_the_same_batch_carries_what_the_batch_made():
    ann, bob = make_bots(2)
    play(queue_match([ann, bob]))
    declare(ann, "2.0")
    play(queue_match([ann, bob]))
    apply()
    assert [row.kind for row in lines()] == ["RESULT", "RESULT", "CARRY", "RESULT", "RESULT"]
    assert lines()[2].after == lines()[0].after
    assert lines()[2].games == 2
    assert rebuild(write=False) == ()


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("size", [2, 3, 6])
def test_recomputing_from_the_results_gives_the_same_to_the_last_bit(seed, size):
    dice = random.Random(seed)
    bots = make_bots(7)
    for part in range(4):
        random_matches(dice, bots, 5, size)
        declare(dice.choice(bots), f"new-{part}")
        apply()
    assert rebuild(write=False) == ()
    kept = [(row.number, row.before, row.after, row.games, row.k) for row in lines()]
    LedgerEntry.objects.filter(kind="RESULT").update(before=0.0, after=0.0, k=0.0)
    Rating.objects.update(value=0.0)
    assert rebuild(write=True) != ()
    assert [(row.number, row.before, row.after, row.games, row.k) for row in lines()] == kept
    assert rebuild(write=False) == ()


def test_how_matches_are_batched_changes_nothing():
    dice, bots = random.Random(3), make_bots(5)
    random_matches(dice, bots, 12, 3)
    apply()
    at_once = {row.version_id: row.value for row in Rating.objects.all()}
    LedgerEntry.objects.all().delete()
    Rating.objects.all().delete()
    for match in Match.objects.order_by("finished_at", "pk"):
        Match.objects.update(rated_at=None)
        Match.objects.exclude(pk=match.pk).update(rated=False)
        Match.objects.filter(pk=match.pk).update(rated=True)
        apply()
        Match.objects.update(rated_at=None)
    assert {row.version_id: row.value for row in Rating.objects.all()} == at_once


def test_a_changed_result_is_found():
    play(queue_match(make_bots(2)))
    apply()
    GameResult.objects.filter(place=2).update(place=1)
    assert {found.number for found in rebuild(write=False)} == {0, 1, 2}


def test_moves_are_what_a_set_of_matches_did():
    ann, bob = make_bots(2)
    play(queue_match([ann, bob]))
    second = play(queue_match([ann, bob])).match_id
    apply()
    moves = queries.moves("test/2", Match.objects.filter(pk=second))
    assert (moves[ann.pk].before, moves[ann.pk].games) == (1564.0, 2)
    assert moves[ann.pk].after == Rating.objects.get(version=ann.active_version).value
    assert moves[ann.pk].change == moves[ann.pk].after - 1564.0


def test_what_a_change_of_version_does_is_no_move_of_a_match():
    ann, bob = make_bots(2)
    for label in ("1.0", "2.0", "1.0"):  # the third match goes on where the first one ended
        declare(ann, label)
        play(queue_match([ann, bob]))
    apply()
    mine = [line for line in lines() if line.version.bot_id == ann.pk and line.kind == "RESULT"]
    moves = queries.moves("test/2", Match.objects.all())[ann.pk]
    assert (moves.before, moves.after, moves.games) == (1500.0, mine[2].after, 6)
    assert moves.change == sum(line.after - line.before for line in mine)
    assert moves.after - moves.before < moves.change


def test_the_graph_of_a_bot_is_its_lines_in_order():
    ann, bob = make_bots(2)
    for _ in range(3):
        play(queue_match([ann, bob]))
    apply()
    points = queries.history("test/2", ann.pk)
    assert [point.number for point in points] == [1, 3, 5]
    assert points[-1].value == queries.live("test/2", [ann.pk])[ann.pk].value
    assert points[0].version == "1.0"
    assert queries.scales_of([ann.pk]) == {ann.pk: ["test/2"]}
