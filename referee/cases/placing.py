"""Where every card of the deck lies in a position."""

from collections.abc import Iterator

from referee.cases.dealing import left
from referee.cases.errors import CaseError
from referee.cases.notation import seat_text
from referee.cases.values import Pile, Position
from referee.engine.cards import SKIP, Card, full_deck
from referee.engine.moves import Seat
from referee.engine.ruleset import SkipZone
from referee.engine.state import State


def cards_placed(state: State, position: Position) -> None:
    """Fill hands, piles and `drawn`; players, melds and waiting Skips are there already. Raises CaseError."""
    rules = state.ruleset
    hands = [_wanted_hand(state, position, Seat(seat)) for seat in range(state.seats)]
    rest = left(full_deck(rules.wilds, rules.skips), _named(state, position, hands), "the position")
    discard = position.discard or Pile((rest.pop(0),) if rest else ())
    stock = position.stock or Pile((), rest=not discard.rest and not any(isinstance(h, Pile) and h.rest for h in hands))
    for seat, hand in enumerate(hands):
        if isinstance(hand, int):
            if hand > len(rest):
                raise CaseError(f"hands: {hand} cards for {seat_text(seat)}, but only {len(rest)} are left")
            hands[seat], rest = Pile(tuple(rest[:hand])), rest[hand:]
    piles = [*hands, discard, stock]
    wanting = [place for place, pile in enumerate(piles) if isinstance(pile, Pile) and pile.rest]
    if len(wanting) > 1:
        raise CaseError("`...` stands at one place only: in a hand, the discard pile or the stock")
    takes = wanting[0] if wanting else len(hands)  # what nobody asks for lies at the bottom of the discard pile
    full = [_filled(pile, rest if place == takes else [], first=place == len(hands)) for place, pile in enumerate(piles)]
    state.hands = [sorted(hand) for hand in full[:-2]]
    state.discard = full[-2]
    state.stock = full[-1][::-1]
    if position.plays:
        state.drawn = _drawn(state, position, full[state.to_move])


def _wanted_hand(state: State, position: Position, seat: Seat) -> Pile | int:
    hand = position.hands.at(seat)
    if hand is not None:
        return hand
    if seat not in state.players:
        return 0
    return state.ruleset.hand_size + (position.plays and seat == state.to_move)


def _named(state: State, position: Position, hands: list[Pile | int]) -> Iterator[Card]:
    """Every card that is written somewhere, and the Skips that lie before a seat."""
    for pile in (*hands, position.discard, position.stock):
        if isinstance(pile, Pile):
            yield from pile.cards
    for melds in state.melds:
        for meld in melds:
            yield from meld.cards
    if state.ruleset.skip_zone is SkipZone.IN_FRONT:
        yield from (SKIP,) * sum(state.waiting)


def _drawn(state: State, position: Position, hand: list[Card]) -> Card | None:
    if position.drawn is None:
        return hand[-1] if hand else None
    if position.drawn not in hand:
        name = seat_text(state.to_move)
        raise CaseError(f"drawn: {name} holds no {position.drawn}; the card that was drawn is one of its hand")
    return position.drawn


def _filled(pile: Pile | int, rest: list[Card], *, first: bool) -> list[Card]:
    """The cards of a pile; what is left comes at its end, or at its beginning."""
    assert isinstance(pile, Pile), "numbers were made cards before"
    return [*rest, *pile.cards] if first else [*pile.cards, *rest]
