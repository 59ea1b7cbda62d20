"""What hypothesis draws from: cards, hands, rules, keys, and games played to some point by random players."""

import hashlib
import random

from hypothesis import strategies as st

from referee.engine import (
    CARDS,
    PHASES,
    PRESETS,
    Card,
    CardPoints,
    Game,
    Ruleset,
    SeededDecks,
    Terms,
    UnsupportedRules,
    check_ruleset,
    full_deck,
)
from referee.engine.ruleset import (
    Advance,
    DealerRotation,
    DeckExhausted,
    GoingOut,
    HitOnLayTurn,
    InitialSkip,
    InitialSkipDeals,
    InitialWild,
    NaturalCards,
    ScoreTie,
    SkipLimit,
    SkipTarget,
    SkipZone,
    WinCheck,
)
from tests.players import Policy, play_out, random_player

cards = st.sampled_from(CARDS)


def hands(low: int = 1, high: int = 11) -> st.SearchStrategy[tuple[Card, ...]]:
    """Hands that one deck can give, in ascending order."""
    return st.permutations(full_deck()).flatmap(
        lambda deck: st.integers(low, high).map(lambda size: tuple(sorted(deck[:size])))
    )


def wild_hands() -> st.SearchStrategy[tuple[Card, ...]]:
    """Hands of few numbers and many Wilds, where phases are near."""
    near = [card for card in full_deck() if card >= 48 or card % 12 in {2, 3, 4, 8}]
    return st.permutations(near).flatmap(lambda deck: st.integers(6, 12).map(lambda size: tuple(sorted(deck[:size]))))


keys = st.binary(min_size=8, max_size=8).map(lambda seed: hashlib.sha512(seed).digest())

#: Rules that nobody published: any options together. Few phases, so that ends, ties and new deals come soon.
mixed_rules = st.builds(
    Ruleset,
    name=st.just("mixed"),
    wilds=st.sampled_from([0, 2, 8, 16]),
    skips=st.sampled_from([0, 4, 8]),
    hand_size=st.integers(7, 13),
    phases=st.lists(st.sampled_from(sorted(PHASES)), min_size=1, max_size=3, unique=True).map(tuple),
    dealer_rotation=st.sampled_from(DealerRotation),
    initial_skip=st.sampled_from(InitialSkip),
    initial_skip_deals=st.sampled_from(InitialSkipDeals),
    initial_wild=st.sampled_from(InitialWild),
    take_skip_from_discard=st.booleans(),
    deck_exhausted=st.sampled_from(DeckExhausted),
    advance=st.sampled_from(Advance),
    natural_cards=st.sampled_from(NaturalCards),
    lay_extra=st.booleans(),
    same_number_sets=st.booleans(),
    wild_replaceable=st.booleans(),
    hit_on_lay_turn=st.sampled_from(HitOnLayTurn),
    going_out=st.sampled_from(GoingOut),
    skip_target=st.sampled_from(SkipTarget),
    skip_limit=st.sampled_from(SkipLimit),
    skip_zone=st.sampled_from(SkipZone),
    card_points=st.sampled_from([CardPoints(), CardPoints(1, 1, 1, 1), CardPoints(0, 0, 0, 0)]),
    win_check=st.sampled_from(WinCheck),
    score_tie=st.sampled_from(ScoreTie),
    tiebreak_max_deals=st.integers(1, 3),
)


def makes_sense(ruleset: Ruleset) -> bool:
    """Whether the options do not contradict each other."""
    try:
        check_ruleset(ruleset, Terms(), ruleset.players_min)
    except UnsupportedRules:
        return False
    return True


published_rules = st.sampled_from(sorted(PRESETS)).map(PRESETS.__getitem__)
rulesets = published_rules | mixed_rules.filter(makes_sense)


@st.composite
def games(draw: st.DrawFn, rules: st.SearchStrategy[Ruleset] = rulesets, most: int = 400) -> Game:
    """A game of two to six seats, played up to `most` decisions by random players (it may be over)."""
    game, policy = draw(new_games(rules))
    # Of a wide range, small numbers would be drawn far more often than others.
    for _ in range(most * draw(st.integers(0, 100)) // 100):
        if (seat := game.to_move) is None:
            break
        game.submit(seat, policy(game.view(seat), game.ruleset))
    return game


@st.composite
def finished_games(draw: st.DrawFn, rules: st.SearchStrategy[Ruleset] = rulesets) -> Game:
    """A game of two to six seats, played to its end by random players."""
    game, policy = draw(new_games(rules))
    play_out(game, policy)
    return game


@st.composite
def new_games(draw: st.DrawFn, rules: st.SearchStrategy[Ruleset]) -> tuple[Game, Policy]:
    """A game that has just been dealt, and a random player for all its seats."""
    terms = Terms(max_turns_per_deal=30, max_deals=6)
    game = Game(draw(rules), terms, draw(st.integers(2, 6)), SeededDecks(draw(keys)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    return game, random_player(rng.randrange)
