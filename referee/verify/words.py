"""Events in words, for people who look for what is wrong."""

from collections.abc import Iterable
from typing import assert_never

from referee.engine import events as ev
from referee.engine.cards import format_cards
from referee.engine.moves import End
from referee.engine.ruleset import GoalKind


def words(event: ev.Event) -> str:  # noqa: C901, PLR0911, PLR0912  one case per event
    """A clause: `seat 1 draws R5 from the draw pile`. Decks are not listed."""
    match event:
        case ev.GameStarted():
            return f"the game begins with {event.seats} seats by the rules {event.ruleset.name}"
        case ev.DealStarted():
            kind = "tie-break deal" if event.tie_break else "deal"
            return f"{kind} {event.deal} begins: seat {event.dealer} deals to seats {numbers(event.players)}"
        case ev.StockRebuilt():
            return f"the draw pile is rebuilt from {len(event.stock)} cards"
        case ev.CardDrawn():
            return f"seat {event.seat} draws {event.card} from the {'discard' if event.from_discard else 'draw'} pile"
        case ev.PhaseLaid():
            return f"seat {event.seat} lays phase {event.phase}: {' / '.join(map(meld_words, event.melds))}"
        case ev.CardHit():
            where = {None: "", End.LOW: " at its low end", End.HIGH: " at its high end"}[event.end]
            return f"seat {event.seat} adds {event.card} to meld {event.meld} of seat {event.owner}{where}"
        case ev.WildTaken():
            place = f"place {event.place} of meld {event.meld} of seat {event.owner}"
            return f"seat {event.seat} puts {event.card} in the place of the Wild at {place}"
        case ev.CardDiscarded():
            return f"seat {event.seat} discards {event.card}"
        case ev.SkipPlayed():
            return f"seat {event.seat} plays a Skip against seat {event.target}"
        case ev.TurnSkipped():
            return f"seat {event.seat} misses its turn by {'the start card' if event.by_start_card else 'a Skip'}"
        case ev.SeatFaulted():
            return f"seat {event.seat} is charged with fault {event.count} ({event.kind.value})"
        case ev.SeatForfeited():
            return f"seat {event.seat} forfeits ({event.cause.value})"
        case ev.DealEnded():
            out = "" if event.out is None else f", seat {event.out} is out"
            sums = f"points {numbers(event.penalties)}, totals {numbers(event.totals)}, phases {numbers(event.completed)}"
            return f"the deal ends ({event.cause.value}{out}): {sums}"
        case ev.GameEnded():
            return f"the game ends ({event.cause.value}): places {numbers(event.places)}"
        case _:
            assert_never(event)


def meld_words(meld: ev.TableMeld) -> str:
    """A meld as its kind, what it stands for, and its cards: `set 7 (R7 B7 W)`."""
    value = "RBGY"[meld.value] if meld.kind is GoalKind.COLOR and meld.value < 4 else str(meld.value)
    return f"{meld.kind.value} {value} ({format_cards(meld.cards)})"


def numbers(values: Iterable[int]) -> str:
    """`1 2 3`."""
    return " ".join(map(str, values))
