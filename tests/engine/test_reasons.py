"""Every reason for refusing a move: a position that gives it."""

from dataclasses import replace
from typing import Any

import pytest

from referee.engine import (
    OFFICIAL,
    Draw,
    End,
    Game,
    Hit,
    IllegalMove,
    Move,
    Play,
    Reason,
    Seat,
    parse_card,
)
from referee.engine.ruleset import Advance, GoingOut, HitOnLayTurn
from tests.builders import game_at
from tests.engine.test_turn import LAID_1, PHASE_1, hit, refuse, throw

A, B, C = map(Seat, range(3))
HAND = "R7 B7 G7 R10 B10 G10 W W W R1 R2"


def over() -> Game:
    game = game_at("R2", "B2")
    game.state.active = 1  # everybody else is gone
    game._settle()
    return game


def plain(**options: Any) -> Game:
    return game_at(HAND, "B2", "G2", drew="R1", ruleset=replace(OFFICIAL, **options))


def chosen_before(phase: int) -> Game:
    game = plain(advance=Advance.FREE_CHOICE)
    game.state.done[A] = (phase,)
    return game


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
    Reason.STOCK_EMPTY: (game_at("R2", "B2", stock=""), Draw()),
    Reason.EXTRA_NOT_ALLOWED: (plain(lay_extra=False), throw("R2", lay="R7 B7 G7 W / R10 B10 G10")),
    Reason.SAME_NUMBER_SETS: (plain(same_number_sets=False), throw("R2", lay="R7 B7 W / G7 W W")),
    Reason.HIT_NOT_THIS_TURN: (plain(hit_on_lay_turn=HitOnLayTurn.NONE), throw("R2", hit(A, 0, "W"), lay=PHASE_1)),
    Reason.MUST_KEEP_DISCARD: (
        game_at("Y7", "B2", table={0: LAID_1}, drew="Y7", ruleset=replace(OFFICIAL, going_out=GoingOut.DISCARD_ONLY)),
        throw("", hit(A, 0, "Y7")),
    ),
    Reason.PHASE_REQUIRED: (plain(advance=Advance.FREE_CHOICE), throw("R2", lay=PHASE_1)),
    Reason.PHASE_ALREADY_DONE: (chosen_before(1), throw("R2", lay=PHASE_1, phase=1)),
    Reason.WILD_NOT_REPLACEABLE: (laid("run 3: R3 W R5 R6"), throw("R2", Hit(B, 0, parse_card("R12"), for_wild=True))),
    Reason.TARGET_REQUIRED: (laid(), throw("S")),
    Reason.TARGET_NOT_ALLOWED: (laid(), throw("R2", target=B)),
    Reason.TARGET_SELF: (laid(), throw("S", target=A)),
    Reason.NO_SUCH_SEAT: (laid(), throw("S", target=Seat(3))),
    Reason.TARGET_PROTECTED: (laid(), throw("S", target=C)),
}


def test_every_reason_is_here():
    assert PRODUCED.keys() == set(Reason)


@pytest.mark.parametrize("reason", PRODUCED, ids=lambda reason: reason.name)
def test_a_position_gives_the_reason(reason):
    game, move = PRODUCED[reason]
    refuse(game, A, move, reason)
    assert str(IllegalMove(reason)) == reason.value
