"""Putting a Play together from a view alone."""

from dataclasses import replace

import pytest

from referee.engine import (
    OFFICIAL,
    PRESETS,
    DealEnded,
    End,
    GameEnded,
    Hit,
    IllegalMove,
    Meld,
    Play,
    Reason,
    Ruleset,
    Seat,
    Turn,
    Way,
    draws,
    open_phases,
    parse_card,
    parse_cards,
    plans,
)
from referee.engine.ruleset import HitOnLayTurn, WinCheck
from tests.builders import game_at, melds, on_table

A, B, C = map(Seat, range(3))
PHASE_1 = "R7 B7 G7 / R10 B10 G10"
TABLE = {0: "set 1: G1 B1 Y1 / set 2: G2 B2 Y2"}


def turn(*hands: str, ruleset: Ruleset = OFFICIAL, **position) -> Turn:
    game = game_at(*hands, drew=hands[0].split()[0], ruleset=ruleset, **position)
    return Turn(game.view(A), ruleset)


def test_lay_hit_and_throw():
    made = turn("R7 B7 G7 R10 B10 G10 Y10 R4 R5", "B2", table={1: "set 4: B4 G4 Y4 / set 9: R9 B9 G9"})
    assert made.phase == 1
    best = made.best_lay()
    assert best == made.lays()[0] == Way(1, melds("R7 B7 G7 / R10 B10 G10 Y10"), parse_cards("R4 R5"))
    made.lay(melds(PHASE_1))
    assert made.laid
    assert made.hand == parse_cards("R4 R5 Y10")
    assert made.hits() == (Hit(A, 1, parse_card("Y10")), Hit(B, 0, parse_card("R4")))
    for hit in made.hits():
        made.hit(hit)
    assert made.table[A] == on_table("set 7: R7 B7 G7 / set 10: R10 B10 G10 Y10")
    assert made.discards() == parse_cards("R5")
    play = made.end(parse_card("R5"))
    assert play == Play(melds(PHASE_1), (Hit(A, 1, parse_card("Y10")), Hit(B, 0, parse_card("R4"))), parse_card("R5"))


def test_what_cannot_be_laid():
    made = turn("R7 B7 R10 B10", "B2")
    assert (made.lays(), made.best_lay(), made.hits()) == ((), None, ())
    with pytest.raises(IllegalMove) as refused:
        made.lay(melds(PHASE_1))
    assert refused.value.reason is Reason.CARD_NOT_IN_HAND
    with pytest.raises(IllegalMove) as refused:
        made.hit(Hit(A, 0, parse_card("R7")))
    assert refused.value.reason is Reason.NOT_LAID
    assert (made.hand, made.laid, made.table) == (parse_cards("R7 R10 B7 B10"), False, [(), ()])


def test_a_phase_is_laid_once():
    made = turn("R7 B7 G7 R10 B10 G10 R4", "B2", table=TABLE)
    assert (made.lays(), made.best_lay()) == ((), None)
    with pytest.raises(IllegalMove) as refused:
        made.lay(melds(PHASE_1))
    assert refused.value.reason is Reason.ALREADY_LAID


def test_a_seat_that_has_done_all_phases_lays_none():
    game = game_at("R7 B7 G7 R10 B10 G10 R4", "B2", drew="R7")
    game.state.completed[A] = 10
    made = Turn(game.view(A), OFFICIAL)
    assert (made.phase, made.lays(), made.best_lay()) == (0, (), None)
    with pytest.raises(IllegalMove) as refused:
        made.lay(melds(PHASE_1))
    assert refused.value.reason is Reason.PHASE_NOT_AVAILABLE


def test_a_hit_that_is_refused_changes_nothing():
    made = turn("R7 R5", "B2", table=TABLE)
    before = made.hand, list(made.table)
    with pytest.raises(IllegalMove) as refused:
        made.hit(Hit(A, 0, parse_card("R7")))
    assert refused.value.reason is Reason.DOES_NOT_FIT
    assert (made.hand, made.table) == before


def test_a_wild_first_goes_where_it_makes_room():
    # The Wild as a 9 lets the 8 follow; at the upper end it would only block.
    made = turn("W R8 R5", "B2", table={**TABLE, 1: "run 10: B10 G11 Y12 / set 3: R3 B3 G3"})
    first, *others = made.hits()
    assert first == Hit(B, 0, parse_card("W"), End.LOW)
    assert Hit(A, 0, parse_card("W")) in others
    made.hit(first)
    assert made.hits() == (Hit(B, 0, parse_card("R8")),)


def test_both_ends_are_offered_to_a_wild():
    made = turn("W R5 R5", "B2", table={**TABLE, 1: "run 9: B9 G10 Y11 / set 3: R3 B3 G3"})
    assert {hit.end for hit in made.hits() if hit.owner == B and hit.meld == 0} == {End.LOW, End.HIGH}


