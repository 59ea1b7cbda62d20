"""A game is its log: folding it, deciding it again, and seeing through forgeries."""

import hashlib
import random
from copy import deepcopy
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from referee.engine import (
    OFFICIAL,
    CardDiscarded,
    CardDrawn,
    CardHit,
    CorruptLog,
    DealEnded,
    DealStarted,
    Draw,
    Event,
    FaultKind,
    ForfeitCause,
    Game,
    GameEnd,
    GameEnded,
    GameStarted,
    PhaseLaid,
    Ruleset,
    Seat,
    SeatFaulted,
    SeatForfeited,
    SeededDecks,
    SkipPlayed,
    StockRebuilt,
    TableMeld,
    Terms,
    TurnSkipped,
    check_log,
    fold,
)
from referee.engine.ruleset import GoalKind
from tests.builders import FixedDecks
from tests.players import greedy, play_out, random_player


def _decks(name: str) -> SeededDecks:
    return SeededDecks(hashlib.sha512(name.encode()).digest())


def whole_game() -> Game:
    """A game that holds every kind of event: chosen seeds, a fault now and then, a seat that resigns."""
    rng = random.Random(7)
    policy = random_player(rng.randrange)
    game = Game(Ruleset(name="short", phases=(1, 2)), Terms(max_turns_per_deal=60), 5, _decks("whole"))
    count = 0
    while (seat := game.to_move) is not None:
        count += 1
        if count == 50:
            game.fault(seat, FaultKind.LATE)
        elif count == 90:
            game.forfeit(Seat(2), ForfeitCause.RESIGNED)
        else:
            game.submit(seat, policy(game.view(seat), game.ruleset))
    return game


GAME = whole_game()
LOG = tuple(GAME.log)
E = TypeVar("E", bound=Event)
KINDS = [
    GameStarted,
    DealStarted,
    StockRebuilt,
    CardDrawn,
    PhaseLaid,
    CardHit,
    CardDiscarded,
    SkipPlayed,
    TurnSkipped,
    SeatFaulted,
    SeatForfeited,
    DealEnded,
    GameEnded,
]


@pytest.mark.parametrize("kind", KINDS)
def test_the_game_of_these_tests_holds_every_kind_of_event(kind):
    assert any(isinstance(event, kind) for event in LOG)


def test_a_log_folds_to_the_state_that_wrote_it():
    assert fold(LOG) == GAME.state


def test_folding_the_beginning_of_a_log_gives_the_state_at_that_time():
    game = Game(OFFICIAL, Terms(), 3, _decks("prefix"))
    policy = random_player(random.Random(1).randrange)
    for _ in range(300):
        assert game.to_move is not None
        game.submit(game.to_move, policy(game.view(game.to_move), OFFICIAL))
        if len(game.log) % 7 == 0:
            assert fold(game.log) == game.state


def test_deciding_a_log_again_gives_the_same_game():
    again = check_log(LOG)
    assert again.state == GAME.state
    assert list(again.log) == list(LOG)
    assert again.result == GAME.result


def test_a_seeded_first_dealer_is_taken_from_the_log():
    game = Game(OFFICIAL, Terms(first_dealer="seeded"), 4, FixedDecks(first_dealer=2))
    assert check_log(game.log).state == game.state


def test_a_log_may_stop_where_a_decision_is_awaited_and_nowhere_else():
    game = Game(OFFICIAL, Terms(), 2, _decks("cuts"))
    cuts = {len(game.log)}
    for _ in range(120):
        assert game.to_move is not None
        game.submit(game.to_move, greedy(game.view(game.to_move), OFFICIAL))
        cuts.add(len(game.log))
    for cut in range(2, len(game.log) + 1):
        if cut in cuts:
            assert len(check_log(game.log[:cut]).log) == cut
        else:
            with pytest.raises(CorruptLog):
                check_log(game.log[:cut])


def test_a_game_goes_on_from_its_log():
    rng = random.Random(3)
    game = Game(OFFICIAL, Terms(), 3, _decks("resume"))
    policy = random_player(rng.randrange)
    for _ in range(101):  # stops between a draw and a play
        assert game.to_move is not None
        game.submit(game.to_move, policy(game.view(game.to_move), OFFICIAL))
    twin = Game.from_log(game.log, _decks("resume"))
    assert twin.state == game.state
    play_out(game, greedy)
    play_out(twin, greedy)
    assert list(twin.log) == list(game.log)
    assert twin.result == game.result


def _at(kind: type[E], number: int = 0) -> int:
    return [place for place, event in enumerate(LOG) if isinstance(event, kind)][number]


def _nth(kind: type[E], number: int = 0) -> E:
    return [event for event in LOG if isinstance(event, kind)][number]


def _changed(kind: type[E], number: int = 0, **fields: Any) -> tuple[Event, ...]:
    place = _at(kind, number)
    return (*LOG[:place], replace(_nth(kind, number), **fields), *LOG[place + 1 :])


