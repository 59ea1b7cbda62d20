"""The second step of the ladder: it knows what it needs, but never looks at the open card."""

from bots_sdk import Bot, Draw, Play, Turn, View
from bots_sdk.house_bots.habits import lay_and_hit, throw


class BlindBot(Bot):
    """Always draws the unseen card, keeps the shortest way to its phase, lays and hits at once."""

    version = "1"

    def draw(self, view: View) -> Draw:  # noqa: ARG002 - it does not look
        return Draw()

    def play(self, view: View) -> Play:
        turn = Turn(view, self.game.ruleset)
        lay_and_hit(turn)
        return turn.end(None if turn.over else throw(turn, self.game.ruleset.card_points))
