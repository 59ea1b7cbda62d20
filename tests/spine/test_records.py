"""A record is believed only if every game of it can be played again to the same end."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from phaseten.v1 import referee_pb2

from referee.engine.events import CardDiscarded, DealStarted, ForfeitCause, GameEnd, GameEnded, SeatForfeited
from referee.engine.moves import Seat
from referee.engine.ruleset import Ruleset, Terms
from referee.wire.replay import ReplayRecord, SeatInfo, SeatNonce
from tests.spine.records import replay_of, serialised
from tournament_site.matches.records import Ordered, read_record

MATCH = UUID(int=7)
SEATS = (SeatInfo("ada", "Ada", "1", 1), SeatInfo("bix", "Bix", "1", 2))


@pytest.fixture(scope="module")
def replays() -> list[ReplayRecord]:
    return [replay_of(MATCH, 1, uuid4(), index, SEATS[index:] + SEATS[:index]) for index in range(2)]


ORDERED = Ordered(Ruleset(), Terms(), mirrored=False, versions=(1, 2), commitments={})


def findings(replays: list[ReplayRecord], ordered: Ordered = ORDERED) -> tuple[str, ...]:
    return read_record(MATCH, 1, serialised(MATCH, 1, replays), ordered).findings


def test_an_honest_record_says_what_its_replays_say(replays: list[ReplayRecord]) -> None:
    reading = read_record(MATCH, 1, serialised(MATCH, 1, replays), ORDERED)
    assert reading.findings == ()
    for index, (game, record) in enumerate(zip(reading.match.games, replays, strict=True)):
        assert (game.game_id, game.index, game.decisions) == (record.game_id, index, 7)
        assert (game.places, game.points) == (record.result.places, record.result.totals)
        assert (game.phases, game.faults) == (record.result.completed, record.result.faults)
        assert game.forfeits == (None, None)


def other_result(record: ReplayRecord) -> ReplayRecord:
    return replace(record, result=replace(record.result, places=record.result.places[::-1]))


def other_end(record: ReplayRecord) -> ReplayRecord:
    last = record.events[-1]
    assert isinstance(last, GameEnded)
    return replace(record, events=(*record.events[:-1], replace(last, places=last.places[::-1])))


def swapped_deck(record: ReplayRecord) -> ReplayRecord:
    """Two cards that nobody ever drew change places: the game is the same, the shuffle is not."""
    number = max(n for n, event in enumerate(record.events) if isinstance(event, DealStarted))
    started = record.events[number]
    assert isinstance(started, DealStarted)
    deck = list(started.deck)
    low = next(n for n in range(len(deck) - 1, 0, -1) if deck[n] != deck[-1])
    deck[low], deck[-1] = deck[-1], deck[low]
    return replace(
        record, events=(*record.events[:number], replace(started, deck=tuple(deck)), *record.events[number + 1 :])
    )


def missing_event(record: ReplayRecord) -> ReplayRecord:
    number = next(n for n, event in enumerate(record.events) if isinstance(event, CardDiscarded))
    return replace(record, events=record.events[:number] + record.events[number + 1 :])


def forged_forfeit(record: ReplayRecord) -> ReplayRecord:
    """A seat is said to have had too many faults, and had none."""
    number = next(n for n, event in enumerate(record.events) if isinstance(event, CardDiscarded)) + 1
    forfeit = SeatForfeited(Seat(0), ForfeitCause.FAULTS)
    ended = GameEnded(GameEnd.FORFEITS, (2, 1))
    return replace(record, events=(*record.events[:number], forfeit, ended))


TAMPERED: list[tuple[Callable[[ReplayRecord], ReplayRecord], str]] = [
    (other_result, "result: places of seat 0"),
    (other_end, "event"),
    (swapped_deck, "shuffles: event"),
    (missing_event, "event"),
    (forged_forfeit, "events: event"),
    (lambda record: replace(record, events=record.events[:-1]), "event"),
    (lambda record: replace(record, events=()), "should be the beginning of a game"),
    (lambda record: replace(record, server_seed=bytes(64)), "commitment: commitment"),
    (lambda record: replace(record, commitment=bytes(64)), "commitment: commitment"),
    (lambda record: replace(record, nonces=(*record.nonces[:1], SeatNonce(b"", b"1" * 32))), "nonce of seat 1"),
    (lambda record: replace(record, nonces=(*record.nonces[:1], SeatNonce(b"c" * 64, bytes(32)))), "commitment of seat 1"),
    (lambda record: replace(record, nonces=record.nonces[:1]), "number of shares"),
    (lambda record: replace(record, seats=(*record.seats, SEATS[0])), "other bots sat"),
    (lambda record: replace(record, attempt=2), "attempt 2"),
    (lambda record: replace(record, match_id=UUID(int=8)), "of match"),
    (lambda record: replace(record, game_index=1), "it is game 1"),
]


@pytest.mark.parametrize(("tamper", "said"), TAMPERED)
def test_a_tampered_record_is_found_out(
    replays: list[ReplayRecord], tamper: Callable[[ReplayRecord], ReplayRecord], said: str
) -> None:
    found = findings([tamper(replays[0]), replays[1]])
    assert len(found) == 1
    assert found[0].startswith("game 0: ")
    assert said in found[0], found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ruleset": replace(Ruleset(), wilds=7)}, "other rules or terms"),
        ({"terms": replace(Terms(), max_faults=4)}, "other rules or terms"),
        ({"mirrored": True}, "against the order"),
        ({"versions": (2, 1)}, "other bots sat"),
        ({"versions": (1, 2, 3)}, "other bots sat"),
    ],
)
def test_what_was_not_ordered_is_not_taken(replays: list[ReplayRecord], change: dict[str, Any], said: str) -> None:
    found = findings(replays, replace(ORDERED, **change))
    assert [said in text for text in found] == [True, True], found


def test_a_game_keeps_the_commitment_that_was_shown(replays: list[ReplayRecord]) -> None:
    shown = {record.game_id: record.commitment for record in replays}
    assert findings(replays, replace(ORDERED, commitments=shown)) == ()
    forged = shown | {replays[1].game_id: b"x" * 64}
    assert findings(replays, replace(ORDERED, commitments=forged)) == ("game 1: another commitment was shown when it began",)


def test_bytes_that_say_nothing_are_kept_as_they_came(replays: list[ReplayRecord]) -> None:
    reading = read_record(MATCH, 1, b"\xff\xff\xff", None)
    assert reading.findings == ("it cannot be decoded",)
    assert [game.replay for game in reading.match.games] == [b"\xff\xff\xff"]
    message = referee_pb2.MatchRecord(games=[referee_pb2.GameRecord(game_id=b"short", replay=b"\xff")])
    reading = read_record(MATCH, 1, message.SerializeToString(), ORDERED)
    assert len(reading.findings) == 1
    assert [game.replay for game in reading.match.games] == [b"\xff"]


def test_a_broken_game_does_not_hide_the_others(replays: list[ReplayRecord]) -> None:
    found = findings([other_result(replays[0]), other_result(replays[1])])
    assert [text[:7] for text in found] == ["game 0:", "game 1:"]
