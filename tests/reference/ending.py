"""What follows when a deal ends: points, credit, winners, tie-breaks, places."""

from typing import TYPE_CHECKING

from tests.reference.cards import points

if TYPE_CHECKING:
    from tests.reference.table import Table


def end_deal(table: "Table", cause: str, out: int | None, winner: int | None = None) -> None:
    """Settle the deal and begin the next one, or end the game. `winner` is who decided the game by laying."""
    options = table.options
    penalties = [0] * table.seats  # the points of a tie-break do not count
    if not table.tie_break:
        penalties = [sum(points(card, options["card_points"]) for card in hand) for hand in table.hands]
        table.totals = [total + penalty for total, penalty in zip(table.totals, penalties, strict=True)]
        if options["advance"] == "every_deal":
            table.completed = [done + 1 for done in table.completed]
        if options["win_check"] == "end_of_deal_and_out":
            _take_back(table, out)
    table.history.append((cause, out, penalties, list(table.totals), list(table.completed)))
    if table.tie_break:
        _after_tie_break(table, out if winner is None else winner)
    else:
        _after_deal(table)


def _take_back(table, out):
    """Whoever has done the last phase without being out does it again."""
    for seat in range(table.seats):
        if table.completed[seat] == len(table.options["phases"]) and seat != out:
            table.completed[seat] -= 1
            table.done[seat].pop()


def _after_deal(table):
    options = table.options
    finishers = [seat for seat in range(table.seats) if _has_finished(table, seat)]
    if finishers:
        lowest = min(table.totals[seat] for seat in finishers)
        best = [seat for seat in finishers if table.totals[seat] == lowest]
        if len(best) == 1 or options["score_tie"] == "shared":
            end_game(table, "phases_done")
        else:
            _start_tie_break(table, best)
    elif options["max_deals"] is not None and table.deal + 1 >= options["max_deals"]:
        end_game(table, "deal_cap")
    else:
        dealer = table.dealer if options["dealer_rotation"] == "fixed" else (table.dealer + 1) % table.seats
        table.start_deal(dealer, list(range(table.seats)))


def _has_finished(table, seat):
    return table.completed[seat] == len(table.options["phases"]) and not table.forfeits[seat]


def _start_tie_break(table, seats):
    dealer = table.dealer
    if table.options["dealer_rotation"] == "left" or dealer not in seats:
        dealer = (dealer + 1) % table.seats
        while dealer not in seats:
            dealer = (dealer + 1) % table.seats
    table.start_deal(dealer, seats, tie_break=True)


def _after_tie_break(table, winner):
    tied = [seat for seat in table.players if not table.forfeits[seat]]
    if winner is not None or table.tie_breaks == table.options["tiebreak_max_deals"]:
        end_game(table, "tie_break", winner)
    else:
        _start_tie_break(table, tied)


def end_game(table: "Table", cause: str, winner: int | None = None) -> None:
    """Places: the winner of a tie-break, then by phases done (more first), then by points (less first); who left is last."""
    table.end, table.to_move, table.drawn = cause, -1, None

    def rank(seat):
        if table.forfeits[seat]:
            return (2, 0, 0)
        phases = 0 if table.options["advance"] == "every_deal" else -table.completed[seat]
        return (0 if seat == winner else 1, phases, table.totals[seat])

    ranks = [rank(seat) for seat in range(table.seats)]
    table.places = [1 + sum(other < mine for other in ranks) for mine in ranks]
