"""The third step: it takes the open card whenever that helps at once."""

from typing import Final

from bots_sdk import Bot, Card, Draw, Play, Ruleset, Turn, View, open_kinds, plans
from bots_sdk.house_bots.habits import aim, lay_and_hit, leader, throw

UNSEEN: Final = Draw()
OPEN: Final = Draw(from_discard=True)


def fits_the_table(view: View, card: Card) -> bool:
    """Whether a card can be added to any meld on the table."""
    return any(card in open_kinds(meld) for seat in view.table.seats for meld in seat.melds)


def wants(view: View, card: Card, ruleset: Ruleset) -> bool:
    """Whether the open card is better than an unseen one: it brings the phase nearer, or can be hit at once.

    A Wild is wanted only where it can be used. Two bots that both took one and threw it again would play for ever.
    """
    way = aim(plans(view, ruleset))
    if way is None:
        return fits_the_table(view, card)
    if way.distance:
        return card in way.useful
    # The phase will be laid in this turn, so what fits the table then is a card less.
    return card.is_wild or fits_the_table(view, card)


class GreedyBot(Bot):
    """Takes the open card if it shortens the way; plays Skips against the leader."""

    version = "1"

    def draw(self, view: View) -> Draw:
        card = view.table.discard_top
        # A Skip, where one may be taken, would be thrown again: two bots that did so would play for ever.
        wanted = card is not None and not card.is_skip and wants(view, card, self.game.ruleset)
        return OPEN if wanted else UNSEEN

    def play(self, view: View) -> Play:
        turn = Turn(view, self.game.ruleset)
        lay_and_hit(turn)
        if turn.over:
            return turn.end()
        card = throw(turn, self.game.ruleset.card_points)
        return turn.end(card, leader(view, turn.targets()) if card.is_skip else None)