DECK = _nth(DealStarted).deck

FORGERIES = {
    "no start": LOG[1:],
    "nothing": (),
    "twice started": (LOG[0], *LOG),
    "another event missing": (*LOG[:40], *LOG[41:]),
    "an event twice": (*LOG[:40], LOG[40], *LOG[40:]),
    "too many seats": _changed(GameStarted, seats=9),
    "rules that make no sense": _changed(GameStarted, ruleset=replace(OFFICIAL, hand_size=3)),
    "a card drawn that was not on top": _changed(CardDrawn, 3, card=_nth(CardDrawn, 4).card),
    "a deck of other cards": _changed(DealStarted, deck=(*DECK[:-1], DECK[0])),
    "a deck too small": _changed(DealStarted, deck=DECK[:-1]),
    "another dealer": _changed(DealStarted, dealer=Seat(0)),
    "a deal of fewer players": _changed(DealStarted, players=(Seat(0), Seat(1))),
    "a pile of other cards": _changed(StockRebuilt, stock=()),
    "another phase": _changed(PhaseLaid, phase=7),
    "a phase of another seat": _changed(PhaseLaid, seat=Seat(4)),
    "melds that do not fit": _changed(PhaseLaid, melds=(TableMeld(GoalKind.SET, (), 1),) * 2),
    "a hit that does not fit": _changed(CardHit, meld=9),
    "a discard not held": _changed(CardDiscarded, card=DECK[-1]),
    "a discard of a seat not on turn": _changed(CardDiscarded, 5, seat=Seat(4)),
    "a Skip against oneself": _changed(SkipPlayed, target=_nth(SkipPlayed).seat),
    "a slot that was not skipped": _changed(TurnSkipped, seat=Seat((_nth(TurnSkipped).seat + 1) % 5)),
    "a wrong count of faults": _changed(SeatFaulted, count=2),
    "a forfeit by faults that were not there": _changed(SeatForfeited, cause=ForfeitCause.FAULTS),
    "a seat that does not exist": _changed(SeatForfeited, seat=Seat(8)),
    "other points": _changed(DealEnded, penalties=(0, 0, 0, 0, 0)),
    "other phases done": _changed(DealEnded, completed=(1, 1, 1, 1, 1)),
    "other places": _changed(GameEnded, places=(1, 1, 1, 1, 1)),
    "another end": _changed(GameEnded, cause=GameEnd.DEAL_CAP),
    "moves after the end": (*LOG, CardDrawn(Seat(0), DECK[0], from_discard=False)),
    "a shuffle after the end": (*LOG, StockRebuilt(())),
    "a fault after the end": (*LOG, SeatFaulted(Seat(0), FaultKind.LATE, 1)),
    "a forfeit twice": (*LOG[: _at(SeatForfeited) + 1], LOG[_at(SeatForfeited)], *LOG[_at(SeatForfeited) + 1 :]),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_log_is_corrupt(name):
    assert FORGERIES[name] != LOG
    with pytest.raises(CorruptLog):
        check_log(FORGERIES[name])


def test_no_event_can_be_left_out():
    """But for faults and forfeits: they come from outside, and what they lead to might have been wished for."""
    for place in range(len(LOG) - 1):
        if not isinstance(LOG[place], SeatFaulted | SeatForfeited):
            with pytest.raises(CorruptLog):
                check_log((*LOG[:place], *LOG[place + 1 :]))


@pytest.mark.parametrize("name", ["no start", "nothing"])
def test_folding_needs_a_start(name):
    with pytest.raises(CorruptLog, match="begins with the start"):
        fold(FORGERIES[name])


def test_folding_says_which_event_cannot_follow():
    draw = _at(CardDrawn)
    with pytest.raises(CorruptLog, match=rf"event {draw + 1} \(CardDiscarded\)"):
        fold((*LOG[: draw + 1], CardDiscarded(_nth(CardDrawn).seat, DECK[-1])))
    with pytest.raises(CorruptLog, match=r"event 1 \(GameStarted\) cannot follow: a game starts once"):
        fold(FORGERIES["twice started"])
    with pytest.raises(CorruptLog, match="event 1"):
        fold((LOG[0], CardDrawn(Seat(0), DECK[0], from_discard=False)))


def test_the_decks_of_a_log_cannot_be_played_beyond_it():
    game = check_log(Game(OFFICIAL, Terms(max_turns_per_deal=1), 2, FixedDecks()).log)
    state = deepcopy(game.state)
    for _ in range(2):
        assert game.to_move is not None
        game.submit(game.to_move, Draw())
        if game.state.turn == 1:
            break
        play = greedy(game.view(game.to_move), OFFICIAL)
        game.submit(game.to_move, play)
    assert game.state.turn == state.turn + 1
    assert game.to_move is not None
    with pytest.raises(CorruptLog, match="shuffle 65536 is missing"):
        game.submit(game.to_move, greedy(game.view(game.to_move), OFFICIAL))
