"""Properties of a game at a moment: how each is written in a case, and what it is."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from referee.cases import fields as read
from referee.cases.errors import CaseError
from referee.cases.hiding import EVERYBODY, blind
from referee.cases.notation import read_seat, read_table, seat_text, table_text
from referee.cases.values import BySeat
from referee.engine.cards import Card, parse_card
from referee.engine.events import DealEnd, DealEnded, Event, GameEnd
from referee.engine.game import Game
from referee.engine.legal import draws
from referee.engine.moves import Seat
from referee.engine.ruleset import SkipZone
from referee.engine.state import NOBODY, State
from referee.engine.view import Stage


@dataclass(frozen=True, slots=True)
class Moment:
    """A game, and the events of the step that led here."""

    game: Game
    events: tuple[Event, ...] = ()

    @property
    def state(self) -> State:
        return self.game.state

    @property
    def deal_ended(self) -> DealEnded | None:
        """The first end of a deal in this step."""
        return next((event for event in self.events if isinstance(event, DealEnded)), None)


@dataclass(frozen=True, slots=True)
class Plain:
    """A property of the whole table. `came` gets the moment and what is wanted, and gives what is there instead."""

    read: Callable[[object], Any]
    came: Callable[[Moment, Any], Any]


@dataclass(frozen=True, slots=True)
class PerSeat:
    """A property of each seat; it is compared for the seats that are named."""

    read: Callable[[object], Any]
    came: Callable[[Moment, Seat, Any], Any]


def all_cards(state: State) -> Counter[Card]:
    """Every card of a game, wherever it lies, Skips before a seat included."""
    found = Counter(state.stock) + Counter(state.discard)
    for hand in state.hands:
        found.update(hand)
    for melds in state.melds:
        for meld in melds:
            found.update(meld.cards)
    if state.ruleset.skip_zone is SkipZone.IN_FRONT:
        found[parse_card("S")] += sum(state.waiting)
    return found


def _hand_or_size(value: object) -> int | tuple[Card, ...]:
    return read.number(value) if isinstance(value, int) else tuple(sorted(read.cards(value)))


def _hand(moment: Moment, seat: Seat, wanted: int | tuple[Card, ...]) -> int | tuple[Card, ...]:
    hand = moment.state.hands[seat]
    return len(hand) if isinstance(wanted, int) else tuple(hand)


def _penalties(moment: Moment, seat: Seat, _: object) -> int | None:
    ended = moment.deal_ended
    return None if ended is None else ended.penalties[seat]


def _place(moment: Moment, seat: Seat, _: object) -> int | None:
    places = moment.state.places
    return places[seat] if places else None


def _winner(moment: Moment, _: object) -> tuple[Seat, ...]:
    return tuple(Seat(seat) for seat, place in enumerate(moment.state.places) if place == 1)


def _targets(moment: Moment, _: object) -> tuple[Seat, ...]:
    state = moment.state
    return () if state.to_move == NOBODY else tuple(sorted(state.skip_targets()))


def _draws(moment: Moment, _: object) -> tuple[str, ...]:
    state = moment.state
    if state.to_move == NOBODY or state.drawn is not None:
        return ()
    view = moment.game.view(state.to_move)
    return tuple("discard" if draw.from_discard else "stock" for draw in draws(view, state.ruleset))


def _stock_top(moment: Moment, wanted: tuple[Card, ...]) -> tuple[Card, ...]:
    return tuple(moment.state.stock[::-1][: len(wanted)])


def _copies(moment: Moment, wanted: Mapping[Card, int]) -> dict[Card, int]:
    found = all_cards(moment.state)
    return {card: found[card] for card in wanted}


def _read_copies(value: object) -> dict[Card, int]:
    if not isinstance(value, Mapping):
        raise read.unfit(value, "must be a table, as in { R7 = 2, W = 8 }")
    return {parse_card(kind): read.number(count) for kind, count in value.items()}


def _piles(value: object) -> tuple[str, ...]:
    words = tuple(read.text(value).split())
    if not set(words) <= {"stock", "discard"}:
        raise ValueError(f"{value!r} must be `stock` or `stock discard`")
    return words


def _seat_or_nobody(value: object) -> Seat:
    return NOBODY if value == "" else read_seat(value)


def _or_none(reader: Callable[[object], Any]) -> Callable[[object], Any]:
    return lambda value: None if value == "" else reader(value)


def _sorted_seats(value: object) -> tuple[Seat, ...]:
    return tuple(sorted(read.seats(value)))


def _viewers(value: object) -> tuple[Seat, ...]:
    words = read.text(value).split()
    return tuple(EVERYBODY if word == "public" else read_seat(word) for word in words)


def _deal_end(moment: Moment, _: object) -> DealEnd | None:
    return None if moment.deal_ended is None else moment.deal_ended.cause


def _out(moment: Moment, _: object) -> Seat:
    ended = moment.deal_ended
    return NOBODY if ended is None or ended.out is None else ended.out


_number, _flag, _seats = read.number, read.flag, read.seats
_numbers = read.list_of(read.number)

PROPERTIES: Final[Mapping[str, Plain | PerSeat]] = {
    "to_move": Plain(_seat_or_nobody, lambda m, _: m.state.to_move),
    "stage": Plain(read.member(Stage), lambda m, _: m.game.stage),
    "hands": PerSeat(_hand_or_size, _hand),
    "melds": PerSeat(lambda value: read_table(read.text(value)), lambda m, seat, _: m.state.melds[seat]),
    "phase": PerSeat(_number, lambda m, seat, _: m.state.phase(seat)),
    "laid": PerSeat(_number, lambda m, seat, _: m.state.laid[seat]),
    "completed": PerSeat(_number, lambda m, seat, _: m.state.completed[seat]),
    "done": PerSeat(_numbers, lambda m, seat, _: m.state.done[seat]),
    "points": PerSeat(_number, lambda m, seat, _: m.state.totals[seat]),
    "penalties": PerSeat(_number, _penalties),
    "waiting": PerSeat(_number, lambda m, seat, _: m.state.waiting[seat]),
    "faults": PerSeat(_number, lambda m, seat, _: m.state.faults[seat]),
    "forfeited": PerSeat(_flag, lambda m, seat, _: m.state.forfeits[seat] is not None),
    "may_be_skipped": PerSeat(_flag, lambda m, seat, _: m.state.may_be_skipped(seat)),
    "places": PerSeat(_number, _place),
    "winner": Plain(_sorted_seats, _winner),
    "discard_top": Plain(read.card_or_none, lambda m, _: m.state.discard[-1] if m.state.discard else None),
    "discard": Plain(read.cards, lambda m, _: tuple(m.state.discard)),
    "discard_size": Plain(_number, lambda m, _: len(m.state.discard)),
    "stock_size": Plain(_number, lambda m, _: len(m.state.stock)),
    "stock_top": Plain(read.cards, _stock_top),
    "deal": Plain(_number, lambda m, _: m.state.deal),
    "turn": Plain(_number, lambda m, _: m.state.turn),
    "dealer": Plain(read_seat, lambda m, _: m.state.dealer),
    "players": Plain(_sorted_seats, lambda m, _: m.state.players),
    "tie_break": Plain(read.count_or_flag, lambda m, _: m.state.tie_breaks if m.state.tie_break else 0),
    "drawn": Plain(read.card_or_none, lambda m, _: m.state.drawn),
    "draws": Plain(_piles, _draws),
    "targets": Plain(_sorted_seats, _targets),
    "deal_end": Plain(_or_none(read.member(DealEnd)), _deal_end),
    "out": Plain(_seat_or_nobody, _out),
    "game_end": Plain(_or_none(read.member(GameEnd)), lambda m, _: m.state.game_end),
    "cards": Plain(_number, lambda m, _: all_cards(m.state).total()),
    "copies": Plain(_read_copies, _copies),
    "hidden_from": Plain(_viewers, lambda m, wanted: blind(m.state, wanted)),
}


def read_after(value: object) -> Mapping[str, Any]:
    """Wanted properties by name. Raises ValueError or CaseError."""
    fields = read.Fields(value, "after")
    found: dict[str, Any] = {}
    for name, kind in PROPERTIES.items():
        wanted = fields.take(name, read.by_seat(kind.read) if isinstance(kind, PerSeat) else kind.read)
        if name in fields:
            found[name] = wanted
    fields.finish()
    return found


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as it was expected, in words."""

    what: str
    expected: str
    came: str


