"""A position as text, for people: every card open."""

from referee.cases.notation import meld_text, seat_text
from referee.engine.cards import Card, format_cards
from referee.engine.moves import Seat
from referee.engine.ruleset import SkipZone
from referee.engine.state import NOBODY, State

_TOP = 8  # cards of the stock that are shown


def draw(state: State) -> str:
    """The position, several lines without a line's end at the end."""
    lines = [_heading(state), f"  stock    {_stock(state)}", f"  discard  {_discard(state)}"]
    for seat in map(Seat, range(state.seats)):
        lines += _seat(state, seat)
    return "\n".join(lines)


def _heading(state: State) -> str:
    kind = "tie-break deal" if state.tie_break else "deal"
    where = f"{state.ruleset.name}, {kind} {state.deal}, slot {state.turn}, dealer {seat_text(state.dealer)}"
    if state.to_move == NOBODY:
        return f"{where}; the game is over"
    todo = "to draw" if state.drawn is None else f"to play, drew {state.drawn}"
    return f"{where}; {seat_text(state.to_move)} {todo}"


def _stock(state: State) -> str:
    top = state.stock[: -_TOP - 1 : -1]
    more = " ..." if len(state.stock) > _TOP else ""
    return f"{len(state.stock)} cards" + (f", from the top: {format_cards(top)}{more}" if top else "")


def _discard(state: State) -> str:
    if not state.discard:
        return "empty"
    top = state.discard[-_TOP:]
    more = "... " if len(state.discard) > _TOP else ""
    return f"{more}{format_cards(top)} <- top"


def _seat(state: State, seat: Seat) -> list[str]:
    phase = state.phase(seat)
    words = [f"phase {phase}{' laid' if state.laid[seat] else ''}" if phase else "no phase"]
    words.append(f"{state.completed[seat]} done")
    words.append(f"{state.totals[seat]} points")
    if state.waiting[seat]:
        where = " before it" if state.ruleset.skip_zone is SkipZone.IN_FRONT else ""
        words.append(
            f"{state.waiting[seat]} Skip waits{where}" if state.waiting[seat] == 1 else f"{state.waiting[seat]} Skips wait"
        )
    if state.faults[seat]:
        words.append(f"{state.faults[seat]} faults")
    forfeit = state.forfeits[seat]
    if forfeit is not None:
        words.append(f"forfeited ({forfeit.value})")
    if seat not in state.players:
        words.append("does not play this deal")
    mark = ">" if seat == state.to_move else " "
    lines = [f"{mark} {seat_text(seat)}  {', '.join(words)}", f"     hand {_hand(state.hands[seat])}"]
    for number, meld in enumerate(state.melds[seat], 1):
        lines.append(f"     {seat_text(seat)}{number}   {meld_text(meld)}")
    return lines


def _hand(hand: list[Card]) -> str:
    """The hand by colours, a wider gap between them."""
    groups: dict[object, list[Card]] = {}
    for card in hand:
        groups.setdefault(card.color if card.is_number else str(card), []).append(card)
    return "  ".join(map(format_cards, groups.values())) or "empty"
