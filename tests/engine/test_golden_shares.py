"""How often a dealt hand can lay each phase at once, against a public Monte Carlo of half a trillion hands."""

import random
from dataclasses import replace

import pytest

from referee.engine import OFFICIAL, PHASES, full_deck, plan
from referee.engine.ruleset import NaturalCards

# Shares in percent for phases 1 to 10, by jrizxos; a number card in each meld.
PUBLISHED = (18.28, 29.81, 5.34, 15.57, 6.49, 1.99, 0.332, 2.77, 3.11, 0.352)
RULES = replace(OFFICIAL, natural_cards=NaturalCards.ONE_PER_MELD)
HANDS = 200_000
SEED = 10


@pytest.fixture(scope="module")
def laid_at_once() -> list[int]:
    """Of so many hands, how many could lay each phase."""
    rng = random.Random(SEED)
    deck = full_deck()
    found = [0] * len(PHASES)
    for _ in range(HANDS):
        hand = tuple(sorted(rng.sample(deck, 10)))
        for phase in PHASES:
            if not plan(hand, phase, RULES).distance:
                found[phase - 1] += 1
    return found


@pytest.mark.parametrize("phase", PHASES)
def test_the_share_of_hands_that_can_lay_a_phase_at_once(laid_at_once, phase):
    share = PUBLISHED[phase - 1] / 100
    deviation = (HANDS * share * (1 - share)) ** 0.5
    assert abs(laid_at_once[phase - 1] - HANDS * share) < 3 * deviation