def differences(moment: Moment, after: Mapping[str, Any]) -> Iterator[Difference]:
    """What is not as the properties want it. Raises CaseError for a seat that does not exist."""
    for name, wanted in after.items():
        kind = PROPERTIES[name]
        if isinstance(kind, Plain):
            came = kind.came(moment, wanted)
            if came != wanted:
                yield Difference(name, shown(name, wanted), shown(name, came))
            continue
        assert isinstance(wanted, BySeat)
        if wanted.highest > moment.game.seats:
            raise CaseError(f"after: {name}: there is no seat {seat_text(wanted.highest - 1)}")
        for seat in map(Seat, range(moment.game.seats)):
            one = wanted.at(seat)
            if one is not None and (came := kind.came(moment, seat, one)) != one:
                yield Difference(f"{name} of {seat_text(seat)}", shown(name, one), shown(name, came))


def _seats_shown(value: Any) -> str:
    return " ".join("public" if seat == EVERYBODY else seat_text(seat) for seat in value) or "nobody"


_SHOWN: Final[Mapping[str, Callable[[Any], str]]] = {
    **dict.fromkeys(("winner", "players", "targets", "hidden_from"), _seats_shown),
    **dict.fromkeys(("to_move", "dealer", "out"), lambda value: seat_text(value) or "nobody"),
    "melds": lambda value: table_text(value) or "none",
    "copies": lambda value: ", ".join(f"{kind} = {count}" for kind, count in value.items()),
}


def shown(name: str, value: Any) -> str:
    """The value of a property as it is written in a case."""
    if name in _SHOWN:
        return _SHOWN[name](value)
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(getattr(value, "value", value))
