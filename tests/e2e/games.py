"""Real games, played in this process and written down as a referee would."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from phaseten.v1 import referee_pb2

from referee.engine.events import FaultKind, PublicEvent
from referee.engine.game import Game
from referee.engine.moves import Play
from referee.engine.observe import public_event
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Terms
from referee.engine.shuffle import SeededDecks, game_context, match_key, nonce_commit, server_commit
from referee.engine.view import PublicView
from referee.wire.replay import AnswerRecord, ReplayRecord, SeatInfo, SeatNonce, encode_replay, replay_digest
from tests.players import greedy
from tournament_site.matches.rulebook import terms_from
from tournament_site.matches.services import Claimed, ClaimedSeat

THOUGHTS = ("nothing better to do", "that brings the run nearer", "keeping the Wild for later")
STARTED = 1_750_000_000_000


@dataclass(slots=True)
class Table:
    """A game and what the referee knows beside it. `clumsy` seats are late at every so many decisions."""

    game: Game
    clumsy: frozenset[int] = frozenset()
    notes: Sequence[str] = THOUGHTS
    every: int = 61
    answers: list[AnswerRecord] = field(default_factory=list)

    def play(self, decisions: int = 100_000) -> None:
        """Play on until the game is over or so many decisions were made."""
        for number in range(decisions):
            seat = self.game.to_move
            if seat is None:
                return
            at = len(self.game.log)
            think = 3 + (number * 37) % 211
            if seat in self.clumsy and number % self.every == self.every - 1:
                self.game.fault(seat, FaultKind.LATE)
            else:
                move = greedy(self.game.view(seat), self.game.ruleset)
                self.game.submit(seat, move)
                note = self.notes[number % len(self.notes)] if isinstance(move, Play) and number % 5 == 1 else ""
                self.answers.append(AnswerRecord(at, seat, think, number % 9, 60_000 - number * 10, note))


@dataclass(frozen=True, slots=True)
class Secrets:
    """What makes a game's cards."""

    seed: bytes
    commitment: bytes
    nonces: tuple[SeatNonce, ...]
    decks: SeededDecks


def draw_secrets(game_id: UUID, attempt: int, seats: int, seed: bytes | None = None) -> Secrets:
    """Seed and shares; the last seat takes no part in the shuffle."""
    seed = seed or secrets.token_bytes(64)
    context = game_context(game_id.bytes, attempt, seats)
    shares = [bytes([seat + 1]) * 32 for seat in range(seats - 1)]
    nonces = tuple(SeatNonce(nonce_commit(context, seat, nonce), nonce) for seat, nonce in enumerate(shares))
    nonces += (SeatNonce(b"", bytes(32)),)
    key = match_key(context, seed, tuple(share.nonce for share in nonces))
    return Secrets(seed, server_commit(context, seed), nonces, SeededDecks(key))


def table_of(
    seats: int,
    shuffle: Secrets,
    clumsy: frozenset[int] = frozenset(),
    notes: Sequence[str] = THOUGHTS,
    terms: Terms | None = None,
    every: int = 61,
) -> Table:
    return Table(Game(OFFICIAL, terms or Terms(), seats, shuffle.decks), clumsy, notes, every)


def seated(claimed: Claimed, index: int) -> tuple[ClaimedSeat, ...]:
    """Who sits where: in game r bot i sits at (i + r) mod k."""
    size = len(claimed.seats)
    return tuple(claimed.seats[(seat - index) % size] for seat in range(size))


def replay_of(claimed: Claimed, index: int, table: Table, shuffle: Secrets) -> bytes:
    """The bytes a referee would write."""
    result = table.game.result
    assert result is not None
    infos = tuple(SeatInfo(seat.bot, seat.bot_name, seat.version, seat.version_id) for seat in seated(claimed, index))
    record = ReplayRecord(
        match_id=claimed.match_id,
        attempt=claimed.attempt,
        game_id=claimed.games[index],
        game_index=index,
        seats=infos,
        server_seed=shuffle.seed,
        commitment=shuffle.commitment,
        nonces=shuffle.nonces,
        events=tuple(table.game.log),
        answers=tuple(table.answers),
        result=result,
        started_ms=STARTED,
        ended_ms=STARTED + 83_000,
        referee="tests 1",
    )
    return encode_replay(record)


def match_record(
    claimed: Claimed, clumsy: frozenset[str] = frozenset(), notes: Sequence[str] = THOUGHTS, every: int = 61
) -> bytes:
    """Play all games of a match; the serialised MatchRecord. `clumsy` are slugs of bots that are late now and then."""
    games = []
    for index, game_id in enumerate(claimed.games):
        shuffle = draw_secrets(game_id, claimed.attempt, len(claimed.seats))
        late = frozenset(number for number, seat in enumerate(seated(claimed, index)) if seat.bot in clumsy)
        table = table_of(len(claimed.seats), shuffle, clumsy=late, notes=notes, terms=terms_from(claimed.terms), every=every)
        table.play()
        data = replay_of(claimed, index, table, shuffle)
        games.append(referee_pb2.GameRecord(game_id=game_id.bytes, replay=data, sha256=replay_digest(data)))
    return referee_pb2.MatchRecord(games=games).SerializeToString()


def live_view(seats: int, decisions: int, game_id: UUID) -> tuple[Table, PublicView, tuple[PublicEvent, ...]]:
    """A game in the middle of its play: the table, what the public sees of it, and the public events so far."""
    table = table_of(seats, draw_secrets(game_id, 1, seats))
    table.play(decisions)
    return table, table.game.public_view(), public_events(table.game)


def public_events(game: Game) -> tuple[PublicEvent, ...]:
    found = (public_event(event, game.ruleset) for event in game.log)
    return tuple(event for event in found if event is not None)
