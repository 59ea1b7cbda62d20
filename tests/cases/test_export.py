"""A case made out of a replay says what happened: it is read back to the same position, and it passes."""

import random
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from referee.cases.choosing import ruleset_with, terms_with
from referee.cases.errors import CaseError
from referee.cases.export import Move, case_at_event, case_at_move, case_text, moves
from referee.cases.reading import read_cases
from referee.cases.running import failure_text, run
from referee.cases.standing import stand
from referee.cases.values import Position
from referee.engine import (
    OFFICIAL,
    PRESETS,
    WILD,
    CardHit,
    CorruptLog,
    DealEnded,
    Draw,
    FaultKind,
    ForfeitCause,
    Game,
    GameEnded,
    PhaseLaid,
    Play,
    Ruleset,
    Seat,
    SeatDealer,
    SeededDecks,
    SkipPlayed,
    StockRebuilt,
    Terms,
    TurnSkipped,
    fold,
)
from referee.engine.ruleset import CardPoints, Clock, DeckExhausted, SkipLimit
from referee.wire.replay import ReplayRecord, SeatInfo, SeatNonce, decode_replay
from tests.players import Policy, greedy, random_player

KEY = bytes(range(64))


def played(
    ruleset: Ruleset, seats: int, terms: Terms, policy: Policy | None = None, *, trouble: bool = False
) -> ReplayRecord:
    """A whole game, of random players if no others are given; with trouble, seat B faults three times and D forfeits."""
    game = Game(ruleset, terms, seats, SeededDecks(KEY))
    policy = policy or random_player(random.Random(ruleset.name).randrange)
    count = 0
    while (seat := game.to_move) is not None:
        if trouble and count in {5, 8, 30}:
            game.fault(Seat(1), FaultKind.LATE)
        if trouble and count == 20:
            game.forfeit(Seat(3), ForfeitCause.RESIGNED)
        count += 1
        if game.to_move == seat:
            game.submit(seat, policy(game.view(seat), ruleset))
    assert game.result is not None
    names = tuple(SeatInfo(f"bot-{seat}", f'Bot "{seat}" \\ \x7f é', "1", seat) for seat in range(seats))
    nonces = (SeatNonce(b"", bytes(32)),) * seats
    game_id = UUID(int=7)
    log = tuple(game.log)
    return ReplayRecord(game_id, 1, game_id, 0, names, KEY, KEY, nonces, log, (), game.result, 0, 0, "here")


def check(record: ReplayRecord, move: Move, number: int) -> None:
    """Its case is read back to the same position, and leads to the same one."""
    case = read_cases(case_text(record, move, number), "x.toml").cases[0]
    (outcome,) = case.outcomes
    (ruleset,) = outcome.rulesets
    rules, terms = ruleset_with(ruleset, outcome.options), terms_with(outcome.terms)
    assert isinstance(case.start, Position)
    stands = stand(case.start, rules, terms, case.deals, case.reshuffles)
    assert stands.state == move.before
    failure = run(case, outcome, ruleset)
    assert failure is None, failure_text(failure)


SHORT = Terms(max_turns_per_deal=12, max_deals=4)
SEATS = {name: 2 + number % 3 for number, name in enumerate(PRESETS)}


@pytest.mark.parametrize("name", PRESETS)
def test_every_move_of_a_game_is_a_case_that_passes(name: str) -> None:
    record = played(PRESETS[name], SEATS[name], SHORT)
    made = list(moves(record.events))
    assert fold(record.events[: made[-1].first]) == made[-1].before
    for number, move in enumerate(made, 1):
        check(record, move, number)


def test_the_games_above_hold_what_is_rare() -> None:
    """Otherwise they would prove less than they seem to."""
    events = [event for name in PRESETS for event in played(PRESETS[name], SEATS[name], SHORT).events]
    kinds = {PhaseLaid, CardHit, SkipPlayed, TurnSkipped, DealEnded, GameEnded}
    assert kinds <= {type(event) for event in events}
    assert any(isinstance(event, PhaseLaid) and any(WILD in meld.cards for meld in event.melds) for event in events)


