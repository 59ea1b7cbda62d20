"""Replays of games that are played here, as a referee would write them down."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from referee.engine.errors import IllegalMove
from referee.engine.events import Event, FaultKind, ForfeitCause
from referee.engine.game import Game
from referee.engine.moves import Move, Seat
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Ruleset, Terms
from referee.engine.shuffle import NO_NONCE, SeededDecks, game_context, match_key, nonce_commit, server_commit
from referee.wire.replay import AnswerRecord, ReplayRecord, SeatInfo, SeatNonce
from tests.reference.cards import FACES, Draw, Play
from tests.reference.compare import CARD, Pair, engine_move, plain_options
from tests.reference.decks import Decks
from tests.reference.driver import Driver
from tests.reference.table import Table

MOST = 6000  # decisions


@dataclass(frozen=True, slots=True)
class Wanted:
    """A game to be played, the same one every time.

    `apart` are seats that take no part in the shuffle, `silent` those that commit and never show their share. `clumsy` is
    how often a move is nonsense, `late` how often none comes, `leaves` how often a seat gives up.
    """

    rules: Ruleset = OFFICIAL
    terms: Terms = field(default_factory=lambda: Terms(max_turns_per_deal=40, max_deals=14))
    seats: int = 2
    number: int = 0
    mirrored: bool = False
    apart: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()
    clumsy: float = 0.01
    late: float = 0.002
    leaves: float = 0.0002


def make_replay(wanted: Wanted, policy: Callable[[Game], Move] | None = None) -> ReplayRecord:
    """Play a game to its end, by `policy` or by the sensible and sometimes clumsy players of the reference."""
    rng = random.Random(f"{wanted.rules.name} {wanted.seats} {wanted.number}")
    match_id, game_id = UUID(bytes=rng.randbytes(16)), UUID(bytes=rng.randbytes(16))
    attempt, seed = rng.randint(1, 3), rng.randbytes(64)
    context = game_context((match_id if wanted.mirrored else game_id).bytes, attempt, wanted.seats)
    nonces = tuple(_share(wanted, context, seat, rng.randbytes(32)) for seat in range(wanted.seats))
    decks = SeededDecks(match_key(context, seed, tuple(share.nonce for share in nonces)))
    game = Game(wanted.rules, wanted.terms, wanted.seats, decks)
    for seat in wanted.silent:
        game.forfeit(Seat(seat), ForfeitCause.NO_SHOW)
    answers = _by_policy(game, policy) if policy else _Sitting(wanted, game, decks, rng).play()
    assert game.result is not None
    return ReplayRecord(
        match_id=match_id,
        attempt=attempt,
        game_id=game_id,
        game_index=wanted.number % wanted.seats,
        seats=tuple(SeatInfo(f"bot-{seat}", f"Bot {seat}", "1", 100 + seat) for seat in range(wanted.seats)),
        server_seed=seed,
        commitment=server_commit(context, seed),
        nonces=nonces,
        events=tuple(game.log),
        answers=tuple(answers),
        result=game.result,
        started_ms=1_750_000_000_000,
        ended_ms=1_750_000_083_000,
        referee="tests 1",
        mirrored=wanted.mirrored,
    )


def _share(wanted: Wanted, context: bytes, seat: int, nonce: bytes) -> SeatNonce:
    if seat in wanted.apart:
        return SeatNonce(b"", NO_NONCE)
    return SeatNonce(nonce_commit(context, seat, nonce), NO_NONCE if seat in wanted.silent else nonce)


def _by_policy(game: Game, policy: Callable[[Game], Move]) -> list[AnswerRecord]:
    answers = []
    while (seat := game.to_move) is not None:
        answers.append(_record(len(game.log), seat))
        game.submit(seat, policy(game))
    return answers


def _record(at: int, seat: int) -> AnswerRecord:
    return AnswerRecord(at, seat, 3 + at % 200, at % 7, 60_000 - at, "a thought" if at % 9 == 0 else "")


def kind_log(rules: Ruleset, number: int, decisions: int = 1500) -> tuple[Event, ...]:
    """The log of a game with decks that bring phases and Wilds about: what is rare elsewhere is common in it."""
    rng = random.Random(f"{rules.name} {number}")
    decks = Decks(rng, rng.choice([0, 0.9]))
    pair = Pair(rules, Terms(max_turns_per_deal=40, max_deals=14), rng.randint(2, 6), decks)
    table = decks.table = pair.table
    driver = Driver(table, rng, 0)
    for _ in range(decisions):
        if table.end:
            break
        seat, move = driver.wish()
        if table.submit(seat, move) is None:
            pair.game.submit(Seat(seat), engine_move(move))
            driver.table_changed()
        else:
            driver.refused()
    return tuple(pair.game.log)


class _Sitting:
    """The game, and the reference's table beside it, which the players look at."""

    def __init__(self, wanted: Wanted, game: Game, decks: SeededDecks, rng: random.Random) -> None:
        self._wanted = wanted
        self._game = game
        self._chance = rng.random

        def faces(number: int, cards: list[str]) -> list[str]:
            return [FACES[card] for card in decks(number, tuple(CARD[face] for face in cards))]

        self._table = Table(plain_options(game.ruleset, game.terms), game.seats, game.state.dealer, faces)
        for seat in wanted.silent:
            self._table.forfeit(seat, "no_show")
        self._driver = Driver(self._table, rng, wanted.clumsy)
        self._answers: list[AnswerRecord] = []

    def play(self) -> list[AnswerRecord]:
        game = self._game
        for _ in range(MOST):
            seat = game.to_move
            if seat is None:
                return self._answers
            chance = self._chance() - self._wanted.leaves
            if chance < 0:
                self._leave(Seat(self._driver.below(game.seats)))
            elif chance < self._wanted.late:
                self._charge(seat, FaultKind.LATE)
            else:
                self._move(seat)
        raise AssertionError("this game does not end")

    def _leave(self, seat: Seat) -> None:
        self._game.forfeit(seat, ForfeitCause.RESIGNED)
        self._table.forfeit(seat, "resigned")
        self._driver.table_changed()

    def _charge(self, seat: Seat, kind: FaultKind) -> None:
        self._answers.append(_record(len(self._game.log), seat))
        self._game.fault(seat, kind)
        self._table.fault(seat)
        self._driver.table_changed()

    def _move(self, seat: Seat) -> None:
        who, move = self._driver.wish()
        if who != seat:
            return
        if self._table.submit(who, move) is not None:
            self._refused(seat, move)
            return
        self._answers.append(_record(len(self._game.log), seat))
        self._game.submit(seat, engine_move(move))
        self._driver.table_changed()

    def _refused(self, seat: Seat, move: Draw | Play) -> None:
        try:
            self._game.submit(seat, engine_move(move))
        except IllegalMove:
            self._driver.refused()
            self._charge(seat, FaultKind.ILLEGAL)
        else:
            raise AssertionError(f"only the reference refuses {move}")
