"""What cannot be read or cannot be is refused, with the file, the case and a sentence that says what to change."""

import pytest

from referee.cases.choosing import chosen
from referee.cases.errors import CaseError
from referee.cases.reading import read_cases
from referee.cases.running import case_verdicts
from referee.engine import PRESETS

HEAD = 'title = "t"\n[[case]]\nid = "Q7"\ntitle = "x"\n'
STEPS = 'steps = [{ draw = "stock" }]\n'


def problem(text: str) -> str:
    """What is said of a file that cannot be used: when it is read, or when its cases are begun."""
    try:
        for case in read_cases(text, "quarrel.toml").cases:
            list(case_verdicts("quarrel.toml", case, PRESETS["official"]))
    except CaseError as refused:
        return str(refused)
    pytest.fail("nothing was refused")


FILES = {
    "no toml": ("title = ", "quarrel.toml: this is not TOML: Invalid value (at end of document)"),
    "no title": ("case = []", "quarrel.toml: the file needs 'title'"),
    "no cases": ('title = "t"', "quarrel.toml: the file needs 'case'"),
    "an empty list": ('title = "t"\ncase = []', "quarrel.toml: the file has no [[case]]"),
    "case is no list": (
        'title = "t"\n[case]\nid = "Q7"',
        "quarrel.toml: the file: case: {'id': 'Q7'} must be a list: in [brackets], or tables under",
    ),
    "a key of the file": ('titel = "t"\n' + HEAD + STEPS, "quarrel.toml: the file has no 'titel'; did you mean 'title'?"),
    "no id": ('title = "t"\n[[case]]\ntitle = "x"', "quarrel.toml, case number 1: the case needs 'id'"),
    "a case that is none": ('title = "t"\ncase = [3]', "quarrel.toml, case number 1: the case must be a table, as in"),
    "an id of two words": (
        HEAD.replace("Q7", "Q 7") + STEPS,
        "quarrel.toml, case Q 7: the case: id: 'Q 7' must be one word",
    ),
    "an id twice": (
        HEAD + STEPS + HEAD.removeprefix('title = "t"\n') + STEPS,
        "case Q7: another case of this file has the same id",
    ),
}

