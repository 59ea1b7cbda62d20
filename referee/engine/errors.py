"""Everything the engine raises, and whose fault it is."""

from enum import Enum


class EngineError(Exception):
    """Base of the engine's errors; never raised itself."""


class Reason(Enum):
    """Why a move is not allowed. One member per distinct cause."""

    NOT_YOUR_TURN = "it is another seat's turn"
    GAME_OVER = "the game is over"
    MUST_DRAW_FIRST = "a turn begins with drawing a card"
    ALREADY_DREW = "a card was already drawn this turn"
    DISCARD_EMPTY = "the discard pile is empty"
    STOCK_EMPTY = "no card is left to draw"
    SKIP_NOT_TAKEABLE = "a Skip cannot be taken from the discard pile"
    CARD_NOT_IN_HAND = "the hand does not hold all of these cards"
    ALREADY_LAID = "a phase was already laid in this deal"
    WRONG_MELD_COUNT = "the phase asks for another number of melds"
    TOO_FEW_CARDS = "a meld has fewer cards than its goal asks for"
    EXTRA_NOT_ALLOWED = "these rules do not allow more cards than the goal asks for"
    SKIP_IN_MELD = "a Skip is never part of a meld"
    NOT_A_SET = "the cards of a set must have one number"
    NOT_A_RUN = "the cards of a run must follow one another, lowest first, within 1 to 12"
    NOT_A_COLOR = "the cards must have one colour"
    MEANING_REQUIRED = "a meld of Wilds alone must say what it stands for"
    MEANING_WRONG = "the declared meaning does not fit the cards"
    NATURAL_REQUIRED = "too few ordinary number cards among the Wilds"
    SAME_NUMBER_SETS = "these rules do not allow two sets of one number"
    PHASE_REQUIRED = "these rules let a player choose the phase, so the lay must name it"
    PHASE_ALREADY_DONE = "this phase was completed in an earlier deal"
    PHASE_NOT_AVAILABLE = "this phase cannot be laid now"
    NOT_LAID = "hitting needs the own phase on the table"
    HIT_NOT_THIS_TURN = "these rules do not allow this hit in the turn in which the phase is laid"
    NO_SUCH_MELD = "there is no such meld on the table"
    DOES_NOT_FIT = "the card does not fit this meld"
    END_REQUIRED = "a Wild on a run open at both ends must name the end"
    END_NOT_ALLOWED = "an end is named only for hits on runs"
    WILD_NOT_REPLACEABLE = "these rules leave the Wilds on the table where they are"
    DISCARD_REQUIRED = "a turn ends with a discard while cards remain in hand"
    DISCARD_NOT_ALLOWED = "the hand is empty, nothing can be discarded"
    MUST_KEEP_DISCARD = "these rules ask for a last card to discard"
    TARGET_REQUIRED = "a Skip must name the seat it is played against"
    TARGET_NOT_ALLOWED = "no target may be named here"
    TARGET_SELF = "a Skip cannot be played against oneself"
    NO_SUCH_SEAT = "there is no such seat"
    TARGET_PROTECTED = "this seat may not be skipped now"


class IllegalMove(EngineError):
    """A seat wished for something the rules forbid; the game is as it was before."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class UnsupportedRules(EngineError):
    """The rule set holds values that make no sense or contradict each other.

    `problems` lists all of them as (option, sentence).
    """

    def __init__(self, problems: tuple[tuple[str, str], ...]) -> None:
        super().__init__("; ".join(f"{option}: {sentence}" for option, sentence in problems))
        self.problems = problems


class CorruptLog(EngineError):
    """An event log does not follow from itself: our fault or somebody's forgery, never a bot's."""
