"""The words for rules: every option and every value has its own, and what is said is what the engine plays."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from enum import Enum
from itertools import combinations
from typing import Any, get_args

import pytest

from referee.engine.cards import WILD, full_deck
from referee.engine.errors import IllegalMove, Reason
from referee.engine.melds import ends, lay
from referee.engine.moves import Meld
from referee.engine.presets import OFFICIAL, PRESETS, ruleset_hash
from referee.engine.ruleset import (
    PHASES,
    Advance,
    CardPoints,
    Clock,
    FirstDealer,
    InitialSkip,
    InitialSkipDeals,
    NaturalCards,
    Ruleset,
    ScoreTie,
    SeatDealer,
    Terms,
    WinCheck,
)
from tournament_site.matches import rulebook
from tournament_site.matches.rulebook.chapters import TERMS
from tournament_site.matches.rulebook.words import SWITCHES

OPTION_FIELDS = [field.name for field in fields(Ruleset) if field.name != "name"]
#: values of the options that are no switches; the official value is among them
OTHER_VALUES: dict[str, tuple[Any, ...]] = {
    "players_min": (2, 3, 4, 5, 6),
    "players_max": (2, 3, 4, 5, 6),
    "wilds": (0, 1, 2, 8, 16),
    "skips": (0, 1, 2, 4, 8),
    "hand_size": (7, 9, 10, 11, 13),
    "phases": (OFFICIAL.phases, (4,), (1, 2), (2, 1), (1, 2, 3), (1, 2, 4), (2, 4, 6, 8, 10), tuple(range(10, 0, -1))),
    "card_points": (CardPoints(), CardPoints(low=1), CardPoints(high=11), CardPoints(skip=25), CardPoints(wild=0)),
    "tiebreak_max_deals": (1, 2, 3, 10),
}


def values_of(field: str) -> tuple[Any, ...]:
    """Every value of a switch, some of the other options."""
    official = getattr(OFFICIAL, field)
    if isinstance(official, Enum):
        return tuple(type(official))
    return (False, True) if isinstance(official, bool) else OTHER_VALUES[field]


def every_ruleset() -> Iterator[Ruleset]:
    """The presets, the official rules with each other value, and with each pair of other values of switches."""
    yield from PRESETS.values()
    changes = [{field: value} for field in OPTION_FIELDS for value in values_of(field)]
    yield from (replace(OFFICIAL, **change) for change in changes)
    switches = [change for change in changes if next(iter(change)) in SWITCHES]
    yield from (replace(OFFICIAL, **one, **two) for one, two in combinations(switches, 2) if not one.keys() & two.keys())


def is_sentence(text: str) -> bool:
    return text[0].isupper() and text.endswith(".") and "  " not in text and "None" not in text and "{" not in text


def test_every_option_is_in_one_chapter_and_no_other():
    told = [item for chapter in rulebook.CHAPTERS for item in chapter.items if isinstance(item, str)]
    assert sorted(told) == sorted(OPTION_FIELDS)
    assert set(rulebook.OPTIONS) == set(OPTION_FIELDS)
    labels = [option.label for option in rulebook.OPTIONS.values()]
    assert len(labels) == len(set(labels))


def test_every_switch_has_words_for_every_value_and_no_more():
    switches = {field for field in OPTION_FIELDS if isinstance(getattr(OFFICIAL, field), Enum | bool)}
    assert set(SWITCHES) == switches
    for field in switches:
        assert set(SWITCHES[field]) == set(values_of(field)), field


@pytest.mark.parametrize("field", OPTION_FIELDS)
def test_values_that_differ_are_said_differently(field):
    words = [rulebook.OPTIONS[field].words(replace(OFFICIAL, **{field: value})) for value in values_of(field)]
    assert len({each.sentence for each in words}) == len({each.brief for each in words}) == len(values_of(field))


def test_no_sentence_stands_for_two_options():
    by_option = {
        field: {rulebook.OPTIONS[field].words(replace(OFFICIAL, **{field: value})).sentence for value in values_of(field)}
        for field in OPTION_FIELDS
    }
    sentences = [sentence for said in by_option.values() for sentence in said]
    assert [text for text, count in Counter(sentences).items() if count > 1] == []


def test_every_rule_set_reads_like_english():
    for rules in every_ruleset():
        for chapter in rulebook.CHAPTERS:
            said = rulebook.lines(chapter, rules)
            assert said, chapter.key
            assert len({line.text for line in said}) == len(said), (rules, chapter.key)
            for line in said:
                assert is_sentence(line.text), line
                assert line.official != line.text
                assert not line.official or is_sentence(line.official), line
        for option in rulebook.OPTIONS.values():
            brief = option.words(rules).brief
            assert brief
            assert not brief.endswith("."), brief


def test_what_is_said_of_the_official_rules_differs_from_nothing():
    assert rulebook.differences(OFFICIAL) == ()
    assert all(not line.official for chapter in rulebook.CHAPTERS for line in rulebook.lines(chapter, OFFICIAL))


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_every_option_that_differs_is_named(rules):
    found = {difference.label for difference in rulebook.differences(rules)}
    unlike = {field for field in OPTION_FIELDS if getattr(rules, field) != getattr(OFFICIAL, field)}
    assert {rulebook.OPTIONS[field].label for field in unlike} <= found
    for difference in rulebook.differences(rules):
        chapter = next(chapter for chapter in rulebook.CHAPTERS if chapter.key == difference.chapter)
        assert any(
            (line.text, line.official) == (difference.text, difference.official) for line in rulebook.lines(chapter, rules)
        )


def test_an_option_that_reads_otherwise_beside_another_is_named_too():
    labels = [each.label for each in rulebook.differences(PRESETS["fundex+ten-hands"])]
    assert labels == ["How many Skips", "Where a Skip lies", "Next phase", "Who wins"]
    assert "Who wins" in [each.label for each in rulebook.differences(PRESETS["bg+free"])]


def said(rules: Ruleset, key: str) -> str:
    chapter = next(chapter for chapter in rulebook.CHAPTERS if chapter.key == key)
    return " ".join(line.text for line in rulebook.lines(chapter, rules))


def test_options_that_decide_nothing_beside_others_promise_nothing():
    every_deal = replace(OFFICIAL, advance=Advance.EVERY_DEAL, phases=(1, 2, 3))
    assert "The game has 3 deals" in said(every_deal, "win")
    assert "phases they have done" not in said(every_deal, "win")
    assert "laying is enough" not in said(every_deal, "advance")
    shared = replace(OFFICIAL, score_tie=ScoreTie.SHARED)
    assert said(shared, "ties") == (
        "If the best are level, they share the first place. No further deal is played to break a tie."
    )
    covered = replace(OFFICIAL, initial_skip=InitialSkip.COVER, initial_skip_deals=InitialSkipDeals.FIRST)
    assert "first deal of the game only" not in said(covered, "start")
    for check in WinCheck:
        assert "lays the last phase" not in said(replace(OFFICIAL, advance=Advance.FREE_CHOICE, win_check=check), "win")


def test_numbers_are_those_of_the_rules():
    rules = replace(OFFICIAL, wilds=3, skips=0, hand_size=9, players_max=4)
    assert said(rules, "players").endswith("The deck has 3 Wilds. The deck has no Skips. That makes 99 cards.")
    assert "At most 4 players" in said(rules, "players")
    assert said(rules, "deal").startswith("Everybody is dealt 9 cards")
    assert said(replace(OFFICIAL, wilds=1), "players").count("1 Wild.") == 1


@pytest.mark.parametrize(
    ("phases", "text"),
    [((1, 2, 3), "1 to 3"), ((1, 2), "1 and 2"), ((2, 4, 6), "2, 4 and 6"), ((5,), "5"), ((3, 2, 1), "3, 2 and 1")],
)
def test_phases_are_listed_in_their_order(phases, text):
    words = rulebook.OPTIONS["phases"].words(replace(OFFICIAL, phases=phases))
    assert words.brief.endswith(f" {text}")
    assert text in words.sentence


# -- where presets come from -------------------------------------------------------------------------------------------


def test_every_preset_has_one_source():
    told = [name for group in rulebook.GROUPS for name in group.presets]
    assert sorted(told) == sorted(PRESETS)
    assert all(is_sentence(rulebook.origin_of(name)) for name in PRESETS)
    for group in rulebook.GROUPS:
        assert next(iter(group.presets)) == group.base
        assert all(name.startswith(group.base) for name in group.presets)


@pytest.mark.parametrize("name", PRESETS)
def test_a_summary_names_what_sets_a_preset_apart(name):
    summary = rulebook.summary(name)
    assert is_sentence(summary)
    base = rulebook.group_of(name).base
    other = OFFICIAL if name == base else PRESETS[base]
    unlike = [field for field in OPTION_FIELDS if getattr(PRESETS[name], field) != getattr(other, field)]
    for field in unlike:
        assert rulebook.OPTIONS[field].words(PRESETS[name]).brief in summary
    assert summary.count(";") == max(0, len(unlike) - 1)
    assert summary.startswith(f"Like {other.name}, but ") == bool(unlike)


def test_presets_of_one_source_have_summaries_of_their_own():
    summaries = [rulebook.summary(name) for name in PRESETS]
    twins = {name for name in PRESETS if summaries.count(rulebook.summary(name)) > 1}
    assert twins == set()


@pytest.mark.parametrize("ask", [rulebook.summary, rulebook.origin_of, rulebook.group_of])
def test_nobody_tells_of_a_preset_that_is_not_there(ask):
    with pytest.raises(rulebook.UnknownRules, match="there is no rule set 'nonsense'"):
        ask("nonsense")


# -- the machine's form ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_plain_options_are_all_there_and_make_the_hash(rules):
    options = rulebook.options_of(rules)
    assert sorted(options) == sorted(OPTION_FIELDS)
    text = json.dumps(options, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == ruleset_hash(rules)


def test_what_is_no_value_of_an_option_has_no_plain_form():
    with pytest.raises(TypeError, match="no value of an option"):
        rulebook.plain(None)


# -- pictures ----------------------------------------------------------------------------------------------------------


def some_rulesets() -> dict[str, Ruleset]:
    options: list[dict[str, Any]] = [{"lay_extra": False}, {"same_number_sets": False}, {"wilds": 0}, {"skips": 0}]
    options += [{"natural_cards": duty} for duty in NaturalCards]
    named = {str(change): replace(OFFICIAL, **change) for change in options}
    return {**PRESETS, **named}


@pytest.mark.parametrize("rules", some_rulesets().values(), ids=some_rulesets())
def test_examples_may_be_laid(rules):
    for phase in rules.phases:
        melds = rulebook.phase_example(phase, rules)
        cards = [card for meld in melds for card in meld.cards]
        hand = [*cards, WILD]
        again = lay([Meld(meld.cards) for meld in melds], phase, hand, rules)
        assert again == melds
        assert hand == [WILD]
        assert [(meld.kind, len(meld.cards)) for meld in melds] == [(goal.kind, goal.size) for goal in PHASES[phase]]
        assert not Counter(cards) - Counter(full_deck(rules.wilds, rules.skips))
        assert cards.count(WILD) == min(1, rules.wilds)


def test_a_wild_in_a_picture_says_what_it_stands_for():
    for phase in PHASES:
        for meld in rulebook.phase_example(phase, OFFICIAL):
            for place, (card, stands) in enumerate(rulebook.stands_for(meld)):
                assert card == meld.cards[place]
                if card != WILD or meld.kind.value == "color":
                    assert stands is None
                else:
                    assert stands == (meld.value + place if meld.kind.value == "run" else meld.value)


def verdicts(rules: Ruleset) -> dict[str, str]:
    return {trial.question: trial.refusal for trial in rulebook.trials(rules)}


@pytest.mark.parametrize("rules", some_rulesets().values(), ids=some_rulesets())
def test_trials_end_as_the_options_say(rules):
    found = verdicts(rules)
    duty = rules.natural_cards
    wished = {
        "One card more than asked for": rules.lay_extra,
        "A meld of Wilds alone beside one with number cards": duty is not NaturalCards.ONE_PER_MELD,
        "A whole phase of Wilds": duty is NaturalCards.NONE,
        "Two sets of one number": rules.same_number_sets,
        "A run that goes on from 12 to 1": False,
        "A Skip in a meld": False,
    }
    assert set(found) <= set(wished)
    assert {question: not refusal for question, refusal in found.items()} == {each: wished[each] for each in found}
    assert all(is_sentence(refusal) for refusal in found.values() if refusal)


@pytest.mark.parametrize("rules", some_rulesets().values(), ids=some_rulesets())
def test_trials_lay_what_the_phase_of_the_trial_is_about(rules):
    for trial in rulebook.trials(rules):
        assert trial.phase in rules.phases
        cards = [card for meld in trial.melds for card in meld.cards]
        assert not Counter(cards) - Counter(full_deck(rules.wilds, rules.skips)), trial
        if trial.refusal:
            with pytest.raises(IllegalMove) as caught:
                lay(trial.melds, trial.phase, [*cards, WILD], rules)
            assert trial.refusal.casefold() == f"{caught.value.reason.value}.".casefold()
        else:
            assert lay(trial.melds, trial.phase, [*cards, WILD], rules)


def test_each_refusal_names_the_reason_it_is_there_for():
    narrow = replace(OFFICIAL, lay_extra=False, same_number_sets=False, natural_cards=NaturalCards.ONE_PER_MELD)
    reasons = [
        Reason.EXTRA_NOT_ALLOWED, Reason.NATURAL_REQUIRED, Reason.NATURAL_REQUIRED, Reason.SAME_NUMBER_SETS,
        Reason.NOT_A_RUN, Reason.SKIP_IN_MELD,
    ]  # fmt: skip
    assert [refusal.casefold() for refusal in verdicts(narrow).values()] == [f"{each.value}.".casefold() for each in reasons]


def test_without_the_cards_there_is_no_trial():
    assert not [question for question in verdicts(replace(OFFICIAL, wilds=0)) if "Wild" in question]
    assert "A Skip in a meld" not in verdicts(replace(OFFICIAL, skips=0))
    assert "Two sets of one number" not in verdicts(replace(OFFICIAL, phases=(2, 4)))


def test_cards_shown_for_a_hit_fit():
    examples = rulebook.hit_examples()
    assert {meld.kind for meld, _ in examples} == {goal.kind for goals in PHASES.values() for goal in goals}
    for meld, cards in examples:
        assert WILD in cards
        assert len(cards) > 1
        assert all(ends(meld, card) for card in cards)


# -- terms -------------------------------------------------------------------------------------------------------------


def test_every_term_has_a_sentence():
    assert set(TERMS) == {field.name for field in fields(Terms)}
    assert all(is_sentence(line) for line in rulebook.terms_lines(Terms()))


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("clock", (Clock(), Clock(bank_ms=1500), Clock(increment_ms=0), Clock(cap_ms=1))),
        ("max_faults", (1, 2, 3)),
        ("first_dealer", ("last_seat", "seeded", SeatDealer(0), SeatDealer(3))),
        ("max_turns_per_deal", (None, 1, 100)),
        ("max_deals", (None, 1, 60)),
    ],
)
def test_terms_that_differ_are_said_differently(field, values):
    sentences = [TERMS[field](replace(Terms(), **{field: value})) for value in values]
    assert len(set(sentences)) == len(values)
    assert all(is_sentence(sentence) for sentence in sentences)


def test_every_kind_of_first_dealer_is_tried_above():
    assert get_args(FirstDealer)[0] is SeatDealer
    assert get_args(get_args(FirstDealer)[1]) == ("last_seat", "seeded")


def test_every_time_of_the_clock_is_said():
    said_of = {TERMS["clock"](Terms(clock=replace(Clock(), **{field.name: 7777}))) for field in fields(Clock)}
    assert len(said_of) == len(fields(Clock))
    assert all("7.777 s" in sentence for sentence in said_of)
