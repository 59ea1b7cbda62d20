"""What a rule set says, chapter by chapter: options in words, and between them what is the same in every rule set."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from referee.engine.cards import full_deck
from referee.engine.presets import OFFICIAL
from referee.engine.ruleset import Advance, Ruleset, ScoreTie, SeatDealer, SkipLimit, Terms, WinCheck
from tournament_site.matches.rulebook.options import OPTIONS, counted

Fact = Callable[[Ruleset], str]  # a sentence, or nothing where a rule set has nothing to say


@dataclass(frozen=True, slots=True)
class Chapter:
    """Items in the order of the page: names of options, and facts."""

    key: str
    title: str
    items: tuple[str | Fact, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a rules page; `official` is what the official rules say here, empty where it is the same."""

    text: str
    official: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """An option on which a rule set reads unlike the official rules, with both sentences."""

    label: str
    chapter: str
    text: str
    official: str


def _always(sentence: str) -> Fact:
    return lambda _: sentence


def _deck(rules: Ruleset) -> str:
    return f"That makes {len(full_deck(rules.wilds, rules.skips))} cards."


def _no_target(rules: Ruleset) -> str:
    if rules.skip_limit is SkipLimit.UNLIMITED:
        return ""
    return "A Skip that may be played against nobody is a plain discard."


def _ranking(rules: Ruleset) -> str:
    if rules.advance is Advance.EVERY_DEAL:
        return "All others are ranked by their totals, the lower one first."
    return "All others are ranked by the phases they have done, more first, and where those are equal by the lower total."


def _tie_break(rules: Ruleset) -> str:
    if rules.score_tie is ScoreTie.SHARED:
        return ""
    return f"Only the players who are level take part; they try phase {rules.phases[-1]}, and points do not count."


def _winning_the_deal(rules: Ruleset) -> str:
    if rules.advance is Advance.EVERY_DEAL or rules.win_check is WinCheck.END_OF_DEAL_AND_OUT:
        return ""
    return "Nobody has to go out to move on: laying is enough."


CHAPTERS: Final = (
    Chapter(
        "players",
        "Players and deck",
        (
            "players_min",
            "players_max",
            _always("The deck has 96 number cards: 1 to 12 in four colours, each twice."),
            "wilds",
            "skips",
            _deck,
        ),
    ),
    Chapter(
        "deal",
        "The deal",
        (
            "hand_size",
            _always("The next card is turned up and starts the discard pile: the start card. The rest is the draw pile."),
            _always("The player to the left of the dealer begins. Turns go clockwise."),
            "dealer_rotation",
        ),
    ),
    Chapter("start", "The start card", ("initial_skip", "initial_skip_deals", "initial_wild")),
    Chapter(
        "draw",
        "Drawing",
        (
            _always("A turn begins with drawing one card: the top card of the draw pile or of the discard pile."),
            _always("A Wild that was discarded may be taken."),
            "take_skip_from_discard",
            "deck_exhausted",
        ),
    ),
    Chapter("phases", "The phases", ("phases",)),
    Chapter(
        "lay",
        "Laying a phase",
        (
            _always("You lay a phase in your turn, after drawing, and all of it at once."),
            _always("You lay one phase in a deal, however many more your cards would make."),
            _always("A set has cards of one number. Their colours do not matter."),
            _always("A run has numbers that follow one another, within 1 to 12. Colours do not matter."),
            _always("A colour has cards of one colour. Their numbers do not matter and may come twice."),
            _always("A Wild stands for any number and any colour. A Skip is never part of a meld."),
            "natural_cards",
            "lay_extra",
            "same_number_sets",
        ),
    ),
    Chapter(
        "hit",
        "Hitting",
        (
            _always("Once you have laid, you may add cards to melds on the table: in your turns, as many as fit."),
            "hit_on_lay_turn",
            _always("A Wild put on a run needs an end that is open. If both are, you choose one."),
            _always("No new melds are laid after the phase, and a run from 1 to 12 is complete."),
            "wild_replaceable",
        ),
    ),
    Chapter(
        "out",
        "Discarding and going out",
        (
            _always("You end your turn by discarding one card, if you still have any."),
            _always("Any card may go, a Wild or the card you have just drawn too."),
            "going_out",
            _always("When somebody is out, the deal ends at once, for everybody."),
        ),
    ),
    Chapter(
        "skips",
        "Skips",
        (
            _always("You play a Skip by discarding it at the end of your turn."),
            "skip_target",
            "skip_limit",
            _no_target,
            "skip_zone",
            _always("With two players a Skip gives you another turn."),
            _always("A Skip that is your last card skips nobody, and Skips that still wait end with the deal."),
        ),
    ),
    Chapter(
        "score",
        "Scoring",
        (
            "card_points",
            _always("Cards on the table cost nothing, so whoever is out has no points in that deal. Few points are good."),
        ),
    ),
    Chapter("advance", "Moving on", ("advance", _winning_the_deal)),
    Chapter("win", "Winning", ("win_check", _ranking, _always("A bot that has forfeited comes last."))),
    Chapter("ties", "Ties", ("score_tie", _tie_break, "tiebreak_max_deals")),
)


