import pytest

from tournament_site.leagues import standings
from tournament_site.leagues.standings import Cell, Row

A, B, C, D = 1, 2, 3, 4


@pytest.mark.parametrize(
    ("places", "scores"),
    [
        ({A: 1, B: 2}, {A: 1.0, B: 0.0}),
        ({A: 1, B: 1}, {A: 0.5, B: 0.5}),
        ({A: 1, B: 2, C: 3, D: 4}, {A: 1.0, B: 2 / 3, C: 1 / 3, D: 0.0}),
        ({A: 1, B: 2, C: 2, D: 4}, {A: 1.0, B: 0.5, C: 0.5, D: 0.0}),
        ({A: 1, B: 1, C: 1, D: 1}, {A: 0.5, B: 0.5, C: 0.5, D: 0.5}),
    ],
)
def test_a_game_is_worth_the_seats_beaten_and_half_the_ties(places, scores):
    assert standings.game_scores(places) == pytest.approx(scores)


def test_rank_is_by_score_then_wins_then_live_elo():
    games = [{A: 1, B: 2, C: 3}, {A: 3, B: 2, C: 1}, {A: 1, B: 2, C: 3}, {A: 3, B: 2, C: 1}]
    rows = standings.table([A, B, C], games, {A: 1510.0, B: 1600.0, C: 1520.0})
    assert [(row.bot, row.rank) for row in rows] == [(C, 1), (A, 2), (B, 3)]
    assert [(row.score, row.games, row.wins) for row in rows] == [(2.0, 4, 2), (2.0, 4, 2), (2.0, 4, 0)]


def test_bots_that_are_equal_in_everything_share_a_rank_and_leave_a_gap():
    rows = standings.table([A, B, C], [{A: 1, B: 1}, {A: 1, C: 2}, {B: 1, C: 2}], {A: 1500.0, B: 1500.0})
    assert [(row.bot, row.rank) for row in rows] == [(A, 1), (B, 1), (C, 3)]


def test_a_bot_without_a_game_has_a_line():
    assert standings.table([A], [], {}) == (Row(A, 1, 0.0, 0, 0, None),)


def test_thirds_that_add_up_on_paper_are_equal_here():
    thirds = [{A: 2, B: 1, C: 3, D: 4}] * 3  # 2/3 three times is 2
    whole = [{B: 1, C: 2}] * 2
    rows = {row.bot: row for row in standings.table([A, B, C, D], thirds + whole, {})}
    assert rows[A].score == 2.0
    assert rows[C].score == 1.0


def test_the_cross_table_counts_games_and_who_was_placed_before_whom():
    games = [{A: 1, B: 2, C: 2}, {A: 2, B: 1}]
    assert standings.cross_table(games) == {
        (A, B): Cell(1.0, 2),
        (B, A): Cell(1.0, 2),
        (A, C): Cell(1.0, 1),
        (C, A): Cell(0.0, 1),
        (B, C): Cell(0.5, 1),
        (C, B): Cell(0.5, 1),
    }
