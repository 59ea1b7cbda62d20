"""A small bot: it works towards its phase, hits what fits, and throws what costs most.

Two methods make a bot. `draw` chooses a pile, `play` does the rest of the turn. Both get a view with everything you may
know: `view.hand`, `view.table.discard_top`, `view.table.seats` with everybody's melds, points and phase. It plays by
any rules that a league may choose.
"""

from bots_sdk import SKIP, Bot, Draw, Play, Turn, View, plans, run


class MyBot(Bot):
    version = "1"  # change it when the bot plays differently: ratings belong to versions

    def draw(self, view: View) -> Draw:
        # The shortest way to each phase that may be laid, the nearest first, and which cards make it shorter. There is one
        # way for most rule sets, and none once the phase is laid.
        ways = plans(view, self.game.ruleset)
        wanted = bool(ways) and view.table.discard_top in ways[0].useful
        return Draw(from_discard=wanted)

    def play(self, view: View) -> Play:
        # A Turn puts a legal Play together, step by step.
        turn = Turn(view, self.game.ruleset)
        if lays := turn.lays():
            turn.lay(lays[0])
        for hit in turn.best_hits():
            turn.hit(hit)
        if turn.over:
            return turn.end()
        if SKIP in turn.hand:
            return turn.end(SKIP)
        ways = turn.plans()
        spare = ways[0].leftover if ways else turn.hand
        numbers = [card for card in spare if card.is_number] or turn.hand
        return turn.end(max(numbers, key=lambda card: card.number or 0))


if __name__ == "__main__":
    run(MyBot)
