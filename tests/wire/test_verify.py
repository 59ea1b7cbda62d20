"""The verifier: whole games are fine, and whatever is forged is found where it stands."""

import json
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from referee.engine.events import CardDrawn, ForfeitCause, SeatForfeited, StockRebuilt
from referee.engine.moves import Seat
from referee.engine.presets import OFFICIAL, PRESETS
from referee.engine.ruleset import Terms
from referee.engine.shuffle import SeededDecks, nonce_commit
from referee.verify.replays import Known, verify_replay
from referee.verify.report import Check, Difference, Report, State
from referee.verify.seeds import check_commitment, check_nonces, context_of, key_of
from referee.verify.words import words
from referee.wire.replay import ReplayRecord, SeatInfo, SeatNonce, encode_replay, replay_digest
from tests.replays.forging import another, change, find, flip, put
from tests.replays.making import Wanted, make_replay
from tests.replays.tampering import FORGED_FROM, FORGERIES

HERE = Path(__file__).parent
VECTORS = json.loads((HERE.parent / "engine" / "data" / "shuffle_vectors.json").read_text())
GOLDEN = sorted((HERE.parent / "golden").glob("*/*.replay"))
SEEDED = Terms(first_dealer="seeded", max_turns_per_deal=40, max_deals=5)


def report_of(record: ReplayRecord, known: Known | None = None) -> Report:
    return verify_replay(encode_replay(record), known or Known())


def difference_of(record: ReplayRecord, known: Known | None = None) -> Difference:
    found = report_of(record, known).difference
    assert found is not None
    return found


def said(report: Report) -> dict[Check, str]:
    return {outcome.check: outcome.text for outcome in report.outcomes}


@pytest.fixture(scope="module")
def record() -> ReplayRecord:
    return make_replay(FORGED_FROM["cards of its own"])


@pytest.fixture(scope="module")
def records(record: ReplayRecord) -> dict[str, ReplayRecord]:
    return {"cards of its own": record, "mirrored": make_replay(FORGED_FROM["mirrored"])}


# What is fine


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_replays_of_releases_are_fine(path):
    report = verify_replay(path.read_bytes())
    assert (report.verdict, report.difference) == ("fine", None)


@pytest.mark.parametrize("name", PRESETS)
def test_games_by_every_published_rule_set_are_fine(name):
    for seats in (2, 3, 6):
        record = make_replay(
            Wanted(rules=PRESETS[name], terms=SEEDED, seats=seats, apart=(1,), late=0.01, mirrored=seats == 3)
        )
        report = report_of(record)
        assert report.verdict == "fine", (seats, report.difference)
        text = said(report)
        assert text[Check.RULES] == f"{seats} seats by the rules {name}, as published"
        assert text[Check.DEALER].endswith("drawn from the key")
        assert text[Check.NONCES].endswith("seat 1 took no part")


def test_a_report_tells_all_checks_in_order(record):
    report = report_of(record)
    assert [outcome.check for outcome in report.outcomes] == list(Check)
    assert {outcome.state for outcome in report.outcomes} == {State.FINE, State.UNKNOWN}
    assert json.loads(json.dumps(report.plain()))["verdict"] == "fine"


def test_rules_of_ones_own_are_called_so():
    record = make_replay(Wanted(rules=replace(OFFICIAL, name="mine", hand_size=12), terms=SEEDED))
    assert said(report_of(record))[Check.RULES] == "2 seats by rules of their own, mine"


# What is forged


@pytest.mark.parametrize("source", FORGED_FROM)
@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_found_where_they_are(records, name, source):
    forged = FORGERIES[name](records[source])
    report = report_of(forged.record)
    found = report.difference
    assert found is not None
    assert found.check is forged.check
    if forged.event is not None:
        assert found.event == forged.event
    if forged.place is not None:
        assert found.place == forged.place
    assert found.says != found.follows
    states = {outcome.check: outcome.state for outcome in report.outcomes}
    order = list(Check)
    assert states[forged.check] is State.DIFFERS
    assert list(states) == order
    assert {states[check] for check in order[order.index(forged.check) + 1 :]} <= {State.SKIPPED}


def test_both_sides_of_a_difference_are_told(record):
    at, event = find(record, CardDrawn, 9)
    found = difference_of(change(record, at, card=another(event.card)))
    assert found == Difference(
        Check.EVENTS, at, "card", words(replace(event, card=another(event.card))), words(record.events[at])
    )


def test_a_reshuffle_comes_from_the_key():
    record = _with_reshuffle()
    at, event = find(record, StockRebuilt)
    stock = event.stock
    place = next(number for number, card in enumerate(stock) if card != stock[0])
    swapped = (stock[place], *stock[1:place], stock[0], *stock[place + 1 :])
    found = difference_of(change(record, at, stock=swapped))
    assert (found.check, found.event, found.place) == (Check.SHUFFLES, at, "card 1 of the draw pile")
    assert (found.says, found.follows) == (str(stock[place]), str(stock[0]))
    missing = difference_of(put(record, at))
    assert (missing.check, missing.event) == (Check.EVENTS, at)
    assert missing.follows == f"the draw pile is rebuilt from {len(stock)} cards"


def _with_reshuffle() -> ReplayRecord:
    """Six full hands of a small deck: the draw pile is soon used up."""
    rules = replace(OFFICIAL, name="tight", wilds=0, skips=0, hand_size=13, phases=(7, 10))
    return make_replay(Wanted(rules=rules, seats=6, terms=Terms(max_turns_per_deal=40, max_deals=2), late=0, leaves=0))


