"""Why an attempt never began and its match waited again: what is stored of it, and what people read. Pure."""

from collections.abc import Mapping
from typing import Final

# Stored with an attempt, as "phrase: slugs" where it was bots. Attempts of long ago have them too: add to them, change none.
BOTS_ABSENT: Final = "a bot is not connected"
NO_CAPACITY: Final = "a bot has no room for another game"
VERSION_CHANGED: Final = "a bot is connected with another version"
REFEREE_BUSY: Final = "the referee has no room"
DRAINING: Final = "the referee is going away"
STALE_ATTEMPT: Final = "the referee knows a newer attempt"
CANCELLED: Final = "the attempt was called off"
UNSPECIFIED: Final = "the referee did not say why"
OUT_OF_REACH: Final = "its referee cannot be reached"
UNHEARD_OF: Final = "its referee knows nothing of it"

# Phrase -> what one bot did, and what several did.
_OF_BOTS: Final[Mapping[str, tuple[str, str]]] = {
    BOTS_ABSENT: ("was not connected", "were not connected"),
    NO_CAPACITY: ("was playing as many games as it takes at once", "were playing as many games as they take at once"),
    VERSION_CHANGED: ("had come back with another version", "had come back with other versions"),
}
_OF_THE_REFEREE: Final[Mapping[str, str]] = {
    REFEREE_BUSY: "The referee had no room for more games.",
    DRAINING: "The referee was about to stop.",
    STALE_ATTEMPT: "The referee knew of a later attempt.",
    CANCELLED: "It was called off before it began.",
    UNSPECIFIED: "The referee did not say why.",
    OUT_OF_REACH: "The referee could not be reached.",
    UNHEARD_OF: "The referee had not begun it.",
}


def told(reason: str, names: Mapping[str, str]) -> str:
    """A stored reason as a sentence for people; one that is not known as it is.

    Args:
        reason: what is stored with the attempt.
        names: slug -> name of the match's bots.

    """
    phrase, _, rest = reason.partition(": ")
    if phrase in _OF_THE_REFEREE:
        return _OF_THE_REFEREE[phrase]
    if phrase not in _OF_BOTS:
        return reason
    who = [names[slug] for slug in rest.split(", ") if slug in names] or ["A bot"]
    one, several = _OF_BOTS[phrase]
    return f"{_listed(who)} {one if len(who) == 1 else several}."


def _listed(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
