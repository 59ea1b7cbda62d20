"""What a careful player remembers of a deal: who took and threw what, and which cards can still come."""

from collections.abc import Iterable

from bots_sdk import (
    SKIP,
    WILD,
    Card,
    CardDiscarded,
    DealOpened,
    DrawSeen,
    PublicEvent,
    Ruleset,
    Seat,
    StockRenewed,
    TurnSkipped,
    View,
)


class DealMemory:
    """Fed with the events of one game; every deal starts it afresh.

    `taken` and `thrown` hold, by seat, the cards that were taken from the discard pile and thrown onto it.
    """

    def __init__(self, seats: int) -> None:
        self.taken: list[list[Card]] = [[] for _ in range(seats)]
        self.thrown: list[list[Card]] = [[] for _ in range(seats)]
        self._pile: list[Card] = []

    def forget(self) -> None:
        """Believe nothing of this deal any more. What comes later is remembered."""
        for cards in (*self.taken, *self.thrown, self._pile):
            cards.clear()

    def see(self, events: Iterable[PublicEvent]) -> None:
        for event in events:
            match event:
                case DealOpened(start_card=card):
                    self.forget()
                    if card is not None:
                        self._pile.append(card)
                case DrawSeen(seat, card) if card is not None:
                    del self._pile[-1:]  # empty if the card was thrown before something was forgotten
                    self.taken[seat].append(card)
                case CardDiscarded(seat, card):
                    self._pile.append(card)
                    self.thrown[seat].append(card)
                case TurnSkipped(by_start_card=False):
                    self._pile.append(SKIP)  # until now it lay before the seat
                case StockRenewed():
                    del self._pile[:-1]
                case _:
                    pass

    def unseen(self, view: View, ruleset: Ruleset) -> list[int]:
        """By kind, how many copies are neither in the own hand nor open on the table: in the draw pile or other hands.

        After `forget` some of them may lie further down in the discard pile.
        """
        left = [2] * (WILD + 2)
        left[WILD], left[SKIP] = ruleset.wilds, ruleset.skips - sum(seat.skip_pending for seat in view.table.seats)
        melds = [meld.cards for seat in view.table.seats for meld in seat.melds]
        top = view.table.discard_top
        pile = self._pile or ([] if top is None else [top])
        for cards in (view.hand, pile, *melds):
            for card in cards:
                left[card] -= 1
        return [max(0, count) for count in left]


def next_to_play(view: View) -> Seat:
    """The seat that will see our discard: the next one that is not about to be passed over."""
    seats = view.table.seats
    order = [Seat((view.seat + step) % len(seats)) for step in range(1, len(seats))]
    return next((seat for seat in order if not seats[seat].skip_pending), order[0])