@pytest.mark.parametrize("name", ["official", "bg", "fundex", "app163"])
def test_faults_and_forfeits_are_cases_too(name: str) -> None:
    record = played(PRESETS[name], 4, Terms(max_turns_per_deal=12, max_deals=4), trouble=True)
    made = list(moves(record.events))
    assert [move.deed for move in made if not isinstance(move.deed, Draw | Play)] == [
        FaultKind.LATE,
        FaultKind.LATE,
        ForfeitCause.RESIGNED,
        FaultKind.LATE,
    ]
    for number, move in enumerate(made, 1):
        check(record, move, number)


def test_a_tie_break_is_a_case() -> None:
    """Equal totals are rare, so the rules are made such that they are not: cards cost nothing."""
    rules = replace(OFFICIAL, name="free", phases=(1,), card_points=CardPoints(0, 0, 0, 0), tiebreak_max_deals=2)
    record = played(rules, 3, Terms(max_deals=40), greedy)
    made = list(moves(record.events))
    assert any(move.before.tie_break for move in made)
    for number, move in enumerate(made, 1):
        check(record, move, number)


OWN = Ruleset(
    name="own rules",
    wilds=10,
    skips=6,
    hand_size=11,
    phases=(4, 1),
    card_points=CardPoints(1, 2, 3, 4),
    deck_exhausted=DeckExhausted.END_DEAL,
    skip_limit=SkipLimit.UNLIMITED,
    wild_replaceable=True,
)
OWN_TERMS = Terms(Clock(1, 2, 3), 7, SeatDealer(1), None, None)


def test_rules_and_terms_of_ones_own_are_written_out() -> None:
    record = played(OWN, 3, replace(OWN_TERMS, max_turns_per_deal=40, max_deals=3))
    for number, move in enumerate(moves(record.events), 1):
        check(record, move, number)
    text = case_at_move(record, 1)
    assert 'rules = "official"' in text
    assert 'name = "own rules", wilds = 10, skips = 6, hand_size = 11, phases = [4, 1]' in text


def test_caps_that_are_lifted_are_written_out() -> None:
    record = played(replace(OWN, deck_exhausted=DeckExhausted.RESHUFFLE_KEEP_TOP), 2, OWN_TERMS, greedy)
    assert 'max_turns_per_deal = "none", max_deals = "none"' in case_at_move(record, 2)
    for number, move in enumerate(moves(record.events), 1):
        check(record, move, number)


def test_a_reshuffle_is_a_case() -> None:
    rules = replace(OFFICIAL, name="few", wilds=0, skips=0, hand_size=13)
    record = played(rules, 6, Terms(max_turns_per_deal=30, max_deals=1))
    rebuilt = [number for number, event in enumerate(record.events) if isinstance(event, StockRebuilt)]
    assert rebuilt
    for number, move in enumerate(moves(record.events), 1):
        check(record, move, number)
    assert "reshuffles = [" in case_at_event(record, rebuilt[0])


def test_an_event_belongs_to_the_move_that_led_to_it() -> None:
    record = played(OFFICIAL, 2, Terms(max_turns_per_deal=3, max_deals=2))
    made = list(moves(record.events))
    for count, move in enumerate(made, 1):
        for number in range(move.first, move.last + 1):
            assert case_at_event(record, number) == case_at_move(record, count)
    assert made[-1].last == len(record.events) - 1
    with pytest.raises(CaseError, match="event 1 of this game follows from no move"):
        case_at_event(record, 1)


def test_a_log_that_was_tampered_with_gives_no_case() -> None:
    record = played(OFFICIAL, 2, Terms(max_turns_per_deal=3, max_deals=2))
    for events in (record.events[1:], record.events[:2] + record.events[3:], record.events[:-1]):
        with pytest.raises(CorruptLog):
            list(moves(events))


def test_every_move_of_a_replay_of_an_earlier_release_is_a_case() -> None:
    record = decode_replay((Path(__file__).parents[1] / "golden" / "0.1.0" / "2-seats-tie-break.replay").read_bytes())
    made = list(moves(record.events))
    assert made[-1].before.tie_break
    for number, move in enumerate(made, 1):
        check(record, move, number)
