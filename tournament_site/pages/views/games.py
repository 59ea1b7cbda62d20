"""Games: their page, the frames of a replay, the live table, and the replay's bytes."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import condition, require_safe

from referee.engine.ruleset import PHASES
from referee.wire.errors import MalformedMessage
from referee.wire.replay import ReplayRecord, decode_replay
from tournament_site import live
from tournament_site.leagues import queries as league_queries
from tournament_site.matches import queries as match_queries
from tournament_site.matches.frames import Chapter, Film, film, film_json, live_json, phase_text, seat_json
from tournament_site.matches.models import Attempt, Game, GameResult, Replay
from tournament_site.pages.shown import Clock, Piece, Player, RulesName, lasted, pieces

# Part of the frames' ETag: count it up when their form changes, so that no browser keeps old ones.
FRAMES_FORM = "1"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a game ended for a seat."""

    player: Player
    place: int
    points: int
    phases: int
    faults: int
    forfeit: str


@dataclass(frozen=True, slots=True)
class MoveShown:
    """A line of the move list. `secret` lines tell a card that the other seats did not see."""

    frame: int
    kind: str
    seat: int | None
    who: str
    pieces: tuple[Piece, ...]
    think: str
    note: str
    secret: bool


@dataclass(frozen=True, slots=True)
class SeatDeal:
    """What a deal brought a seat. `out` says that it went out."""

    laid: int
    penalty: int
    total: int
    out: bool


@dataclass(frozen=True, slots=True)
class ChapterShown:
    """A deal with its moves. `out` names who went out; `ending` says it otherwise. `seats` is empty without an end."""

    title: str
    frame: int
    dealer: str
    out: str
    ending: str
    seats: tuple[SeatDeal, ...]
    moves: tuple[MoveShown, ...]


def worth_a_link(attempt: Attempt) -> list[Game]:
    """The games of an attempt, in order, without those that came to nothing before the site heard of them."""
    games = sorted(attempt.games.all(), key=lambda game: game.index)
    return [game for game in games if game.state != Game.State.VOID or game.commitment is not None]


def results_of(game: Game) -> tuple[SeatResult, ...]:
    """How a game ended for each seat, the best first."""
    rows = sorted(game.results.all(), key=lambda row: (row.place, row.seat))
    return tuple(
        SeatResult(
            player=Player.of(row.version.bot.slug, row.version.bot.name, row.version.label),
            place=row.place,
            points=row.points,
            phases=row.phases,
            faults=row.faults,
            forfeit=GameResult.Forfeit(row.forfeit).name.lower().replace("_", " ") if row.forfeit else "",
        )
        for row in rows
    )


