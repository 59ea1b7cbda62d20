"""A replay's bytes, checked from end to end."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from referee.engine.errors import UnsupportedRules
from referee.engine.events import DealStarted, Event, GameStarted, SeatFaulted, SeatForfeited, StockRebuilt
from referee.engine.game import Result
from referee.engine.moves import Seat
from referee.engine.presets import PRESETS, check_ruleset
from referee.engine.shuffle import SeededDecks
from referee.verify.log import Repeated, repeat
from referee.verify.report import Check, Difference, Differs, Outcome, Report, State, differs
from referee.verify.seeds import check_commitment, check_nonces, key_of
from referee.verify.words import numbers, words
from referee.wire.errors import MalformedMessage
from referee.wire.replay import AnswerRecord, ReplayRecord, decode_replay, replay_digest


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a game from elsewhere; whatever is None is not compared.

    `sha256` (32 bytes) names the replay's bytes; `commitment` (64 bytes) was shown before the first card; the rest says
    which game it should be.
    """

    sha256: bytes | None = None
    commitment: bytes | None = None
    game_id: UUID | None = None
    match_id: UUID | None = None
    attempt: int | None = None
    index: int | None = None


NOTHING_KNOWN = Known()


def verify_replay(data: bytes, known: Known = NOTHING_KNOWN) -> Report:
    """Check a replay. Never raises: bytes that are no replay are an answer too."""
    sha256 = replay_digest(data)
    try:
        record = decode_replay(data)
    except MalformedMessage as problem:
        return Report(sha256.hex(), {}, problem=str(problem))
    found = _Checks(record, sha256, known)
    difference = found.run()
    return Report(sha256.hex(), _game(record), tuple(found.outcomes), difference)


def find_difference(record: ReplayRecord) -> Difference | None:
    """The first difference of a replay that has been read, with nothing known from elsewhere; None if there is none."""
    return _Checks(record, b"", NOTHING_KNOWN).run()


def _game(record: ReplayRecord) -> dict[str, Any]:
    start = record.events[0] if record.events else None
    return {
        "game_id": str(record.game_id),
        "match_id": str(record.match_id),
        "attempt": record.attempt,
        "index": record.game_index,
        "seats": len(record.seats),
        "rules": start.ruleset.name if isinstance(start, GameStarted) else "",
        "mirrored": record.mirrored,
    }


class _Checks:
    """The checks of one replay, made in the order of `Check` until one fails."""

    def __init__(self, record: ReplayRecord, sha256: bytes, known: Known) -> None:
        self.outcomes: list[Outcome] = []
        self._record = record
        self._sha256 = sha256
        self._known = known

    def run(self) -> Difference | None:
        """Returns the difference that was found, if any; `outcomes` has an entry for every check then."""
        record, known = self._record, self._known
        steps: Mapping[Check, Callable[[], tuple[State, str]]] = {
            Check.BYTES: self._bytes,
            Check.IDENTITY: self._identity,
            Check.RULES: lambda: (State.FINE, _check_rules(record)),
            Check.COMMITMENT: lambda: (State.FINE, check_commitment(record, known.commitment)),
            Check.NONCES: lambda: (State.FINE, check_nonces(record)),
        }
        try:
            for check, step in steps.items():
                self.outcomes.append(Outcome(check, *step()))
            self._log()
        except Differs as found:
            self._failed(found.difference)
            return found.difference
        return None

    def _bytes(self) -> tuple[State, str]:
        said = self._known.sha256
        if said is None:
            return State.UNKNOWN, "not known from elsewhere; it alone vouches for names, clocks and notes"
        if not hmac.compare_digest(said, self._sha256):
            raise differs(Check.BYTES, self._sha256.hex(), said.hex(), place="sha256 of the bytes")
        return State.FINE, "of the bytes is the one that was named"

    def _identity(self) -> tuple[State, str]:
        record, known = self._record, self._known
        pairs = (
            ("match", record.match_id, known.match_id),
            ("attempt", record.attempt, known.attempt),
            ("number of the game", record.game_index, known.index),
            ("game", record.game_id, known.game_id),
        )
        compared = [(place, says, follows) for place, says, follows in pairs if follows is not None]
        for place, says, follows in compared:
            if says != follows:
                raise differs(Check.IDENTITY, str(says), str(follows), place=place)
        if not compared:
            return State.UNKNOWN, "which game it should be is not known from elsewhere"
        return State.FINE, "it is the game that was asked for"

    def _log(self) -> None:
        """Everything that comes out of the log: it is read once."""
        record = self._record
        repeated = repeat(record.events, SeededDecks(key_of(record)))
        for check, text in _log_words(record.events).items():
            self.outcomes.append(Outcome(check, State.FINE, text))
        _check_result(record.result, repeated.result)
        places, points = numbers(record.result.places), numbers(record.result.totals)
        self.outcomes.append(Outcome(Check.RESULT, State.FINE, f"places {places}, points {points}"))
        self.outcomes.append(Outcome(Check.ANSWERS, State.FINE, _check_answers(record.answers, record.events, repeated)))

    def _failed(self, difference: Difference) -> None:
        event = difference.event
        order = list(Check)
        for check in order[len(self.outcomes) :]:
            if check is difference.check:
                self.outcomes.append(Outcome(check, State.DIFFERS, _where(difference)))
            elif event is not None and check in _IN_THE_LOG and difference.check in _IN_THE_LOG:
                self.outcomes.append(Outcome(check, State.SKIPPED, f"no difference before event {event}"))
            else:
                self.outcomes.append(Outcome(check, State.SKIPPED, ""))


