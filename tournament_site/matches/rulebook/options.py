"""Every option of a rule set: its label, its value in words, and its plain value."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import Enum
from typing import Final

from referee.engine.ruleset import Advance, CardPoints, InitialSkip, InitialSkipDeals, Ruleset, ScoreTie, WinCheck
from tournament_site.matches.rulebook.words import SWITCHES, Words

Plain = int | bool | str | list[int] | dict[str, int]


@dataclass(frozen=True, slots=True)
class Option:
    """One field of `Ruleset`. `words` looks at the whole rule set: some options mean something only beside others."""

    field: str
    label: str
    words: Callable[[Ruleset], Words]


def counted(number: int, word: str) -> str:
    """`1 card`, `2 cards`, `no cards`."""
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"


def listed(parts: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def phase_names(phases: tuple[int, ...]) -> str:
    """`1 to 10`, `2, 4 and 6`, `3`."""
    first, last = phases[0], phases[-1]
    in_a_row = len(phases) > 2 and phases == tuple(range(first, last + 1))
    return f"{first} to {last}" if in_a_row else listed([str(phase) for phase in phases])


def _switch(field: str) -> Callable[[Ruleset], Words]:
    return lambda rules: SWITCHES[field][getattr(rules, field)]


def _players_min(rules: Ruleset) -> Words:
    return Words(f"At least {counted(rules.players_min, 'player')} sit at the table.", f"at least {rules.players_min} play")


def _players_max(rules: Ruleset) -> Words:
    return Words(f"At most {counted(rules.players_max, 'player')} sit at the table.", f"at most {rules.players_max} play")


def _wilds(rules: Ruleset) -> Words:
    return Words(f"The deck has {counted(rules.wilds, 'Wild')}.", f"the deck has {counted(rules.wilds, 'Wild')}")


def _skips(rules: Ruleset) -> Words:
    return Words(f"The deck has {counted(rules.skips, 'Skip')}.", f"the deck has {counted(rules.skips, 'Skip')}")


def _hand_size(rules: Ruleset) -> Words:
    cards = counted(rules.hand_size, "card")
    return Words(f"Everybody is dealt {cards}, face down.", f"a hand has {cards}")


def _phases(rules: Ruleset) -> Words:
    names = phase_names(rules.phases)
    if len(rules.phases) == 1:
        return Words(f"The only phase of the game is {names}.", f"the only phase is {names}")
    return Words(f"The phases of the game are {names}. Phase {rules.phases[-1]} is the last one.", f"the phases are {names}")


def _initial_skip_deals(rules: Ruleset) -> Words:
    if rules.initial_skip is InitialSkip.SKIP_FIRST_PLAYER:
        return _switch("initial_skip_deals")(rules)
    return SWITCHES["initial_skip_deals"][InitialSkipDeals.EVERY]  # nobody misses a turn, in whatever deal


def _card_points(rules: Ruleset) -> Words:
    points = rules.card_points
    costs = f"{points.low} for 1 to 9, {points.high} for 10 to 12, {points.skip} for a Skip, {points.wild} for a Wild"
    return Words(f"Each card left in hand costs points: {costs}.", f"cards cost {costs}")


def _win_check(rules: Ruleset) -> Words:
    words = _switch("win_check")(rules)
    if rules.advance is Advance.EVERY_DEAL:
        return Words(
            f"The game has {counted(len(rules.phases), 'deal')}, one for each phase. After the last one the lowest total "
            "wins, whoever laid what.",
            words.brief,
        )
    if rules.advance is Advance.FREE_CHOICE:
        return Words(_FREE[rules.win_check], words.brief)
    return words


# Where the order is free there is no last phase, but the last one that a player has still to lay.
_FREE: Final[Mapping[WinCheck, str]] = {
    WinCheck.END_OF_DEAL: "When a deal ends and somebody has laid all phases, the game is over. Of all who have, the lowest "
    "total wins, no matter who went out.",
    WinCheck.END_OF_DEAL_AND_OUT: "To win, lay the last phase you still need and go out in the same deal. Whoever lays it "
    "and does not go out must lay it again.",
    WinCheck.ON_LAY: "Whoever is first to have laid all phases wins at once. Nothing else is played.",
}


def _tiebreak_max_deals(rules: Ruleset) -> Words:
    if rules.score_tie is ScoreTie.SHARED:
        return Words("No further deal is played to break a tie.", "ties are not played out")
    deals = rules.tiebreak_max_deals
    after = "that deal does" if deals == 1 else f"{deals} such deals do"
    return Words(f"If {after} not decide it, the first place is shared.", f"{counted(deals, 'deal')} may break a tie")


OPTIONS: Final[Mapping[str, Option]] = {
    option.field: option
    for option in (
        Option("players_min", "Fewest players", _players_min),
        Option("players_max", "Most players", _players_max),
        Option("wilds", "Wilds in the deck", _wilds),
        Option("skips", "Skips in the deck", _skips),
        Option("hand_size", "Cards of a hand", _hand_size),
        Option("phases", "Phases", _phases),
        Option("dealer_rotation", "Who deals next", _switch("dealer_rotation")),
        Option("initial_skip", "Skip as start card", _switch("initial_skip")),
        Option("initial_skip_deals", "Deals in which it counts", _initial_skip_deals),
        Option("initial_wild", "Wild as start card", _switch("initial_wild")),
        Option("take_skip_from_discard", "Taking a Skip", _switch("take_skip_from_discard")),
        Option("deck_exhausted", "Empty draw pile", _switch("deck_exhausted")),
        Option("advance", "Next phase", _switch("advance")),
        Option("natural_cards", "Number cards needed", _switch("natural_cards")),
        Option("lay_extra", "Extra cards", _switch("lay_extra")),
        Option("same_number_sets", "Sets of one number", _switch("same_number_sets")),
        Option("wild_replaceable", "Wilds on the table", _switch("wild_replaceable")),
        Option("hit_on_lay_turn", "Hits in the turn of laying", _switch("hit_on_lay_turn")),
        Option("going_out", "The last card", _switch("going_out")),
        Option("skip_target", "Who is skipped", _switch("skip_target")),
        Option("skip_limit", "How many Skips", _switch("skip_limit")),
        Option("skip_zone", "Where a Skip lies", _switch("skip_zone")),
        Option("card_points", "Points", _card_points),
        Option("win_check", "Who wins", _win_check),
        Option("score_tie", "Equal totals", _switch("score_tie")),
        Option("tiebreak_max_deals", "Deals to break a tie", _tiebreak_max_deals),
    )
}


def plain(value: object) -> Plain:
    """An option's value as JSON has it. Raises TypeError for what is none."""
    match value:
        case Enum():
            return str(value.value)
        case CardPoints():
            return asdict(value)
        case tuple():
            return [int(part) for part in value]
        case int() | str():
            return value
        case _:
            raise TypeError(f"no value of an option: {value!r}")


def options_of(rules: Ruleset) -> dict[str, Plain]:
    """Every option but the name -> its plain value."""
    return {field.name: plain(getattr(rules, field.name)) for field in fields(rules) if field.name != "name"}
