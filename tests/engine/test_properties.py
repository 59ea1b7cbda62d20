"""What holds in every game, whatever the rules and the cards and whoever plays."""

import random
from collections import Counter
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.engine import (
    PRESETS,
    Card,
    DealEnded,
    DealStarted,
    Draw,
    End,
    FaultKind,
    Game,
    GameEnd,
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
    Terms,
    TurnSkipped,
    UnsupportedRules,
    check_log,
    draws,
    fold,
    full_deck,
    skip_targets,
)
from referee.engine.decide import decide
from referee.engine.ruleset import Advance, ScoreTie, SkipLimit, SkipTarget
from tests.builders import all_cards
from tests.engine.recount import Recount
from tests.players import random_play
from tests.strategies import cards, finished_games, games

some_seats = st.integers(-1, 6).map(Seat)
some_melds = st.builds(Meld, st.lists(cards, max_size=8).map(tuple), st.none() | st.integers(-1, 13))
some_hits = st.builds(Hit, some_seats, st.integers(-1, 3), cards, st.none() | st.sampled_from(End), st.booleans())
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


def deck(game: Game) -> list[Card]:
    return sorted(full_deck(game.ruleset.wilds, game.ruleset.skips))


@pytest.mark.parametrize("name", PRESETS)
def test_two_to_six_play_by_every_published_rule_set(name):
    for seats in range(2, 7):
        assert Game(PRESETS[name], Terms(), seats, SeededDecks(bytes(64))).seats == seats
    for seats in (1, 7):
        with pytest.raises(UnsupportedRules):
            Game(PRESETS[name], Terms(), seats, SeededDecks(bytes(64)))


@given(games())
def test_no_card_is_lost_or_made(game):
    assert all_cards(game) == deck(game)


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
        # While one Skip at a time may wait for a seat, or one be played against it in a lap, there is always another seat.
        limits = SkipLimit.ONE_PENDING, SkipLimit.ONE_PER_LAP, SkipLimit.UNLIMITED
        if game.ruleset.skip_target is SkipTarget.CHOSEN and game.ruleset.skip_limit in limits:
            assert targets


@given(games())
def test_at_the_start_of_a_turn_hands_and_melds_hold_what_was_dealt(game):
    state = game.state
    if game.stage is Stage.DRAW:
        held = sum(map(len, state.hands)) + sum(len(meld.cards) for melds in state.melds for meld in melds)
        assert held == len(state.players) * game.ruleset.hand_size


@given(games())
def test_hands_points_and_phases_are_those_counted_again(game):
    count = Recount.of(game.log)
    state = game.state
    if state.deal_end is None:  # hands are put away when a deal is over
        assert [sorted(hand) for hand in count.hands] == state.hands
    assert count.totals == state.totals
    laid = [seat for seat in count.laid if count.deal is not None and not count.deal.tie_break and state.deal_end is None]
    credited = [len(done) + (seat in laid) for seat, done in enumerate(count.done)]
    if game.ruleset.advance is Advance.EVERY_DEAL:
        credited = [len(done) for done in count.done]
    assert credited == state.completed
    for event in game.log:
        if isinstance(event, DealEnded):
            assert min(event.penalties) >= 0


@given(finished_games())
def test_the_winner_is_the_one_counted_again(game):
    result = game.result
    assert result is not None
    count = Recount.of(game.log)
    assert count.over is not None
    assert result.places == count.over.places == count.places()
    assert list(result.totals) == count.totals
    assert list(result.completed) == list(map(len, count.done))
    leaders = count.leaders()
    winners = {seat for seat, place in enumerate(result.places) if place == 1}
    if not leaders:
        assert result.cause is GameEnd.DEAL_CAP
    elif len(leaders) == 1 or game.ruleset.score_tie is ScoreTie.SHARED:
        assert (result.cause, winners) == (GameEnd.PHASES_DONE, set(leaders))
    else:
        assert result.cause is GameEnd.TIE_BREAK
        assert winners <= set(leaders)


@given(games())
def test_phases_are_done_in_the_order_of_the_rules(game):
    done: list[list[int]] = [[] for _ in range(game.seats)]
    deal = None
    for event in game.log:
        if isinstance(event, DealStarted):
            deal = event
        elif isinstance(event, PhaseLaid):
            assert deal is not None
            phases, mine = game.ruleset.phases, done[event.seat]
            if deal.tie_break:
                assert event.phase == phases[-1]
                continue
            if game.ruleset.advance is Advance.FREE_CHOICE:
                assert event.phase in set(phases).difference(mine)
            else:
                assert event.phase == phases[deal.deal if game.ruleset.advance is Advance.EVERY_DEAL else len(mine)]
            mine.append(event.phase)
        elif isinstance(event, DealEnded) and game.ruleset.advance is not Advance.EVERY_DEAL:
            done = [mine[:count] for mine, count in zip(done, event.completed, strict=True)]


@given(games())
def test_each_skip_passes_one_slot(game):
    """Per deal, no seat is passed over more often than Skips were played against it; mostly one at a time waits."""
    played: Counter[Seat] = Counter()
    passed: Counter[Seat] = Counter()
    for event in game.log:
        if isinstance(event, DealStarted):
            played, passed = Counter(), Counter()
        elif isinstance(event, SkipPlayed):
            played[event.target] += 1
            waiting = played[event.target] - passed[event.target]
            assert waiting == 1 or game.ruleset.skip_limit is SkipLimit.UNLIMITED
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
    assert all_cards(game) == deck(game)
    assert fold(game.log) == game.state
    assert check_log(game.log).state == game.state
