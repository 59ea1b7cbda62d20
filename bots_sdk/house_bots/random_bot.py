"""The floor of the ladder: it plays by the rules and by nothing else."""

from random import Random

from bots_sdk import Bot, Draw, GameInfo, Play, Turn, View, draws


class RandomBot(Bot):
    """Any pile; lays and hits when it can; throws any card."""

    version = "1"

    def game_started(self, info: GameInfo) -> None:
        # Its dice come from the game, so that a local game with the same seed is the same game.
        self._dice = Random(f"{info.game_id} {info.seat}")

    def draw(self, view: View) -> Draw:
        return self._dice.choice(draws(view, self.game.ruleset))

    def play(self, view: View) -> Play:
        turn = Turn(view, self.game.ruleset)
        if ways := turn.lays():
            turn.lay(self._dice.choice(ways))
        while hits := turn.hits():
            turn.hit(self._dice.choice(hits))
        if turn.over:
            return turn.end()
        card = self._dice.choice(turn.hand)
        targets = turn.targets() if card.is_skip else ()
        return turn.end(card, self._dice.choice(targets) if targets else None)
