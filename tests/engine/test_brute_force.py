"""What `legal` offers is all there is: every move tried against the rules, step by step.

Hits, discards, targets and draws are offered exactly. Of lays, those are that no other betters: for any that the rules
accept there is one on offer that is at least as good, by the four points of `referee.engine.lays`.
"""

import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.engine import (
    OFFICIAL,
    PHASES,
    SKIP,
    Card,
    Game,
    GoalKind,
    IllegalMove,
    Meld,
    Play,
    Ruleset,
    Seat,
    Stage,
    TableMeld,
    Turn,
    Way,
    draws,
    parse_cards,
)
from referee.engine.melds import lay
from referee.engine.ruleset import Advance
from tests.builders import game_at
from tests.engine.brute import (
    Finish,
    Laid,
    accepted_draws,
    accepted_finishes,
    accepted_hits,
    accepted_lays,
    as_good,
    candidates,
)
from tests.engine.test_lays import near
from tests.strategies import games, rulesets


def step_by_step(game: Game, rng: random.Random) -> None:
    """One turn of the seat to move; what is offered before each step is what the rules accept."""
    seat = game.to_move
    assert seat is not None
    turn = Turn(game.view(seat), game.ruleset)
    ways = turn.lays()
    if ways and rng.random() < 0.8:
        turn.lay(rng.choice(ways))
    while not turn.over:
        play = turn.end()
        assert set(turn.hits()) == accepted_hits(game, play)
        assert offered_finishes(turn) == accepted_finishes(game, play)
        if not turn.hits() or rng.random() < 0.2:
            break
        turn.hit(rng.choice(turn.hits()))
    assert turn.over <= ((None, None) in accepted_finishes(game, turn.end()))


def offered_finishes(turn: Turn) -> set[Finish]:
    targets = turn.targets() or (None,)
    return {(card, target) for card in turn.discards() for target in (targets if card == SKIP else (None,))}


@settings(max_examples=60)
@given(games(), st.integers(0, 2**32))
def test_hits_discards_and_targets_are_those_that_the_rules_accept(game, seed):
    rng = random.Random(seed)
    for _ in range(4):
        seat = game.to_move
        if seat is None:
            return
        if game.stage is Stage.DRAW:
            options = draws(game.view(seat), game.ruleset)
            assert list(options) == accepted_draws(game)
            game.submit(seat, rng.choice(options))
        else:
            step_by_step(game, rng)
            game.submit(seat, Play(discard=max(game.state.hands[seat]), skip_target=target(game)))


def target(game: Game) -> Seat | None:
    assert game.to_move is not None
    hand = game.state.hands[game.to_move]
    targets = game.state.skip_targets()
    return targets[0] if targets and max(hand) == SKIP and len(hand) > 1 else None


def made(rng: random.Random, rules: Ruleset) -> Game:
    """A position of two seats in which the first has drawn and is close to a phase that it may lay."""
    phase = rng.choice(rules.phases)
    hand = near(rng, phase)
    if rng.random() < 0.2:
        hand = (*hand, SKIP)
    text = " ".join(map(str, hand))
    game = game_at(text, "R1", ruleset=rules, phases=[phase, rules.phases[0]], drew=str(hand[0]), discard="R2", stock="G1")
    if rules.advance is Advance.FREE_CHOICE:
        done = tuple(number for number in rules.phases if rng.random() < 0.3)
        game.state.done[0], game.state.completed[0] = done, len(done)
    elif rules.advance is Advance.EVERY_DEAL:
        game.state.deal = game.state.completed[0]
    return game


@settings(max_examples=80)
@given(rulesets, st.integers(0, 2**32))
def test_for_every_lay_that_the_rules_accept_one_is_offered_that_is_as_good(rules, seed):
    game = made(random.Random(seed), rules)
    hand = tuple(game.state.hands[0])
    turn = Turn(game.view(Seat(0)), rules)
    offered = {phase: [on_table(way, hand, rules) for way in turn.lays(phase)] for phase in PHASES}
    accepted = accepted_lays(game)
    assert {phase for phase, ways in offered.items() if ways} == {phase for phase, _ in accepted}
    for phase, melds in accepted:
        rest = list(hand)
        laid = lay(melds, phase, rest, rules), tuple(rest)
        assert any(as_good(way, laid, rules) for way in offered[phase]), (phase, laid)
    for way in turn.lays():
        fresh = Turn(game.view(Seat(0)), rules)
        fresh.lay(way)
    step_by_step(game, random.Random(seed))


def on_table(way: Way, hand: tuple[Card, ...], rules: Ruleset) -> Laid:
    return lay(way.melds, way.phase, list(hand), rules), way.leftover


@pytest.mark.parametrize(
    ("phase", "hand"),
    [
        (1, "R7 B7 R9 B9 W W"),
        (1, "R7 R7 B7 G7 W W"),
        (4, "R2 B3 W G5 R6 W R8"),
        (4, "R6 B7 R8 W W W W"),
        (8, "R2 R3 R3 R6 R8 W W"),
        (9, "R2 B2 G2 R4 W W W"),
    ],
)
def test_the_candidates_are_all_that_can_be_laid(phase, hand):
    """Every choice of cards in every order, with everything that it might be said to stand for."""
    cards = tuple(sorted(parse_cards(hand)))
    goals = PHASES[phase]
    expected = every_accepted(cards, phase, product(*(candidates(cards, goal) for goal in goals)))
    assert expected
    meanings = list(product((None, *range(-1, 14)), repeat=len(goals)))
    wishes = (
        tuple(Meld(part, meaning) for part, meaning in zip(parts, said, strict=True))
        for parts in arranged(cards, len(goals))
        for said in meanings
    )
    assert every_accepted(cards, phase, wishes) == expected


def arranged(cards: tuple[Card, ...], melds: int) -> set[tuple[tuple[Card, ...], ...]]:
    """One meld in every order of any of the cards, or the cards shared out between two in any way (sets have no order)."""
    if melds == 1:
        return {(part,) for size in range(len(cards) + 1) for part in permutations(cards, size)}
    shares = product(range(3), repeat=len(cards))
    return {
        tuple(tuple(card for card, place in zip(cards, share, strict=True) if place == meld) for meld in (1, 2))
        for share in shares
    }


def every_accepted(cards: tuple[Card, ...], phase: int, wishes: Iterable[tuple[Meld, ...]]) -> set[tuple[TableMeld, ...]]:
    """What lies on the table after each of these lays that is accepted; sets in ascending order, melds too."""
    found = set()
    for melds in wishes:
        try:
            laid = lay(melds, phase, list(cards), OFFICIAL)
        except IllegalMove:
            continue
        plain = [meld if meld.kind is GoalKind.RUN else replace(meld, cards=tuple(sorted(meld.cards))) for meld in laid]
        found.add(tuple(sorted(plain, key=str)))
    return found
