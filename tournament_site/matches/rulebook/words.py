"""How each value of an option is said: a sentence that stands alone, and a clause that follows "like another, but".

The words are our own; what they say is what the engine does. `SWITCHES` has an entry for every option with named values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from referee.engine.ruleset import (
    Advance,
    DealerRotation,
    DeckExhausted,
    GoingOut,
    HitOnLayTurn,
    InitialSkip,
    InitialSkipDeals,
    InitialWild,
    NaturalCards,
    ScoreTie,
    SkipLimit,
    SkipTarget,
    SkipZone,
    WinCheck,
)


@dataclass(frozen=True, slots=True)
class Words:
    """A value in words: `sentence` with its full stop, `brief` as a clause without one."""

    sentence: str
    brief: str


_START: Final[Mapping[str, Mapping[Enum | bool, Words]]] = {
    "dealer_rotation": {
        DealerRotation.LEFT: Words(
            "After each deal the next player to the left becomes the dealer.", "the dealer changes after each deal"
        ),
        DealerRotation.FIXED: Words("The first dealer deals the whole game.", "one player deals the whole game"),
    },
    "initial_skip": {
        InitialSkip.SKIP_FIRST_PLAYER: Words(
            "If the start card is a Skip, the first player misses that turn and the next one begins.",
            "a Skip as start card costs the first player a turn",
        ),
        InitialSkip.COVER: Words(
            "If the start card is a Skip, another card is turned up on top of it, until the top is no Skip. "
            "Nobody misses a turn.",
            "a Skip as start card is covered with another card",
        ),
        InitialSkip.IGNORE: Words(
            "If the start card is a Skip, it just lies there. Nobody misses a turn.",
            "a Skip as start card does nothing",
        ),
    },
    "initial_skip_deals": {
        InitialSkipDeals.EVERY: Words(
            "The rule for a Skip as start card is the same in every deal.", "a Skip as start card counts in every deal"
        ),
        InitialSkipDeals.FIRST: Words(
            "A Skip as start card costs a turn in the first deal of the game only. Later nobody misses a turn by it.",
            "a Skip as start card counts in the first deal only",
        ),
    },
    "initial_wild": {
        InitialWild.TAKEABLE: Words(
            "If the start card is a Wild, the first player may take it.", "a Wild as start card may be taken"
        ),
        InitialWild.COVER: Words(
            "If the start card is a Wild, another card is turned up on top of it, until the top is no Wild.",
            "a Wild as start card is covered with another card",
        ),
    },
    "take_skip_from_discard": {
        False: Words("A Skip on the discard pile cannot be taken.", "a Skip on the discard pile cannot be taken"),
        True: Words("A Skip on the discard pile may be taken as well.", "a Skip on the discard pile may be taken"),
    },
    "deck_exhausted": {
        DeckExhausted.RESHUFFLE_KEEP_TOP: Words(
            "When somebody wants to draw from an empty draw pile, the discard pile is shuffled and becomes the new one. "
            "Only its top card stays where it is.",
            "an empty draw pile is made new from the discards",
        ),
        DeckExhausted.END_DEAL: Words(
            "When somebody wants to draw from an empty draw pile, the deal ends at once, and nobody is out.",
            "an empty draw pile ends the deal",
        ),
    },
}

_TABLE: Final[Mapping[str, Mapping[Enum | bool, Words]]] = {
    "natural_cards": {
        NaturalCards.NONE: Words("A phase may be made of Wilds alone.", "a phase may be made of Wilds alone"),
        NaturalCards.ONE_PER_PHASE: Words(
            "A phase needs at least one number card. All its other cards may be Wilds, even a whole meld.",
            "a phase needs one number card",
        ),
        NaturalCards.ONE_PER_MELD: Words(
            "Each meld of a phase needs at least one number card. All its other cards may be Wilds.",
            "each meld of a phase needs one number card",
        ),
    },
    "lay_extra": {
        True: Words(
            "A meld may be laid with more cards than its phase asks for.",
            "a meld may be laid with more cards than asked for",
        ),
        False: Words(
            "A meld is laid with just the cards its phase asks for. More can only be hit afterwards.",
            "a meld is laid with just the cards asked for",
        ),
    },
    "same_number_sets": {
        True: Words("The two sets of a phase may have the same number.", "two sets may have the same number"),
        False: Words("The two sets of a phase must have different numbers.", "two sets must have different numbers"),
    },
    "wild_replaceable": {
        False: Words(
            "A Wild on the table stays there until the deal ends. Nobody can change it for the card it stands for.",
            "a Wild on the table stays there",
        ),
        True: Words(
            "Whoever may hit a meld may also put a number card in the place of a Wild in it and take the Wild, "
            "even to use it in the same turn.",
            "a Wild on the table may be changed for the card it stands for",
        ),
    },
    "hit_on_lay_turn": {
        HitOnLayTurn.ANY: Words(
            "In the turn in which you lay you may hit already: your own melds and those of other players.",
            "all melds may be hit in the turn of laying",
        ),
        HitOnLayTurn.OWN_ONLY: Words(
            "In the turn in which you lay you may hit your own melds already, but those of other players only from your "
            "next turn on.",
            "only your own melds may be hit in the turn of laying",
        ),
        HitOnLayTurn.NONE: Words(
            "In the turn in which you lay you may not hit yet, only from your next turn on.",
            "nothing may be hit in the turn of laying",
        ),
    },
    "going_out": {
        GoingOut.HIT_OR_DISCARD: Words(
            "You are out when your last card is gone: laid, hit or discarded.",
            "the last card may be laid, hit or discarded",
        ),
        GoingOut.DISCARD_ONLY: Words(
            "You are out when you discard your last card. You may not lay or hit it, so always keep one to discard.",
            "the last card must be discarded",
        ),
    },
}

_SKIPS: Final[Mapping[str, Mapping[Enum | bool, Words]]] = {
    "skip_target": {
        SkipTarget.CHOSEN: Words(
            "Whoever discards a Skip chooses the player who misses the next turn.", "the player of a Skip chooses the target"
        ),
        SkipTarget.NEXT: Words(
            "A discarded Skip always makes the player who is next miss the turn.", "a Skip hits the next player"
        ),
    },
    "skip_limit": {
        SkipLimit.ONE_PENDING: Words(
            "No second Skip may be played against a player who still waits for one to pass.",
            "a player waits for one Skip at a time",
        ),
        SkipLimit.ONE_PER_LAP: Words(
            "No second Skip may be played against a player who still waits for one to pass, nor within the same lap round "
            "the table.",
            "a player gets at most one Skip a lap",
        ),
        SkipLimit.ONE_PER_DEAL: Words(
            "No second Skip may be played against a player in the same deal.", "a player gets at most one Skip a deal"
        ),
        SkipLimit.UNTIL_REAL_TURN: Words(
            "No second Skip may be played against a player until that player has had a real turn again.",
            "a skipped player must first have a real turn again",
        ),
        SkipLimit.UNLIMITED: Words(
            "Any number of Skips may be played against a player, who misses a turn for each of them.",
            "a player may get any number of Skips",
        ),
    },
    "skip_zone": {
        SkipZone.IN_FRONT: Words(
            "The Skip lies in front of the skipped player and goes to the discard pile when the turn is missed. Until then "
            "the discard pile keeps its top card.",
            "a Skip lies in front of the skipped player",
        ),
        SkipZone.DISCARD_PILE: Words(
            "The Skip lies on the discard pile at once and is its new top card.", "a Skip lies on the discard pile at once"
        ),
    },
}

_END: Final[Mapping[str, Mapping[Enum | bool, Words]]] = {
    "advance": {
        Advance.ON_LAY: Words(
            "Whoever has laid a phase works on the next one in the next deal. All others try theirs again.",
            "phases are laid one after the other",
        ),
        Advance.EVERY_DEAL: Words(
            "Everybody works on the next phase in the next deal, whether the last one was laid or not.",
            "everybody moves on after every deal",
        ),
        Advance.FREE_CHOICE: Words(
            "You may lay the phases in any order, one in a deal and each of them once, and choose when you lay.",
            "the phases may be laid in any order",
        ),
    },
    "win_check": {
        WinCheck.END_OF_DEAL: Words(
            "When a deal ends in which somebody has laid the last phase, the game is over. Of all who have, the lowest "
            "total wins, no matter who went out.",
            "whoever has laid the last phase when a deal ends may win",
        ),
        WinCheck.END_OF_DEAL_AND_OUT: Words(
            "To win, lay the last phase and go out in the same deal. Whoever lays it and does not go out must lay it again.",
            "the winner must also go out in the deal of the last phase",
        ),
        WinCheck.ON_LAY: Words(
            "Whoever is first to lay the last phase wins at once. Nothing else is played.",
            "laying the last phase wins at once",
        ),
    },
    "score_tie": {
        ScoreTie.REPLAY_FIRST_OUT: Words(
            "If the best are level, they play the last phase once more. The first to go out wins.",
            "a tie goes to whoever is first out in a further deal",
        ),
        ScoreTie.REPLAY_FIRST_TO_LAY: Words(
            "If the best are level, they play the last phase once more. The first to lay it wins at once.",
            "a tie goes to whoever lays first in a further deal",
        ),
        ScoreTie.SHARED: Words("If the best are level, they share the first place.", "a tie is shared"),
    },
}

SWITCHES: Final[Mapping[str, Mapping[Enum | bool, Words]]] = {**_START, **_TABLE, **_SKIPS, **_END}
