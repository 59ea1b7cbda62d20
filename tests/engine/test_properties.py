"""What holds in every game, whatever the cards and whoever plays."""

import random
from collections import Counter
from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from referee.engine import (
    DealEnded,
    DealStarted,
    Draw,
    End,
    FaultKind,
    Hit,
    IllegalMove,
    Meld,
    Move,
    PhaseLaid,
    Play,
    Seat,
    SeededDecks,
    SkipPlayed,
    Stage,
    TurnSkipped,
    check_log,
    draws,
    fold,
    full_deck,
    hand_points,
    skip_targets,
)
from referee.engine.decide import decide
from tests.builders import all_cards
from tests.players import random_play
from tests.strategies import cards, games

some_seats = st.integers(-1, 6).map(Seat)
some_melds = st.builds(Meld, st.lists(cards, max_size=8).map(tuple), st.none() | st.integers(-1, 13))
some_hits = st.builds(Hit, some_seats, st.integers(-1, 3), cards, st.none() | st.sampled_from(End))
any_move: st.SearchStrategy[Move] = st.one_of(
    st.builds(Draw, st.booleans()),
    st.builds(
        Play,
        st.lists(some_melds, max_size=3).map(tuple),
        st.lists(some_hits, max_size=3).map(tuple),
        st.none() | cards,
        st.none() | some_seats,
        st.none() | st.integers(0, 11),
    ),
)


@given(games())
def test_no_card_is_lost_or_made(game):
    assert all_cards(game) == sorted(full_deck())


@given(games())
def test_the_log_folds_to_the_state_and_follows_from_itself(game):
    assert fold(game.log) == game.state
    assert check_log(game.log).state == game.state


@given(games(), some_seats, any_move)
def test_a_move_is_taken_whole_or_changes_nothing(game, seat, move):
    before, log = deepcopy(game.state), list(game.log)
    try:
        events = game.submit(seat, move)
    except IllegalMove:
        assert game.state == before
        assert list(game.log) == log
    else:
        assert list(game.log) == [*log, *events]
        assert events
        assert fold(game.log) == game.state


@given(games())
def test_every_draw_and_play_that_is_offered_is_accepted(game):
    for _ in range(20):
        seat = game.to_move
        if seat is None:
            return
        view = game.view(seat)
        if game.stage is Stage.DRAW:
            moves: list[Move] = [*draws(view, game.ruleset)]
        else:
            moves = [random_play(view, game.ruleset, random.Random(seed).randrange) for seed in range(6)]
        for move in moves:
            assert decide(game.state, seat, move, SeededDecks(bytes(64)))
        game.submit(seat, moves[-1])


@given(games())
def test_skip_targets_of_the_view_are_those_of_the_rules(game):
    if game.to_move is not None:
        targets = skip_targets(game.view(game.to_move), game.ruleset)
        assert targets == game.state.skip_targets()
        # While one Skip at a time may wait for a seat, whoever moves can always play one.
        assert targets


@given(games())
def test_at_the_start_of_a_turn_hands_and_melds_hold_what_was_dealt(game):
    state = game.state
    if game.stage is Stage.DRAW and not state.tie_break:
        held = sum(map(len, state.hands)) + sum(len(meld.cards) for melds in state.melds for meld in melds)
        assert held == game.seats * game.ruleset.hand_size


@given(games())
def test_totals_are_the_hands_counted_again(game):
    """Play the log up to each deal's end and count what was held."""
    totals = [0] * game.seats
    for place, event in enumerate(game.log):
        if isinstance(event, DealEnded):
            before = fold(game.log[:place])
            if not before.tie_break:
                totals = [
                    total + hand_points(hand, game.ruleset.card_points)
                    for total, hand in zip(totals, before.hands, strict=True)
                ]
            assert list(event.totals) == totals
            assert event.out is None or not before.hands[event.out]
    assert game.state.totals == totals


@given(games())
def test_phases_are_done_one_at_a_time_and_in_order(game):
    done = [0] * game.seats
    tie_break = False
    for event in game.log:
        if isinstance(event, DealStarted):
            tie_break = event.tie_break
        elif isinstance(event, PhaseLaid) and not tie_break:
            assert event.phase == game.ruleset.phases[done[event.seat]]
            done[event.seat] += 1
    assert [seat.completed for seat in game.public_view().seats] == done


@given(games())
def test_each_skip_passes_one_slot(game):
    """Per deal, no seat is passed over more often than Skips were played against it."""
    played: Counter[Seat] = Counter()
    passed: Counter[Seat] = Counter()
    for event in game.log:
        if isinstance(event, DealStarted):
            played, passed = Counter(), Counter()
        elif isinstance(event, SkipPlayed):
            played[event.target] += 1
            assert played[event.target] - passed[event.target] == 1
        elif isinstance(event, TurnSkipped) and not event.by_start_card:
            passed[event.seat] += 1
            assert passed[event.seat] <= played[event.seat]


@given(games())
def test_a_game_ends_within_its_caps(game):
    rng = random.Random(0)
    limit = game.terms.max_deals * game.terms.max_turns_per_deal * game.seats
    for _ in range(2 * limit + 2 * game.seats * game.terms.max_turns_per_deal * game.ruleset.tiebreak_max_deals):
        if (seat := game.to_move) is None:
            break
        if game.stage is Stage.DRAW:
            game.submit(seat, Draw())
        else:
            game.submit(seat, random_play(game.view(seat), game.ruleset, rng.randrange))
    result = game.result
    assert result is not None
    assert min(result.places) == 1
    assert all(place == 1 + sum(other < place for other in result.places) for place in result.places)


@given(games(), st.sampled_from(FaultKind), st.data())
def test_faults_keep_a_game_whole(game, kind, data):
    seat = Seat(data.draw(st.integers(0, game.seats - 1)))
    events = game.fault(seat, kind)
    assert list(events) == list(game.log[len(game.log) - len(events) :])
    assert all_cards(game) == sorted(full_deck())
    assert fold(game.log) == game.state
    assert check_log(game.log).state == game.state
