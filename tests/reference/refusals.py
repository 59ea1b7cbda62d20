"""Which rule sets make no sense."""

from typing import Any

from tests.reference.cards import PHASES


def is_refused(options: dict[str, Any], seats: int) -> bool:
    """Whether no game of so many seats can be played by these options."""
    low, high = options["players_min"], options["players_max"]
    prices = options["card_points"]
    caps = options["max_turns_per_deal"], options["max_deals"]
    makes_sense = [
        2 <= low <= seats <= high <= 6,
        options["wilds"] in range(17) and options["skips"] in range(9),
        _can_lay(options["phases"], options["hand_size"], discards=options["going_out"] == "discard_only"),
        0 <= prices["low"] <= prices["high"] and prices["skip"] >= 0 and prices["wild"] >= 0,
        options["advance"] != "every_deal" or options["win_check"] == "end_of_deal",
        options["tiebreak_max_deals"] in range(1, 11),
        options["max_faults"] >= 1 and all(cap is None or cap >= 1 for cap in caps),
    ]
    return not all(makes_sense)


def _can_lay(phases: list[int], hand_size: int, *, discards: bool) -> bool:
    """Known phases, at least one, none twice, and cards enough for each."""
    if not phases or len(set(phases)) < len(phases) or not set(phases) <= set(PHASES):
        return False
    longest = max(sum(size for _, size in PHASES[phase]) for phase in phases)
    return hand_size in range(7, 14) and hand_size + 1 >= longest + discards
