"""What the house bots remember of a deal, against the cards as they really lie."""

from phaseten.v1 import bot_pb2 as pb

from bots_sdk.house_bots import DenierBot
from referee.engine.cards import SKIP, WILD
from referee.engine.events import DrawSeen, StockRenewed, TurnSkipped
from referee.engine.moves import Play
from referee.engine.ruleset import Terms
from referee.engine.view import View
from tests.sdk.scripted import WELCOME, ScriptedGame, answers, frame, joined, messages, session_of

TERMS = Terms(max_deals=8)


class Watched(DenierBot):
    """Writes down, at each question, its deal, what it believes to be out of sight, and what is."""

    def __init__(self, script: ScriptedGame) -> None:
        self.script = script
        self.told: list[tuple[int, list[int], list[int]]] = []

    def play(self, view: View) -> Play:
        believed = self._memory.unseen(view)
        self.told.append((view.table.deal, believed, out_of_sight(self.script)))
        return super().play(view)


def out_of_sight(script: ScriptedGame) -> list[int]:
    """By kind, the copies in the draw pile and in the other hands."""
    state = script.game.state
    others = [hand for seat, hand in enumerate(state.hands) if seat != script.seat]
    counts = [0] * (max(WILD, SKIP) + 1)
    for card in (*state.stock, *(card for hand in others for card in hand)):
        counts[card] += 1
    return counts


def played(*, away_after: int | None = None, away: int = 0, seats: int = 3) -> tuple[Watched, ScriptedGame]:
    """A whole game. After so many answers the bot is away for some questions, then it comes back."""
    script = ScriptedGame(seats=seats, terms=TERMS)
    bot = Watched(script)
    session, given = session_of(bot), 0
    session.receive(joined(script.opening(), script.ask()))
    while script.game.to_move is not None:
        if given == away_after:
            for _ in range(away):
                script.miss()
                script.ask()
            session = session_of(bot, games=session.games)
            session.receive(joined(WELCOME, frame(resync=pb.Resync(games=[script.resync()]))))
        given += 1
        script.take(answers(messages(session))[0])
        session.receive(script.ask())
    return bot, script


def test_a_bot_that_hears_everything_knows_exactly_what_is_out_of_sight() -> None:
    for seats in (2, 6):
        bot, script = played(seats=seats)
        assert all(believed == real for _, believed, real in bot.told)
    kinds = {type(event) for event in script.public()}
    assert kinds >= {StockRenewed, TurnSkipped, DrawSeen}  # at a full table, all that moves the discard pile


def test_a_bot_that_was_away_believes_nothing_that_is_not_so() -> None:
    for away in (1, 4, 60):
        bot, _ = played(away_after=9, away=away)
        assert not any(
            believed < real for _, beliefs, reals in bot.told for believed, real in zip(beliefs, reals, strict=True)
        )


def test_from_the_next_deal_on_it_knows_everything_again() -> None:
    bot, _ = played(away_after=9, away=60)
    back = bot.told[5][0]
    later = [(believed, real) for deal, believed, real in bot.told if deal > back]
    assert later
    assert all(believed == real for believed, real in later)
