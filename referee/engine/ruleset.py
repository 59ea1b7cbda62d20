"""Rules as data: every option that the published rule texts differ in, and the terms of a match.

Code asks these values, never for a preset's name. `presets.check_ruleset` names all options that contradict each other or
that this engine does not play yet.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal


class GoalKind(Enum):
    SET = "set"
    RUN = "run"
    COLOR = "color"


@dataclass(frozen=True, slots=True)
class Goal:
    """What one meld must be: a set, run or colour of at least `size` cards."""

    kind: GoalKind
    size: int


def _goals(*parts: tuple[GoalKind, int]) -> tuple[Goal, ...]:
    return tuple(Goal(kind, size) for kind, size in parts)


_SET, _RUN, _COLOR = GoalKind.SET, GoalKind.RUN, GoalKind.COLOR

# The ten phases as printed on the official leaflet; sizes are minimums.
PHASES: Final[dict[int, tuple[Goal, ...]]] = {
    1: _goals((_SET, 3), (_SET, 3)),
    2: _goals((_SET, 3), (_RUN, 4)),
    3: _goals((_SET, 4), (_RUN, 4)),
    4: _goals((_RUN, 7)),
    5: _goals((_RUN, 8)),
    6: _goals((_RUN, 9)),
    7: _goals((_SET, 4), (_SET, 4)),
    8: _goals((_COLOR, 7)),
    9: _goals((_SET, 5), (_SET, 2)),
    10: _goals((_SET, 5), (_SET, 3)),
}


class DealerRotation(Enum):
    LEFT = "left"
    FIXED = "fixed"


class InitialSkipDeals(Enum):
    EVERY = "every"
    FIRST = "first"


class InitialSkip(Enum):
    SKIP_FIRST_PLAYER = "skip_first_player"
    COVER = "cover"
    IGNORE = "ignore"


class InitialWild(Enum):
    TAKEABLE = "takeable"
    COVER = "cover"


class DeckExhausted(Enum):
    RESHUFFLE_KEEP_TOP = "reshuffle_keep_top"
    END_DEAL = "end_deal"


class Advance(Enum):
    ON_LAY = "on_lay"
    EVERY_DEAL = "every_deal"
    FREE_CHOICE = "free_choice"


class NaturalCards(Enum):
    NONE = "none"
    ONE_PER_PHASE = "one_per_phase"
    ONE_PER_MELD = "one_per_meld"


class HitOnLayTurn(Enum):
    ANY = "any"
    OWN_ONLY = "own_only"
    NONE = "none"


class GoingOut(Enum):
    HIT_OR_DISCARD = "hit_or_discard"
    DISCARD_ONLY = "discard_only"


class SkipTarget(Enum):
    CHOSEN = "chosen"
    NEXT = "next"


class SkipLimit(Enum):
    ONE_PENDING = "one_pending"
    ONE_PER_LAP = "one_per_lap"
    ONE_PER_DEAL = "one_per_deal"
    UNTIL_REAL_TURN = "until_real_turn"
    UNLIMITED = "unlimited"


class SkipZone(Enum):
    IN_FRONT = "in_front"
    DISCARD_PILE = "discard_pile"


class WinCheck(Enum):
    END_OF_DEAL = "end_of_deal"
    END_OF_DEAL_AND_OUT = "end_of_deal_and_out"
    ON_LAY = "on_lay"


class ScoreTie(Enum):
    REPLAY_FIRST_OUT = "replay_first_out"
    REPLAY_FIRST_TO_LAY = "replay_first_to_lay"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class CardPoints:
    """Penalty points of a card left in hand: numbers 1-9, numbers 10-12, Skip, Wild."""

    low: int = 5
    high: int = 10
    skip: int = 15
    wild: int = 25


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of a game. The defaults are the official leaflet's; each field is one point on which rule texts differ."""

    name: str = "official"
    players_min: int = 2
    players_max: int = 6
    wilds: int = 8
    skips: int = 4
    hand_size: int = 10
    phases: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    dealer_rotation: DealerRotation = DealerRotation.LEFT
    initial_skip: InitialSkip = InitialSkip.SKIP_FIRST_PLAYER
    initial_skip_deals: InitialSkipDeals = InitialSkipDeals.EVERY
    initial_wild: InitialWild = InitialWild.TAKEABLE
    take_skip_from_discard: bool = False
    deck_exhausted: DeckExhausted = DeckExhausted.RESHUFFLE_KEEP_TOP
    advance: Advance = Advance.ON_LAY
    natural_cards: NaturalCards = NaturalCards.ONE_PER_PHASE
    lay_extra: bool = True
    same_number_sets: bool = True
    wild_replaceable: bool = False
    hit_on_lay_turn: HitOnLayTurn = HitOnLayTurn.ANY
    going_out: GoingOut = GoingOut.HIT_OR_DISCARD
    skip_target: SkipTarget = SkipTarget.CHOSEN
    skip_limit: SkipLimit = SkipLimit.ONE_PENDING
    skip_zone: SkipZone = SkipZone.IN_FRONT
    card_points: CardPoints = CardPoints()
    win_check: WinCheck = WinCheck.END_OF_DEAL
    score_tie: ScoreTie = ScoreTie.REPLAY_FIRST_OUT
    tiebreak_max_deals: int = 3


@dataclass(frozen=True, slots=True)
class Clock:
    """Thinking time of a seat in a game, in milliseconds: a bank, what each answer adds, and the most for one answer."""

    bank_ms: int = 60_000
    increment_ms: int = 500
    cap_ms: int = 10_000


@dataclass(frozen=True, slots=True)
class SeatDealer:
    """This seat deals first."""

    seat: int


FirstDealer = SeatDealer | Literal["last_seat", "seeded"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a match agrees on beside the rules: clock, faults before a forfeit, first dealer, and caps that end a game.

    `max_turns_per_deal` counts slots per seat, skipped ones included; None means no cap.
    """

    clock: Clock = Clock()
    max_faults: int = 3
    first_dealer: FirstDealer = "last_seat"
    max_turns_per_deal: int | None = 100
    max_deals: int | None = 60
