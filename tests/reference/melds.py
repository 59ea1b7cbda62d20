"""Laying a phase and hitting on what lies there. Hands given to these functions are theirs to empty."""

from typing import Any

from tests.reference.cards import COLOUR, NUMBER, Hit, Laid, Meld, Refused


def lay(hand: list[str], goals: list[tuple[str, int]], melds: list[Meld], options: dict[str, Any]) -> list[Laid]:
    """The melds as they lie on the table; their cards are gone from `hand`."""
    if len(melds) != len(goals):
        raise Refused("WRONG_MELD_COUNT")
    for meld in melds:
        for card in meld.cards:
            if card == "S":
                raise Refused("SKIP_IN_MELD")
            if card not in hand:
                raise Refused("CARD_NOT_IN_HAND")
            hand.remove(card)
    _ask_for_numbers(melds, options["natural_cards"])
    laid = _match(goals, melds, options["lay_extra"])
    sets = [meld.value for meld in laid if meld.kind == "set"]
    if not options["same_number_sets"] and len(set(sets)) < len(sets):
        raise Refused("SAME_NUMBER_SETS")
    return laid


def _ask_for_numbers(melds, duty):
    with_number = [any(card != "W" for card in meld.cards) for meld in melds]
    if (duty == "one_per_phase" and not any(with_number)) or (duty == "one_per_meld" and not all(with_number)):
        raise Refused("NATURAL_REQUIRED")


def _match(goals, melds, extra):
    """Melds may come in another order than the printed goals. If neither order fits, the nearer one says what is wrong."""
    nearest: list[Refused] = []
    for order in [goals, goals[::-1]] if len(goals) == 2 and goals[0] != goals[1] else [goals]:
        laid, problems = [], []
        for (kind, size), meld in zip(order, melds, strict=True):
            try:
                laid.append(_one_meld(kind, size, meld, extra))
            except Refused as refused:
                problems.append(refused)
        if not problems:
            return laid
        if not nearest or len(problems) < len(nearest):
            nearest = problems
    raise nearest[0]


def _one_meld(kind, size, meld, extra):
    if len(meld.cards) < size:
        raise Refused("TOO_FEW_CARDS")
    if len(meld.cards) > size and not extra:
        raise Refused("EXTRA_NOT_ALLOWED")
    value = {"set": _value_of_set, "run": _value_of_run, "color": _value_of_colour}[kind](meld.cards)
    if value is None:
        value = meld.meaning
        if value is None:
            raise Refused("MEANING_REQUIRED")
        lowest, highest = {"set": (1, 12), "run": (1, 13 - len(meld.cards)), "color": (0, 3)}[kind]
        if not lowest <= value <= highest:
            raise Refused("MEANING_WRONG")
    elif meld.meaning is not None and meld.meaning != value:
        raise Refused("MEANING_WRONG")
    return Laid(kind, list(meld.cards), value)


def _value_of_set(cards):
    """The one number of its number cards, None for Wilds alone."""
    numbers = [NUMBER[card] for card in cards if card != "W"]
    if any(number != numbers[0] for number in numbers):
        raise Refused("NOT_A_SET")
    return numbers[0] if numbers else None


def _value_of_colour(cards):
    colours = [COLOUR[card] for card in cards if card != "W"]
    if any(colour != colours[0] for colour in colours):
        raise Refused("NOT_A_COLOR")
    return colours[0] if colours else None


def _value_of_run(cards):
    """The number that the first card is or stands for. Every number card must agree on it, and 12 is the end."""
    starts = [NUMBER[card] - place for place, card in enumerate(cards) if card != "W"]
    if any(start != starts[0] for start in starts) or len(cards) > 12:
        raise Refused("NOT_A_RUN")
    if not starts:
        return None
    if starts[0] < 1 or starts[0] + len(cards) - 1 > 12:
        raise Refused("NOT_A_RUN")
    return starts[0]


def hit(meld: Laid, wish: Hit) -> Laid:
    """The meld with one more card."""
    kind, cards, value = meld
    card, end = wish.card, wish.end
    if kind != "run":
        if end is not None:
            raise Refused("END_NOT_ALLOWED")
        if not _belongs(kind, value, card):
            raise Refused("DOES_NOT_FIT")
        return Laid(kind, [*cards, card], value)
    below, above = value - 1, value + len(cards)
    if card == "W":
        open_ends = [name for name, number in [("low", below), ("high", above)] if 1 <= number <= 12]
        if end is None:
            if len(open_ends) == 2:
                raise Refused("END_REQUIRED")
            end = open_ends[0] if open_ends else None
        if end not in open_ends:
            raise Refused("DOES_NOT_FIT")
    else:
        right_end = {below: "low", above: "high"}.get(NUMBER[card])
        if end not in {None, right_end}:
            raise Refused("DOES_NOT_FIT")
        end = right_end
    if end == "low":
        return Laid(kind, [card, *cards], below)
    if end == "high":
        return Laid(kind, [*cards, card], value)
    raise Refused("DOES_NOT_FIT")


def hit_for_wild(meld: Laid, wish: Hit) -> Laid:
    """The meld with a number card where a Wild lay."""
    kind, cards, value = meld
    card = wish.card
    if wish.end is not None:
        raise Refused("END_NOT_ALLOWED")
    if card == "W" or "W" not in cards:
        raise Refused("DOES_NOT_FIT")
    if kind == "run":
        place = NUMBER[card] - value
        if not 0 <= place < len(cards) or cards[place] != "W":
            raise Refused("DOES_NOT_FIT")
    elif _belongs(kind, value, card):
        place = cards.index("W")
    else:
        raise Refused("DOES_NOT_FIT")
    return Laid(kind, [*cards[:place], card, *cards[place + 1 :]], value)


def _belongs(kind, value, card):
    return card == "W" or (NUMBER[card] if kind == "set" else COLOUR[card]) == value
