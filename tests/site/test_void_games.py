"""What made the cards of games that came to nothing: stored once, shown to everybody, and never before its time."""

from dataclasses import replace
from uuid import UUID

import pytest
from django.test import Client

from referee.engine.shuffle import NO_NONCE, game_context, nonce_commit, server_commit
from tests.site.builders import claim, finished, make_bots, queue_match
from tournament_site.matches import recording, services
from tournament_site.matches.bundle import Shuffle
from tournament_site.matches.models import Game
from tournament_site.matches.services import Claimed

pytestmark = pytest.mark.django_db
SEED, NONCE = b"S" * 64, b"n" * 32


@pytest.fixture
def claimed() -> Claimed:
    return claim(queue_match(make_bots(2)))


def shuffle_of(game: UUID, attempt: int = 1) -> Shuffle:
    """A seed, a share of seat 0, and none of seat 1."""
    context = game_context(game.bytes, attempt, 2)
    shares = ((nonce_commit(context, 0, NONCE), NONCE), (b"", NO_NONCE))
    return Shuffle(game, SEED, server_commit(context, SEED), shares)


def void_game(claimed: Claimed) -> Shuffle:
    """The first game of the match, announced and then called off."""
    shuffle = shuffle_of(claimed.games[0])
    services.open_games({shuffle.game_id: shuffle.commitment})
    services.void_attempt(claimed.match_id, claimed.attempt, "spoilt")
    return shuffle


def seed_of(game: UUID) -> bytes | None:
    seed = Game.objects.get(pk=game).server_seed
    return None if seed is None else bytes(seed)


def test_a_game_that_still_counts_shows_nothing(claimed: Claimed) -> None:
    shuffle = shuffle_of(claimed.games[0])
    services.reveal([shuffle])
    assert seed_of(shuffle.game_id) is None
    recording.record(finished(claimed))
    services.reveal([shuffle])
    assert seed_of(shuffle.game_id) is None


def test_what_was_shown_first_stays(claimed: Claimed) -> None:
    shuffle = void_game(claimed)
    for seed in (SEED, b"T" * 64):
        services.reveal([replace(shuffle, seed=seed)])
    assert seed_of(shuffle.game_id) == SEED


@pytest.mark.parametrize("broken", [{"seed": b"short"}, {"commitment": b""}])
def test_what_is_no_seed_is_left_out(claimed: Claimed, broken: dict[str, bytes]) -> None:
    shuffle = void_game(claimed)
    services.reveal([replace(shuffle, **broken)])  # type: ignore[arg-type]  # names of its fields above
    assert seed_of(shuffle.game_id) is None


def test_a_commitment_that_nobody_heard_comes_with_the_seed(claimed: Claimed) -> None:
    services.void_attempt(claimed.match_id, claimed.attempt, "spoilt")
    shuffle = shuffle_of(claimed.games[0])
    services.reveal([shuffle])
    assert bytes(Game.objects.get(pk=shuffle.game_id).commitment or b"") == shuffle.commitment


def test_games_that_were_announced_stay_although_their_attempt_is_refused(claimed: Claimed) -> None:
    announced, other = claimed.games
    services.open_games({announced: b"c" * 64})
    services.put_back(claimed.match_id, claimed.attempt, "a bot is not here")
    assert list(Game.objects.values_list("pk", "state")) == [(announced, Game.State.VOID)]
    assert not Game.objects.filter(pk=other).exists()


def test_a_referee_whose_answer_was_lost_may_have_begun_them(claimed: Claimed) -> None:
    """It was killed before anybody but the bots had heard of a commitment, and comes back when the match has moved on."""
    services.lose(claimed.match_id, claimed.attempt, "its referee cannot be reached")
    shuffle = shuffle_of(claimed.games[0])
    path = f"/matches/{claimed.match_id}"
    assert f"/games/{shuffle.game_id}" not in Client().get(path).content.decode()
    services.reveal([shuffle])
    assert seed_of(shuffle.game_id) == SEED
    page = Client().get(path).content.decode()
    assert f"/games/{shuffle.game_id}" in page
    assert f"/games/{claimed.games[1]}" not in page  # it was never announced


def test_the_api_shows_the_commitment_at_once_and_the_seed_once_it_is_void(claimed: Claimed) -> None:
    shuffle = shuffle_of(claimed.games[0])
    path = f"/api/v1/games/{shuffle.game_id}"
    assert Client().get(path).json()["commitment"] is None
    services.open_games({shuffle.game_id: shuffle.commitment})
    facts = Client().get(path).json()
    assert (facts["state"], facts["commitment"]) == ("running", shuffle.commitment.hex())
    assert (facts["server_seed"], facts["shares"]) == (None, None)
    services.void_attempt(claimed.match_id, claimed.attempt, "spoilt")
    services.reveal([shuffle])
    facts = Client().get(path).json()
    assert (facts["state"], facts["server_seed"]) == ("void", SEED.hex())
    assert facts["shares"] == [
        {"commitment": shuffle.shares[0][0].hex(), "nonce": NONCE.hex()},
        {"commitment": "", "nonce": NO_NONCE.hex()},
    ]


def test_the_page_shows_the_commitment_at_once_and_the_seed_once_it_is_void(claimed: Claimed) -> None:
    shuffle = shuffle_of(claimed.games[0])

    def page() -> str:
        return Client().get(f"/games/{shuffle.game_id}").content.decode()

    assert "not known yet" in page()
    services.open_games({shuffle.game_id: shuffle.commitment})
    assert shuffle.commitment.hex() in page()
    assert SEED.hex() not in page()
    services.void_attempt(claimed.match_id, claimed.attempt, "spoilt")
    assert "If it kept a journal" in page()
    services.reveal([shuffle])
    shown = page()
    assert all(text in shown for text in (shuffle.commitment.hex(), SEED.hex(), NONCE.hex(), "none was given"))
    assert "are those that were committed to" in shown
    match = Client().get(f"/matches/{claimed.match_id}").content.decode()
    assert f"/games/{shuffle.game_id}" in match


def test_the_page_says_when_they_do_not_fit(claimed: Claimed) -> None:
    shuffle = void_game(claimed)
    services.reveal([replace(shuffle, seed=b"T" * 64)])
    assert "not the one that the referee had committed to" in Client().get(f"/games/{shuffle.game_id}").content.decode()


def test_a_share_that_was_not_committed_to_is_found(claimed: Claimed) -> None:
    shuffle = shuffle_of(claimed.games[0])
    assert shuffle.problem(shuffle.game_id, 1) == ""
    assert "seed" in shuffle.problem(shuffle.game_id, 2)
    forged = replace(shuffle, shares=((shuffle.shares[0][0], b"m" * 32), shuffle.shares[1]))
    assert "share of seat 1" in forged.problem(shuffle.game_id, 1)


def test_a_mirrored_match_is_named_by_its_match() -> None:
    claimed = claim(queue_match(make_bots(2), rated=False, mirrored=True))
    seeds = [replace(shuffle_of(claimed.match_id), game_id=game) for game in claimed.games]
    services.void_attempt(claimed.match_id, 1, "spoilt")
    services.reveal(seeds)
    assert "are those that were committed to" in Client().get(f"/games/{claimed.games[1]}").content.decode()
