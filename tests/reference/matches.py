"""Games played by both implementations at once, every one known by its label and number."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, get_type_hints

from referee.engine import PRESETS, FaultKind, ForfeitCause, Ruleset, SeatDealer, Terms, UnsupportedRules, check_ruleset
from referee.engine.ruleset import CardPoints
from tests.reference.cards import Draw, Play
from tests.reference.compare import FACTS, Pair
from tests.reference.decks import Decks
from tests.reference.driver import Driver

RANDOM_RULES = "random rules"
LONGEST = 4000  # moves of one game; games that nobody wins are left there
_CAUSES = [cause for cause in ForfeitCause if cause is not ForfeitCause.FAULTS]
_KINDS = list(FaultKind)


class Differ(AssertionError):
    """The two implementations do not agree."""


def compare(label: str, first: int, step: int, moves: int, altered: Mapping[str, Any] | None = None) -> Counter[str]:
    """Play the games `first`, `first + step` ... until `moves` moves were compared; says what happened in them.

    Raises Differ with all that is needed to play the last one again.
    """
    seen: Counter[str] = Counter()
    number = first
    while seen["moves"] < moves:
        Match(label, number, altered).play(seen, moves - seen["moves"])
        number += step
    return seen


def rules_for(label: str, rng: random.Random) -> tuple[Ruleset, Terms, int]:
    """Rules, terms and seats of a game. Presets are played as they are, or with free cards, or these and two phases.

    Free cards make ties, and few phases make them soon: otherwise tie-breaks would be rare.
    """
    while True:
        seats = rng.randint(2, 6)
        terms = Terms(
            max_faults=rng.choice([1, 3, 3, 6]),
            max_turns_per_deal=rng.choice([None, 100, 100, 100, 40, 40, 12, 3]),
            max_deals=rng.choice([None, 60, 60, 60, 60, 12, 3, 1]),
            first_dealer=rng.choice(["last_seat", "seeded", SeatDealer(rng.randrange(seats))]),
        )
        rules = random_rules(rng) if label == RANDOM_RULES else PRESETS[label]
        chance = rng.random()
        if chance < 0.4:
            rules = replace(rules, card_points=CardPoints(0, 0, 0, 0))
        if chance < 0.25:
            rules = replace(rules, phases=rules.phases[-2:])
        try:
            check_ruleset(rules, terms, seats)
        except UnsupportedRules:
            continue
        return rules, terms, seats


def random_rules(rng: random.Random) -> Ruleset:
    """Any value of every option; they may contradict each other."""
    low = rng.randrange(4)
    rules = Ruleset(
        name="random",
        wilds=rng.choice([0, 4, 8, 8, 16]),
        skips=rng.choice([0, 2, 4, 8, 8]),
        hand_size=rng.randint(7, 13),
        phases=tuple(rng.sample(range(1, 11), rng.randint(1, 10))),
        card_points=CardPoints(low, low + rng.randrange(4), rng.randrange(6), rng.randrange(6)),
        tiebreak_max_deals=rng.randint(1, 4),
    )
    return replace(rules, **{name: rng.choice(values) for name, values in SWITCHES.items()})


def _switches() -> dict[str, list[Any]]:
    """The options with a few values each, and these values."""
    kinds = get_type_hints(Ruleset)
    official = Ruleset()
    found = {}
    for field in fields(Ruleset):
        value = getattr(official, field.name)
        if isinstance(value, bool):
            found[field.name] = [False, True]
        elif hasattr(value, "value"):
            found[field.name] = list(kinds[field.name])
    return found


SWITCHES = _switches()


class Match:
    """One game on both sides. `altered` are options that the reference alone plays by: then they should come to differ."""

    def __init__(self, label: str, number: int, altered: Mapping[str, Any] | None = None) -> None:
        rng = random.Random(f"{label} {number}")
        rules, terms, seats = rules_for(label, rng)
        decks = Decks(rng, rng.choice([0, 0.8, 0.95, 1]))
        self._name = f"Match({label!r}, {number})"
        self._rng = rng
        self._pair = Pair(rules, terms, seats, decks, altered)
        self._table = decks.table = self._pair.table
        self._driver = Driver(self._table, rng, nonsense=rng.choice([0, 0.3, 0.3, 0.6]))
        self._faults = rng.choice([0, 0, 0.001, 0.01])
        self._forfeits = rng.choice([0, 0, 0.0003, 0.002])
        self._last: tuple[int, object] = (-1, "nothing")
        self._moves = 0

    def play(self, seen: Counter[str], most: int = LONGEST) -> None:
        """At most `most` moves, some of them after the end. Raises Differ; counts in `seen` what happened."""
        table, most, after_the_end = self._table, min(most, LONGEST), self._rng.randrange(4)
        try:
            fine = self._pair.alike()
            while fine and self._moves < most and (not table.end or after_the_end):
                self._moves += 1
                after_the_end -= bool(table.end)
                fine = self._step(seen)
        except (LookupError, ValueError, TypeError, AttributeError, AssertionError, RecursionError) as crash:
            raise Differ(self._story()) from crash
        if not fine:
            raise Differ(self._story())
        seen["moves"] += self._moves
        seen[f"game: {table.end}"] += 1
        seen.update(f"deal: {deal[0]}" for deal in table.history)
        seen["tie-breaks"] += table.tie_breaks
        seen["reshuffles"] += table.reshuffles

    def _step(self, seen: Counter[str]) -> bool:
        """One move, fault or forfeit on both sides; whether they still agree."""
        driver, pair, chance = self._driver, self._pair, self._rng.random()
        if chance < self._faults + self._forfeits:
            driver.table_changed()
            seat = driver.below(self._table.seats)
            if chance < self._faults:
                kind = _KINDS[driver.below(len(_KINDS))]
                self._last = seat, kind
                return pair.fault(seat, kind)
            cause = _CAUSES[driver.below(len(_CAUSES))]
            self._last = seat, cause
            return pair.forfeit(seat, cause)
        seat, move = self._last = driver.wish()
        fine = pair.submit(seat, move)
        reason = pair.answers[0]
        if reason:
            driver.refused()
        else:
            driver.table_changed()
            _remember(move, seen)
        seen[reason or "accepted"] += 1
        return fine

    def _story(self) -> str:
        game = self._pair.game
        lines = [
            f"{self._name}.play(Counter()) differs at move {self._moves}: seat {self._last[0]} wished for {self._last[1]}",
            f"{game.seats} seats, {game.ruleset}, {game.terms}",
            "answers: engine {}, reference {}".format(*(answer or "accepted" for answer in self._pair.answers)),
        ]
        for name, engine, reference in zip(FACTS, self._pair.engine_facts(), self._pair.reference_facts(), strict=True):
            if engine == reference:
                lines.append(f"  {name}: {engine}")
            else:
                lines += [f"! {name}: engine    {engine}", f"! {name}: reference {reference}"]
        return "\n".join(lines)


def _remember(move: Draw | Play, seen: Counter[str]) -> None:
    """Count what may be rare."""
    if isinstance(move, Draw):
        return
    seen["lays"] += bool(move.lay)
    seen["aimed Skips"] += move.target is not None
    for hit in move.hits:
        seen["hits"] += 1
        seen["Wilds on ends"] += hit.card == "W" and hit.end is not None
        seen["Wilds replaced"] += hit.for_wild
