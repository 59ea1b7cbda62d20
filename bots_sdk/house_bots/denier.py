"""The fourth step: it also thinks of the cards that can still come, and of the player who will see its discard."""

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
    Turn,
    View,
    open_kinds,
    plan,
)
from bots_sdk.house_bots.greedy import GreedyBot
from bots_sdk.house_bots.habits import lay_and_hit, leader, points_of, spare_cards
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
        self._memory = DealMemory(len(info.table))

    def events(self, info: GameInfo, events: tuple[PublicEvent, ...]) -> None:  # noqa: ARG002 - a hook's signature
        self._memory.see(events)

    def events_missed(self, info: GameInfo) -> None:  # noqa: ARG002 - a hook's signature
        self._memory.forget()

    def play(self, view: View) -> Play:
        turn = Turn(view, self.game.ruleset)
        lay_and_hit(turn)
        if not turn.hand:
            return turn.end()
        if SKIP in turn.hand:
            return turn.end(SKIP, leader(view, turn.targets()))
        unseen = [] if turn.laid else self._memory.unseen(view, self.game.ruleset)
        reader = next_to_play(view)
        choices = dict.fromkeys(spare_cards(turn))
        return turn.end(max(choices, key=lambda card: self._worth(card, turn, view, reader, unseen)))

    def _worth(self, card: Card, turn: Turn, view: View, reader: Seat, unseen: list[int]) -> float:
        """How good it is to throw `card` with `reader` to play next."""
        worth = PER_POINT * points_of(card, self.game.ruleset.card_points) + self._danger(card, turn, view, reader)
        if unseen and turn.phase:
            rest = list(turn.hand)
            rest.remove(card)
            worth += PER_OUT * sum(unseen[kind] for kind in plan(tuple(rest), turn.phase).useful)
        return worth

    def _danger(self, card: Card, turn: Turn, view: View, reader: Seat) -> float:
        """What throwing `card` gives the reader, as a number that is less than zero; more than zero if it is unwanted."""
        seat = view.table.seats[reader]
        if seat.laid:
            fits = any(card in open_kinds(meld) for melds in turn.table for meld in melds)
            return -FEEDS_HIT if fits else 0.0
        if not card.is_number or not seat.phase:
            return 0.0
        goals = PHASES[seat.phase]
        fed = sum(_feeds(card, taken, goal) for taken in self._memory.taken[reader] if taken.is_number for goal in goals)
        return UNWANTED * sum(thrown.number == card.number for thrown in self._memory.thrown[reader]) - fed


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
