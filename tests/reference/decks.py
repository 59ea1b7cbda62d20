"""Decks for comparisons: fair ones, and kind ones that deal near phases, so that deals end soon and games get far."""

import random
from typing import Any

from referee.engine import CARDS, WILD, Card
from tests.reference.cards import COLOURS, NUMBER, PHASES
from tests.reference.table import Table

_NUMBERS = [NUMBER.get(str(card), 0) for card in CARDS]


class Decks:
    """A deck source for the engine. `kindness` is the chance that a seat is dealt cards for its phase.

    Kind decks look at `table`, so an order once given is kept: the same question always has the same answer.
    """

    def __init__(self, rng: random.Random, kindness: float) -> None:
        self.table: Table | None = None
        self._rng = rng
        self._kindness = kindness
        self._given: dict[Any, tuple[Card, ...]] = {}

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        question = number, cards
        if question not in self._given:
            chance = self._rng.random
            order = sorted(cards, key=lambda _: chance())
            if self._kindness and self.table and not number & 0xFFFF:
                order = self._kind(order, self.table)
            self._given[question] = tuple(order)
        return self._given[question]

    def first_dealer(self, seats: int) -> int:
        return seats // 2

    def _kind(self, order: list[Card], table: Table) -> list[Card]:
        phases, size = table.options["phases"], table.options["hand_size"]
        hands = []
        seat = table.dealer
        for _ in table.players:
            seat = table.after(seat)
            hand: list[Card] = []
            if self._rng.random() < self._kindness:
                done = table.done[seat]
                open_phases = [phase for phase in phases if phase not in done] or phases
                self._fill(hand, open_phases[0], order)
            hands.append(hand[:size])
            order += hand[size:]
        rest = iter(order)
        for hand in hands:
            hand += [next(rest) for _ in range(size - len(hand))]
        return [card for row in zip(*hands, strict=True) for card in row] + list(rest)

    def _fill(self, hand: list[Card], phase: int, order: list[Card]) -> None:
        """Move cards for a phase from `order` to `hand`, with a Wild here and there and a card missing now and then."""
        chance = self._rng.random
        wildness = (0.1, 0.1, 0.3, 1)[int(chance() * 4)]
        for kind, size in PHASES[phase]:
            first = int(chance() * (13 - size if kind == "run" else 12)) + 1
            colour = COLOURS[int(chance() * 4)]
            for place in range(size + (chance() < 0.3)):
                wanted = first + place if kind == "run" else first
                found = -1
                if chance() >= wildness:
                    found = next((at for at, card in enumerate(order) if _fits(card, kind, wanted, colour)), -1)
                if found < 0 and WILD in order:
                    found = order.index(WILD)
                if found >= 0 and chance() < 0.97:
                    hand.append(order.pop(found))


def _fits(card: Card, kind: str, wanted: int, colour: str) -> bool:
    return str(card)[0] == colour if kind == "color" else _NUMBERS[card] == wanted
