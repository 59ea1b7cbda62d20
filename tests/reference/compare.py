"""Both implementations side by side: one move, two answers, two tables."""

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import Any

from referee.engine import Draw as EngineDraw
from referee.engine import Game, IllegalMove, Meld, Move, Ruleset, Terms, parse_card
from referee.engine import Hit as EngineHit
from referee.engine import Play as EnginePlay
from referee.engine.events import DealEnded, FaultKind, ForfeitCause
from referee.engine.moves import End, Seat
from referee.engine.ruleset import SeatDealer
from referee.engine.shuffle import DeckSource
from referee.engine.state import State
from tests.reference.cards import FACES, Draw, Play
from tests.reference.table import Table

CARD = {face: parse_card(face) for face in FACES}
_END = {None: None, "low": End.LOW, "high": End.HIGH}


def plain_options(ruleset: Ruleset, terms: Terms) -> dict[str, Any]:
    """The options as the reference takes them: strings, numbers, lists."""
    options: dict[str, Any] = {}
    for field in fields(Ruleset):
        value = getattr(ruleset, field.name)
        options[field.name] = value.value if isinstance(value, Enum) else value
    prices = ruleset.card_points
    options["phases"] = list(ruleset.phases)
    options["card_points"] = {"low": prices.low, "high": prices.high, "skip": prices.skip, "wild": prices.wild}
    options["max_faults"] = terms.max_faults
    options["max_turns_per_deal"] = terms.max_turns_per_deal
    options["max_deals"] = terms.max_deals
    return options


def engine_move(move: Draw | Play) -> Move:
    if isinstance(move, Draw):
        return EngineDraw(move.pile == "discard")
    card, end = CARD, _END
    return EnginePlay(
        tuple([Meld(tuple([card[face] for face in meld.cards]), meld.meaning) for meld in move.lay]),
        tuple(
            [EngineHit(Seat(hit.owner), hit.meld, card[hit.card], end[hit.end], hit.for_wild) for hit in move.hits]
            if move.hits
            else ()
        ),
        card[move.discard] if move.discard else None,
        None if move.target is None else Seat(move.target),
        move.phase,
    )


# The names of what `engine_facts` and `reference_facts` list.
FACTS = [
    *("deal", "dealer", "players", "tie_break", "turn", "to_move", "drawn", "stock", "discard", "hands", "melds", "laid"),
    *("done", "completed", "totals", "waiting", "faults", "forfeits", "phases", "may_be_skipped", "reshuffles"),
    *("deal_ends", "end", "places"),
]


class Pair:
    """One game, played twice. `difference` says what differs, or is empty."""

    def __init__(
        self, ruleset: Ruleset, terms: Terms, seats: int, decks: DeckSource, altered: Mapping[str, Any] | None = None
    ) -> None:
        """`altered` are options that only the reference plays by: then the two must come to differ."""
        match terms.first_dealer:
            case SeatDealer(seat):
                dealer = seat
            case "last_seat":
                dealer = seats - 1
            case "seeded":
                dealer = decks.first_dealer(seats)
        self.game = Game(ruleset, terms, seats, decks)

        def faces(number: int, cards: list[str]) -> list[str]:
            return [FACES[card] for card in decks(number, tuple([CARD[face] for face in cards]))]

        self.table = Table({**plain_options(ruleset, terms), **(altered or {})}, seats, dealer, faces)
        self.answers: tuple[str | None, str | None] = (None, None)
        self._read = 0
        self._history: list[tuple[Any, ...]] = []
        self._known: list[tuple[Any, list[Any]]] = [((), [])] * seats

    def submit(self, seat: int, move: Draw | Play) -> bool:
        """Whether both answer alike (`answers`) and stand alike afterwards."""
        mine = self.table.submit(seat, move)
        try:
            self.game.submit(Seat(seat), engine_move(move))
            theirs = None
        except IllegalMove as refused:
            theirs = refused.reason.name
        self.answers = (theirs, mine)
        return theirs == mine and self.alike()

    def fault(self, seat: int, kind: FaultKind) -> bool:
        self.table.fault(seat)
        self.game.fault(Seat(seat), kind)
        return self.alike()

    def forfeit(self, seat: int, cause: ForfeitCause) -> bool:
        self.table.forfeit(seat, cause.value)
        self.game.forfeit(Seat(seat), cause)
        return self.alike()

    def alike(self) -> bool:
        return self.engine_facts() == self.reference_facts()

    def engine_facts(self) -> list[Any]:
        state, faces = self.game.state, FACES
        return [
            state.deal,
            state.dealer,
            list(state.players),
            state.tie_break,
            None if state.game_end else state.turn,  # after the end no slot is open
            state.to_move,
            None if state.drawn is None else faces[state.drawn],
            [faces[card] for card in reversed(state.stock)],
            [faces[card] for card in state.discard],
            [[faces[card] for card in hand] for hand in state.hands],
            self._melds(state),
            state.laid,
            [list(phases) for phases in state.done],
            state.completed,
            state.totals,
            state.waiting,
            state.faults,
            [None if cause is None else cause.value for cause in state.forfeits],
            [state.phase(Seat(seat)) for seat in range(state.seats)],
            [state.may_be_skipped(Seat(seat)) for seat in range(state.seats)],
            state.reshuffles,
            self._deal_ends(),
            None if state.game_end is None else state.game_end.value,
            list(state.places),
        ]

    def reference_facts(self) -> list[Any]:
        table = self.table
        return [
            table.deal,
            table.dealer,
            table.players,
            table.tie_break,
            None if table.end else table.turn,
            table.to_move,
            table.drawn,
            table.stock,
            table.discard,
            table.hands,
            table.melds,
            table.laid,
            table.done,
            table.completed,
            table.totals,
            table.waiting,
            table.faults,
            table.forfeits,
            [table.phase_of(seat) for seat in range(table.seats)],
            [table.may_be_skipped(seat) for seat in range(table.seats)],
            table.reshuffles,
            table.history,
            table.end,
            table.places,
        ]

    def _melds(self, state: State) -> list[list[Any]]:
        """The engine's melds in plain words; those of a seat are translated again only when they are another value."""
        found = []
        for seat, melds in enumerate(state.melds):
            known, plain = self._known[seat]
            if melds is not known:
                plain = [(meld.kind.value, [FACES[card] for card in meld.cards], meld.value) for meld in melds]
                self._known[seat] = (melds, plain)
            found.append(plain)
        return found

    def _deal_ends(self) -> list[tuple[Any, ...]]:
        log = self.game.log
        for event in log[self._read :]:
            if isinstance(event, DealEnded):
                self._history.append(
                    (event.cause.value, event.out, list(event.penalties), list(event.totals), list(event.completed))
                )
        self._read = len(log)
        return self._history