CASES = {
    # keys and kinds
    "unknown key": ("setps = []", "the case has no 'setps'; did you mean 'steps'?"),
    "far-off key": ('zzz = 1\nsteps = [{ draw = "stock" }]', "the case has no 'zzz'; there are: about, deal, id, next_deal"),
    "no steps": ("", "nothing is done and nothing is looked at: steps are missing"),
    "a title that is a number": (STEPS + "about = 3", "the case: about: 3 must be text in quotation marks"),
    "position and deal": (STEPS + "position = {}\ndeal = {}", "a case begins with a position or with a deal, not with both"),
    "key of a position": (STEPS + "position = { hand = 3 }", "the position has no 'hand'; did you mean 'hands'?"),
    "key of a step": ('steps = [{ drawn = "stock" }]', "the step has no 'drawn'; did you mean 'draw'?"),
    "key of after": (
        'steps = [{ draw = "stock", after = { to_mov = "A" } }]',
        "after has no 'to_mov'; did you mean 'to_move'?",
    ),
    "key of an outcome": ("outcome = [{ step = [] }]", "the outcome has no 'step'; did you mean 'steps'?"),
    "position is no table": (STEPS + "position = 3", "the position must be a table, as in"),
    # cards, seats, melds
    "no such card": (STEPS + 'position = { hands = { B = "R7 Q7" } }', "the position: hands: seat B: no such card: 'Q7'"),
    "no such card in a list": (STEPS + 'position = { hands = ["R7", "R13"] }', "hands: seat B: no such card: 'R13'"),
    "no such seat": (STEPS + "position = { hands = { BB = 3 } }", "hands: 'BB' is no seat; seats are A to F"),
    "too many copies": (STEPS + 'position = { hands = ["R7 R7", "R7"] }', "the position: more copies of R7 than there are"),
    "too many Skips": (
        STEPS + 'position = { hands = ["S S S R1", 3], waiting = { B = 2 } }',
        "more copies of S than there are",
    ),
    "a meld of nothing": (
        STEPS + 'position = { melds = { A = "R7 R7" } }',
        "melds: seat A: 'R7 R7' is no meld; one looks like `set 7",
    ),
    "a meld that is none": (
        STEPS + 'position = { melds = { A = "set 8: R7 B7" } }',
        "'set 8: R7 B7': the declared meaning does not fit",
    ),
    "Wilds that say nothing": (
        STEPS + 'position = { melds = { A = "set: W W" } }',
        "a meld of Wilds alone must say what it stands for",
    ),
    "a meld of an odd thing": (
        STEPS + 'position = { melds = { A = "set red7: W W" } }',
        "'red7' is neither a number nor a colour",
    ),
    "dots in the middle": (
        STEPS + 'position = { stock = "R1 ... R2" }',
        "'R1 ... R2': `...` stands once, before or after the cards",
    ),
    "dots twice": (STEPS + 'position = { stock = "R2 ...", discard = "... R3" }', "`...` stands at one place only"),
    "more cards than are left": (STEPS + "position = { hands = [60, 60] }", "hands: 60 cards for B, but only 47 are left"),
    # positions that cannot be
    "a seat too many": (
        STEPS + "position = { seats = 2, points = { C = 3 } }",
        "seat C is named, but there are 2 seats; say seats = 3",
    ),
    "seven seats": (
        STEPS + "position = { seats = 7 }",
        "these rules cannot be played: players_max: 7 seats are not within 2 to 6",
    ),
    "drawn is not in hand": (STEPS + 'position = { hands = { A = "R1" }, drawn = "R2" }', "drawn: A holds no R2"),
    "drawn before the draw": (
        STEPS + 'position = { stage = "draw", drawn = "R2" }',
        "stage is `draw`, or `play` where a card was drawn",
    ),
    "a stage that is none": (STEPS + 'position = { stage = "over" }', "stage is `draw`, or `play` where a card was drawn"),
    "a phase not played": (
        STEPS + "position = { phases = 11 }",
        "phases: official does not play phase 11; choose rules by phase=11",
    ),
    "an empty hand": (STEPS + 'position = { hands = { B = "" } }', "hands: B holds no card, so this deal would be over"),
    "a Skip for the mover": (
        STEPS + "position = { waiting = { A = 1 } }",
        "nobody is asked; this comes first: A is skipped",
    ),
    "the cap is reached": (STEPS + "position = { turn = 200 }", "nobody is asked; this comes first: deal ends: turn_cap"),
    "the mover is gone": (
        STEPS + 'position = { seats = 3, forfeited = { A = "resigned" } }',
        "nobody is asked: A has forfeited",
    ),
    "a slot of another seat": (STEPS + 'position = { turn = 4, dealer = "A" }', "turn: slot 4 of this deal is not A's"),
    "a dealer who does not play": (
        STEPS + 'position = { seats = 3, players = "A B", dealer = "C" }',
        "dealer: C takes no part in this deal",
    ),
    "a mover who does not play": (STEPS + 'position = { players = "B C" }', "to_move: A takes no part in this deal"),
    "one player": (STEPS + 'position = { players = "A" }', "players: at least two different seats of the table play a deal"),
    "phases done that are not played": (
        STEPS + "position = { done = { A = [11] } }",
        "done: these are not 1 phases of official",
    ),
    "two numbers of phases": (
        STEPS + "position = { done = { A = [1] }, completed = { A = 2 } }",
        "done: these are not 2 phases of official",
    ),
    "a number below zero": (STEPS + "position = { points = -1 }", "the position: points: -1 must be a whole number"),
    "too many phases": (STEPS + "position = { completed = { A = 11 } }", "completed: A has done 0 to 10 phases"),
    "a forfeit of no kind": (
        STEPS + 'position = { forfeited = { B = "bored" } }',
        "'bored' is none of: faults, clock, resigned",
    ),
    # deals
    "a deal of two kinds": (
        STEPS + 'deal = { seed = "x", start = "R1" }',
        "the deal: give a seed, a deck, or hands, start and stock",
    ),
    "a short deck": (STEPS + 'deal = { deck = "R1 R1" }', "are missing; a deck names all its 108 cards"),
    "a hand too long": (
        STEPS + 'deal = { hands = ["R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11"] }',
        "a deal has 2 hands of 10 cards at most",
    ),
    "a card dealt thrice": (STEPS + 'deal = { hands = ["R1 R1", "R1"] }', "the deal: more copies of R1 than there are"),
    "a stock that leaves nothing to deal": (
        STEPS
        + 'deal = { seats = 6, stock = "R1 R1 R2 R2 R3 R3 R4 R4 R5 R5 R6 R6 R7 R7 R8 R8 R9 R9 R10 R10 R11 R11 R12 R12 '
        + 'B1 B1 B2 B2 B3 B3 B4 B4 B5 B5 B6 B6 B7 B7 B8 B8 B9 B9 B10 B10 B11 B11 B12 B12" }',
        "the deal: not enough cards are left for all hands; name fewer of the stock",
    ),
    "a seed and a next deal": (STEPS + 'deal = { seed = "x" }\nnext_deal = [{}]', "with a seed all deals come from it"),
    "a next deal of two kinds": (
        STEPS + 'next_deal = [{ deck = "R1", start = "R2" }]',
        "next_deal: give a deck, or hands, start and stock",
    ),
    "a seat without a hand": (
        STEPS + 'deal = { seats = 2, hands = { C = "R1" } }',
        "hands: there are 2 seats; say seats = 3",
    ),
    "a reshuffle of cards elsewhere": (
        STEPS + 'position = { hands = { A = "R1 R1" }, stock = "" }\nreshuffles = ["R1"]',
        "reshuffle 1 of deal 0: more copies of R1 than there are",
    ),
    # steps
    "an unknown reason": (
        'steps = [{ draw = "stock", reject = "SKIP_NOT_TAKABLE" }]',
        "the step: reject: 'SKIP_NOT_TAKABLE' is no reason; did you mean SKIP_NOT_TAKEABLE?",
    ),
    "a reason far off": (
        'steps = [{ draw = "stock", reject = "?" }]',
        "'?' is no reason; there are: NOT_YOUR_TURN, GAME_OVER",
    ),
    "a pile that is none": ('steps = [{ draw = "table" }]', "draw: 'table' must be `stock` or `discard`"),
    "no hit": ('steps = [{ hits = ["R5 at B1"] }]', "hits: 'R5 at B1' is no hit; one looks like `R5 on B1`"),
    "no end": ('steps = [{ hits = ["R5 on B1 left"] }]', "hits: 'left' is not a valid End"),
    "no event": (
        'steps = [{ draw = "stock", absent = ["A skip B"] }]',
        "absent: 'A skip B' is no event; one looks like `A draws",
    ),
    "two things at once": ('steps = [{ draw = "stock", fault = "late" }]', "one thing is done at a time"),
    "a fault refused": ('steps = [{ fault = "late", reject = "GAME_OVER" }]', "only a draw or a play can be refused"),
    "events of a refusal": (
        'steps = [{ draw = "stock", reject = "GAME_OVER", events = ["A draws"] }]',
        "a refused move leads to no events",
    ),
    "nothing at all": ('steps = [{ note = "hm" }]', "the step: it neither does nor looks at anything"),
    "a seat that looks": (
        'steps = [{ seat = "A", after = { deal = 0 } }]',
        "the step: it neither does nor looks at anything",
    ),
    "after of nobody": ("steps = [{ after = { points = { E = 1 } } }]", "step 1: after: points: there is no seat E"),
    "a fault of nobody": ('steps = [{ seat = "E", fault = "late" }]', "step 1: there is no seat E"),
    "a forfeit by faults": ('steps = [{ seat = "B", forfeit = "faults" }]', "step 1: a seat forfeits by its faults when"),
    "nobody to move": (
        'steps = [{ forfeit = "clock" }, { draw = "stock" }]',
        "step 2: the game is over, so nobody is to move; name a seat",
    ),
    "a number that is none": ('steps = [{ turns = "two" }]', "turns: 'two' must be a whole number"),
    "a flag that is none": ("steps = [{ after = { forfeited = 1 } }]", "after: forfeited: 1 must be true or false"),
    "copies of what": ("steps = [{ after = { copies = 1 } }]", "after: copies: 1 must be a table"),
    "piles of what": ('steps = [{ after = { draws = "hand" } }]', "after: draws: 'hand' must be `stock` or `stock discard`"),
    # rules
    "a rule set that is none": (
        STEPS + 'rules = "offical"',
        "rules: there is no rule set 'offical'; there are: every, all, official",
    ),
    "no rule set left": (STEPS + 'rules = "bg -bg*"', "rules: 'bg -bg*' leaves no rule set"),
    "an option that is none": (STEPS + 'rules = "skip=chosen"', "rules: 'skip=chosen': there is no option 'skip'"),
    "a value that is none": (
        STEPS + 'rules = "skip_target=choosen"',
        "rules: 'skip_target=choosen': skip_target is never 'choosen'",
    ),
    "a phase that is no number": (STEPS + 'rules = "phase=x"', "rules: 'phase=x': a phase is a number"),
    "rules beside outcomes": (
        'rules = "bg"\noutcome = [{ steps = [{ draw = "stock" }] }]',
        "'rules' stands with each outcome, or with a case that has no outcomes",
    ),
    "steps of refused rules": (STEPS + 'refuse = "phases"', "where the rules are refused there are no steps"),
    "refused for no option": ('refuse = "phase"', "refuse has no 'phase'; did you mean 'phases'?"),
    "an option misspelt": (
        STEPS + 'options = { natural_card = "none" }',
        "options has no 'natural_card'; did you mean 'natural_cards'?",
    ),
    "an option's value": (
        STEPS + 'options = { natural_cards = "no" }',
        "options: natural_cards: 'no' is none of: none, one_per_phase",
    ),
    "a flag's value": (STEPS + 'options = { lay_extra = "no" }', "options: lay_extra: 'no' must be true or false"),
    "a list's value": (STEPS + "options = { phases = 3 }", "options: 3 must be a list of numbers (phases)"),
    "a table's value": (STEPS + "options = { card_points = 3 }", "options: 3 must be a table of numbers (card_points)"),
    "a part of a table": (
        STEPS + "options = { card_points = { joker = 3 } }",
        "card_points has no 'joker'; there are: high, low",
    ),
    "options of no kind": (STEPS + "options = 3", "options: 3 must be a table"),
    "terms of no kind": (STEPS + "terms = 3", "terms: 3 must be a table"),
    "a term misspelt": (STEPS + "terms = { max_deal = 3 }", "terms has no 'max_deal'; did you mean 'max_deals'?"),
    "a term's value": (STEPS + 'terms = { max_deals = "all" }', "terms: max_deals: 'all' must be a whole number"),
    "rules that contradict": (
        STEPS + "options = { phases = [] }",
        "these rules cannot be played: phases: there must be at least one",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_read_is_refused(text: str, sentence: str) -> None:
    assert sentence in problem(text)
    assert problem(text).startswith("quarrel.toml")


@pytest.mark.parametrize(("text", "sentence"), CASES.values(), ids=CASES)
def test_a_case_that_cannot_be_is_refused(text: str, sentence: str) -> None:
    told = problem(HEAD + text)
    assert told.startswith("quarrel.toml, case Q7: ")
    assert sentence in told


def test_all_seats_are_on_one_phase_where_everybody_moves_on() -> None:
    text = HEAD + STEPS + "position = { phases = [3, 4] }"
    case = read_cases(text, "quarrel.toml").cases[0]
    with pytest.raises(CaseError, match=r"case Q7: under bg\+all-advance: .*everybody moves on after every deal"):
        list(case_verdicts("quarrel.toml", case, PRESETS["bg+all-advance"]))


def names(words: str) -> list[str]:
    return [rules.name for rules in chosen(words)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("bg", ["bg"]),
        ("all", ["official", "da", "sv", "bg", "lt"]),
        ("all -bg", ["official", "da", "sv", "lt"]),
        ("bg+to?", ["bg+to5", "bg+to8"]),
        ("fundex* -fundex+*", ["fundex"]),
        ("-*+* -*literal", ["official", "da", "sv", "bg", "lt", "fundex", "app163"]),
        ("all going_out=discard_only", ["sv", "bg"]),
        ("all going_out!=discard_only", ["official", "da", "lt"]),
        ("take_skip_from_discard=true", ["bg-literal"]),
        ("initial_skip=cover official", ["official", "da+twist"]),
        ("phase=10 phase!=9", ["bg+even", "fundex+even"]),
        ("last=5", ["bg+to5", "lt+first5", "fundex+to5"]),
        ("win_check=end_of_deal_and_out", ["bg+out", "app163"]),
        ("every -every official", ["official"]),
    ],
)
def test_words_choose_rule_sets(words: str, expected: list[str]) -> None:
    assert names(words) == expected


def test_every_means_all_that_are_published() -> None:
    assert names("every") == names("") == list(PRESETS)


def test_what_a_file_says_is_kept() -> None:
    text = 'title = "Hits"\nabout = "All of them."\n[[case]]\nid = "Q7"\ntitle = "May I?"\nabout = "Page 3."\n' + STEPS
    file = read_cases(text, "quarrel.toml")
    assert (file.name, file.title, file.about) == ("quarrel.toml", "Hits", "All of them.")
    assert (file.cases[0].id, file.cases[0].title, file.cases[0].about) == ("Q7", "May I?", "Page 3.")
    assert len(file.cases[0].outcomes[0].rulesets) == len(PRESETS)