def test_a_skip_is_aimed_at_the_next_seat_unless_another_is_named():
    hands = ("S R5", "B2", "G2")
    assert turn(*hands).targets() == (B, C)
    assert turn(*hands).end(parse_card("S")) == Play(discard=parse_card("S"), skip_target=B)
    assert turn(*hands).end(parse_card("S"), C) == Play(discard=parse_card("S"), skip_target=C)
    assert turn(*hands, waiting=(1,)).end(parse_card("S")) == Play(discard=parse_card("S"), skip_target=C)
    assert turn(*hands).end(parse_card("R5")) == Play(discard=parse_card("R5"))


def test_a_last_skip_and_an_empty_hand_need_nothing():
    last = turn("S", "B2", table=TABLE)
    assert last.targets() == ()
    assert last.end(parse_card("S")) == Play(discard=parse_card("S"))
    out = turn("R1", "B2", table=TABLE)
    out.hit(out.hits()[0])
    assert out.discards() == ()
    assert out.end(parse_card("R1")) == Play(hits=(Hit(A, 0, parse_card("R1")),))


FREE, BG, SV = PRESETS["bg+free"], PRESETS["bg"], PRESETS["sv"]
TWO_PHASES = "R7 B7 G7 Y7 R10 B10 G10 Y10 G12 Y1 R5"  # phases 1 and 7


def free_turn(done: tuple[int, ...] = (), hand: str = TWO_PHASES, rules: Ruleset = FREE, **position) -> Turn:
    """The turn of a seat that may choose, and has completed these phases."""
    game = game_at(hand, "B2", drew=hand.split(maxsplit=1)[0], ruleset=rules, **position)
    game.state.done[A], game.state.completed[A] = done, len(done)
    return Turn(game.view(A), rules)


def refusal(turn: Turn, lay: tuple[Meld, ...], phase: int | None = None) -> Reason:
    before = turn.hand, list(turn.table), turn.laid
    with pytest.raises(IllegalMove) as refused:
        turn.lay(lay, phase)
    assert (turn.hand, turn.table, turn.laid) == before
    return refused.value.reason


def test_where_phases_may_be_chosen_all_that_are_not_done_are_open():
    made = free_turn(done=(2, 7))
    assert made.phase == 0
    assert made.phases() == open_phases(made._view, FREE) == (1, 3, 4, 5, 6, 8, 9, 10)
    nearest, *others = made.plans()
    assert (nearest.phase, nearest.distance) == (1, 0)
    assert [way.distance for way in others] == sorted(way.distance for way in others)
    assert made.plans() == plans(made._view, FREE)


def test_the_ways_of_all_open_phases_are_offered_fewest_points_first():
    made = free_turn()
    found = made.lays()
    assert {way.phase for way in found} == {1, 7}
    assert made.best_lay() == found[0]
    assert made.lays(7) == tuple(way for way in found if way.phase == 7)
    assert made.best_lay(7) == made.lays(7)[0]
    assert (made.lays(2), made.best_lay(2)) == ((), None)


def test_the_play_names_the_phase_that_was_chosen():
    for way in (free_turn().lays(7)[0], free_turn().lays(1)[0]):
        made = free_turn()
        made.lay(way)
        assert (made.phase, made.phases(), made.plans(), made.lays()) == (way.phase, (), (), ())
        assert made.end(parse_card("G12")) == Play(way.melds, (), parse_card("G12"), None, way.phase)
    made = free_turn()
    made.lay(melds("R7 B7 G7 / R10 B10 G10"), 1)
    assert made.end(parse_card("G12")).phase == 1


def test_what_must_be_said_about_a_chosen_phase():
    lay = melds("R7 B7 G7 Y7 / R10 B10 G10 Y10")
    assert refusal(free_turn(), lay) is Reason.PHASE_REQUIRED
    assert refusal(free_turn(done=(7,)), lay, 7) is Reason.PHASE_ALREADY_DONE
    assert refusal(free_turn(rules=replace(FREE, phases=(1, 2))), lay, 7) is Reason.PHASE_NOT_AVAILABLE
    assert refusal(free_turn(), lay, 10) is Reason.TOO_FEW_CARDS
    assert refusal(turn(TWO_PHASES, "B2"), lay, 7) is Reason.PHASE_NOT_AVAILABLE
    assert refusal(free_turn(table=TABLE), lay, 7) is Reason.ALREADY_LAID


def test_in_a_tie_break_the_last_phase_is_played_and_not_named():
    rules = replace(FREE, phases=(4, 1))
    made = free_turn(done=(4, 1), rules=rules, tie_break=True, phases=[1, 1])
    assert (made.phase, made.phases()) == (1, (1,))
    made.lay(made.lays()[0])
    assert made.end(parse_card("G12")).phase is None


def test_a_phase_that_is_not_chosen_may_be_named_to_the_turn():
    made = turn("R7 B7 G7 R10 B10 G10 R4", "B2")
    assert made.lays(1) == made.lays()
    assert made.lays(2) == ()
    made.lay(melds(PHASE_1), 1)
    assert made.end(parse_card("R4")).phase is None


