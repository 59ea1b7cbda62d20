"""The published rule texts as named rule sets, and the check that a rule set makes sense.

A name is for ever: a rule that turns out wrong gets a new name, so that old games keep their meaning. Sources: the
official leaflet, four rule texts in Danish, Swedish, Bulgarian and Lithuanian (da, sv, bg, lt), the leaflets of an earlier
publisher (fundex), and the help of a mobile app (app163). `-literal` takes a text at its word where it is silent.
"""

import hashlib
import json
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Final

from referee.engine.errors import UnsupportedRules
from referee.engine.ruleset import (
    PHASES,
    Advance,
    DealerRotation,
    GoingOut,
    HitOnLayTurn,
    InitialSkip,
    InitialSkipDeals,
    NaturalCards,
    Ruleset,
    ScoreTie,
    SeatDealer,
    SkipLimit,
    SkipTarget,
    SkipZone,
    Terms,
    WinCheck,
)

OFFICIAL: Final = Ruleset()
_DA = replace(OFFICIAL, name="da", dealer_rotation=DealerRotation.FIXED, skip_zone=SkipZone.DISCARD_PILE)
_SV = replace(
    OFFICIAL,
    name="sv",
    going_out=GoingOut.DISCARD_ONLY,
    skip_limit=SkipLimit.ONE_PER_LAP,
    skip_zone=SkipZone.DISCARD_PILE,
    score_tie=ScoreTie.REPLAY_FIRST_TO_LAY,
)
_BG = replace(
    OFFICIAL,
    name="bg",
    hit_on_lay_turn=HitOnLayTurn.OWN_ONLY,
    going_out=GoingOut.DISCARD_ONLY,
    skip_target=SkipTarget.NEXT,
    skip_zone=SkipZone.DISCARD_PILE,
    score_tie=ScoreTie.REPLAY_FIRST_TO_LAY,
)
_LT = replace(OFFICIAL, name="lt")
_FUNDEX = replace(OFFICIAL, name="fundex", skip_zone=SkipZone.DISCARD_PILE, skip_limit=SkipLimit.UNTIL_REAL_TURN)
_TO5, _TO7, _TO8 = tuple(range(1, 6)), tuple(range(1, 8)), tuple(range(1, 9))
_EVEN, _ODD = (2, 4, 6, 8, 10), (1, 3, 5, 7, 9)

PRESETS: Final = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            OFFICIAL,
            _DA,
            _SV,
            _BG,
            _LT,
            replace(_DA, name="da-literal", natural_cards=NaturalCards.NONE, skip_limit=SkipLimit.ONE_PER_DEAL),
            replace(
                _SV,
                name="sv-literal",
                natural_cards=NaturalCards.NONE,
                initial_skip_deals=InitialSkipDeals.FIRST,
            ),
            replace(_BG, name="bg-literal", take_skip_from_discard=True, skip_limit=SkipLimit.UNLIMITED),
            replace(_DA, name="da+rotate", dealer_rotation=DealerRotation.LEFT),
            replace(_DA, name="da+twist", initial_skip=InitialSkip.COVER),
            replace(_BG, name="bg+all-advance", advance=Advance.EVERY_DEAL),
            replace(_BG, name="bg+to5", phases=_TO5),
            replace(_BG, name="bg+to8", phases=_TO8),
            replace(_BG, name="bg+even", phases=_EVEN),
            replace(_BG, name="bg+odd", phases=_ODD),
            replace(_BG, name="bg+free", advance=Advance.FREE_CHOICE),
            replace(_BG, name="bg+out", win_check=WinCheck.END_OF_DEAL_AND_OUT),
            replace(_LT, name="lt+first5", phases=_TO5),
            _FUNDEX,
            replace(_FUNDEX, name="fundex+ten-hands", advance=Advance.EVERY_DEAL),
            replace(_FUNDEX, name="fundex+to5", phases=_TO5),
            replace(_FUNDEX, name="fundex+to7", phases=_TO7),
            replace(_FUNDEX, name="fundex+even", phases=_EVEN),
            replace(OFFICIAL, name="app163", win_check=WinCheck.END_OF_DEAL_AND_OUT),
        )
    }
)


