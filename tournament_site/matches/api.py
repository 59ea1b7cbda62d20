"""Games and their replays over HTTP."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from ninja import Router

from tournament_site.common.api import ERRORS, Output
from tournament_site.common.errors import Reason, Refused
from tournament_site.matches import queries

router = Router(tags=["games"])


class Seat(Output):
    """One seat; all but bot and version are null until the game is finished.

    Attributes:
        place: 1 = best; ties share.
        points: penalty points.
        phases: phases completed.
        forfeit: why it stopped counting; empty if it did not.

    """

    bot: str
    name: str
    version: str
    place: int
    points: int
    phases: int
    faults: int
    forfeit: str


class Share(Output):
    """A seat's share of the shuffle, in hexadecimal: zeros and no commitment if it took no part."""

    commitment: str
    nonce: str


class GameFacts(Output):
    """A game.

    Attributes:
        commitment: the referee's to its seed, in hexadecimal; null until the game is announced.
        server_seed: the seed of a void game, in hexadecimal; a finished game has it in its replay.
        shares: of a void game, by seat.
        sha256: of the replay's bytes.

    """

    id: UUID
    match: UUID
    attempt: int
    index: int
    state: str
    rated: bool
    ruleset: str
    commitment: str | None
    server_seed: str | None
    shares: list[Share] | None
    sha256: str | None
    decisions: int | None
    replay: str | None
    seats: list[Seat]
    url: str


@router.get("/games/{uuid:game_id}", response={200: GameFacts, **ERRORS}, summary="A game")
def show_game(request: HttpRequest, game_id: UUID) -> GameFacts:  # noqa: ARG001 - ninja knows it by this name
    """What is known of a game; its seats once it is finished."""
    game = queries.game_with_results(game_id)
    if game is None:
        raise Refused(Reason.NOT_FOUND)
    replay, shuffle = queries.replay_facts(game_id), queries.shuffle_of(game)
    url = f"{settings.SITE.url}/games/{game_id}"
    return GameFacts(
        id=game_id,
        match=game.attempt.match_id,
        attempt=game.attempt.number,
        index=game.index,
        state=game.state.lower(),
        rated=game.attempt.match.rated,
        ruleset=game.attempt.match.ruleset,
        commitment=bytes(game.commitment).hex() if game.commitment is not None else None,
        server_seed=shuffle.seed.hex() if shuffle else None,
        shares=[Share(commitment=promise.hex(), nonce=nonce.hex()) for promise, nonce in shuffle.shares]
        if shuffle
        else None,
        sha256=replay.sha256 if replay else None,
        decisions=replay.decisions if replay else None,
        replay=f"{settings.SITE.url}/api/v1/games/{game_id}/replay" if replay else None,
        seats=[
            Seat(
                bot=result.version.bot.slug,
                name=result.version.bot.name,
                version=result.version.label,
                place=result.place,
                points=result.points,
                phases=result.phases,
                faults=result.faults,
                forfeit=result.forfeit,
            )
            for result in sorted(game.results.all(), key=lambda result: result.seat)
        ],
        url=url,
    )


@router.get("/games/{uuid:game_id}/replay", response=ERRORS, summary="A game's replay")
def download_replay(request: HttpRequest, game_id: UUID) -> HttpResponseBase:
    """The bytes of a phaseten.v1.Replay as the referee wrote them; the ETag is their SHA-256."""
    facts = queries.replay_facts(game_id)
    if facts is None:
        raise Refused(Reason.NOT_FOUND)
    etag = f'"{facts.sha256}"'
    answer = get_conditional_response(request, etag=etag)
    if answer is None:
        replay = queries.replay_of(game_id)
        if replay is None:
            raise Refused(Reason.NOT_FOUND)
        answer = HttpResponse(bytes(replay.data), content_type="application/octet-stream")
        answer.headers["Content-Disposition"] = f'attachment; filename="{game_id}.replay"'
    answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer
