"""A wrong expectation fails, and says so; the checks that nobody asks for are made."""

import pytest

from referee.cases.hiding import EVERYBODY, blind, copied, exchanged
from referee.cases.looking import all_cards
from referee.cases.reading import read_cases
from referee.cases.running import Failure, failure_text, run
from referee.cases.standing import stand
from referee.cases.values import Position
from referee.engine import OFFICIAL, PRESETS, SKIP, WILD, Ruleset, Seat, Terms
from referee.engine.observe import seat_view
from referee.engine.state import State

HANDS = 'hands = { A = "R7 B7 G7 R10 B10 G10 W S Y5", B = "R1 R2" }'
POSITION = f'position = {{ {HANDS}, drawn = "Y5", melds = {{ B = "set 5: R5 B5 W" }} }}'


def failure(steps: str, position: str = POSITION, ruleset: Ruleset = OFFICIAL, more: str = "") -> Failure | None:
    text = f'title = "t"\n[[case]]\nid = "X"\ntitle = "x"\n{more}\n{position}\nsteps = [{steps}]\n'
    case = read_cases(text, "x.toml").cases[0]
    return run(case, case.outcomes[0], ruleset)


def told(steps: str, position: str = POSITION, more: str = "") -> list[tuple[str, str, str]]:
    """What differs, as (what, expected, came)."""
    found = failure(steps, position, more=more)
    return [] if found is None else [(one.what, one.expected, one.came) for one in found.differences]


def test_a_move_that_is_refused_though_it_should_be_allowed_fails() -> None:
    assert told('{ discard = "B12" }') == [
        ("the move", "allowed", "refused: CARD_NOT_IN_HAND (the hand does not hold all of these cards)")
    ]


def test_a_move_that_is_allowed_though_it_should_be_refused_fails() -> None:
    found = told('{ discard = "Y5", reject = "CARD_NOT_IN_HAND" }')
    assert found == [
        ("the move", "refused: CARD_NOT_IN_HAND (the hand does not hold all of these cards)", "allowed: A discards Y5")
    ]


def test_another_reason_than_the_expected_one_fails() -> None:
    ((_, expected, came),) = told('{ discard = "B12", reject = "DISCARD_REQUIRED" }')
    assert expected.startswith("refused: DISCARD_REQUIRED")
    assert came.startswith("refused: CARD_NOT_IN_HAND")


def test_where_a_draw_and_a_play_go_together_the_refusal_is_of_the_play() -> None:
    position = 'position = { hands = { A = "R1 R2" }, discard = "S" }'
    assert told('{ draw = "stock", discard = "B12", reject = "CARD_NOT_IN_HAND" }', position) == []
    ((_, _, came),) = told('{ draw = "discard", discard = "R1", reject = "SKIP_NOT_TAKEABLE" }', position)
    assert came.startswith("the draw is refused: SKIP_NOT_TAKEABLE")


@pytest.mark.parametrize(
    ("expected", "what"),
    [
        ('events = ["A discards Y5", "B draws"]', "events"),
        ("events = []", "events"),
        ('contains = ["A skips B"]', "events, among them in this order"),
        ('absent = ["A discards"]', "events, none of these"),
        ('seen = ["A discards S"]', "what everybody sees"),
    ],
)
def test_other_events_than_the_expected_ones_fail(expected: str, what: str) -> None:
    ((found, _, came),) = told(f'{{ discard = "Y5", {expected} }}')
    assert (found, came) == (what, "A discards Y5")


def test_a_line_may_stop_after_any_word_but_not_within_one() -> None:
    assert told('{ discard = "Y5", events = ["A discards"] }') == []
    position = 'position = { hands = { A = "Y12 R1" }, drawn = "R1" }'
    assert told('{ discard = "Y12", events = ["A discards Y1"] }', position) != []


