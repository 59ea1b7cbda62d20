"""An order to play a match, as a value that makes sense."""

from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from phaseten.v1 import referee_pb2 as pb

from referee.engine.errors import UnsupportedRules
from referee.engine.presets import check_ruleset
from referee.engine.ruleset import Ruleset, Terms
from referee.service.errors import InvalidOrder
from referee.wire.errors import MalformedMessage
from referee.wire.replay import SeatInfo, decode_seat_info, decode_uuid
from referee.wire.rules import decode_ruleset, decode_terms

MOST_DEALS: Final = 1000
MOST_TURNS: Final = 1000
LONGEST_CLOCK_MS: Final = 7 * 24 * 3600 * 1000


class Attempt(NamedTuple):
    """One try at a match, counted from 1."""

    match: UUID
    number: int


@dataclass(frozen=True, slots=True)
class Order:
    """A match to be played: k bots, and a game for each cyclic seating.

    In game r bot i has seat (i + r) mod k. `mirrored` games share their decks.
    """

    attempt: Attempt
    ruleset: Ruleset
    terms: Terms
    bots: tuple[SeatInfo, ...]
    games: tuple[UUID, ...]
    mirrored: bool

    def table(self, index: int) -> tuple[SeatInfo, ...]:
        """Who sits where in game `index`, seat 0 first."""
        count = len(self.bots)
        return tuple(self.bots[(seat - index) % count] for seat in range(count))


def decode_attempt(message: pb.AttemptRef) -> Attempt:
    """Raises MalformedMessage."""
    if not message.attempt:
        raise MalformedMessage("attempts are counted from 1")
    return Attempt(decode_uuid(message.match_id), message.attempt)


def encode_attempt(attempt: Attempt) -> pb.AttemptRef:
    return pb.AttemptRef(match_id=attempt.match.bytes, attempt=attempt.number)


def decode_order(message: pb.MatchOrder) -> Order:
    """The order. Raises InvalidOrder for one that no referee could play."""
    try:
        order = Order(
            Attempt(decode_uuid(message.match_id), message.attempt),
            decode_ruleset(message.ruleset),
            decode_terms(message.terms),
            tuple(decode_seat_info(bot) for bot in message.bots),
            tuple(decode_uuid(game) for game in message.game_ids),
            message.mirrored,
        )
        check_ruleset(order.ruleset, order.terms, len(order.bots))
    except (MalformedMessage, UnsupportedRules) as problem:
        raise InvalidOrder(str(problem)) from problem
    _check(order)
    return order


def _check(order: Order) -> None:
    seats, terms = len(order.bots), order.terms
    deals, turns, clock = terms.max_deals, terms.max_turns_per_deal, terms.clock
    checks = (
        (order.attempt.number > 0, "attempts are counted from 1"),
        (len({bot.bot for bot in order.bots}) == seats, "a bot sits twice at the table"),
        (all(bot.bot for bot in order.bots), "a bot has no name"),
        (len(order.games) == seats, f"{seats} bots play {seats} games, not {len(order.games)}"),
        (len(set(order.games)) == len(order.games), "two games have the same id"),
        # Without caps two stubborn bots play for ever, and the log grows with them.
        (deals is not None and deals <= MOST_DEALS, f"max_deals must be 1 to {MOST_DEALS}"),
        (turns is not None and turns <= MOST_TURNS, f"max_turns_per_deal must be 1 to {MOST_TURNS}"),
        (max(clock.bank_ms, clock.increment_ms, clock.cap_ms) <= LONGEST_CLOCK_MS, "the clock is longer than a week"),
    )
    problems = [sentence for fine, sentence in checks if not fine]
    if problems:
        raise InvalidOrder("; ".join(problems))