def _said(item: str | Fact, rules: Ruleset) -> str:
    return OPTIONS[item].words(rules).sentence if isinstance(item, str) else item(rules)


def lines(chapter: Chapter, rules: Ruleset) -> tuple[Line, ...]:
    """The sentences of a chapter."""
    found = []
    for item in chapter.items:
        text, official = _said(item, rules), _said(item, OFFICIAL)
        if text:
            found.append(Line(text, official if official != text else ""))
    return tuple(found)


def differences(rules: Ruleset) -> tuple[Difference, ...]:
    """The options that read unlike the official ones, in the order of the chapters."""
    options = ((chapter, item) for chapter in CHAPTERS for item in chapter.items if isinstance(item, str))
    both = ((chapter, item, _said(item, rules), _said(item, OFFICIAL)) for chapter, item in options)
    return tuple(
        Difference(OPTIONS[item].label, chapter.key, text, official)
        for chapter, item, text, official in both
        if text != official
    )


def _clock(terms: Terms) -> str:
    bank, increment, cap = (f"{ms / 1000:g} s" for ms in (terms.clock.bank_ms, terms.clock.increment_ms, terms.clock.cap_ms))
    return f"A bot has {bank} to think in a game, and {increment} more for each answer. One answer may take {cap} at most."


def _faults(terms: Terms) -> str:
    forfeit = "one of them forfeits the game" if terms.max_faults == 1 else f"{terms.max_faults} of them forfeit the game"
    return f"An illegal, late or missing answer is a fault: a plain move is played instead, and {forfeit}."


def _first_dealer(terms: Terms) -> str:
    match terms.first_dealer:
        case SeatDealer(seat):
            return f"Seat {seat + 1} deals first."
        case "last_seat":
            return "The last seat deals first, so the first seat begins."
        case "seeded":
            return "The shuffle of the game also draws who deals first."


def _turns(terms: Terms) -> str:
    cap = terms.max_turns_per_deal
    if cap is None:
        return "A deal has no limit of turns."
    return f"A deal ends after {counted(cap, 'turn')} of each player, missed ones too, and is scored like any other."


def _deals(terms: Terms) -> str:
    cap = terms.max_deals
    if cap is None:
        return "A game has no limit of deals."
    return f"A game ends after {counted(cap, 'deal')} at the latest and is ranked as it stands then."


TERMS: Final[Mapping[str, Callable[[Terms], str]]] = {
    "first_dealer": _first_dealer,
    "clock": _clock,
    "max_faults": _faults,
    "max_turns_per_deal": _turns,
    "max_deals": _deals,
}


def terms_lines(terms: Terms) -> tuple[str, ...]:
    """What a match agrees on beside its rules, a sentence each."""
    return tuple(say(terms) for say in TERMS.values())
