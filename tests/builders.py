"""Positions in card notation: rigged decks, games that stand where a test wants them, melds and moves from text."""

from collections import Counter
from collections.abc import Mapping, Sequence

from referee.engine import (
    OFFICIAL,
    Card,
    Game,
    Meld,
    Ruleset,
    Seat,
    TableMeld,
    Terms,
    full_deck,
    parse_cards,
)
from referee.engine.ruleset import GoalKind, SkipZone
from referee.engine.state import State

_KINDS = {"set": GoalKind.SET, "run": GoalKind.RUN, "color": GoalKind.COLOR}
_DECK = full_deck()


class FixedDecks:
    """Decks in the order given, one per deal; when they run out, and for reshuffles, the cards come in ascending order."""

    def __init__(self, *decks: tuple[Card, ...], first_dealer: int = 0) -> None:
        self._decks = decks
        self._first_dealer = first_dealer

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        deal, reshuffle = number >> 16, number & 0xFFFF
        return self._decks[deal] if not reshuffle and deal < len(self._decks) else cards

    def first_dealer(self, seats: int) -> int:
        return self._first_dealer % seats


def rigged(hands: Sequence[str], start: str, stock: str = "") -> tuple[Card, ...]:
    """A deck, top first, that deals these ten-card hands (the first one to the dealer's left), turns up the cards of `start`
    one after the other, and then has the cards of `stock` on top. The rest of the deck follows in ascending order."""
    parsed = [parse_cards(hand) for hand in hands]
    dealt = [card for row in zip(*parsed, strict=True) for card in row]
    top = [*dealt, *parse_cards(start), *parse_cards(stock)]
    return (*top, *_rest(top))


def _rest(used: Sequence[Card]) -> list[Card]:
    """The cards of the deck that are not in `used`, ascending."""
    left = Counter(_DECK)
    left.subtract(Counter(used))
    over = [str(card) for card, count in left.items() if count < 0]
    assert not over, f"more copies than the deck has: {over}"
    return sorted(left.elements())


def melds(text: str) -> tuple[Meld, ...]:
    """Melds as a Play lists them, separated by `/`; `=n` at the end of one says what it stands for: `R7 B7 W / W W =3`."""
    found = []
    for part in text.split("/"):
        words, _, meaning = part.partition("=")
        found.append(Meld(parse_cards(words), int(meaning) if meaning else None))
    return tuple(found)


def on_table(text: str) -> tuple[TableMeld, ...]:
    """Melds on the table, separated by `/`: kind, value, colon, cards, as in `set 7: R7 B7 G7 / run 3: R3 W R5 R6`."""
    found = []
    for part in text.split("/") if text else ():
        head, _, cards = part.partition(":")
        kind, value = head.split()
        found.append(TableMeld(_KINDS[kind], parse_cards(cards), int(value)))
    return tuple(found)


def game_at(
    *hands: str,
    table: Mapping[int, str] | None = None,
    phases: Sequence[int] | None = None,
    to_move: int = 0,
    drew: str = "",
    discard: str = "R1",
    stock: str | None = None,
    waiting: Sequence[int] = (),
    totals: Sequence[int] | None = None,
    dealer: int | None = None,
    tie_break: bool = False,
    players: Sequence[int] | None = None,
    ruleset: Ruleset = OFFICIAL,
    terms: Terms | None = None,
) -> Game:
    """A game in the middle of a deal. Its log does not tell how it got there, so it cannot be folded, only played on.

    `hands` by seat; `drew` is the card that the seat to move drew this turn (already in its hand) or nothing if it has
    yet to draw; `table` holds the melds of the seats that have laid, in the notation of `on_table`; `phases` the phase each
    seat works on or has laid; `waiting` the seats a Skip waits for (its card lies before them). `stock` and `discard` are
    listed bottom to top; without `stock` all cards that are nowhere else are in it.
    """
    seats = len(hands)
    table = table or {}
    phases = phases or [1] * seats
    game = Game(ruleset, terms or Terms(max_turns_per_deal=None), seats, FixedDecks())
    state = game.state
    state.hands = [sorted(parse_cards(hand)) for hand in hands]
    state.melds = [on_table(table.get(seat, "")) for seat in range(seats)]
    state.laid = [phases[seat] if seat in table else 0 for seat in range(seats)]
    state.waiting = [waiting.count(seat) for seat in range(seats)]
    state.discard = list(parse_cards(discard))
    state.stock = []
    state.stock = list(parse_cards(stock)) if stock is not None else _rest(all_cards(game))
    state.players = tuple(Seat(seat) for seat in players or range(seats))
    state.completed = [
        len(ruleset.phases)
        if tie_break and seat in state.players
        else ruleset.phases.index(phases[seat]) + (seat in table and not tie_break)
        for seat in range(seats)
    ]
    state.done = [ruleset.phases[:done] for done in state.completed]
    state.totals = list(totals or [0] * seats)
    state.tie_break, state.tie_breaks = tie_break, int(tie_break)
    _set_turn(state, to_move, drew, (to_move - 1) % seats if dealer is None else dealer)
    return game


def _set_turn(state: State, to_move: int, drew: str, dealer: int) -> None:
    state.to_move, state.dealer = Seat(to_move), Seat(dealer)
    state.drawn = parse_cards(drew)[0] if drew else None
    state.start_skip = False
    for place, seat in enumerate(state.players):
        state.next_player[seat] = state.players[(place + 1) % len(state.players)]
    state.public_view = None
    for views in state.seat_views:
        views.clear()


def all_cards(game: Game) -> list[Card]:
    """Every card of a game, wherever it lies, ascending: hands, piles, melds and Skips that lie before a seat."""
    state = game.state
    found = [card for hand in state.hands for card in hand] + state.stock + state.discard
    found += [card for melds_ in state.melds for meld in melds_ for card in meld.cards]
    in_front = sum(state.waiting) if game.ruleset.skip_zone is SkipZone.IN_FRONT else 0
    return sorted(found + list(parse_cards("S")) * in_front)
