"""The fourth step: it also thinks of the cards that can still come, and of the player who will see its discard."""

from collections.abc import Callable
from typing import Final

from bots_sdk import (
    PHASES,
    SKIP,
    Card,
    GameInfo,
    Goal,
    GoalKind,
    Play,
    PublicEvent,
    Seat,
    SeatView,
    Turn,
    View,
    open_kinds,
    plan,
)
from bots_sdk.house_bots.greedy import GreedyBot
from bots_sdk.house_bots.habits import aim, lay_and_hit, leader, points_of, spare_cards
from bots_sdk.house_bots.memory import DealMemory, next_to_play

# Weights, found by playing some thousand two-player games against the greedy bot; they may be off by half without harm.
PER_POINT: Final = 0.2  # for each penalty point that leaves the hand
PER_OUT: Final = 0.2  # for each unseen card that would still shorten the way
FEEDS_HIT: Final = 8.0  # the next player could hit the card
FEEDS_GROUP: Final = 6.0  # the next player took a card of its number (or colour) for such a meld
FEEDS_RUN: Final = 2.0  # the next player took a card close to it for a run
UNWANTED: Final = 1.0  # the next player threw a card of its number


class DenierBot(GreedyBot):
    """Does not feed the next player, and keeps the hand that the most unseen cards would help."""

    version = "1"

    def game_started(self, info: GameInfo) -> None:
        self._memory = DealMemory(len(info.table), info.ruleset)

    def events(self, info: GameInfo, events: tuple[PublicEvent, ...]) -> None:  # noqa: ARG002 - a hook's signature
        self._memory.see(events)

    def events_missed(self, info: GameInfo) -> None:  # noqa: ARG002 - a hook's signature
        self._memory.forget()

    def play(self, view: View) -> Play:
        turn = Turn(view, self.game.ruleset)
        lay_and_hit(turn)
        if turn.over:
            return turn.end()
        if SKIP in turn.hand:
            return turn.end(SKIP, leader(view, turn.targets()))
        reader = next_to_play(view)
        points = self.game.ruleset.card_points
        hopes = self._hopes(turn, view)

        def worth(card: Card) -> float:
            return PER_POINT * points_of(card, points) + hopes(card) + self._danger(card, turn, view, reader)

        return turn.end(max(dict.fromkeys(spare_cards(turn)), key=worth))

    def _hopes(self, turn: Turn, view: View) -> Callable[[Card], float]:
        """What the unseen cards are worth for the way to the phase, as a function of the card that is thrown."""
        way = aim(turn.plans())
        if way is None:
            return lambda _card: 0.0
        unseen, phase, rules = self._memory.unseen(view), way.phase, self.game.ruleset

        def without(card: Card) -> float:
            rest = list(turn.hand)
            rest.remove(card)
            return PER_OUT * sum(unseen[kind] for kind in plan(tuple(rest), phase, rules).useful)

        return without

    def _danger(self, card: Card, turn: Turn, view: View, reader: Seat) -> float:
        """What throwing `card` gives the reader, as a number that is less than zero; more than zero if it is unwanted."""
        seat = view.table.seats[reader]
        if seat.laid:
            fits = any(card in open_kinds(meld) for melds in turn.table for meld in melds)
            return -FEEDS_HIT if fits else 0.0
        phases = self._open_phases(seat)
        if not card.is_number or not phases:
            return 0.0
        goals = [goal for phase in phases for goal in PHASES[phase]]
        fed = sum(_feeds(card, taken, goal) for taken in self._memory.taken[reader] if taken.is_number for goal in goals)
        unwanted = sum(thrown.number == card.number for thrown in self._memory.thrown[reader])
        return UNWANTED * unwanted - fed / len(phases)

    def _open_phases(self, seat: SeatView) -> tuple[int, ...]:
        """What another seat may be working on."""
        if seat.phase:
            return (seat.phase,)
        return tuple(phase for phase in self.game.ruleset.phases if phase not in seat.phases_done)


def _feeds(card: Card, taken: Card, goal: Goal) -> float:
    """How much `card` seems to help a player who took `taken` for `goal`."""
    match goal.kind:
        case GoalKind.SET:
            return FEEDS_GROUP if card.number == taken.number else 0.0
        case GoalKind.COLOR:
            return FEEDS_GROUP if card.color == taken.color else 0.0
        case GoalKind.RUN:
            apart = abs((card.number or 0) - (taken.number or 0))
            return FEEDS_RUN if 0 < apart <= 3 else 0.0
