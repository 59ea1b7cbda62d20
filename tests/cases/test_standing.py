"""What a position says without saying it, and that the examples of the README are cases that pass."""

import re
from pathlib import Path

import pytest

import referee.cases
from referee.cases.looking import PROPERTIES, all_cards
from referee.cases.reading import read_cases
from referee.cases.running import case_verdicts, failure_text
from referee.cases.standing import stand
from referee.cases.values import Position
from referee.engine import OFFICIAL, PRESETS, Ruleset, Terms, format_cards, full_deck
from referee.engine.state import State

README = (Path(referee.cases.__file__).parent / "README.md").read_text()
EXAMPLES = re.findall(r"(?ms)^```toml\n(.*?)^```", README)


def at(position: str, ruleset: Ruleset = OFFICIAL) -> State:
    text = f'title = "t"\n[[case]]\nid = "X"\ntitle = "x"\nsteps = [{{ draw = "stock" }}]\nposition = {{ {position} }}\n'
    start = read_cases(text, "x.toml").cases[0].start
    assert isinstance(start, Position)
    state = stand(start, ruleset, Terms()).state
    assert sorted(all_cards(state).elements()) == list(full_deck(ruleset.wilds, ruleset.skips))
    return state


def test_nothing_said_is_a_position_of_two_seats() -> None:
    state = at("")
    assert (state.seats, state.players, state.to_move, state.dealer, state.turn, state.deal) == (2, (0, 1), 0, 1, 2, 0)
    assert [format_cards(hand) for hand in state.hands] == [
        "R1 R2 R2 R3 R3 R4 R4 R5 R5 R6",
        "R6 R7 R7 R8 R8 R9 R9 R10 R10 R11",
    ]
    assert (format_cards(state.discard), len(state.stock), format_cards(state.stock[-2:])) == ("R1", 87, "R12 R11")
    assert (state.drawn, state.totals, state.completed, state.waiting) == (None, [0, 0], [0, 0], [0, 0])
    assert (state.played_at, state.skipped_at, state.turn_cap) == ([0, 1], [-1, -1], 200)


@pytest.mark.parametrize(
    ("position", "seats"),
    [
        ("seats = 4", 4),
        ("hands = [3, 3, 3]", 3),
        ("points = { D = 3 }", 4),
        ('to_move = "C"', 3),
        ('dealer = "E"', 5),
        ('players = "A F"', 6),
    ],
)
def test_there_are_as_many_seats_as_are_named(position: str, seats: int) -> None:
    assert at(position).seats == seats


def test_one_value_holds_for_everybody() -> None:
    state = at("seats = 3, phases = 4, points = 20, hands = 5")
    assert (state.completed, state.totals, list(map(len, state.hands))) == ([3, 3, 3], [20, 20, 20], [5, 5, 5])
    assert state.deal == 3


def test_what_was_drawn_is_in_the_hand() -> None:
    assert at('hands = { A = "R5 R2 B9" }, stage = "play"').drawn == 20
    assert at('hands = { A = "R5 R2 B9" }, drawn = "R2"').drawn == 1
    state = at('stage = "play"')
    assert (len(state.hands[0]), str(state.drawn)) == (11, "R6")


@pytest.mark.parametrize(
    ("position", "discard", "stock", "held"),
    [
        ('discard = "R8 R9"', "R8 R9", 86, 10),
        ('discard = ""', "", 88, 10),
        ('stock = "R8 R9"', 86, "R9 R8", 10),
        ('stock = "R8 R9 ..."', "R1", 87, 10),
        ('stock = "", discard = "... R8"', 88, "", 10),
        ('stock = "Y1", discard = "B7 B8", hands = { B = "R2 ..." }', "B7 B8", "Y1", 95),
    ],
)
def test_what_is_left_lies_where_it_should(position: str, discard: str | int, stock: str | int, held: int) -> None:
    state = at(position)
    for pile, wanted in ((state.discard, discard), (state.stock, stock)):
        assert (len(pile) if isinstance(wanted, int) else format_cards(pile)) == wanted
    assert len(state.hands[1]) == held