WRONG = {
    'to_move = "A"': ("to_move", "A", "B"),
    'stage = "over"': ("stage", "over", "draw"),
    'hands = { A = "R7" }': ("hands of A", "R7", "R7 R10 B7 B10 G7 G10 W S"),
    "hands = { B = 3 }": ("hands of B", "3", "2"),
    'melds = { B = "" }': ("melds of B", "none", "set 5: R5 B5 W"),
    'melds = { B = "set 5: B5 R5 W" }': ("melds of B", "set 5: B5 R5 W", "set 5: R5 B5 W"),
    "phase = 2": ("phase of A", "2", "1"),
    "laid = { B = 0 }": ("laid of B", "0", "1"),
    "completed = { B = 0 }": ("completed of B", "0", "1"),
    "done = { B = [] }": ("done of B", "none", "1"),
    "points = { A = 5 }": ("points of A", "5", "0"),
    "penalties = { A = 0 }": ("penalties of A", "0", "none"),
    "waiting = { B = 1 }": ("waiting of B", "1", "0"),
    "faults = { A = 1 }": ("faults of A", "1", "0"),
    "forfeited = { A = true }": ("forfeited of A", "true", "false"),
    "may_be_skipped = { A = false }": ("may_be_skipped of A", "false", "true"),
    "places = { A = 1 }": ("places of A", "1", "none"),
    'winner = "B"': ("winner", "B", "nobody"),
    'discard_top = ""': ("discard_top", "none", "Y5"),
    'discard = "Y5"': ("discard", "Y5", "R1 Y5"),
    "discard_size = 1": ("discard_size", "1", "2"),
    "stock_size = 1": ("stock_size", "1", "93"),
    'stock_top = "W W"': ("stock_top", "W W", "R2 R3"),
    "deal = 9": ("deal", "9", "0"),
    "turn = 9": ("turn", "9", "3"),
    'dealer = "A"': ("dealer", "A", "B"),
    'players = "A"': ("players", "A", "A B"),
    "tie_break = true": ("tie_break", "1", "0"),
    'drawn = "R1"': ("drawn", "R1", "none"),
    'draws = "stock"': ("draws", "stock", "stock discard"),
    'targets = ""': ("targets", "nobody", "A"),
    'deal_end = "went_out"': ("deal_end", "went_out", "none"),
    'out = "A"': ("out", "A", "nobody"),
    'game_end = "deal_cap"': ("game_end", "deal_cap", "none"),
    "cards = 107": ("cards", "107", "108"),
    "copies = { R7 = 1 }": ("copies", "R7 = 1", "R7 = 2"),
}


@pytest.mark.parametrize(("after", "difference"), WRONG.items())
def test_every_property_can_fail(after: str, difference: tuple[str, str, str]) -> None:
    assert difference in told(f'{{ discard = "Y5", after = {{ {after} }} }}')


def test_every_property_can_hold() -> None:
    """The other side of each line above: what came, written as expected."""
    after = """to_move = "B", stage = "draw", hands = ["R7 R10 B7 B10 G7 G10 W S", 2], melds = { B = "set 5: R5 B5 W" },
      phase = 1, laid = [0, 1], completed = [0, 1], done = [[], [1]], points = 0, waiting = 0, faults = 0, forfeited = false,
      may_be_skipped = true, winner = "", discard_top = "Y5", discard = "R1 Y5", discard_size = 2, stock_size = 93,
      stock_top = "R2 R3", deal = 0, turn = 3, dealer = "B", players = "A B", tie_break = false, drawn = "",
      draws = "stock discard", targets = "A", deal_end = "", out = "", game_end = "", cards = 108, copies = { R7 = 2 },
      hidden_from = "A B public\""""
    assert told(f'{{ discard = "Y5", after = {{ {" ".join(after.split())} }} }}') == []


def test_the_end_of_a_game_can_be_looked_at() -> None:
    position = (
        'position = { phases = 10, points = [50, 5], hands = ["R9", "S"], drawn = "R9", melds = { A = "set 9: B9 G9 Y9" } }'
    )
    after = 'places = [1, 2], winner = "A", game_end = "phases_done", deal_end = "went_out", out = "A", penalties = [0, 15]'
    step = f'{{ discard = "R9", after = {{ {after}, points = [50, 20], to_move = "", stage = "over" }} }}'
    assert told(step, position) == []
    over = '{ seat = "A", draw = "stock", reject = "GAME_OVER" }'
    assert told(f"{step}, {over}", position) == []


