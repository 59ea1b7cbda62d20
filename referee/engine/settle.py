"""What follows by itself, without anybody's wish: skipped slots, the end of a deal, the next deal, the end of the game."""

from functools import lru_cache

from referee.engine import scoring
from referee.engine.cards import Card, full_deck
from referee.engine.closing import deal_over
from referee.engine.events import DealEnd, DealStarted, Event, GameEnd, GameEnded, TurnSkipped
from referee.engine.moves import Seat
from referee.engine.ruleset import DealerRotation, ScoreTie, SeatDealer
from referee.engine.shuffle import DeckSource, shuffle_number
from referee.engine.state import NOBODY, State


def follow(state: State, decks: DeckSource) -> Event | None:  # noqa: PLR0911  one return for each thing that can follow
    """The next event that must happen before anybody is asked, or None when a decision (or nothing at all) is due."""
    if state.game_end is not None:
        return None
    if state.active == 1:
        return _game_over(state, GameEnd.FORFEITS)
    if state.deal_end is not None or state.deal < 0:
        return _between_deals(state, decks)
    if state.out != NOBODY:
        return deal_over(state, DealEnd.WENT_OUT)
    if state.decided or (state.tie_break and len(_standing(state, state.players)) == 1):
        return deal_over(state, DealEnd.DECIDED)
    if state.drawn is None:
        if state.turn == state.turn_cap:
            return deal_over(state, DealEnd.TURN_CAP)
        if state.start_skip or state.waiting[state.to_move]:
            return TurnSkipped(state.to_move, state.start_skip)
    return None


def _standing(state: State, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    return tuple(seat for seat in seats if state.forfeits[seat] is None)


def _between_deals(state: State, decks: DeckSource) -> Event:
    everybody = state.everybody
    leaders = _leaders(state, everybody)
    if not leaders:
        if state.deal + 1 == state.terms.max_deals:
            return _game_over(state, GameEnd.DEAL_CAP)
        return _next_deal(state, everybody, decks, tie_break=False)
    if state.tie_break:
        return _after_tie_break(state, leaders, decks)
    if len(leaders) == 1 or state.ruleset.score_tie is ScoreTie.SHARED:
        return _game_over(state, GameEnd.PHASES_DONE)
    return _next_deal(state, leaders, decks, tie_break=True)


def _leaders(state: State, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """The seats with fewest points among those that count and have done all phases."""
    done = len(state.ruleset.phases)
    finishers = [seat for seat in _standing(state, seats) if state.completed[seat] == done]
    lowest = min((state.totals[seat] for seat in finishers), default=0)
    return tuple(seat for seat in finishers if state.totals[seat] == lowest)


def _after_tie_break(state: State, leaders: tuple[Seat, ...], decks: DeckSource) -> Event:
    # The first to go out or, by the other rule, the first to lay: the deal stops there, so nobody else has.
    laid = next((seat for seat in state.players if state.laid[seat]), NOBODY) if state.decided else NOBODY
    winner = laid if state.out == NOBODY else state.out
    if winner != NOBODY:
        return _game_over(state, GameEnd.TIE_BREAK, winner)
    if len(leaders) == 1 or state.tie_breaks == state.ruleset.tiebreak_max_deals:
        return _game_over(state, GameEnd.TIE_BREAK)
    return _next_deal(state, leaders, decks, tie_break=True)


def _game_over(state: State, cause: GameEnd, winner: Seat | None = None) -> GameEnded:
    forfeited = [cause is not None for cause in state.forfeits]
    return GameEnded(cause, scoring.places(state.completed, state.totals, forfeited, winner))


def _next_deal(state: State, players: tuple[Seat, ...], decks: DeckSource, *, tie_break: bool) -> DealStarted:
    rules = state.ruleset
    deal = state.deal + 1
    deck = decks(shuffle_number(deal, 0), _new_deck(rules.wilds, rules.skips))
    return DealStarted(deal, _dealer(state, players, decks), players, tie_break, deck)


@lru_cache(maxsize=16)
def _new_deck(wilds: int, skips: int) -> tuple[Card, ...]:
    return full_deck(wilds, skips)


def _dealer(state: State, players: tuple[Seat, ...], decks: DeckSource) -> Seat:
    """The next dealer: clockwise from the last one, or he again, passing over seats that take no part."""
    if state.deal < 0:
        return _first_dealer(state, decks)
    step = 1 if state.ruleset.dealer_rotation is DealerRotation.LEFT else 0
    dealer = Seat((state.dealer + step) % state.seats)
    while dealer not in players:
        dealer = Seat((dealer + 1) % state.seats)
    return dealer


def _first_dealer(state: State, decks: DeckSource) -> Seat:
    match state.terms.first_dealer:
        case SeatDealer(seat):
            return Seat(seat)
        case "last_seat":
            return Seat(state.seats - 1)
        case "seeded":
            return Seat(decks.first_dealer(state.seats))