def test_a_skip_that_waits_lies_before_its_seat_where_the_rules_say_so() -> None:
    state = at("waiting = { B = 1 }")
    assert state.stock.count(full_deck()[-1]) == 3
    assert at("waiting = { B = 1 }", PRESETS["da"]).stock.count(full_deck()[-1]) == 4
    assert (state.waiting, state.skipped_at) == ([0, 1], [-1, 1])


def test_a_seat_that_has_laid_has_done_its_phase() -> None:
    table = 'phases = [3, 3], melds = { B = "set 4: R4 B4 W" }'
    state = at(table)
    assert (state.laid, state.completed, state.done) == ([0, 3], [2, 3], [(1, 2), (1, 2, 3)])
    state = at(table, PRESETS["fundex+ten-hands"])
    assert (state.laid, state.completed, state.done, state.deal) == ([0, 3], [2, 2], [(1, 2), (1, 2, 3)], 2)
    state = at(table, PRESETS["bg+free"])
    assert (state.completed, state.done) == ([2, 3], [(1, 2), (1, 2, 3)])
    state = at('done = { B = [9, 2] }, phases = { B = 2 }, melds = { B = "set 4: R4 B4 W" }', PRESETS["bg+free"])
    assert (state.laid, state.completed, state.done) == ([0, 2], [0, 2], [(), (9, 2)])


def test_one_phase_named_is_everybodys_where_all_move_on() -> None:
    assert at("phases = { B = 7 }", PRESETS["bg+all-advance"]).completed == [6, 6]


def test_who_plays_a_tie_break_has_done_everything() -> None:
    state = at('players = "B D", to_move = "D", tie_break = 2, phases = { A = 9 }, melds = { D = "set 3: R3 B3 W" }')
    assert (state.completed, state.laid, state.tie_break, state.tie_breaks, state.deal) == (
        [8, 10, 0, 10],
        [0, 0, 0, 10],
        True,
        2,
        11,
    )
    assert [len(hand) for hand in state.hands] == [0, 10, 0, 10]
    assert (state.dealer, state.turn) == (3, 3)
    assert [state.phase(seat) for seat in (1, 3)] == [10, 10]  # type: ignore[arg-type]  # plain numbers


def test_slots_and_dealer_agree() -> None:
    state = at('seats = 4, to_move = "C", turn = 9')
    assert (state.dealer, state.played_at) == (0, [7, 8, 5, 6])
    state = at('seats = 4, to_move = "C", dealer = "B"')
    assert (state.turn, state.played_at) == (4, [2, 3, 0, 1])
    assert at('seats = 4, to_move = "C", turn = 0').played_at == [-1, -1, -1, -1]


@pytest.mark.parametrize("example", EXAMPLES[:1])
def test_the_first_example_passes(example: str) -> None:
    (case,) = read_cases(example, "README.md").cases
    failures = [failure_text(verdict.failure) for verdict in case_verdicts("README.md", case) if verdict.failure]
    assert failures == []


def test_the_other_examples_pass() -> None:
    (case,) = read_cases('title = "t"\n' + EXAMPLES[1], "README.md").cases
    verdicts = list(case_verdicts("README.md", case))
    assert [verdict.outcome for verdict in verdicts if verdict.failure is None].count(1) == 13
    assert len(verdicts) == len(PRESETS)
    assert all(verdict.failure is None for verdict in verdicts)


def test_the_readme_tells_every_key() -> None:
    """Of positions and of properties: the tables and the code name the same ones."""
    sections = dict(zip(*[iter(re.split(r"(?m)^### (.*)$", README)[1:])] * 2, strict=True))
    told = set(re.findall(r"`(\w+)`", "".join(_first_cells(sections["`[case.position]`: in the middle of a deal"]))))
    keys = {field for field in Position.__dataclass_fields__ if field != "plays"} | {"stage"}
    assert told == keys
    after = set(re.findall(r"`(\w+)`", "".join(_first_cells(sections["`after`"]))))
    assert after == set(PROPERTIES)


def _first_cells(section: str) -> list[str]:
    """The first column of a table that stands before the next heading."""
    return [line.split("|")[1] for line in section.partition("\n## ")[0].splitlines() if line.startswith("| `")]