_IN_THE_LOG = (Check.DEALER, Check.SHUFFLES, Check.EVENTS)


def _where(difference: Difference) -> str:
    event = "" if difference.event is None else f"event {difference.event}"
    return ", ".join(part for part in (event, difference.place) if part)


def _check_rules(record: ReplayRecord) -> str:
    """The log begins with rules that can be played, and that are what they are called; returns how it went."""
    check, events, seats = Check.RULES, record.events, len(record.seats)
    start = events[0] if events else None
    if not isinstance(start, GameStarted):
        raise differs(check, words(start) if start else "nothing", "the beginning of a game", event=0)
    if start.seats != seats:
        raise differs(check, f"{start.seats} seats", f"{seats} seats, as in the replay's head", event=0, place="seats")
    try:
        check_ruleset(start.ruleset, start.terms, start.seats)
    except UnsupportedRules as problem:
        place = problem.problems[0][0]
        raise differs(check, "rules that make no sense", problem.problems[0][1], event=0, place=place) from problem
    name = start.ruleset.name
    if name not in PRESETS:
        return f"{seats} seats by rules of their own, {name}"
    if start.ruleset != PRESETS[name]:
        raise differs(check, f"other rules than those called {name}", f"{name} as published", event=0, place="ruleset")
    return f"{seats} seats by the rules {name}, as published"


def _log_words(events: Sequence[Event]) -> dict[Check, str]:
    """How the checks went that are made while the log is read, when all is well."""
    start, first = events[0], events[1]
    assert isinstance(start, GameStarted)
    assert isinstance(first, DealStarted)
    seeded = start.terms.first_dealer == "seeded"
    deals = sum(isinstance(event, DealStarted) for event in events)
    reshuffles = sum(isinstance(event, StockRebuilt) for event in events)
    return {
        Check.DEALER: f"seat {first.dealer}, {'drawn from the key' if seeded else 'by the terms'}",
        Check.SHUFFLES: f"{deals} deals and {reshuffles} reshuffles come from the key",
        Check.EVENTS: f"{len(events)} events follow from rules and moves",
    }


def _check_result(says: Result, follows: Result) -> None:
    """Raises Differs for the first field, and the first seat, that is another one."""
    for place, mine, theirs in (
        ("cause", says.cause.value, follows.cause.value),
        ("places", says.places, follows.places),
        ("points", says.totals, follows.totals),
        ("completed", says.completed, follows.completed),
        ("faults", says.faults, follows.faults),
        ("forfeits", says.forfeits, follows.forfeits),
        ("deals", says.deals, follows.deals),
    ):
        if mine == theirs:
            continue
        if not isinstance(mine, tuple) or not isinstance(theirs, tuple):
            raise differs(Check.RESULT, str(mine), str(theirs), place=place)
        if len(mine) != len(theirs):
            raise differs(Check.RESULT, f"{len(mine)} seats", f"{len(theirs)} seats", place=place)
        seat = next(seat for seat, value in enumerate(mine) if value != theirs[seat])
        raise differs(Check.RESULT, _plain(mine[seat]), _plain(theirs[seat]), place=f"{place} of seat {seat}")


def _plain(value: Any) -> str:
    return "none" if value is None else str(getattr(value, "value", value))


def _check_answers(answers: Sequence[AnswerRecord], events: Sequence[Event], repeated: Repeated) -> str:
    """Every answer stands where its seat had to decide, one after the other; returns how it went.

    Times and notes cannot be worked out again.
    """
    before = -1
    for number, answer in enumerate(answers):
        place = f"answer {number}"
        if answer.event <= before:
            raise differs(
                Check.ANSWERS, f"event {answer.event}", f"an event after {before}", event=answer.event, place=place
            )
        asked = repeated.asked.get(answer.event)
        if asked != answer.seat:
            follows = _who_decides(asked, events, answer.event)
            raise differs(Check.ANSWERS, f"seat {answer.seat} decides", follows, event=answer.event, place=place)
        before = answer.event
    faults = sum(isinstance(event, SeatFaulted | SeatForfeited) for event in events)
    beside = f", beside {faults} faults and forfeits" if faults else ""
    return f"{len(answers)} answers, in order, each where its seat had to decide{beside}"


def _who_decides(asked: Seat | None, events: Sequence[Event], at: int) -> str:
    if asked is not None:
        return f"seat {asked} decides"
    return "no decision begins there" if at < len(events) else f"there are {len(events)} events"