def test_the_last_card_is_kept_where_it_must_be_discarded():
    made = turn("R1 R5", "B2", table=TABLE, ruleset=SV)
    assert [hit.card for hit in made.hits()] == [parse_card("R1")]
    made.hit(made.hits()[0])
    assert made.hits() == made.best_hits() == ()
    assert (made.over, made.discards()) == (False, parse_cards("R5"))
    last = turn("R1", "B2", table=TABLE, ruleset=SV)
    assert (last.hits(), last.best_hits(), last.discards()) == ((), (), parse_cards("R1"))
    with pytest.raises(IllegalMove) as refused:
        last.hit(Hit(A, 0, parse_card("R1")))
    assert refused.value.reason is Reason.MUST_KEEP_DISCARD


@pytest.mark.parametrize(("allowed", "owners"), [("any", {A, B}), ("own_only", {A}), ("none", set())])
def test_hits_in_the_turn_of_the_lay(allowed, owners):
    rules = replace(OFFICIAL, hit_on_lay_turn=HitOnLayTurn(allowed))
    made = turn("R7 B7 G7 R10 B10 G10 Y10 R4 R5", "B2", table={1: "set 4: B4 G4 Y4 / set 9: R9 B9 G9"}, ruleset=rules)
    made.lay(melds(PHASE_1))
    assert {hit.owner for hit in made.hits()} == {hit.owner for hit in made.best_hits()} == owners
    later = turn("Y10 R4", "B2", table={0: "set 10: R10 B10 G10 / set 1: B1 G1 Y1", 1: "set 4: B4 G4 Y4"}, ruleset=rules)
    assert {hit.owner for hit in later.hits()} == {A, B}


def test_a_wild_that_can_be_taken_back_is_offered():
    rules = replace(OFFICIAL, wild_replaceable=True)
    table = {**TABLE, 1: "run 3: B3 W Y5 R6 / set 9: R9 W G9"}
    made = turn("R4 B9 G12 G12", "B2", table=table, ruleset=rules)
    exchanges = [Hit(B, 0, parse_card("R4"), for_wild=True), Hit(B, 1, parse_card("B9"), for_wild=True)]
    assert made.hits() == (Hit(B, 1, parse_card("B9")), *exchanges)
    made.hit(exchanges[0])
    assert made.hand == parse_cards("B9 G12 G12 W")
    assert turn("R4 B9 G12 G12", "B2", table=table).hits() == (Hit(B, 1, parse_card("B9")),)
    # The last card may still be exchanged where it must be discarded.
    last = turn("R4", "B2", table=table, ruleset=replace(SV, wild_replaceable=True))
    assert last.hits() == (exchanges[0],)


DECIDING = "R7 B7 G7 R10 B10 G10 R4 R5 R6 B9 Y1"


@pytest.mark.parametrize(
    ("rules", "position", "ends"),
    [
        (replace(OFFICIAL, win_check=WinCheck.ON_LAY, phases=(1,)), {}, True),
        (replace(OFFICIAL, win_check=WinCheck.ON_LAY), {}, False),
        (replace(SV, phases=(1,)), {"tie_break": True}, True),
        (replace(OFFICIAL, phases=(1,)), {"tie_break": True}, False),
    ],
)
def test_a_lay_that_decides_is_the_whole_play(rules, position, ends):
    game = game_at(DECIDING, "B2", drew="R7", ruleset=rules, **position)
    made = Turn(game.view(A), rules)
    made.lay(made.lays()[0])
    assert made.over is ends
    assert bool(made.discards()) is not ends
    play = made.end(parse_card("R4"))
    assert (play.discard is None) is ends
    kinds = {type(event) for event in game.submit(A, play)}
    assert ({DealEnded, GameEnded} <= kinds) is ends


def test_a_skip_names_nobody_where_it_meets_the_next_seat():
    made = turn("S R5", "B2", "G2", ruleset=BG)
    assert made.targets() == ()
    assert made.end(parse_card("S")) == Play(discard=parse_card("S"))


def test_a_skip_may_be_taken_only_by_some_rules():
    game = game_at("R1 R5", "B2", discard="S")
    assert [draw.from_discard for draw in draws(game.view(A), OFFICIAL)] == [False]
    assert [draw.from_discard for draw in draws(game.view(A), PRESETS["bg-literal"])] == [False, True]


def test_a_hand_is_played_out_without_a_thought_for_the_rules():
    """The loop of the README, whatever the rules: every Play it makes is accepted."""
    for rules in PRESETS.values():
        game = game_at(DECIDING, "B2", drew="R7", ruleset=rules, phases=[rules.phases[0]] * 2)
        made = Turn(game.view(A), rules)
        if ways := made.lays():
            made.lay(ways[0])
        for hit in made.best_hits():
            made.hit(hit)
        assert game.submit(A, made.end(max(made.discards(), default=None)))
