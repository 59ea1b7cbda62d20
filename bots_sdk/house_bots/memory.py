"""What a careful player remembers of a deal: who took and threw what, and which cards can still come."""

from collections.abc import Iterable

from bots_sdk import (
    SKIP,
    WILD,
    Card,
    CardDiscarded,
    DealOpened,
    DrawSeen,
    InitialSkip,
    InitialWild,
    PublicEvent,
    Ruleset,
    Seat,
    SkipPlayed,
    SkipZone,
    StockRenewed,
    TurnSkipped,
    View,
)


class DealMemory:
    """Fed with the events of one game; every deal starts it afresh.

    `taken` and `thrown` hold, by seat, the cards that were taken from the discard pile and thrown onto it.
    """

    def __init__(self, seats: int, ruleset: Ruleset) -> None:
        self.taken: list[list[Card]] = [[] for _ in range(seats)]
        self.thrown: list[list[Card]] = [[] for _ in range(seats)]
        self._pile: list[Card] = []
        self._skips_in_front = 0
        self._rules = ruleset
        self._in_front = ruleset.skip_zone is SkipZone.IN_FRONT

    def forget(self) -> None:
        """Believe nothing of this deal any more. What comes later is remembered."""
        self._skips_in_front = 0
        for cards in (*self.taken, *self.thrown, self._pile):
            cards.clear()

    def see(self, events: Iterable[PublicEvent]) -> None:
        for event in events:
            match event:
                case DealOpened():
                    self._open(event)
                case DrawSeen(seat, card) if card is not None:
                    del self._pile[-1:]  # empty if the card was thrown before something was forgotten
                    self.taken[seat].append(card)
                case CardDiscarded(seat, card):
                    self._pile.append(card)
                    self.thrown[seat].append(card)
                case SkipPlayed() if self._in_front:
                    self._skips_in_front += 1
                case SkipPlayed():
                    self._pile.append(SKIP)
                case TurnSkipped(by_start_card=False) if self._in_front:
                    self._pile.append(SKIP)  # until now it lay before the seat
                    self._skips_in_front = max(0, self._skips_in_front - 1)
                case StockRenewed():
                    del self._pile[:-1]
                case _:
                    pass

    def _open(self, event: DealOpened) -> None:
        self.forget()
        rules = self._rules
        under = 96 + rules.wilds + rules.skips - rules.hand_size * len(event.players) - event.stock_size - 1
        kinds = {SKIP: rules.initial_skip is InitialSkip.COVER, WILD: rules.initial_wild is InitialWild.COVER}
        covered = [card for card, may_be in kinds.items() if may_be]
        if len(covered) == 1:  # of two kinds one cannot know which lie there
            self._pile += covered * under
        if event.start_card is not None:
            self._pile.append(event.start_card)

    def unseen(self, view: View) -> list[int]:
        """By kind, how many copies are neither in the own hand nor open on the table: in the draw pile or other hands.

        After `forget` some of them may lie further down in the discard pile, and covered start cards may where both kinds
        are covered.
        """
        seats = view.table.seats
        waiting = max(self._skips_in_front, sum(seat.skip_pending for seat in seats)) if self._in_front else 0
        left = [2] * (WILD + 2)
        left[WILD], left[SKIP] = self._rules.wilds, self._rules.skips - waiting
        melds = [meld.cards for seat in seats for meld in seat.melds]
        top = view.table.discard_top
        pile = self._pile or ([] if top is None else [top])
        for cards in (view.hand, pile, *melds):
            for card in cards:
                left[card] -= 1
        return [max(0, count) for count in left]


def next_to_play(view: View) -> Seat:
    """The seat that will see our discard: the next one with cards that is not about to be passed over."""
    seats = view.table.seats
    order = [Seat((view.seat + step) % len(seats)) for step in range(1, len(seats))]
    playing = [seat for seat in order if seats[seat].hand_size]  # in a tie-break not all take part
    return next((seat for seat in playing if not seats[seat].skip_pending), playing[0] if playing else order[0])
