"""Every reason for refusing a move: a position that gives it, or the option that would, which is not played yet."""

from dataclasses import replace

import pytest

from referee.engine import (
    OFFICIAL,
    Draw,
    End,
    Game,
    IllegalMove,
    Move,
    Play,
    Reason,
    Seat,
    UnsupportedRules,
    check_ruleset,
)
from referee.engine.ruleset import GoingOut, HitOnLayTurn, Terms
from tests.builders import game_at
from tests.engine.test_turn import LAID_1, PHASE_1, hit, refuse, throw

A, B, C = map(Seat, range(3))
HAND = "R7 B7 G7 R10 B10 G10 W W W R1 R2"


def over() -> Game:
    game = game_at("R2", "B2")
    game.state.active = 1  # everybody else is gone
    game._settle()
    return game


def plain() -> Game:
    return game_at(HAND, "B2", "G2", drew="R1")


def laid(meld: str = "run 3: R3 R4 R5 R6") -> Game:
    return game_at("R12 W S R2", "B2", "G2", table={0: LAID_1, 1: meld}, waiting=(2,), drew="R2")


PRODUCED: dict[Reason, tuple[Game, Move]] = {
    Reason.NOT_YOUR_TURN: (game_at("R2", "B2", to_move=1), Draw()),
    Reason.GAME_OVER: (over(), Draw()),
    Reason.MUST_DRAW_FIRST: (game_at("R2", "B2"), throw("R2")),
    Reason.ALREADY_DREW: (plain(), Draw()),
    Reason.DISCARD_EMPTY: (game_at("R2", "B2", discard=""), Draw(from_discard=True)),
    Reason.SKIP_NOT_TAKEABLE: (game_at("R2", "B2", discard="S"), Draw(from_discard=True)),
    Reason.CARD_NOT_IN_HAND: (plain(), throw("Y12")),
    Reason.ALREADY_LAID: (laid(), throw("R2", lay=PHASE_1)),
    Reason.WRONG_MELD_COUNT: (plain(), throw("R2", lay="R7 B7 G7")),
    Reason.TOO_FEW_CARDS: (plain(), throw("R2", lay="R7 B7 / R10 B10 G10")),
    Reason.SKIP_IN_MELD: (laid(), throw("R2", hit(B, 0, "S"))),
    Reason.NOT_A_SET: (plain(), throw("R2", lay="R7 B7 R10 / B10 G10 W")),
    Reason.NOT_A_RUN: (game_at(HAND, "B2", phases=(4, 1), drew="R1"), throw("R2", lay="R1 R2 R7 B7 G7 R10 B10")),
    Reason.NOT_A_COLOR: (game_at(HAND, "B2", phases=(8, 1), drew="R1"), throw("R2", lay="R7 B7 G7 R10 B10 G10 W")),
    Reason.MEANING_REQUIRED: (plain(), throw("R2", lay="R7 B7 G7 / W W W")),
    Reason.MEANING_WRONG: (plain(), throw("R2", lay="R7 B7 G7 =6 / W W W =1")),
    Reason.NATURAL_REQUIRED: (game_at("W W W W W W R1", "B2", drew="R1"), throw("R1", lay="W W W =1 / W W W =2")),
    Reason.PHASE_NOT_AVAILABLE: (plain(), throw("R2", lay=PHASE_1, phase=3)),
    Reason.NOT_LAID: (plain(), throw("R2", hit(B, 0, "R7"))),
    Reason.NO_SUCH_MELD: (laid(), throw("R2", hit(B, 3, "R12"))),
    Reason.DOES_NOT_FIT: (laid(), throw("R2", hit(B, 0, "R12"))),
    Reason.END_REQUIRED: (laid(), throw("R2", hit(B, 0, "W"))),
    Reason.END_NOT_ALLOWED: (laid("set 9: R9 B9 G9"), throw("R2", hit(B, 0, "W", End.LOW))),
    Reason.DISCARD_REQUIRED: (plain(), Play()),
    Reason.DISCARD_NOT_ALLOWED: (game_at("Y7", "B2", table={0: LAID_1}, drew="Y7"), throw("R2", hit(A, 0, "Y7"))),
    Reason.TARGET_REQUIRED: (laid(), throw("S")),
    Reason.TARGET_NOT_ALLOWED: (laid(), throw("R2", target=B)),
    Reason.TARGET_SELF: (laid(), throw("S", target=A)),
    Reason.NO_SUCH_SEAT: (laid(), throw("S", target=Seat(3))),
    Reason.TARGET_PROTECTED: (laid(), throw("S", target=C)),
}

# These belong to options that are refused until they are played.
OF_OPTIONS: dict[Reason, dict[str, object]] = {
    Reason.EXTRA_NOT_ALLOWED: {"lay_extra": False},
    Reason.SAME_NUMBER_SETS: {"same_number_sets": False},
    Reason.HIT_NOT_THIS_TURN: {"hit_on_lay_turn": HitOnLayTurn.OWN_ONLY},
    Reason.MUST_KEEP_DISCARD: {"going_out": GoingOut.DISCARD_ONLY},
}


def test_every_reason_is_here():
    assert PRODUCED.keys() | OF_OPTIONS.keys() == set(Reason)
    assert not PRODUCED.keys() & OF_OPTIONS.keys()


@pytest.mark.parametrize("reason", PRODUCED, ids=lambda reason: reason.name)
def test_a_position_gives_the_reason(reason):
    game, move = PRODUCED[reason]
    refuse(game, A, move, reason)
    assert str(IllegalMove(reason)) == reason.value


@pytest.mark.parametrize("reason", OF_OPTIONS, ids=lambda reason: reason.name)
def test_the_option_behind_a_reason_is_not_played_yet(reason):
    with pytest.raises(UnsupportedRules) as refused:
        check_ruleset(replace(OFFICIAL, **OF_OPTIONS[reason]), Terms(), 2)  # type: ignore[arg-type]  # any option
    assert [option for option, _ in refused.value.problems] == list(OF_OPTIONS[reason])
