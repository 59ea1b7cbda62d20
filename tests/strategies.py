"""What hypothesis draws from: cards, hands, keys, and games played to some point by random players."""

import hashlib
import random

from hypothesis import strategies as st

from referee.engine import CARDS, OFFICIAL, Card, Game, Ruleset, SeededDecks, Terms, full_deck
from tests.players import random_player

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

# Short games: few phases, so that ends, ties and new deals come soon.
SHORT = Ruleset(name="short", phases=(1, 4))


@st.composite
def games(draw: st.DrawFn, rules: Ruleset | None = None, most: int = 400) -> Game:
    """A game of two to six seats, played up to `most` decisions by random players (it may be over)."""
    ruleset = rules or draw(st.sampled_from([OFFICIAL, SHORT]))
    seats = draw(st.integers(2, 6))
    game = Game(ruleset, Terms(max_turns_per_deal=30, max_deals=6), seats, SeededDecks(draw(keys)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    policy = random_player(rng.randrange)
    for _ in range(draw(st.integers(0, most))):
        if (seat := game.to_move) is None:
            break
        game.submit(seat, policy(game.view(seat), ruleset))
    return game
