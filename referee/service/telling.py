"""What a game tells its seats and the public: every event once, as soon as there is something to say with it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2, rules_pb2

from referee.engine.events import Event, FaultKind
from referee.engine.game import Game, Result
from referee.engine.ruleset import Ruleset
from referee.service import messages
from referee.service.messages import QuestionWriter
from referee.service.order import Order, encode_attempt
from referee.service.pieces import event_pieces
from referee.service.seats import TableSeat
from referee.wire.fields import Heading
from referee.wire.replay import encode_seat_info
from referee.wire.rules import encode_ruleset, encode_terms

MOST_UNTOLD: Final = 256  # events a seat may be behind before it is told without being asked
_TABLE: Final = Heading(referee_pb2.GameUpdate, "table")


@lru_cache(maxsize=8)
def _rules(ruleset: Ruleset) -> rules_pb2.Ruleset:
    """The same message for every game by these rules; nobody changes it."""
    return encode_ruleset(ruleset)


class Telling:
    """The talk of one game. Events are numbered as the public sees them, from 0. `nonces` are the seats' shares, by seat."""

    __slots__ = (
        "_commitment",
        "_events",
        "_first",
        "_full",
        "_index",
        "_order",
        "_pieces",
        "_seats",
        "_shown",
        "_writer",
        "nonces",
    )

    def __init__(self, order: Order, index: int, commitment: bytes, seats: tuple[TableSeat, ...]) -> None:
        self._order = order
        self._index = index
        self._commitment = commitment
        self._seats = seats
        self.nonces: list[bytes] = []
        self._writer = QuestionWriter(order.ruleset.name)
        self._pieces = event_pieces(order.ruleset)
        self._full: list[bytes] = []  # the whole log, for the replay
        self._events: list[bytes] = []  # those that somebody has not been told yet
        self._first = 0  # the number of the first of them
        self._shown = 0  # the number of the first one that the watchers have not been told

    def invite(self, seat: TableSeat) -> pb.Invite:
        order = self._order
        return pb.Invite(
            game=seat.handle,
            game_id=order.games[self._index].bytes,
            match_id=order.attempt.match.bytes,
            attempt=order.attempt.number,
            ruleset=_rules(order.ruleset),
            terms=encode_terms(order.terms),
            seat=seat.index,
            table=[encode_seat_info(other.info) for other in self._seats],
            commitment=self._commitment,
        )

    def start(self, seat: TableSeat) -> pb.Start:
        """What ends the handshake: everybody's share in the shuffle."""
        return pb.Start(game=seat.handle, nonces=self.nonces)

    def begin(self, seat: TableSeat) -> None:
        """Start the game for a seat."""
        seat.say(messages.framed(pb.RefereeMessage(start=self.start(seat))))

    def publish(self, events: Sequence[Event]) -> None:
        """Note what happened; it is told with the next thing that is said."""
        known, full, pieces = self._events, self._full, self._pieces
        for event in events:
            seen, whole = pieces(event)
            full.append(whole)
            if seen:
                known.append(seen)

    def log_bytes(self) -> bytes:
        """All events that were published, in full, as a replay of nothing but them."""
        return b"".join(self._full)

    def look(self, seat: TableSeat, game: Game) -> bytes:
        """What the seat sees now, as a serialised View."""
        return self._writer.view(game.view_fields(seat.index))

    def ask(self, seat: TableSeat, question: int, seen: bytes) -> None:
        """Ask a seat, after what it has not heard yet. `seen` is what it sees, as `look` writes it."""
        link, told = seat.link, seat.seen
        seat.seen = end = self._first + len(self._events)
        if link is not None:
            left = (seat.clock.bank, seat.clock.limit, link.round_trip)
            frame = messages.asked(self._writer.question(seat.handle, question, seen, left))
            if told < end:
                frame = messages.happened(seat.handle, told, self._events[told - self._first :]) + frame
            link.push(frame)

    def resync(self, seat: TableSeat, open_question: int | None, gone: float, game: Game) -> pb.ResyncGame:
        """All that a new session of a seat must know; `gone` is how long the open question has been waiting, in ms."""
        seat.seen = self._first + len(self._events)
        told = pb.ResyncGame(invite=self.invite(seat), start=self.start(seat), events=seat.seen)
        if open_question is not None:
            bank, limit = seat.clock.bank - gone, seat.clock.limit - gone
            left = (max(0.0, bank), max(0.0, limit), seat.round_trip)
            question = self._writer.question(seat.handle, open_question, self.look(seat, game), left)
            told.question.MergeFromString(question)
        return told

    def tell(self, seat: TableSeat) -> None:
        """Tell a seat what it has not heard yet."""
        end = self._first + len(self._events)
        if seat.link is not None and seat.seen < end:
            seat.link.push(messages.happened(seat.handle, seat.seen, self._events[seat.seen - self._first :]))
        seat.seen = end

    def refuse(self, seat: TableSeat, question: int, why: tuple[int, str], events: Sequence[Event]) -> None:
        """Tell a seat why its answer was not taken, and what was played instead. `events` are published already.

        `why` is a value of the schema's RejectReason and its text, which may be empty where `messages.TEXTS` has one.
        """
        self.tell(seat)
        instead = messages.played_instead(events, seat.index)
        seat.say(messages.rejected(seat.handle, question, why[0], why[1], instead))

    def count_fault(self, seat: TableSeat, kind: FaultKind, count: int) -> None:
        seat.say(messages.faulted(seat.handle, kind, count, self._order.terms.max_faults))

    def finish(self, seat: TableSeat, result: Result, seed: bytes) -> None:
        self.tell(seat)
        seat.say(messages.finished(seat.handle, result, seed))
        seat.leave()

    def abandon(self, seat: TableSeat, seed: bytes, text: str) -> None:
        seat.say(messages.voided(seat.handle, seed, text))
        seat.leave()

    def tidy(self, watched: bool) -> None:
        """Tell those who are far behind, and forget what everybody has been told."""
        if len(self._events) <= MOST_UNTOLD:
            return
        end = self._first + len(self._events)
        for seat in self._seats:
            if end - seat.seen > MOST_UNTOLD // 2:
                self.tell(seat)
        told = min(seat.seen for seat in self._seats)
        if watched:
            told = min(told, self._shown)
        if told > self._first:
            del self._events[: told - self._first]
            self._first = told

    # What watchers see.

    def opening(self) -> referee_pb2.GameOpened:
        return referee_pb2.GameOpened(
            attempt=encode_attempt(self._order.attempt),
            game_id=self._order.games[self._index].bytes,
            game_index=self._index,
            commitment=self._commitment,
        )

    def update(self, game: Game) -> bytes:
        """A serialised GameUpdate: what happened since the last call, and the table."""
        first = max(self._shown, self._first)
        self._shown = self._first + len(self._events)
        head = referee_pb2.GameUpdate(game_id=self._order.games[self._index].bytes, first=first)
        table = _TABLE.wrap(self._writer.table(game.public_view()))
        return b"".join([head.SerializeToString(), table, *self._events[first - self._first :]])