@require_safe
def game(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """A game: its replay if it is finished, its table while it runs."""
    found = match_queries.game_with_results(game_id)
    if found is None:
        raise Http404("There is no such game.")
    the_match = found.attempt.match
    context: dict[str, Any] = {
        "game": found,
        "match": the_match,
        "pairing": league_queries.pairing_of(the_match.pk),
        "results": results_of(found),
        "clock": Clock.of(the_match.terms),
        "rules": RulesName.of(the_match.ruleset),
        "commitment": bytes(found.commitment or b"").hex(),
        "siblings": worth_a_link(found.attempt),
    }
    stored = match_queries.replay_of(game_id)
    if stored is None:
        context["players"] = _players_now(found)
        context |= _void_shuffle(found, context["players"])
        context["live_seats"] = {
            "seats": [seat_json(each.slug, each.name, each.version) for each in context["players"]],
            "phases": {str(phase): phase_text(phase) for phase in PHASES},
        }
        return render(request, "pages/game_live.html", context)
    context["shown_commitment"] = context["commitment"]  # before the first card; the replay has its own
    context["verify_command"] = f"phaseten verify {game_id}.binpb --sha256 {stored.sha256}"
    return render(request, "pages/game.html", context | _replay_context(stored))


def _void_shuffle(game: Game, players: list[Player]) -> dict[str, Any]:
    """What made the cards of a void game: `seed`, `nonces` as in `_nonces`, and `seed_problem`. Nothing if nobody told."""
    shuffle = match_queries.shuffle_of(game)
    if shuffle is None:
        return {}
    names = [player.name for player in players]
    nonces = [
        (name, nonce.hex() if promise else "", promise.hex())
        for name, (promise, nonce) in zip(names, shuffle.shares, strict=False)
    ]
    named = game.attempt.match_id if game.attempt.match.mirrored else game.pk
    return {"seed": shuffle.seed.hex(), "nonces": nonces, "seed_problem": shuffle.problem(named, game.attempt.number)}


def _players_now(game: Game) -> list[Player]:
    """Who sits where: in game r, bot i sits at (i + r) mod k."""
    seats = sorted(game.attempt.match.seats.all(), key=lambda seat: seat.index)
    size = len(seats)
    order = [seats[(place - game.index) % size] for place in range(size)]
    return [Player.of(seat.bot.slug, seat.bot.name, seat.version.label if seat.version else "") for seat in order]


def _replay_context(stored: Replay) -> dict[str, Any]:
    context: dict[str, Any] = {"replay": stored}
    try:
        record = decode_replay(bytes(stored.data))
        shown = film(record)
    except MalformedMessage as problem:
        return context | {"problem": str(problem)}
    names = [Player.of(seat.bot, seat.name).name for seat in record.seats]
    return context | {
        "record": record,
        "players": [Player.of(seat.bot, seat.name, seat.version) for seat in record.seats],
        "chapters": _chapters(shown, names),
        "events": len(shown.frames),
        "duration": lasted(max(0, record.ended_ms - record.started_ms)),
        "seed": record.server_seed.hex(),
        "commitment": record.commitment.hex(),
        "nonces": _nonces(record, names),
        "think": _thinking(record, names),
    }


def _nonces(record: ReplayRecord, names: list[str]) -> list[tuple[str, str, str]]:
    """(name, nonce, commitment) of the seats; both empty for a seat that took no part in the shuffle."""
    return [
        (name, share.nonce.hex() if share.commitment else "", share.commitment.hex())
        for name, share in zip(names, record.nonces, strict=False)
    ]


def _thinking(record: ReplayRecord, names: list[str]) -> list[tuple[str, int, str]]:
    """(name, answers, time for all of them) by seat."""
    spent = [[answer.think_ms for answer in record.answers if answer.seat == seat] for seat in range(len(names))]
    return [(name, len(times), lasted(sum(times))) for name, times in zip(names, spent, strict=True)]


def _chapters(shown: Film, names: list[str]) -> list[ChapterShown]:
    return [_chapter(shown, each, names) for each in shown.chapters]


def _chapter(shown: Film, chapter: Chapter, names: list[str]) -> ChapterShown:
    moves = []
    for move in chapter.moves:
        frame = shown.frames[move.frame]
        moves.append(
            MoveShown(
                frame=move.frame,
                kind=frame["k"],
                seat=move.seat,
                who="" if move.seat is None else names[move.seat],
                pieces=pieces(move.line, names),
                think="" if move.think_ms is None else lasted(move.think_ms),
                note=move.note,
                secret="secret" in frame,
            )
        )
    scores = zip(chapter.laid, chapter.penalties, chapter.totals, strict=True) if chapter.totals else ()
    return ChapterShown(
        title="Tie-break" if chapter.tie_break else f"Deal {chapter.deal + 1}",
        frame=chapter.frame,
        dealer=names[chapter.dealer],
        out="" if chapter.out is None else names[chapter.out],
        ending=chapter.ending,
        seats=tuple(SeatDeal(*scored, out=seat == chapter.out) for seat, scored in enumerate(scores)),
        moves=tuple(moves),
    )


def _frames_etag(_request: HttpRequest, game_id: UUID) -> str | None:
    sha256 = Replay.objects.filter(pk=game_id).values_list("sha256", flat=True).first()
    return None if sha256 is None else f'"{FRAMES_FORM}-{sha256}"'


@require_safe
@gzip_page
@condition(etag_func=_frames_etag)
def frames(_request: HttpRequest, game_id: UUID) -> HttpResponse:
    """The film of a replay for the viewer. A replay never changes, so its ETag is its digest."""
    stored = match_queries.replay_of(game_id)
    if stored is None:
        return JsonResponse({"error": "This game has no replay."}, status=404)
    try:
        answer = JsonResponse(film_json(decode_replay(bytes(stored.data))), json_dumps_params={"separators": (",", ":")})
    except MalformedMessage as problem:
        return JsonResponse({"error": f"This replay cannot be shown: {problem}"}, status=500)
    answer.headers["Cache-Control"] = "public, max-age=0, must-revalidate"
    return answer


@require_safe
def live_table(_request: HttpRequest, game_id: UUID) -> HttpResponse:
    """The public table of a running game: `state` of the game, and `live` (null until something was seen)."""
    state = Game.objects.filter(pk=game_id).values_list("state", flat=True).first()
    if state is None:
        return JsonResponse({"error": "There is no such game."}, status=404)
    seen = live.snapshot(game_id) if state == Game.State.RUNNING else None
    answer = JsonResponse(
        {"state": state, "live": None if seen is None else live_json(seen.number, seen.table, seen.events)}
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


@require_safe
def replay(_request: HttpRequest, game_id: UUID) -> HttpResponse:
    """The bytes that the referee wrote: a serialised phaseten.v1.Replay."""
    stored = match_queries.replay_of(game_id)
    if stored is None:
        raise Http404("This game has no replay.")
    answer = HttpResponse(bytes(stored.data), content_type="application/x-protobuf")
    answer.headers["Content-Disposition"] = f'attachment; filename="{game_id}.binpb"'
    answer.headers["ETag"] = f'"{stored.sha256}"'
    answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer
