"""A small bot: it works towards its phase, hits what fits, and throws what costs most.

Two methods make a bot. `draw` chooses a pile, `play` does the rest of the turn. Both get a view with everything you may
know: `view.hand`, `view.table.discard_top`, `view.table.seats` with everybody's melds, points and phase.
"""

from bots_sdk import SKIP, Bot, Draw, Play, Turn, View, plan, run


class MyBot(Bot):
    version = "1"  # change it when the bot plays differently: ratings belong to versions

    def draw(self, view: View) -> Draw:
        me = view.table.seats[view.seat]
        top = view.table.discard_top
        # `plan` knows the shortest way to a phase, and which cards make it shorter.
        wanted = not me.laid and top in plan(view.hand, me.phase).useful
        return Draw(from_discard=wanted)

    def play(self, view: View) -> Play:
        # A Turn puts a legal Play together, step by step.
        turn = Turn(view, self.game.ruleset)
        if ways := turn.lays():
            turn.lay(ways[0])
        while hits := turn.hits():
            turn.hit(hits[0])
        if not turn.hand:
            return turn.end()
        if SKIP in turn.hand:
            return turn.end(SKIP)
        spare = turn.hand if turn.laid else plan(turn.hand, turn.phase).leftover
        numbers = [card for card in spare if card.is_number] or turn.hand
        return turn.end(max(numbers, key=lambda card: card.number or 0))


if __name__ == "__main__":
    run(MyBot)
