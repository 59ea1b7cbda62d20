"""Cards and their notation."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.engine import CARDS, SKIP, WILD, Color, format_cards, full_deck, number_card, parse_card, parse_cards
from tests.strategies import cards


def test_a_deck_is_two_of_each_number_card_eight_wilds_and_four_skips():
    deck = full_deck()
    assert len(deck) == 108
    assert list(deck) == sorted(deck)
    assert Counter(deck) == {card: 2 if card.is_number else 8 if card.is_wild else 4 for card in CARDS}
    assert len(full_deck(wilds=0, skips=8)) == 104


@given(st.lists(cards))
def test_notation_reads_back(hand):
    assert parse_cards(format_cards(hand)) == tuple(hand)


@given(st.sampled_from(Color), st.integers(1, 12))
def test_faces(color, number):
    card = number_card(color, number)
    assert (card.color, card.number, card.is_number, card.is_wild, card.is_skip) == (color, number, True, False, False)
    assert str(card) == f"{color.name[0]}{number}"


def test_wild_and_skip_have_no_number_and_no_colour():
    assert (WILD.number, WILD.color, WILD.is_number, WILD.is_wild) == (None, None, False, True)
    assert (SKIP.number, SKIP.color, SKIP.is_number, SKIP.is_skip) == (None, None, False, True)


@pytest.mark.parametrize("text", ["R0", "R13", "X3", "", "WW", "7", "R"])
def test_what_is_no_card(text):
    with pytest.raises(ValueError, match="no such card"):
        parse_card(text)


@pytest.mark.parametrize("number", [0, 13, -1])
def test_what_is_no_number(number):
    with pytest.raises(ValueError, match="no card has the number"):
        number_card(Color.RED, number)
