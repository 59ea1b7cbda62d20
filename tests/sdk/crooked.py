"""Bots that do one thing wrong, and the scenarios that must find it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from bots_sdk.bot import Bot
from bots_sdk.client import Timing
from bots_sdk.house_bots import BlindBot
from bots_sdk.session import Session
from bots_sdk.tickets import Ticket
from referee.engine.moves import Play, Seat
from referee.engine.ruleset import GoingOut, SkipTarget
from referee.engine.view import View
from tests.sdk.bent import (
    AnswersTwice,
    ChangesItsMind,
    CommitsInHex,
    CommitsNever,
    CountsIds,
    DiesOfGaps,
    DiesOfNewFields,
    DiesOfNewMessages,
    DiesOfNewValues,
    DiesOfStrangers,
    DiesOfVoid,
    Floods,
    ForgetsNonces,
    Garbles,
    KeepsDeadGames,
    KeepsHandles,
    LeavesAfterAPause,
    LeavesAtDrain,
    Nameless,
    NeedsCommitments,
    NeverGivesIn,
    OverlooksOpenQuestions,
    PingsFirst,
    PongsInDoubles,
    PongsNever,
    ProtocolTwo,
    RepeatsItself,
    RevealsAnother,
    RevealsEarly,
    SameNonce,
    SaysNoHello,
    SendsGiants,
    Sulks,
    WritesNovels,
)

# Quick enough for a test, slow enough not to hammer; a frozen referee is noticed after three seconds.
QUICK = Timing(ping=0.2, silence=3.0, rest=0.2, tick=0.05, shortest=0.15, longest=0.5, refresh=600.0)


class HitsOut(BlindBot):
    """Hits its last card where it would have to be discarded."""

    def play(self, view: View) -> Play:
        move = super().play(view)
        rules = self.game.ruleset
        if move.hits or move.lay or rules.going_out is not GoingOut.DISCARD_ONLY or len(view.hand) > 2:
            return move
        return Play(discard=None)


class NamesNoPhase(BlindBot):
    def play(self, view: View) -> Play:
        move = super().play(view)
        return Play(move.lay, move.hits, move.discard, move.skip_target)


class AlwaysAims(BlindBot):
    def play(self, view: View) -> Play:
        move = super().play(view)
        if self.game.ruleset.skip_target is not SkipTarget.NEXT or move.discard is None or not move.discard.is_skip:
            return move
        return Play(move.lay, move.hits, move.discard, Seat((view.seat + 1) % len(view.table.seats)), move.phase)


def one_referee(ticket: Ticket) -> Ticket:
    return Ticket(ticket.text, ticket.capacity, ticket.referees[:1])


@dataclass(frozen=True)
class Crooked:
    """A bot with one bend, and the scenarios that must find it."""

    fails: tuple[str, ...]
    session: type[Session] = Session
    bot: type[Bot] = BlindBot
    timing: Timing = QUICK
    ticket: Callable[[Ticket], Ticket] = lambda ticket: ticket
    version: str = "1"
    keeps_tickets: bool = False
    asks_site: bool = True
    options: dict[str, int] = field(default_factory=dict)
    pause: float = 0.3
    capacity: int = 8
    tried: tuple[str, ...] = ()  # only these scenarios


def _sessions(pairs: Iterable[tuple[type[Session], str]]) -> dict[str, Crooked]:
    return {session.__name__: Crooked(tuple(names.split()), session) for session, names in pairs}


CROOKED = _sessions(
    (
        (ProtocolTwo, "hello"),
        (Nameless, "hello"),
        (SaysNoHello, "hello"),
        (PingsFirst, "hello"),
        (RevealsEarly, "handshake"),
        (CommitsInHex, "handshake"),
        (RevealsAnother, "handshake"),
        (SameNonce, "handshake"),
        (CommitsNever, "handshake"),
        (ForgetsNonces, "resync-handshake"),
        (NeedsCommitments, "no-handshake"),
        (AnswersTwice, "answers"),
        (CountsIds, "answers"),
        (PongsNever, "pong"),
        (PongsInDoubles, "pong"),
        (DiesOfNewMessages, "unknown-messages"),
        (DiesOfNewFields, "unknown-fields"),
        (DiesOfNewValues, "unknown-values"),
        (Sulks, "refusals"),
        (ChangesItsMind, "duplicate-question"),
        (DiesOfGaps, "event-gaps"),
        (DiesOfVoid, "void"),
        (KeepsHandles, "resync-handshake resync-asked resync-waiting"),
        (OverlooksOpenQuestions, "resync-asked"),
        (RepeatsItself, "resync-waiting"),
        (KeepsDeadGames, "resync-gone"),
        (DiesOfStrangers, "resync-gone"),
        (LeavesAtDrain, "drain"),
        (NeverGivesIn, "superseded"),
        (WritesNovels, "notes"),
        (SendsGiants, "limits"),
        (Floods, "limits"),
    )
) | {
    "HitsOut": Crooked(("rules-discard-only", "rules-published"), bot=HitsOut),
    "NamesNoPhase": Crooked(("rules-free-choice", "rules-published"), bot=NamesNoPhase),
    "AlwaysAims": Crooked(("rules-skip-next", "rules-published"), bot=AlwaysAims),
    "Garbles": Crooked(("answers",), Garbles, tried=("hello", "answers")),
    "LeavesAfterAPause": Crooked(("slow-referee",), LeavesAfterAPause, pause=3.4, tried=("answers", "slow-referee")),
    "NamesNoVersion": Crooked(("ticket",), version=""),
    "KeepsTickets": Crooked(("refused-ticket",), keeps_tickets=True),
    "OneReferee": Crooked(("two-referees",), ticket=one_referee),
    "Hammers": Crooked(("redial",), timing=replace(QUICK, shortest=0.001, longest=0.002)),
    "WaitsForEver": Crooked(("silence",), timing=replace(QUICK, silence=9999.0)),
    "SmallReader": Crooked(("large-frames",), options={"grpc.max_receive_message_length": 150 * 1024}),
}