def ruleset_hash(ruleset: Ruleset) -> str:
    """What a rule set says, without its name, as 64 hex digits: equal for two rule sets that are played alike.

    SHA-256 of the options as JSON in UTF-8, keys sorted, no blanks, values of options by their own names.
    """
    options = asdict(ruleset)
    del options["name"]
    text = json.dumps(options, sort_keys=True, separators=(",", ":"), default=lambda option: option.value)
    return hashlib.sha256(text.encode()).hexdigest()


Problem = tuple[str, str]


def check_ruleset(ruleset: Ruleset, terms: Terms, seats: int) -> None:
    """Make sure that a game can be played by these values. Raises UnsupportedRules with all problems."""
    problems = (*_contradictions(ruleset, seats), *_bad_terms(terms, seats))
    if problems:
        raise UnsupportedRules(problems)


def _contradictions(ruleset: Ruleset, seats: int) -> tuple[Problem, ...]:
    low, high = ruleset.players_min, ruleset.players_max
    phases, points = ruleset.phases, ruleset.card_points
    known = set(phases) <= PHASES.keys()
    needed = max((sum(goal.size for goal in PHASES[phase]) for phase in phases), default=0) if known else 0
    needed += ruleset.going_out is GoingOut.DISCARD_ONLY  # a card must be left to discard
    every_deal = ruleset.advance is Advance.EVERY_DEAL
    checks = (
        (2 <= low <= high <= 6, "players_min", "the players must be 2 to 6, and at least players_min"),
        (low <= seats <= high, "players_max", f"{seats} seats are not within {low} to {high}"),
        (0 <= ruleset.wilds <= 16, "wilds", "a deck has 0 to 16 Wilds"),
        (0 <= ruleset.skips <= 8, "skips", "a deck has 0 to 8 Skips"),
        (7 <= ruleset.hand_size <= 13, "hand_size", "a hand has 7 to 13 cards"),
        (bool(phases), "phases", "there must be at least one phase"),
        (known, "phases", "phases are numbered 1 to 10"),
        (len(set(phases)) == len(phases), "phases", "a phase is listed twice"),
        (ruleset.hand_size + 1 >= needed, "hand_size", f"{needed} cards are needed for a phase and its discard"),
        (0 <= points.low <= points.high, "card_points", "10-12 must cost at least as much as 1-9"),
        (min(points.skip, points.wild) >= 0, "card_points", "points are never negative"),
        (
            not every_deal or ruleset.win_check is WinCheck.END_OF_DEAL,
            "win_check",
            "where everybody moves on after every deal, laying the last phase does not win",
        ),
        (1 <= ruleset.tiebreak_max_deals <= 10, "tiebreak_max_deals", "1 to 10 deals may break a tie"),
    )
    return tuple((option, sentence) for fine, option, sentence in checks if not fine)


def _bad_terms(terms: Terms, seats: int) -> tuple[Problem, ...]:
    first, turns, deals, clock = terms.first_dealer, terms.max_turns_per_deal, terms.max_deals, terms.clock
    dealer_known = not isinstance(first, SeatDealer) or 0 <= first.seat < seats
    clock_runs = clock.bank_ms > 0 and clock.increment_ms >= 0 and clock.cap_ms > 0
    checks = (
        (dealer_known, "first_dealer", f"there is no such seat among {seats}"),
        (terms.max_faults >= 1, "max_faults", "must be at least 1"),
        (turns is None or turns >= 1, "max_turns_per_deal", "must be at least 1"),
        (deals is None or deals >= 1, "max_deals", "must be at least 1"),
        (clock_runs, "clock", "bank and cap must be positive, the increment not negative"),
    )
    return tuple((option, sentence) for fine, option, sentence in checks if not fine)
