"""What is hidden changes no byte of a game that goes badly either.

Sessions are lost and come back, answers cannot be taken, time runs out, and moves are played instead until seats forfeit.

As in the calm games beside this, the same happens in both games. An answer may be legal in one of them and not in the other:
the seat that gives it holds other cards there, and the fault is a difference that everybody may see. A seat that cannot know
of a difference has the same fault in both, for the same reason, with the same default move (`twins.may_differ`).
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing

import pytest
from phaseten.v1 import bot_pb2 as pb

from referee.engine import game as engine_game
from referee.engine.default_move import default_move
from referee.engine.events import Event
from referee.engine.game import Game, Result
from referee.engine.moves import Draw, Move, Play
from referee.engine.state import State
from referee.service import messages
from referee.service.game import RunningGame
from referee.service.seats import TableSeat
from referee.service.telling import Telling
from referee.wire.cards import encode_cards
from tests.service.troubles import ANSWERS, CLOCK, HASTY, SESSIONS, Mix, Trouble
from tests.service.twins import twins

PAIRS, NIGHTLY_PAIRS = 150, 3_000
STEPS = 60


def trouble_for(mix: Mix, pairs: int) -> Counter[str]:
    """Play games and their twins; what of interest was compared, and was the same."""
    heard: Counter[str] = Counter()
    for seed in range(pairs):
        dice = random.Random(f"{sorted(mix)} {seed}")
        seats = dice.choice((2, 3, 3, 4))
        onlooker = dice.choice((None, *range(seats), *range(seats)))
        with closing(twins(seats, onlooker, dice, HASTY)) as pair:
            trouble = Trouble(pair, dice)
            trouble.play(mix, STEPS)
            heard += trouble.heard
    return heard


def rejections(heard: Counter[str]) -> set[str]:
    return {what.removeprefix("rejected, REJECT_REASON_") for what in heard if what.startswith("rejected")}


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_sessions_that_come_back_hear_nothing_that_is_hidden(nightly: bool) -> None:
    heard = trouble_for(SESSIONS, NIGHTLY_PAIRS if nightly else PAIRS)
    assert {"resync, begun", "resync, asked", "own fault, gone", "other's fault, gone", "game_over"} <= set(heard)
    assert {"own forfeit, clock", "other's forfeit, clock"} <= set(heard)
    assert heard["resync, asked"] > PAIRS // 4


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_answers_that_cannot_be_taken_show_nothing_that_is_hidden(nightly: bool) -> None:
    heard = trouble_for(ANSWERS, NIGHTLY_PAIRS if nightly else PAIRS)
    assert {"own fault, illegal", "own fault, malformed", "other's fault, illegal", "other's fault, malformed"} <= set(heard)
    assert {"own forfeit, faults", "other's forfeit, faults", "game_over"} <= set(heard)
    assert {"MALFORMED", "STALE", "MUST_DRAW_FIRST", "ALREADY_DREW", "CARD_NOT_IN_HAND", "NOT_A_SET"} <= rejections(heard)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_time_that_runs_out_shows_nothing_that_is_hidden(nightly: bool) -> None:
    heard = trouble_for(CLOCK, NIGHTLY_PAIRS if nightly else PAIRS)
    assert {"own fault, late", "other's fault, late", "own forfeit, faults", "other's forfeit, clock"} <= set(heard)
    assert {"own forfeit, resigned", "other's forfeit, resigned", "game_over"} <= set(heard)
    assert {"LATE", "STALE"} <= rejections(heard)


# The comparison would notice: what follows are leaks, each planted where the product could have it.

HONEST_RESYNC, HONEST_REFUSE, HONEST_FINISH = Telling.resync, Telling.refuse, Telling.finish
HONEST_GO_ON = RunningGame._go_on


def resync_with_the_hand_that_is_asked(
    self: Telling, seat: TableSeat, question: int | None, gone: float, game: Game
) -> pb.ResyncGame:
    """Whoever comes back is shown the open question, with the hand of the seat it is put to."""
    told = HONEST_RESYNC(self, seat, question, gone, game)
    if game.to_move is not None:
        told.question.view.hand.extend(encode_cards(game.state.hands[game.to_move]))
    return told


def resync_that_is_longer(self: Telling, seat: TableSeat, question: int | None, gone: float, game: Game) -> pb.ResyncGame:
    """The number of events hangs on the card that will be drawn next."""
    told = HONEST_RESYNC(self, seat, question, gone, game)
    told.events += game.state.stock[-1] % 2
    return told


def refuse_before_all(about: Callable[[int], bool]) -> Callable[..., None]:
    """Everybody is told what was played instead of an answer, the drawn card included; `about` is asked for the reason."""

    def refuse(self: Telling, seat: TableSeat, question: int, why: tuple[int, str], events: Sequence[Event]) -> None:
        HONEST_REFUSE(self, seat, question, why, events)
        for other in self._seats if about(why[0]) else ():
            other.say(messages.rejected(other.handle, question, why[0], str(events)))

    return refuse


def refuse_and_tell_all_why(
    self: Telling, seat: TableSeat, question: int, why: tuple[int, str], events: Sequence[Event]
) -> None:
    """The reason why an answer was not taken may hang on the hand of the seat that gave it."""
    HONEST_REFUSE(self, seat, question, why, events)
    for other in self._seats:
        other.say(messages.rejected(other.handle, question, *why))


def finish_with_the_log(self: Telling, seat: TableSeat, result: Result, seed: bytes) -> None:
    """A game of a mirrored match may not be shown while others are played with its cards."""
    seat.say(messages.voided(seat.handle, self.log_bytes(), ""))
    HONEST_FINISH(self, seat, result, seed)


def go_on_for_longer(self: RunningGame) -> None:
    """How long a seat is waited for hangs on the card that it will draw."""
    HONEST_GO_ON(self)
    if self._game.state.stock:
        self._deadline += self._game.state.stock[-1]


def draw_what_is_low(state: State) -> Move:
    """A default move that looks at the stock."""
    if state.drawn is None and state.discard and not state.discard[-1].is_skip and state.stock[-1] % 2:
        return Draw(from_discard=True)
    return default_move(state)


def throw_for_the_next(state: State) -> Move:
    """A default move that looks at the hand of another seat."""
    numbers = [card for card in state.hands[state.to_move] if card.is_number]
    if state.drawn is not None and numbers and sum(state.hands[state.to_move - 1]) % 2:
        return Play(discard=min(numbers))
    return default_move(state)


LEAKS: list[tuple[Mix, object, str, Callable[..., object]]] = [
    (SESSIONS, Telling, "resync", resync_with_the_hand_that_is_asked),
    (SESSIONS, Telling, "resync", resync_that_is_longer),
    (SESSIONS, Telling, "finish", finish_with_the_log),
    (SESSIONS, engine_game, "default_move", draw_what_is_low),
    (ANSWERS, Telling, "refuse", refuse_before_all(lambda why: why == messages.MALFORMED)),
    (ANSWERS, Telling, "refuse", refuse_before_all(lambda why: why not in messages.TEXTS)),
    (ANSWERS, Telling, "refuse", refuse_and_tell_all_why),
    (ANSWERS, Telling, "finish", finish_with_the_log),
    (ANSWERS, engine_game, "default_move", draw_what_is_low),
    (CLOCK, Telling, "refuse", refuse_before_all(lambda why: why == messages.LATE)),
    (CLOCK, Telling, "finish", finish_with_the_log),
    (CLOCK, engine_game, "default_move", throw_for_the_next),
    (CLOCK, RunningGame, "_go_on", go_on_for_longer),
]


@pytest.mark.parametrize(("mix", "where", "name", "leak"), LEAKS)
async def test_the_comparison_would_notice_a_leak(
    mix: Mix, where: object, name: str, leak: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, name, leak)
    with pytest.raises(AssertionError, match="onlooker"):
        trouble_for(mix, PAIRS)
