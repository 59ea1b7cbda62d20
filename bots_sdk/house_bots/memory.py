"""What a careful player remembers of a deal: who took and threw what, and which cards can still come."""

from collections.abc import Iterable

from bots_sdk import SKIP, WILD, Card, CardDiscarded, DealOpened, DrawSeen, PublicEvent, Ruleset, Seat, StockRenewed, View


class DealMemory:
    """Fed with the events of one game; every deal starts it afresh.

    `taken` and `thrown` hold, by seat, the cards that were taken from the discard pile and thrown onto it.
    """

    def __init__(self, seats: int) -> None:
        self.taken: list[list[Card]] = [[] for _ in range(seats)]
        self.thrown: list[list[Card]] = [[] for _ in range(seats)]
        self._pile: list[Card] = []

    def see(self, events: Iterable[PublicEvent]) -> None:
        for event in events:
            match event:
                case DealOpened(start_card=card):
                    for cards in (*self.taken, *self.thrown, self._pile):
                        cards.clear()
                    if card is not None:
                        self._pile.append(card)
                case DrawSeen(seat, card) if card is not None and self._pile and self._pile[-1] == card:
                    self._pile.pop()
                    self.taken[seat].append(card)
                case CardDiscarded(seat, card):
                    self._pile.append(card)
                    self.thrown[seat].append(card)
                case StockRenewed():
                    del self._pile[:-1]
                case _:
                    pass

    def unseen(self, view: View, ruleset: Ruleset) -> list[int]:
        """By kind, how many copies are neither in the own hand nor open on the table: in the draw pile or other hands."""
        left = [2] * (WILD + 2)
        left[WILD], left[SKIP] = ruleset.wilds, ruleset.skips
        melds = [meld.cards for seat in view.table.seats for meld in seat.melds]
        for cards in (view.hand, self._pile, *melds):
            for card in cards:
                left[card] -= 1
        return [max(0, count) for count in left]


def next_to_play(view: View) -> Seat:
    """The seat that will see our discard: the next one that is not about to be passed over."""
    seats = view.table.seats
    order = [Seat((view.seat + step) % len(seats)) for step in range(1, len(seats))]
    return next((seat for seat in order if not seats[seat].skip_pending), order[0])
