"""Decks that are known beforehand, and a game that begins with one."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from referee.cases.errors import CaseError
from referee.cases.values import Deal, Opening
from referee.engine.cards import Card, format_cards
from referee.engine.game import Game
from referee.engine.presets import check_ruleset
from referee.engine.ruleset import Ruleset, SeatDealer, Terms
from referee.engine.shuffle import DeckSource, SeededDecks


class CaseDecks:
    """Decks by shuffle number: `deals` are those from `first_deal` on.

    `reshuffles` are those of the deal before, of which `reshuffled` were already done when the case begins. What is
    described nowhere comes from `others`, or in the order of the deck. Raises CaseError for cards that are not there.
    """

    def __init__(  # noqa: PLR0913, PLR0917  all that is known of decks to come
        self,
        seats: int,
        hand_size: int,
        deals: Sequence[Deal] = (),
        first_deal: int = 0,
        reshuffles: Sequence[tuple[Card, ...]] = (),
        reshuffled: int = 0,
        others: DeckSource | None = None,
    ) -> None:
        self._seats = seats
        self._hand_size = hand_size
        self._first_deal = first_deal
        self._others = others
        self._deals = dict(enumerate(deals, first_deal))
        self._reshuffles = {(first_deal - 1, reshuffled + count): cards for count, cards in enumerate(reshuffles, 1)}
        for number, deal in self._deals.items():
            self._reshuffles |= {(number, count): cards for count, cards in enumerate(deal.reshuffles, 1)}

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        deal, reshuffle = number >> 16, number & 0xFFFF
        if reshuffle:
            top = self._reshuffles.get((deal, reshuffle))
            if top is not None:
                return (*top, *left(cards, top, f"reshuffle {reshuffle} of deal {deal}"))
        elif deal in self._deals:
            return deck_order(self._deals[deal], self._seats, self._hand_size, cards)
        return cards if self._others is None else self._others(number, cards)

    def first_dealer(self, seats: int) -> int:
        return 0 if self._others is None else self._others.first_dealer(seats)


def left(cards: Iterable[Card], used: Iterable[Card], what: str) -> list[Card]:
    """The cards that are not used, ascending. Raises CaseError if some are used that are not there."""
    rest = Counter(cards)
    rest.subtract(Counter(used))
    missing = sorted(card for card, count in rest.items() if count < 0)
    if missing:
        raise CaseError(f"{what}: more copies of {format_cards(missing)} than there are")
    return sorted(rest.elements())


def deck_order(deal: Deal, seats: int, hand_size: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The deck, top first, that deals what is described. `cards` is the whole deck. Raises CaseError."""
    if deal.deck is not None:
        if rest := left(cards, deal.deck, "deck"):
            raise CaseError(f"deck: {format_cards(rest)} are missing; a deck names all its {len(cards)} cards")
        return deal.deck
    players = deal.players or seats
    hands = [list(hand) for hand in deal.hands] + [[] for _ in range(players - len(deal.hands))]
    if len(hands) > players or any(len(hand) > hand_size for hand in hands):
        raise CaseError(f"hands: a deal has {players} hands of {hand_size} cards at most")
    named = [card for hand in hands for card in hand] + [*deal.start, *deal.stock]
    rest = left(cards, named, "the deal")
    if len(rest) < (not deal.start) + sum(hand_size - len(hand) for hand in hands):
        raise CaseError("the deal: not enough cards are left for all hands; name fewer of the stock")
    for hand in hands:
        short = hand_size - len(hand)
        hand.extend(rest[:short])
        del rest[:short]
    dealt = [card for row in zip(*hands, strict=True) for card in row]
    start = deal.start or rest[:1]
    return (*dealt, *start, *deal.stock, *(rest if deal.start else rest[1:]))


def begin(
    opening: Opening,
    later: Sequence[Deal],
    reshuffles: Sequence[tuple[Card, ...]],
    ruleset: Ruleset,
    terms: Terms,
) -> Game:
    """A game that begins as described. Raises CaseError, or UnsupportedRules for what cannot be played."""
    seats = max(opening.hands.highest, 2) if opening.seats is None else opening.seats
    if opening.dealer is not None:
        terms = replace(terms, first_dealer=SeatDealer(opening.dealer))
    check_ruleset(ruleset, terms, seats)
    seeded = None if opening.seed is None else SeededDecks(hashlib.sha512(opening.seed.encode()).digest())
    first: tuple[Deal, ...] = ()
    if seeded is None:
        first = (replace(_first_deal(opening, seats, terms), reshuffles=tuple(reshuffles)),)
    elif later or reshuffles:
        raise CaseError("with a seed all deals come from it: leave out next_deal and reshuffles")
    return Game(ruleset, terms, seats, CaseDecks(seats, ruleset.hand_size, (*first, *later), others=seeded))


def _first_deal(opening: Opening, seats: int, terms: Terms) -> Deal:
    if opening.hands.highest > seats:
        raise CaseError(f"hands: there are {seats} seats; say seats = {opening.hands.highest}")
    dealer = terms.first_dealer.seat if isinstance(terms.first_dealer, SeatDealer) else seats - 1
    if terms.first_dealer == "seeded":
        dealer = 0
    order = [(dealer + 1 + place) % seats for place in range(seats)]
    hands = tuple(opening.hands.at(seat) or () for seat in order)
    return Deal(hands, opening.start, opening.stock, opening.deck)
