"""How pages show numbers, names and sentences."""

import pytest

from referee.engine.cards import parse_card
from tournament_site.pages import shown


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (3.0, "3"), (2.5, "2.5"), (4 / 3, "1.33"), (10.0, "10"), (-0.001, "0"), (100.0, "100")]
)
def test_scores_have_no_needless_zeros(value, text):
    assert shown.number(value) == text


@pytest.mark.parametrize(
    ("value", "text", "way"),
    [(None, "–", ""), (0.0, "±0", ""), (0.04, "±0", ""), (12.34, "+12.3", "up"), (-7.0, "−7.0", "down")],
)
def test_changes_have_a_sign_and_a_direction(value, text, way):
    assert shown.change(value) == text
    assert shown.direction(value) == way


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 ms"), (999, "999 ms"), (1000, "1 s"), (12_340, "12.3 s"), (60_000, "1 min"), (245_000, "4 min 05 s")],
)
def test_stretches_of_time_are_readable(ms, text):
    assert shown.lasted(ms) == text


@pytest.mark.parametrize(("score", "games", "heat"), [(0, 4, 0), (4, 4, 10), (2, 4, 5), (1, 3, 3), (0, 0, 5)])
def test_heat_goes_from_lost_to_won(score, games, heat):
    assert shown.heat(score, games) == heat


def test_an_emblem_belongs_to_a_slug_for_ever():
    assert shown.Emblem.of("greedy-greta") == shown.Emblem.of("greedy-greta")
    emblems = {shown.Emblem.of(f"bot-{number}") for number in range(200)}
    assert len(emblems) > 100
    for emblem in emblems:
        assert 0 <= emblem.tint < shown.TINTS
        assert all(0 <= mark.x <= 20 - mark.size and 0 <= mark.y <= 20 - mark.size for mark in emblem.marks)


def test_a_sentence_has_faces_and_names():
    line: list[str | int | list[int]] = [
        "takes ",
        int(parse_card("B12")),
        " from ",
        [1],
        int(parse_card("W")),
        int(parse_card("S")),
    ]
    assert shown.pieces(line, ["Ann", "Bob"]) == (
        shown.Piece("takes "),
        shown.Piece("12", "b", "blue 12"),
        shown.Piece(" from "),
        shown.Piece(seat="Bob"),
        shown.Piece("W", "w", "Wild"),
        shown.Piece("S", "s", "Skip"),
    )


def test_a_player_is_shown_without_tricks():
    player = shown.Player.of("x", "\u202eevil\u200b" + "W" * 100)
    assert player.name.startswith("evilWW")
    assert len(player.name) == 60


def test_a_clock_of_unknown_terms_has_words():
    assert shown.Clock.of({"bank_ms": 60_000, "cap_ms": "soon"}) == shown.Clock("1 min", "as usual", "as usual")
