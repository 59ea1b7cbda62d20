"""What is played for a seat that does not answer."""

from typing import TYPE_CHECKING

from tests.reference.cards import NUMBER, Draw, Play, points

if TYPE_CHECKING:
    from tests.reference.table import Table


def default_move(table: "Table", seat: int) -> Draw | Play:
    """Draw from the stock; throw the dearest, highest, first-coloured number, else a Wild, else a Skip."""
    if not table.drawn:
        return Draw("stock")
    hand, options = table.hands[seat], table.options
    numbers = [card for card in hand if card in NUMBER]
    if numbers:
        return Play([], [], max(numbers, key=lambda card: (points(card, options["card_points"]), NUMBER[card])))
    if "W" in hand:
        return Play([], [], "W")
    targets = table.skip_targets(seat) if len(hand) > 1 and options["skip_target"] == "chosen" else []
    return Play([], [], "S", targets[0] if targets else None)
