"""Records of matches that were really played, here and now."""

import secrets
from collections.abc import Sequence
from uuid import UUID

from phaseten.v1 import referee_pb2 as pb

from referee.engine.events import CardDrawn
from referee.engine.game import Game
from referee.engine.ruleset import Terms
from referee.engine.shuffle import NO_NONCE, SeededDecks, game_context, match_key, server_commit
from referee.wire.replay import AnswerRecord, ReplayRecord, SeatInfo, SeatNonce, encode_replay, replay_digest
from tests.players import greedy, play_out
from tournament_site.matches.rulebook import ruleset_named
from tournament_site.matches.services import Claimed


def replay_of(
    match_id: UUID, attempt: int, game_id: UUID, index: int, seats: Sequence[SeatInfo], ruleset: str = "official"
) -> ReplayRecord:
    """A greedy game, with a seed of its own."""
    seed, count = secrets.token_bytes(64), len(seats)
    context = game_context(game_id.bytes, attempt, count)
    game = Game(ruleset_named(ruleset), Terms(), count, SeededDecks(match_key(context, seed, (NO_NONCE,) * count)))
    play_out(game, greedy)
    assert game.result is not None
    draws = [(at, event) for at, event in enumerate(game.log) if isinstance(event, CardDrawn)]
    return ReplayRecord(
        match_id=match_id,
        attempt=attempt,
        game_id=game_id,
        game_index=index,
        seats=tuple(seats),
        server_seed=seed,
        commitment=server_commit(context, seed),
        nonces=(SeatNonce(b"", NO_NONCE),) * count,
        events=tuple(game.log),
        answers=tuple(AnswerRecord(at, event.seat, 5, 1, 60_000, "a note") for at, event in draws[:7]),
        result=game.result,
        started_ms=1,
        ended_ms=2,
        referee="scripted",
    )


def replays_of(claimed: Claimed) -> list[ReplayRecord]:
    """A record for every game of a claimed match."""
    size = len(claimed.seats)
    bots = [SeatInfo(seat.bot, seat.bot_name, seat.version, seat.version_id) for seat in claimed.seats]
    return [
        replay_of(
            claimed.match_id,
            claimed.attempt,
            game_id,
            index,
            [bots[(seat - index) % size] for seat in range(size)],
            claimed.ruleset,
        )
        for index, game_id in enumerate(claimed.games)
    ]


def serialised(match_id: UUID, attempt: int, replays: Sequence[ReplayRecord]) -> bytes:
    """The MatchRecord a referee would send."""
    games = []
    for record in replays:
        data = encode_replay(record)
        games.append(pb.GameRecord(game_id=record.game_id.bytes, replay=data, sha256=replay_digest(data)))
    attempt_ref = pb.AttemptRef(match_id=match_id.bytes, attempt=attempt)
    return pb.MatchRecord(attempt=attempt_ref, games=games).SerializeToString()