def test_another_key_draws_another_first_dealer():
    record = make_replay(Wanted(terms=SEEDED, seats=6))
    dealers = {}
    for number in range(30):
        nonce = bytes([number]) * 32
        forged = replace(record, nonces=(_share(record, 0, nonce), *record.nonces[1:]))
        found = difference_of(forged)
        assert found.event == 1
        same = SeededDecks(key_of(forged)).first_dealer(6) == SeededDecks(key_of(record)).first_dealer(6)
        assert found.check is (Check.SHUFFLES if same else Check.DEALER)
        dealers[same] = True
    assert len(dealers) == 2


def _share(record: ReplayRecord, seat: int, nonce: bytes) -> SeatNonce:
    return SeatNonce(nonce_commit(context_of(record), seat, nonce), nonce)


# Shares that were kept back


@pytest.fixture(scope="module")
def no_show() -> ReplayRecord:
    return make_replay(Wanted(seats=4, number=5, silent=(2,), clumsy=0, late=0, leaves=0))


def test_who_commits_and_stays_silent_has_forfeited(no_show):
    report = report_of(no_show)
    assert report.verdict == "fine"
    assert said(report)[Check.NONCES] == "seats 0, 1, 3 shared in as committed; seat 2 kept the share back and forfeited"


def test_only_a_no_show_explains_a_share_that_was_kept_back(no_show):
    at, event = find(no_show, SeatForfeited)
    assert event.cause is ForfeitCause.NO_SHOW
    for forged in (
        change(no_show, at, cause=ForfeitCause.RESIGNED),
        change(no_show, at, seat=Seat(1)),
        put(no_show, at),
    ):
        found = difference_of(forged)
        assert (found.check, found.event, found.place) == (Check.NONCES, None, "commitment of seat 2")


def test_a_no_show_comes_before_the_first_card_is_drawn(no_show):
    """Else the referee could have dropped a share whose deck it did not like, and dropped the seat when it had served."""
    at, event = find(no_show, SeatForfeited)
    later, _ = find(no_show, CardDrawn, 12)
    moved = put(put(no_show, later, event, drop=0), at)
    assert difference_of(moved).check is Check.NONCES


def test_a_kept_back_share_is_zeros(no_show):
    share = no_show.nonces[2]
    forged = replace(no_show, nonces=(*no_show.nonces[:2], replace(share, nonce=b"\1" * 32), no_show.nonces[3]))
    assert difference_of(forged).place == "commitment of seat 2"


# What is known from elsewhere


def test_the_digest_is_compared_where_it_is_known(record):
    digest = replay_digest(encode_replay(record))
    fine = report_of(record, Known(sha256=digest))
    assert (fine.verdict, fine.outcomes[0].state) == ("fine", State.FINE)
    found = difference_of(record, Known(sha256=flip(digest)))
    assert (found.check, found.says, found.follows) == (Check.BYTES, digest.hex(), flip(digest).hex())


def test_names_and_clocks_are_the_digests_business(record):
    digest = replay_digest(encode_replay(record))
    other = replace(record, referee="another", seats=(replace(record.seats[0], name="Mallory"), *record.seats[1:]))
    assert report_of(other).verdict == "fine"
    assert difference_of(other, Known(sha256=digest)).check is Check.BYTES


def test_the_commitment_that_was_shown_is_compared(record):
    report = report_of(record, Known(commitment=record.commitment))
    assert said(report)[Check.COMMITMENT] == "belongs to the referee's seed, and was shown before the game"
    found = difference_of(record, Known(commitment=flip(record.commitment)))
    assert (found.check, found.says) == (Check.COMMITMENT, record.commitment.hex())


@pytest.mark.parametrize(
    ("known", "place"),
    [
        (Known(game_id=UUID(int=3)), "game"),
        (Known(match_id=UUID(int=3)), "match"),
        (Known(attempt=99), "attempt"),
        (Known(index=99), "number of the game"),
    ],
)
def test_which_game_it_is_is_compared(record, known, place):
    found = difference_of(record, known)
    assert (found.check, found.place) == (Check.IDENTITY, place)
    whole = Known(game_id=record.game_id, match_id=record.match_id, attempt=record.attempt, index=record.game_index)
    assert report_of(record, whole).verdict == "fine"


@pytest.mark.parametrize("data", [b"", b"\x08\x02", b"\x08\x01", b"no replay at all", b"\xff" * 40])
def test_what_cannot_be_read_is_said_to_be_so(data):
    report = verify_replay(data)
    assert report.verdict == "unreadable"
    assert report.problem
    assert (report.outcomes, report.difference) == ((), None)


# The public vectors


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_vectors(record, vector):
    shares = [
        SeatNonce(bytes.fromhex(promise), bytes.fromhex(nonce))
        for promise, nonce in zip(vector["nonce_commits"], vector["nonces"], strict=True)
    ]
    head = replace(
        record,
        game_id=UUID(vector["match_id"]),
        attempt=vector["attempt"],
        seats=(SeatInfo("", "", "", 0),) * vector["seats"],
        server_seed=bytes.fromhex(vector["server_seed"]),
        commitment=bytes.fromhex(vector["server_commit"]),
        nonces=tuple(shares),
    )
    assert check_commitment(head, None)
    assert check_nonces(head).endswith("shared in as committed")
    assert key_of(head).hex() == vector["match_key"]
    assert SeededDecks(key_of(head)).first_dealer(vector["seats"]) == vector["first_dealer"]