def test_a_failure_shows_the_position_and_both_sides() -> None:
    found = failure('{ discard = "S", target = "B" }, { discard = "Y5", after = { hands = { A = 1 } }, note = "look here" }')
    assert found is not None
    text = failure_text(found)
    for line in (
        "step 2: A: discard Y5",
        "(look here)",
        "official, deal 0, slot 4, dealer B; A to draw",
        "  stock    93 cards, from the top: R2 R3 R3 R4 R4 R5 R6 R6 ...",
        "  discard  R1 S <- top",
        "> A  phase 1, 0 done, 0 points",
        "     hand R7 R10  B7 B10  G7 G10  Y5  W",
        "  B  phase 1 laid, 1 done, 0 points",
        "     B1   set 5: R5 B5 W",
        "  expected: allowed",
        "  came:     refused: MUST_DRAW_FIRST (a turn begins with drawing a card)",
    ):
        assert line in text.splitlines()


def test_rules_that_are_refused_are_an_outcome() -> None:
    deal = "deal = { seats = 7 }"
    text = 'title = "t"\n[[case]]\nid = "X"\ntitle = "x"\n{}\nrefuse = "{}"\n'
    verdicts = []
    for begins, option in ((deal, "players_max"), (deal, "phases"), ("deal = { seats = 6 }", "players_max")):
        case = read_cases(text.format(begins, option), "x.toml").cases[0]
        verdicts.append(run(case, case.outcomes[0], OFFICIAL))
    assert verdicts[0] is None
    assert [failure_text(one) for one in verdicts[1:] if one is not None] == [
        (
            "begin a game\n\nthe rules:\n  expected: refused for phases\n"
            "  came:     refused: players_max: 7 seats are not within 2 to 6"
        ),
        "begin a game\n\nthe rules:\n  expected: refused for players_max\n  came:     they can be played",
    ]


def state() -> State:
    text = f'title = "t"\n[[case]]\nid = "X"\ntitle = "x"\n{POSITION}\nsteps = [{{ after = {{ deal = 0 }} }}]'
    position = read_cases(text, "x.toml").cases[0].start
    assert isinstance(position, Position)
    return stand(position, OFFICIAL, Terms()).state


def test_what_a_viewer_cannot_see_is_exchanged_and_nothing_else() -> None:
    here = state()
    for viewer in (0, 1):
        there = exchanged(here, Seat(viewer))
        assert there.hands[1 - viewer] != here.hands[1 - viewer]
        assert there.stock != here.stock
        assert (there.hands[viewer], there.discard, there.melds) == (here.hands[viewer], here.discard, here.melds)
        assert all_cards(there) == all_cards(here)
    assert seat_view(exchanged(here, Seat(0)), Seat(1)) != seat_view(here, Seat(1))
    assert blind(here, (Seat(0), Seat(1), EVERYBODY)) == (0, 1, EVERYBODY)


def test_a_copy_shares_no_list() -> None:
    one = state()
    other = copied(one)
    other.hands[0].append(WILD)
    other.stock.append(SKIP)
    other.totals[0] = 99
    assert (WILD not in one.hands[0][9:], one.stock[-1] != SKIP, one.totals[0]) == (True, True, 0)


@pytest.mark.parametrize("name", PRESETS)
def test_turns_go_on_until_the_game_is_over(name: str) -> None:
    """Nobody lays anything, so the caps end deals and game."""
    found = failure(
        '{ turns = 1000, contains = ["game ends: deal_cap"], after = { to_move = "" } }',
        "deal = { seats = 3 }",
        PRESETS[name],
        "terms = { max_turns_per_deal = 2, max_deals = 3 }",
    )
    assert found is None
