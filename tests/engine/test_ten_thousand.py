"""Ten thousand random games by all rules: cards are conserved, logs fold, views hide."""

import hashlib
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

from referee.engine import (
    OFFICIAL,
    PRESETS,
    Card,
    CardPoints,
    FaultKind,
    ForfeitCause,
    Game,
    PhaseLaid,
    Ruleset,
    Seat,
    SeededDecks,
    Terms,
    check_log,
    fold,
    full_deck,
)
from referee.engine.events import DealEnd, DealEnded, GameEnd
from referee.engine.ruleset import DeckExhausted, NaturalCards, SkipLimit, WinCheck
from tests.builders import all_cards
from tests.players import random_player

GAMES = 10_000
CHUNK = 250
CAUSES = [cause for cause in ForfeitCause if cause is not ForfeitCause.FAULTS]
RULES = [
    *PRESETS.values(),
    *(Ruleset(name=f"phase {phase}", phases=(phase,)) for phase in range(1, 11)),
    replace(PRESETS["sv"], name="tie", phases=(1,)),
    replace(OFFICIAL, name="free of points", phases=(1,), card_points=CardPoints(0, 0, 0, 0)),
    replace(OFFICIAL, name="end of the deck", deck_exhausted=DeckExhausted.END_DEAL, skip_limit=SkipLimit.UNLIMITED),
    replace(OFFICIAL, name="first to lay", phases=(2, 9), win_check=WinCheck.ON_LAY, wild_replaceable=True),
    replace(PRESETS["bg+free"], name="exact", phases=(1, 4, 8), lay_extra=False, natural_cards=NaturalCards.ONE_PER_MELD),
]


def play(number: int, seen: Counter[object]) -> None:
    """One game, checked on its way: rules, size and caps depend on its number, everything else on its seed."""
    rng = random.Random(number)
    rules = RULES[number % len(RULES)]
    terms = Terms(max_turns_per_deal=rng.randint(5, 40), max_deals=rng.randint(1, 3), first_dealer="seeded")
    key = hashlib.sha512(f"game {number}".encode()).digest()
    game = Game(rules, terms, 2 + number % 5, SeededDecks(key))
    policy = random_player(lambda below: int(rng.random() * below))
    deck = sorted(full_deck(rules.wilds, rules.skips))
    deals = decisions = 0
    while (seat := game.to_move) is not None:
        decisions += 1
        chance = rng.random()
        if chance < 0.01:
            one_seat_fails(game, rng)
        else:
            game.submit(seat, policy(game.view(seat), rules))
        if game.state.deal != deals or chance < 0.02:
            deals = game.state.deal
            assert all_cards(game) == deck
        if chance > 0.98:
            swap_hidden_cards(game, rng)
            seen["swaps"] += 1
    assert all_cards(game) == deck
    assert fold(game.log) == game.state
    if number % 20 == 0:
        assert check_log(game.log).result == game.result
    seen["decisions"] += decisions
    count(game, seen)


def one_seat_fails(game: Game, rng: random.Random) -> None:
    seat = Seat(rng.randrange(game.seats))
    if rng.random() < 0.2:
        game.forfeit(seat, rng.choice(CAUSES))
    else:
        game.fault(seat, rng.choice(list(FaultKind)))


def swap_hidden_cards(game: Game, rng: random.Random) -> None:
    """Two cards that a seat cannot see change places: neither its view nor the public one may change."""
    viewer = Seat(rng.randrange(game.seats))
    before = game.view(viewer), game.public_view()
    state = game.state
    hidden: list[tuple[list[Card], int]] = [(state.stock, place) for place in range(len(state.stock))]
    for seat, hand in enumerate(state.hands):
        if seat != viewer:
            hidden += [(hand, place) for place in range(len(hand))]
    if len(hidden) < 2:
        return
    saved = [list(pile) for pile in (state.stock, *state.hands)]
    (one, i), (other, j) = rng.sample(hidden, 2)
    one[i], other[j] = other[j], one[i]
    for hand in state.hands:
        hand.sort()
    forget(game)
    assert (game.view(viewer), game.public_view()) == before
    state.stock[:] = saved[0]
    for hand, cards in zip(state.hands, saved[1:], strict=True):
        hand[:] = cards
    forget(game)


def forget(game: Game) -> None:
    """Drop the views that are kept, so that they are made anew."""
    game.state.public_view = None
    for views in game.state.seat_views:
        views.clear()


def count(game: Game, seen: Counter[object]) -> None:
    result = game.result
    assert result is not None
    seen["games"] += 1
    seen[result.cause] += 1
    for event in game.log:
        seen[type(event).__name__] += 1
        if isinstance(event, PhaseLaid):
            seen[f"phase {event.phase}"] += 1
        elif isinstance(event, DealEnded):
            seen[event.cause] += 1


def chunk(first: int) -> Counter[object]:
    seen: Counter[object] = Counter()
    for number in range(first, first + CHUNK):
        play(number, seen)
    return seen


def test_ten_thousand_random_games():
    seen: Counter[object] = Counter()
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as workers:
        for part in workers.map(chunk, range(0, GAMES, CHUNK)):
            seen += part
    assert seen["games"] == GAMES
    assert seen["swaps"] > GAMES
    # Chance went everywhere: every phase was laid, every way a deal or a game can end was taken.
    assert all(seen[f"phase {phase}"] for phase in range(1, 11))
    assert all(seen[cause] for cause in GameEnd)
    assert all(seen[cause] for cause in DealEnd)
    kinds = "StockRebuilt", "CardHit", "WildTaken", "SkipPlayed", "TurnSkipped", "SeatForfeited"
    assert all(seen[kind] for kind in kinds)
