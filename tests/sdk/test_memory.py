"""What the house bots remember of a deal, against the cards as they really lie."""

import random
from dataclasses import replace

import pytest
from phaseten.v1 import bot_pb2 as pb

from bots_sdk.house_bots import DenierBot
from bots_sdk.house_bots.memory import DealMemory, next_to_play
from referee.engine import PRESETS, Game, Ruleset, SeededDecks, public_event
from referee.engine.cards import SKIP, WILD
from referee.engine.events import DrawSeen, StockRenewed, TurnSkipped
from referee.engine.moves import Play, Seat
from referee.engine.ruleset import InitialSkip, InitialWild, SkipLimit, SkipTarget, SkipZone, Terms
from referee.engine.state import State
from referee.engine.view import View
from tests.builders import game_at
from tests.players import random_player
from tests.sdk.scripted import WELCOME, ScriptedGame, answers, frame, joined, messages, session_of

TERMS = Terms(max_deals=8)


class Watched(DenierBot):
    """Writes down, at each question, its deal, what it believes to be out of sight, and what is."""

    def __init__(self, script: ScriptedGame) -> None:
        self.script = script
        self.told: list[tuple[int, list[int], list[int]]] = []

    def play(self, view: View) -> Play:
        believed = self._memory.unseen(view)
        self.told.append((view.table.deal, believed, out_of_sight(self.script.game.state, self.script.seat)))
        return super().play(view)


def out_of_sight(state: State, viewer: Seat) -> list[int]:
    """By kind, the copies in the draw pile and in the hands that `viewer` does not see."""
    others = [hand for seat, hand in enumerate(state.hands) if seat != viewer]
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


UNLIMITED = replace(
    PRESETS["official"], skip_limit=SkipLimit.UNLIMITED, skip_target=SkipTarget.CHOSEN, skip_zone=SkipZone.IN_FRONT, skips=8
)
COVERED_WILDS = replace(PRESETS["official"], initial_wild=InitialWild.COVER, wilds=16)


@pytest.mark.parametrize("rules", [*PRESETS.values(), UNLIMITED, COVERED_WILDS], ids=lambda rules: rules.name)
def test_a_deal_is_remembered_exactly_by_all_rules(rules: Ruleset) -> None:
    rng = random.Random(f"memory {rules}")
    policy = random_player(rng.randrange)
    for seats in (2, 4, 6):
        game = Game(rules, Terms(max_deals=3, max_turns_per_deal=50), seats, SeededDecks(rng.randbytes(64)))
        memory, heard = DealMemory(seats, rules), 0
        while (seat := game.to_move) is not None:
            seen = [public_event(event, rules) for event in game.log[heard:]]
            memory.see(event for event in seen if event is not None)
            heard = len(game.log)
            if game.state.drawn is not None:
                assert memory.unseen(game.view(seat)) == out_of_sight(game.state, seat)
            game.submit(seat, policy(game.view(seat), rules))


def test_where_skips_and_wilds_are_covered_nothing_is_believed_that_is_not_so() -> None:
    rules = replace(COVERED_WILDS, initial_skip=InitialSkip.COVER, skips=8)
    for number in range(40):
        game = Game(rules, Terms(), 2, SeededDecks(number.to_bytes(64, "big")))
        memory = DealMemory(2, rules)
        memory.see(event for event in (public_event(event, rules) for event in game.log) if event is not None)
        believed, real = memory.unseen(game.view(Seat(0))), out_of_sight(game.state, Seat(0))
        assert not any(count < there for count, there in zip(believed, real, strict=True))


def test_the_next_to_play_holds_cards_and_is_not_skipped() -> None:
    hands = ("R1 R2", "B1", "", "G1")
    assert next_to_play(game_at(*hands).view(Seat(0))) == 1
    assert next_to_play(game_at(*hands, waiting=(1,)).view(Seat(0))) == 3
    assert next_to_play(game_at(*hands, waiting=(1, 3)).view(Seat(0))) == 1
