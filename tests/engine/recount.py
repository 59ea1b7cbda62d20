"""A game counted again from its log alone, with pencil and paper: hands, points, phases, and who must have won.

Nothing of the engine's state is used, and none of its scoring.
"""

from dataclasses import dataclass, field

from referee.engine import (
    Card,
    CardDiscarded,
    CardDrawn,
    CardHit,
    DealEnded,
    DealStarted,
    Event,
    GameEnded,
    GameStarted,
    PhaseLaid,
    Ruleset,
    SeatForfeited,
    SkipPlayed,
    WildTaken,
    parse_card,
)
from referee.engine.ruleset import Advance, WinCheck

WILD, SKIP = parse_card("W"), parse_card("S")


@dataclass
class Recount:
    """What the log adds up to. Lists are by seat; `ended` holds, deal by deal, the totals and phases done after it."""

    rules: Ruleset
    seats: int
    hands: list[list[Card]]
    totals: list[int]
    done: list[list[int]]  # the phases that count
    forfeited: set[int] = field(default_factory=set)
    deal: DealStarted | None = None
    laid: dict[int, int] = field(default_factory=dict)  # in this deal: the phase by seat
    first_to_lay: int | None = None
    tie_break_winner: int | None = None
    over: GameEnded | None = None

    @classmethod
    def of(cls, log: list[Event]) -> "Recount":
        start = log[0]
        assert isinstance(start, GameStarted)
        seats = range(start.seats)
        count = cls(start.ruleset, start.seats, [[] for _ in seats], [0 for _ in seats], [[] for _ in seats])
        for event in log[1:]:
            count.add(event)
        return count

    def add(self, event: Event) -> None:
        match event:
            case DealStarted():
                self._deal(event)
            case CardDrawn():
                self.hands[event.seat].append(event.card)
            case CardDiscarded() | CardHit():
                self.hands[event.seat].remove(event.card)
            case SkipPlayed():
                self.hands[event.seat].remove(SKIP)
            case WildTaken():
                self.hands[event.seat].remove(event.card)
                self.hands[event.seat].append(WILD)
            case PhaseLaid():
                self._lay(event)
            case DealEnded():
                self._end(event)
            case SeatForfeited():
                self.forfeited.add(event.seat)
            case GameEnded():
                self.over = event
            case _:
                pass

    def _deal(self, event: DealStarted) -> None:
        self.deal, self.laid, self.first_to_lay = event, {}, None
        clockwise = ((event.dealer + step) % self.seats for step in range(1, self.seats + 1))
        order = [seat for seat in clockwise if seat in event.players]
        self.hands = [[] for _ in range(self.seats)]
        for number in range(self.rules.hand_size * len(order)):
            self.hands[order[number % len(order)]].append(event.deck[number])

    def _lay(self, event: PhaseLaid) -> None:
        assert event.seat not in self.laid, "one phase a deal"
        self.laid[event.seat] = event.phase
        if self.first_to_lay is None:
            self.first_to_lay = event.seat
        for meld in event.melds:
            for card in meld.cards:
                self.hands[event.seat].remove(card)

    def _end(self, event: DealEnded) -> None:
        assert self.deal is not None
        empty = [seat for seat in self.deal.players if not self.hands[seat]]
        assert empty == ([] if event.out is None else [event.out])
        if self.deal.tie_break:
            first_to_lay = self.rules.score_tie.value == "replay_first_to_lay"
            self.tie_break_winner = self.first_to_lay if first_to_lay else event.out
            return
        for seat in range(self.seats):
            self.totals[seat] += sum(map(self.points, self.hands[seat]))
            if self.rules.advance is Advance.EVERY_DEAL:
                self.done[seat].append(self.rules.phases[self.deal.deal])
            elif seat in self.laid:
                self.done[seat].append(self.laid[seat])
                last = len(self.done[seat]) == len(self.rules.phases)
                if self.rules.win_check is WinCheck.END_OF_DEAL_AND_OUT and last and seat != event.out:
                    self.done[seat].pop()

    def points(self, card: Card) -> int:
        """Penalty of the leaflets: 1-9, 10-12, Skip and Wild."""
        points = self.rules.card_points
        if card == WILD:
            return points.wild
        if card == SKIP:
            return points.skip
        assert card.number is not None
        return points.low if card.number <= 9 else points.high

    def places(self) -> tuple[int, ...]:
        """By seat: more phases, then fewer points, then the winner of the tie-break; who forfeited comes last."""

        def key(seat: int) -> tuple[int, ...]:
            if seat in self.forfeited:
                return (1,)
            return (0, -len(self.done[seat]), self.totals[seat], int(seat != self.tie_break_winner))

        return tuple(1 + sum(key(other) < key(seat) for other in range(self.seats)) for seat in range(self.seats))

    def leaders(self) -> list[int]:
        """The seats that have done all phases with the fewest points."""
        able = [
            seat
            for seat in range(self.seats)
            if seat not in self.forfeited and len(self.done[seat]) == len(self.rules.phases)
        ]
        return [seat for seat in able if self.totals[seat] == min(self.totals[other] for other in able)]
